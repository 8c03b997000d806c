internal import CrashRead
internal import CrashReadSystem

/// `crashread lookup`: link-time addresses of one debug file to functions, files and lines.
struct LookupJob {
  let options: Options
  private static let maximumAddressFileSize = 256 << 20

  init(_ options: Options) { self.options = options }

  /// Resolves the addresses in the order given.
  func run(on console: inout Console) -> ExitStatus {
    CrashRecovery.installRestartHandler(memory: WorkerLimits.memoryAlone, after: options.refusals)
    CrashRecovery.limitTime(to: nil)
    let caches = cacheDirectory(options, console.environment)
    guard let path = options.operands.first else { return .failure }
    // What comes out of an archive is there as long as the store.
    let store = SymbolStore(searching: [path], caches: caches, limits: options.limits)
    defer { withExtendedLifetime(store) {} }
    guard let file = open(path, in: store, console: &console) else { return .failure }
    var status = ExitStatus.success
    var addresses = options.addresses
    let isAnsweredAtOnce = options.addressFiles == ["-"] && options.targets.allSatisfy { $0.path == "-" }
    for list in isAnsweredAtOnce ? [] : options.addressFiles {
      do throws(SystemError) {
        addresses += parse(try readOperand(list, limit: Self.maximumAddressFileSize), list, &status, &console)
      } catch {
        console.error("cannot read the file: \(error.description)", file: list)
        status = .failure
      }
    }
    CrashRecovery.stopRestarting()
    let isWritten =
      isAnsweredAtOnce
      ? answerAtOnce(addresses, in: file, &status, &console)
      : writeResult(to: &console, options) { format, _, write in
        render(addresses, in: file, as: format, write)
      }
    if let failure = file.failure {
      console.error("cannot be used: \(failure.description)", file: file.path)
      status = .failure
    }
    if options.addresses.count <= Self.maximumNotes {
      for address in options.addresses { noteOutside(address, of: file, &console) }
    }
    console.noteMissing(file.missingParts.map { ($0.path, $0.description) }, of: file.path)
    if file.deservesCache { makeCachesLater(of: [file.path], in: caches, &console) }
    return isWritten ? status : .failure
  }

  /// Answers addresses from standard input as they come, all that are there together: whoever asks may wait for the answer.
  private func answerAtOnce(
    _ first: [LinkedAddress], in file: DebugFile, _ status: inout ExitStatus, _ console: inout Console
  ) -> Bool {
    let format = options.targets.first?.format ?? .text
    var list = LookupList(format)
    write(first, in: file, &list, &console)
    var line = 0
    var rest: [UInt8] = []
    while true {
      let more = readSomeInput()
      rest += more
      // The last line may lack its end.
      let end = more.isEmpty ? rest.endIndex : rest.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
      let addresses = parse(Array(rest[..<end]), "-", &status, &console, behind: line)
      line += rest[..<end].count { $0 == UInt8(ascii: "\n") }
      rest.removeFirst(end)
      write(addresses, in: file, &list, &console)
      if more.isEmpty { break }
    }
    console.write(list.end)
    return true
  }

  private func write(
    _ addresses: [LinkedAddress], in file: DebugFile, _ list: inout LookupList, _ console: inout Console
  ) {
    renderElements(addresses, in: file, as: list.format) { console.write(list.next($0)) }
    console.flush()
  }

  /// The file itself, or the one inside a bundle; the slice by identity, then by CPU, then the only one.
  private func open(_ path: String, in store: SymbolStore, console: inout Console) -> DebugFile? {
    for problem in store.problems { console.error(problem.message, file: problem.path) }
    let fitting = store.candidates.filter { $0.slice.fits(options) }
    guard let first = fitting.first else {
      if store.problems.isEmpty {
        console.error("holds no such slice; it has \(list(store.candidates))", file: path)
      }
      return nil
    }
    let choices = fitting.filter { $0.slice.hasDWARF == fitting.contains { $0.slice.hasDWARF } }
    guard Set(choices.map(\.slice.architecture)).count == 1 else {
      console.error("holds several slices, choose one by --arch or --uuid: \(list(fitting))", file: path)
      return nil
    }
    let choice = choices.first ?? first
    store.refuse(options.refusals)
    switch store.open(choice) {
    case .success(let file): return file
    case .failure(let error):
      console.error("cannot be used: \(error.description)", file: choice.shownPath)
      return nil
    }
  }

  /// Beyond this many addresses messages are not printed one by one.
  private static let maximumNotes = 20

