internal import CrashRead

/// `crashread lookup`: link-time addresses of one debug file to functions, files and lines.
struct LookupJob {
  let options: Options
  private static let maximumAddressFileSize = 256 << 20

  init(_ options: Options) { self.options = options }

  /// Resolves the addresses in the order given.
  func run(on console: inout Console) -> ExitStatus {
    let caches = cacheDirectory(options, console.environment)
    guard let path = options.operands.first, let file = open(path, caches, console: &console) else {
      return .failure
    }
    var status = ExitStatus.success
    var addresses = options.addresses
    for list in options.addressFiles {
      do throws(DebugFileError) {
        addresses += parse(try readFile(list, limit: Self.maximumAddressFileSize), list, &status, &console)
      } catch {
        console.error("cannot read the file: \(error.description)", file: list)
        status = .failure
      }
    }
    let isWritten = writeResult(to: &console, options) { format, _, write in
      render(addresses, in: file, as: format, write)
    }
    if let failure = file.failure {
      console.error("cannot be used: \(failure.description)", file: file.path)
      status = .failure
    }
    console.noteMissing(file.missingParts.map { ($0.path, $0.description) }, of: file.path)
    if file.deservesCache { makeCachesLater(of: [file.path], in: caches, &console) }
    return isWritten ? status : .failure
  }

  /// The file itself, or the one inside a bundle; the slice by identity, then by CPU, then the only one.
  private func open(_ path: String, _ caches: CacheDirectory?, console: inout Console) -> DebugFile? {
    let store = SymbolStore(searching: [path])
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
    do throws(DebugFileError) {
      let choice = choices.first ?? first
      return try DebugFile(path: choice.path, slice: choice.slice, caches: caches, limits: options.limits)
    } catch {
      console.error("cannot be used: \(error.description)", file: path)
      return nil
    }
  }

  private func list(_ candidates: [SymbolStore.Candidate]) -> String {
    candidates.map {
      "\($0.slice.architecture?.rawValue ?? "unknown CPU") \($0.slice.id?.description ?? "no identity")"
    }
    .joined(separator: ", ")
  }

  /// One address a line; blank lines are passed over, others that are no address are named.
  private func parse(
    _ bytes: [UInt8], _ name: String, _ status: inout ExitStatus, _ console: inout Console
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
        console.error("no hexadecimal address: \(text.prefix(40))", file: name, line: index + 1)
        status = .failure
      }
    }
    return addresses
  }
}

// MARK: - Output

extension LookupJob {
  /// Looked up together; answers to many more would take much memory before the first is written.
  private static let batchSize = 1 << 14
  /// Bytes of the result that are handed on together.
  private static let pieceSize = 1 << 16

  private func render(
    _ addresses: [LinkedAddress], in file: DebugFile, as format: Format, _ write: (String) -> Void
  ) {
    var text = format == .json ? "[" : ""
    for start in stride(from: 0, to: addresses.count, by: Self.batchSize) {
      let batch = addresses[start..<min(start + Self.batchSize, addresses.count)]
      for (address, frames) in zip(batch, file.frames(at: batch)) {
        if format == .json { text += text == "[" ? "\n" : ",\n" }
        append(
          address, frames.isEmpty ? file.symbol(at: address).map { [$0] } ?? [] : frames, as: format,
          to: &text)
        if text.utf8.count >= Self.pieceSize {
          write(text)
          text.removeAll(keepingCapacity: true)
        }
      }
    }
    write(format == .json ? text + "\n]\n" : text)
  }

  private func append(
    _ address: LinkedAddress, _ frames: [SourceFrame], as format: Format, to result: inout String
  ) {
    switch format {
    case .tsv: appendTSV(address, frames, to: &result)
    case .json: result += lookupJSON(address, frames)
    default: result += text(address, frames)
    }
  }

  private func appendTSV(_ address: LinkedAddress, _ frames: [SourceFrame], to result: inout String) {
    let start = address.description + "\t"
    for frame in frames.isEmpty ? [SourceFrame()] : frames {
      let place = frame.location
      result += start
      result += oneField(frame.linkageName ?? frame.function ?? "??")
      result += "\t"
      result += oneField(place?.file ?? "??")
      result += "\t"
      result += String(place?.line ?? 0)
      result += "\t"
      result += String(place?.column ?? 0)
      result += "\n"
    }
    result += "\n"
  }

  /// Names come from a file that may be hostile: nothing in them may end the field or the line.
  private func oneField(_ text: String) -> String {
    hasControls(text) ? String(text.map { ($0.asciiValue ?? 0x20) < 0x20 ? " " : $0 }) : text
  }

  /// Looks at every byte, since a loop that can end early isn't made into vector instructions.
  private func hasControls(_ text: String) -> Bool {
    let bytes = text.utf8.span
    var found: UInt8 = 0
    for index in bytes.indices { found |= bytes[index] < 0x20 ? 1 : 0 }
    return found != 0
  }

  private func text(_ address: LinkedAddress, _ frames: [SourceFrame]) -> String {
    guard !frames.isEmpty else { return "\(address)  ???\n" }
    var head = "\(address)  "
    var result = ""
    for frame in frames {
      let name = options.showsLinkageNames ? frame.linkageName ?? frame.function : frame.function
      let offset = frame.symbolOffset.map { " + \($0) (symbol table)" } ?? ""
      let place = frame.location.map { place in
        "  "
          + [place.file, place.line.map(String.init), place.column.map(String.init)].compactMap { $0 }
          .joined(separator: ":")
      }
      result +=
        head + plainText((name ?? "???") + offset + (place ?? "") + (frame.isInlined ? "  [inlined]" : ""))
        + "\n"
      head = String(repeating: " ", count: head.utf8.count)
    }
    return result
  }
}
