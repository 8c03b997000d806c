internal import CrashRead
internal import CrashReadSystem

/// `crashread lookup`: link-time addresses of one debug file to functions, files and lines.
struct LookupJob {
  let options: Options
  /// The program whose code is shown; nil for the debug file itself.
  private var program: DebugFile?
  private static let maximumAddressFileSize = 256 << 20
  private static let maximumLineSize = 1 << 16

  init(_ options: Options) { self.options = options }

  /// Resolves the addresses in the order given.
  mutating func run(on console: inout Console) -> ExitStatus {
    CrashRecovery.installRestartHandler(memory: WorkerLimits.memoryOfMainJob, after: options.refusals)
    CrashRecovery.limitTime(to: nil)
    let caches = cacheDirectory(options, console.environment)
    guard let path = options.operands.first else { return .failure }
    // Extracted files are removed with the store.
    let store = SymbolStore(searching: [path], caches: caches, limits: options.limits)
    defer { withExtendedLifetime(store) {} }
    guard let file = open(path, in: store, console: &console) else { return .failure }
    if options.showsCode, !file.holdsCode {
      program = file.slice.id.flatMap { store.first(programOf: $0, besides: file.path) { $0 } }
    }
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

  /// Answers addresses from standard input as they arrive, since the writer may wait for the answer; those available
  /// together are looked up together.
  private func answerAtOnce(
    _ first: [LinkedAddress], in file: DebugFile, _ status: inout ExitStatus, _ console: inout Console
  ) -> Bool {
    let format = options.targets.first?.format ?? .report(.text)
    var list = LookupList(format)
    write(first, in: file, &list, &console)
    var line = 0
    var rest: [UInt8] = []
    while true {
      let more = readSomeInput()
      // What is left of earlier input has no newline; the last line may lack one.
      let newline = more.lastIndex(of: UInt8(ascii: "\n"))
      let end = more.isEmpty ? rest.count : newline.map { rest.count + $0 + 1 } ?? 0
      rest += more
      let addresses = parse(Array(rest[..<end]), "-", &status, &console, after: line)
      line += rest[..<end].count { $0 == UInt8(ascii: "\n") }
      rest.removeFirst(end)
      write(addresses, in: file, &list, &console)
      if more.isEmpty { break }
      if rest.count > Self.maximumLineSize {
        console.error("line \(line + 1) is too long for an address; the rest is not read", file: "-")
        status = .failure
        break
      }
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

  /// Opens the file itself, or the one inside a bundle: the slice with the identity, otherwise that for the CPU,
  /// otherwise the only one.
  private func open(_ path: String, in store: SymbolStore, console: inout Console) -> DebugFile? {
    for problem in store.problems { console.error(problem.message, file: problem.path) }
    let fitting = store.candidates.filter { $0.slice.fits(options) }
    guard let first = fitting.first else {
      if store.problems.isEmpty {
        console.error("contains no such slice; it has \(list(store.candidates))", file: path)
      }
      return nil
    }
    let choices = fitting.filter { $0.slice.hasDWARF == fitting.contains { $0.slice.hasDWARF } }
    guard Set(choices.map(\.slice.architecture)).count == 1 else {
      console.error("contains several slices; choose one with --arch or --uuid: \(list(fitting))", file: path)
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

  /// The maximum number of addresses for which messages are printed; beyond it they are only counted.
  private static let maximumNotes = 20

  /// Notes whether an address outside the file's code would be inside it with a slide.
  private func noteOutside(_ address: LinkedAddress, of file: DebugFile, _ console: inout Console) {
    let ranges = file.slice.codeRanges
    guard let start = ranges.map(\.lowerBound).min(), let end = ranges.map(\.upperBound).max() else { return }
    let linked = linkedAddress(of: address, in: file)
    if ranges.contains(where: { $0.contains(linked) }) { return }
    let message = "the file has no code at \(address): its code is from \(start) to \(end)"
    console.note(message + slide(of: address, in: file, from: start, to: end), file: file.path)
  }

  /// Images are loaded at multiples of the page size, which is at most 16 KB.
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
    guard address >= end, start.rawValue >= base else { return "" }
    // The address may be on the first or the last page of the code.
    let page = ~(Self.pageSize - 1)
    let tooLow = (address.rawValue - (end.rawValue - base)) & page
    let highest = (address.rawValue - (start.rawValue - base)) & page
    guard tooLow < highest else { return "" }
    let lowest = tooLow + Self.pageSize
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

  /// Parses one address per line; blank lines are skipped, and other lines without an address are reported.
  private func parse(
    _ bytes: [UInt8], _ name: String, _ status: inout ExitStatus, _ console: inout Console,
    after first: Int = 0
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
        console.error("not a hexadecimal address: \(text.prefix(40))", file: name, line: first + index + 1)
        status = .failure
      }
    }
    return addresses
  }
}

// MARK: - Output

extension LookupJob {
  /// The number of addresses looked up together: large enough that each function is visited about once, and small
  /// enough that the answers always fit in memory.
  private static let batchSize = 1 << 16
  /// The number of addresses that one thread formats, and that are written together.
  private static let pieceSize = 1 << 9

  /// Writes the answers piece by piece; for JSON, only the elements of the array.
  private func renderElements(
    _ addresses: [LinkedAddress], in file: DebugFile, as format: FormatOption, _ write: (String) -> Void
  ) {
    let looked = addresses.map { linkedAddress(of: $0, in: file) }
    for start in stride(from: 0, to: addresses.count, by: Self.batchSize) {
      let batch = start..<min(start + Self.batchSize, addresses.count)
      let answers = zip(looked[batch], file.frames(at: looked[batch])).map { address, frames in
        frames.isEmpty ? file.symbol(at: address).map { [$0] } ?? [] : frames
      }
      let entries =
        format == .report(.json) || format == .report(.text) ? answers.compactMap(\.last?.entry) : []
      let folded = entries.isEmpty ? [:] : file.foldedNames(beginningAt: Set(entries))
      let starts = Array(stride(from: batch.lowerBound, to: batch.upperBound, by: Self.pieceSize))
      let pieces = concurrentMap(starts.count, threads: processorCount) { number in
        var text = ""
        for index in starts[number]..<min(starts[number] + Self.pieceSize, batch.upperBound) {
          if format == .report(.json), index > starts[number] { text += ",\n" }
          let frames = answers[index - start]
          let names = frames.last?.entry.flatMap { folded[$0] } ?? []
          append(addresses[index], frames, names, file, as: format, to: &text)
        }
        return text
      }
      pieces.forEach(write)
    }
  }

  private func render(
    _ addresses: [LinkedAddress], in file: DebugFile, as format: FormatOption, _ write: (String) -> Void
  ) {
    var list = LookupList(format)
    renderElements(addresses, in: file, as: format) { write(list.next($0)) }
    write(list.end)
  }

  /// The address to look up: without the slide, and inside the call if it is a return address.
  private func linkedAddress(of address: LinkedAddress, in file: DebugFile) -> LinkedAddress {
    let value = fileAddress(of: address, in: file)
    return LinkedAddress(options.takesReturnAddresses ? value &- 1 : value)
  }

  /// The address in the file, without the slide.
  private func fileAddress(of address: LinkedAddress, in file: DebugFile) -> UInt64 {
    guard let load = options.loadAddress else { return address.rawValue }
    return address.rawValue &- load.rawValue &+ file.slice.linkedBase.rawValue
  }

  private func append(
    _ address: LinkedAddress, _ frames: [SourceFrame], _ foldedNames: [String], _ file: DebugFile,
    as format: FormatOption,
    to result: inout String
  ) {
    switch format {
    case .lookup(.tsv): appendTSV(address, frames, to: &result)
    case .report(.json):
      result += lookupJSON(
        address, frames, foldedNames: foldedNames, code: listing(address, frames, file)?.texts ?? [])
    case .lookup(.addr2line): result += addr2lineText(frames)
    case .lookup(.atos): result += atosText(address, frames, image: file.path)
    default: result += text(address, frames, foldedNames) + (listing(address, frames, file)?.text ?? "")
    }
  }

  /// The instructions around an address, if requested.
  private func listing(_ address: LinkedAddress, _ frames: [SourceFrame], _ file: DebugFile) -> CodeListing? {
    guard options.showsCode else { return nil }
    let linked = fileAddress(of: address, in: file)
    return CodeListing(
      of: program ?? file, locations: file, at: LinkedAddress(linked), entry: frames.last?.entry,
      shift: address.rawValue &- linked)
  }

  private func name(of frame: SourceFrame) -> String? {
    options.showsLinkageNames ? frame.linkageName ?? frame.function : frame.function
  }

  /// The format of `addr2line -fip`.
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

  /// The format of `atos -i -fullPath`, which prints the address when no function is known.
  private func atosText(_ address: LinkedAddress, _ frames: [SourceFrame], image: String) -> String {
    guard !frames.isEmpty else { return address.description + "\n" }
    let image = image.split(separator: "/").last ?? ""
    return frames.map { frame in
      let head = "\(name(of: frame) ?? address.description) (in \(image))"
      if let offset = frame.symbolOffset { return plainText("\(head) + \(offset)") + "\n" }
      let location = frame.location.map { " (\($0.shownFile):\($0.line ?? 0))" } ?? ""
      return plainText(head + location) + "\n"
    }
    .joined()
  }

  private func appendTSV(_ address: LinkedAddress, _ frames: [SourceFrame], to result: inout String) {
    let start = address.description + "\t"
    for frame in frames.isEmpty ? [SourceFrame()] : frames {
      let location = frame.location
      result += start
      result += tableField(frame.linkageName ?? frame.function ?? "??")
      result += "\t"
      result += tableField(location?.shownFile ?? "??")
      result += "\t"
      result += String(location?.line ?? 0)
      result += "\t"
      result += String(location?.column ?? 0)
      result += "\n"
    }
    result += "\n"
  }

  private func text(_ address: LinkedAddress, _ frames: [SourceFrame], _ foldedNames: [String]) -> String {
    guard !frames.isEmpty else { return "\(address)  ???\n" }
    var head = "\(address)  "
    var result = ""
    for frame in frames {
      let name = name(of: frame)
      let offset = frame.symbolOffset.map { " + \($0) (symbol table)" } ?? ""
      let location = frame.location.map { "  " + $0.shownFile + $0.shownLine }
      result +=
        head + plainText((name ?? "???") + offset + (location ?? "") + (frame.isInlined ? "  [inlined]" : ""))
        + "\n"
      head = String(repeating: " ", count: head.utf8.count)
    }
    if !foldedNames.isEmpty {
      result += head + plainText("(identical code: \(foldedNames.joined(separator: ", ")))") + "\n"
    }
    return result
  }
}

/// Separates the answers; in JSON they are the elements of an array.
private struct LookupList {
  let format: FormatOption
  private var isEmpty = true

  init(_ format: FormatOption) { self.format = format }

  /// A piece, preceded by the separator from the piece before.
  mutating func next(_ piece: String) -> String {
    guard format == .report(.json) else { return piece }
    defer { isEmpty = false }
    return (isEmpty ? "[\n" : ",\n") + piece
  }

  /// The text after the last piece.
  var end: String { format == .report(.json) ? (isEmpty ? "[" : "") + "\n]\n" : "" }
}