  /// Says of an address where no code of the file is whether it would be some with a slide.
  private func noteOutside(_ address: LinkedAddress, of file: DebugFile, _ console: inout Console) {
    let ranges = file.slice.codeRanges
    guard let start = ranges.map(\.lowerBound).min(), let end = ranges.map(\.upperBound).max() else { return }
    let linked = linkedAddress(of: address, in: file)
    if ranges.contains(where: { $0.contains(linked) }) { return }
    let place = "no code of the file is at \(address): it has some from \(start) to \(end)"
    console.note(place + slide(of: address, in: file, from: start, to: end), file: file.path)
  }

  /// Where images are loaded is a multiple of the size of a page, of which the largest has 16 KB.
  private static let pageSize: UInt64 = 0x4000

  private func slide(
    of address: LinkedAddress, in file: DebugFile, from start: LinkedAddress, to end: LinkedAddress
  ) -> String {
    if let load = options.loadAddress {
      let size = end.rawValue &- file.slice.linkedBase.rawValue
      return ", which is \(load) to \(LinkedAddress(load.rawValue &+ size)) with this load address"
    }
    let base = file.slice.linkedBase.rawValue
    let (sum, overflow) = base.addingReportingOverflow(address.rawValue)
    if address.rawValue < base, !overflow, LinkedAddress(sum) < end {
      return "; as an offset in the image it is \(LinkedAddress(sum))"
    }
    guard address >= end else { return "" }
    // The code's last page may lie there, or its first.
    let page = ~(Self.pageSize - 1)
    let lowest = (address.rawValue - (end.rawValue - base) + Self.pageSize) & page
    let highest = (address.rawValue - (start.rawValue - base)) & page
    guard lowest <= highest else { return "" }
    let loads =
      lowest == highest
      ? "at \(LinkedAddress(lowest))" : "from \(LinkedAddress(lowest)) to \(LinkedAddress(highest))"
    return "; as an address of a process it fits an image loaded \(loads): give its load address with -l"
  }

  private func list(_ candidates: [SymbolStore.Candidate]) -> String {
    let shown = candidates.prefix(5).map {
      "\($0.slice.architecture?.rawValue ?? "unknown CPU") \($0.slice.id?.description ?? "no identity")"
    }
    let left = candidates.count - shown.count
    return shown.joined(separator: ", ") + (left > 0 ? " and \(left) more" : "")
  }

  /// One address a line; blank lines are passed over, others that are no address are named.
  private func parse(
    _ bytes: [UInt8], _ name: String, _ status: inout ExitStatus, _ console: inout Console,
    behind first: Int = 0
  ) -> [LinkedAddress] {
    var addresses: [LinkedAddress] = []
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .enumerated()
    {
      let text = String(decoding: line.filter { $0 > 0x20 }, as: UTF8.self)
      if text.isEmpty { continue }
      if let address = LinkedAddress(hexadecimal: text) {
        addresses.append(address)
      } else {
        console.error("no hexadecimal address: \(text.prefix(40))", file: name, line: first + index + 1)
        status = .failure
      }
    }
    return addresses
  }
}

// MARK: - Output

extension LookupJob {
  /// Addresses looked up together: so many that each function is gone through about once, and so few that the answers to
  /// any number of addresses don't fill the memory.
  private static let batchSize = 1 << 16
  /// Addresses whose answers one thread puts into words, and that are written together.
  private static let pieceSize = 1 << 9

  /// Writes the answers piece by piece; of JSON the elements alone.
  private func renderElements(
    _ addresses: [LinkedAddress], in file: DebugFile, as format: Format, _ write: (String) -> Void
  ) {
    let looked = addresses.map { linkedAddress(of: $0, in: file) }
    for start in stride(from: 0, to: addresses.count, by: Self.batchSize) {
      let batch = start..<min(start + Self.batchSize, addresses.count)
      let answers = file.frames(at: looked[batch])
      let starts = Array(stride(from: batch.lowerBound, to: batch.upperBound, by: Self.pieceSize))
      let pieces = concurrentMap(starts.count, threads: processorCount) { number in
        var text = ""
        for index in starts[number]..<min(starts[number] + Self.pieceSize, batch.upperBound) {
          if format == .json, index > starts[number] { text += ",\n" }
          let found = answers[index - start]
          let frames = found.isEmpty ? file.symbol(at: looked[index]).map { [$0] } ?? [] : found
          append(addresses[index], frames, file, as: format, to: &text)
        }
        return text
      }
      pieces.forEach(write)
    }
  }

  private func render(
    _ addresses: [LinkedAddress], in file: DebugFile, as format: Format, _ write: (String) -> Void
  ) {
    var list = LookupList(format)
    renderElements(addresses, in: file, as: format) { write(list.next($0)) }
    write(list.end)
  }

