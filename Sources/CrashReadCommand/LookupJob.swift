internal import CrashRead

/// `crashread lookup`: link-time addresses of one debug file to functions, files and lines.
struct LookupJob {
  let options: Options
  private static let maximumAddressFileSize = 256 << 20

  init(_ options: Options) { self.options = options }

  /// Resolves the addresses in the order given.
  func run(on console: inout Console) -> ExitStatus {
    guard let path = options.operands.first, let file = open(path, console: &console) else { return .failure }
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
    let isWritten = writeResult(to: &console, options) { format, _ in
      rendered(addresses, in: file, as: format)
    }
    return isWritten ? status : .failure
  }

  /// The file itself, or the one inside a bundle; the slice by identity, then by CPU, then the only one.
  private func open(_ path: String, console: inout Console) -> DebugFile? {
    let store = SymbolStore(searching: [path])
    for problem in store.problems { console.error(problem.message, file: problem.path) }
    let fitting = store.candidates.filter { candidate in
      options.architecture.map { $0 == candidate.slice.architecture } ?? true
        && options.uuid.map { candidate.slice.id?.isNamed(by: $0) == true } ?? true
    }
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
      return try DebugFile(path: choice.path, slice: choice.slice)
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
  private func rendered(_ addresses: [LinkedAddress], in file: DebugFile, as format: Format) -> String {
    var result = format == .json ? "[" : ""
    for (index, address) in addresses.enumerated() {
      var frames = file.frames(at: address)
      if frames.isEmpty, let symbol = file.symbol(at: address) { frames = [symbol] }
      switch format {
      case .tsv: result += tsv(address, frames)
      case .json: result += (index == 0 ? "\n" : ",\n") + lookupJSON(address, frames)
      default: result += text(address, frames)
      }
    }
    return result + (format == .json ? "\n]\n" : "")
  }

  private func tsv(_ address: LinkedAddress, _ frames: [SourceFrame]) -> String {
    let rows = frames.isEmpty ? [SourceFrame()] : frames
    return rows.map { frame in
      let name = frame.linkageName ?? frame.function ?? "??"
      let place = frame.location
      let fields = [
        address.description, name, place?.file ?? "??", "\(place?.line ?? 0)", "\(place?.column ?? 0)",
      ]
      return fields.map(oneField).joined(separator: "\t") + "\n"
    }.joined() + "\n"
  }

  /// Names come from a file that may be hostile: nothing in them may end the field or the line.
  private func oneField(_ text: String) -> String {
    text.utf8.contains { $0 < 0x20 } ? String(text.map { ($0.asciiValue ?? 0x20) < 0x20 ? " " : $0 }) : text
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