  /// Where an address is looked up: that of a call one step before it returns, without the slide.
  private func linkedAddress(of address: LinkedAddress, in file: DebugFile) -> LinkedAddress {
    let value = fileAddress(of: address, in: file)
    return LinkedAddress(options.takesReturnAddresses ? value &- 1 : value)
  }

  /// Where the file has an address, without the slide.
  private func fileAddress(of address: LinkedAddress, in file: DebugFile) -> UInt64 {
    guard let load = options.loadAddress else { return address.rawValue }
    return address.rawValue &- load.rawValue &+ file.slice.linkedBase.rawValue
  }

  private func append(
    _ address: LinkedAddress, _ frames: [SourceFrame], _ file: DebugFile, as format: Format,
    to result: inout String
  ) {
    switch format {
    case .tsv: appendTSV(address, frames, to: &result)
    case .json: result += lookupJSON(address, frames, code: listing(address, frames, file)?.texts ?? [])
    case .addr2line: result += addr2lineText(frames)
    case .atos: result += atosText(address, frames, image: file.path)
    default: result += text(address, frames) + (listing(address, frames, file)?.text ?? "")
    }
  }

  /// The instructions around an address, where they are asked for.
  private func listing(_ address: LinkedAddress, _ frames: [SourceFrame], _ file: DebugFile) -> CodeListing? {
    guard options.showsCode else { return nil }
    let linked = fileAddress(of: address, in: file)
    return CodeListing(
      of: file, at: LinkedAddress(linked), entry: frames.last?.entry, shift: address.rawValue &- linked)
  }

  private func name(of frame: SourceFrame) -> String? {
    options.showsLinkageNames ? frame.linkageName ?? frame.function : frame.function
  }

  /// What `addr2line -fip` prints.
  private func addr2lineText(_ frames: [SourceFrame]) -> String {
    guard !frames.isEmpty else { return "?? ??:0\n" }
    return frames.enumerated().map { index, frame in
      let line = frame.location?.line.map(String.init) ?? "?"
      let start = index > 0 ? " (inlined by) " : ""
      return plainText("\(start)\(name(of: frame) ?? "??") at \(frame.location?.shownFile ?? "??"):\(line)")
        + "\n"
    }
    .joined()
  }

  /// What `atos -i -fullPath` prints; of an address that nothing is known of the address.
  private func atosText(_ address: LinkedAddress, _ frames: [SourceFrame], image: String) -> String {
    guard !frames.isEmpty else { return address.description + "\n" }
    let image = image.split(separator: "/").last ?? ""
    return frames.map { frame in
      let head = "\(name(of: frame) ?? address.description) (in \(image))"
      if let offset = frame.symbolOffset { return plainText("\(head) + \(offset)") + "\n" }
      let place = frame.location.map { " (\($0.shownFile):\($0.line ?? 0))" } ?? ""
      return plainText(head + place) + "\n"
    }
    .joined()
  }

  private func appendTSV(_ address: LinkedAddress, _ frames: [SourceFrame], to result: inout String) {
    let start = address.description + "\t"
    for frame in frames.isEmpty ? [SourceFrame()] : frames {
      let place = frame.location
      result += start
      result += tableField(frame.linkageName ?? frame.function ?? "??")
      result += "\t"
      result += tableField(place?.shownFile ?? "??")
      result += "\t"
      result += String(place?.line ?? 0)
      result += "\t"
      result += String(place?.column ?? 0)
      result += "\n"
    }
    result += "\n"
  }

  private func text(_ address: LinkedAddress, _ frames: [SourceFrame]) -> String {
    guard !frames.isEmpty else { return "\(address)  ???\n" }
    var head = "\(address)  "
    var result = ""
    for frame in frames {
      let name = name(of: frame)
      let offset = frame.symbolOffset.map { " + \($0) (symbol table)" } ?? ""
      let place = frame.location.map { "  " + $0.shownFile + $0.shownLine }
      result +=
        head + plainText((name ?? "???") + offset + (place ?? "") + (frame.isInlined ? "  [inlined]" : ""))
        + "\n"
      head = String(repeating: " ", count: head.utf8.count)
    }
    return result
  }
}

/// The answers one after the other; in JSON they are an array's elements.
private struct LookupList {
  let format: Format
  private var isEmpty = true

  init(_ format: Format) { self.format = format }

  /// A piece, with what stands before it.
  mutating func next(_ piece: String) -> String {
    guard format == .json else { return piece }
    defer { isEmpty = false }
    return (isEmpty ? "[\n" : ",\n") + piece
  }

  /// What stands behind the last piece.
  var end: String { format == .json ? (isEmpty ? "[" : "") + "\n]\n" : "" }
}
