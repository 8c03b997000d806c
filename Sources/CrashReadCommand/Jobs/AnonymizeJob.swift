internal import CrashRead
internal import CrashReadReports
internal import CrashReadSystem

/// `crashread anonymize`: reports without personal data.
struct AnonymizeJob {
  private let options: Options
  private var anonymizer: Anonymizer
  private let reader: CrashReader
  private var status = ExitStatus.success

  init(_ options: Options) {
    self.options = options
    anonymizer = Anonymizer(limits: options.limits)
    reader = CrashReader(store: SymbolStore(searching: [], limits: options.limits), limits: options.limits)
  }

  /// Reads and writes the reports one after another.
  mutating func run(on console: inout Console) -> ExitStatus {
    for path in options.operands {
      do throws(Refusal) {
        try write(try anonymousReport(path), of: path, to: &console)
      } catch {
        console.error(error.message, file: path)
        status = .failure
      }
    }
    reportReplacements(on: &console)
    return status
  }

  private struct Refusal: Error {
    var message: String
  }

  private mutating func anonymousReport(_ path: String) throws(Refusal) -> [UInt8] {
    do {
      let bytes = try readOperand(path, limit: options.limits.reportSize)
      let result = try anonymizer.anonymize(bytes)
      var check = AnonymityCheck(reader: reader, pseudonyms: anonymizer.pseudonyms)
      if let difference = check.difference(between: bytes, and: result) {
        throw Refusal(message: "not written: the anonymous report would give another result (\(difference))")
      }
      if check.isGivenUp { throw Refusal(message: "not written: it has too many names to be compared") }
      return result
    } catch let error as SystemError {
      throw Refusal(message: "cannot read the file: \(error.description)")
    } catch let refusal as Refusal {
      throw refusal
    } catch {
      throw Refusal(message: "contains no report")
    }
  }

  private func write(_ bytes: [UInt8], of path: String, to console: inout Console) throws(Refusal) {
    guard let output = options.outputs.first, output != "-" else {
      _ = console.write(lines: bytes)
      return
    }
    let isFolder = (try? fileKind(output)) == .directory
    guard isFolder || options.operands.count == 1 else {
      throw Refusal(message: "not written: \(output) isn't a directory, and several reports were given")
    }
    let name = path.split(separator: "/").last.map(String.init) ?? "report"
    let destination = isFolder ? output + "/" + name : output
    // Neither the report nor another file of the same name may be overwritten.
    if isFolder, (try? fileKind(destination)) != nil {
      throw Refusal(message: "not written: \(destination) already exists")
    }
    do throws(SystemError) {
      var file = try OutputStream(path: destination)
      file.write(bytes: bytes)
      try file.close()
    } catch {
      throw Refusal(message: "cannot write \(destination): \(error.reason)")
    }
  }

  /// Prints the number of replacements of each kind, and with `--replacements` lists all of them.
  private mutating func reportReplacements(on console: inout Console) {
    let entries = anonymizer.pseudonyms.entries
    let counts = Pseudonyms.Kind.allCases.compactMap { kind in
      let own = entries.filter { $0.kind == kind }
      return own.isEmpty ? nil : "\(kind.rawValue) \(own.count) (\(own.reduce(0) { $0 + $1.count })×)"
    }
    console.note("replaced: " + (counts.isEmpty ? "nothing" : counts.joined(separator: ", ")))
    guard let path = options.replacements else { return }
    do throws(SystemError) {
      var file = try OutputStream(path: path)
      for entry in entries {
        file.write(
          "\(entry.kind.rawValue)\t\(plainText(entry.original))\t\(entry.pseudonym)\t\(entry.count)\n")
      }
      try file.close()
    } catch {
      console.error("cannot write: \(error.reason)", file: path)
      status = .failure
    }
  }
}

/// Checks whether a report gives the same verdict after its names were replaced by pseudonyms.
struct AnonymityCheck {
  private let reader: CrashReader
  /// The replacements, those of the longest texts first.
  private let entries: [Pseudonyms.Entry]
  /// The number of comparisons of a name and a text that are left.
  private var comparisonsLeft = 20_000_000
  /// Whether the check was given up, since there are too many names in too many texts.
  var isGivenUp: Bool { comparisonsLeft < 0 }

  init(reader: CrashReader, pseudonyms: Pseudonyms) {
    self.reader = reader
    entries = pseudonyms.entries.sorted { $0.original.utf8.count > $1.original.utf8.count }
  }

  /// The first difference: verdict, blame, signature or frames; nil when there is none, or the check was given up.
  mutating func difference(between before: [UInt8], and after: [UInt8]) -> String? {
    guard let old = try? reader.analyze(before), let new = try? reader.analyze(after), old.count == new.count
    else { return "the reports in it" }
    for (old, new) in zip(old, new) {
      let (first, second) = (facts(old.diagnosis), facts(new.diagnosis))
      for (one, other) in zip(first, second) where one.texts.count != other.texts.count { return one.name }
      for (one, other) in zip(first, second) {
        for (text, changed) in zip(one.texts, other.texts) where text != changed {
          comparisonsLeft -= entries.count
          if isGivenUp { return nil }
          if renamed(text) != changed { return one.name }
        }
      }
    }
    return nil
  }

  private func facts(_ diagnosis: Diagnosis) -> [(name: String, texts: [String])] {
    let blamed = diagnosis.blamed.map { "\($0.backtrace) \($0.frame) \($0.location ?? -1)" } ?? ""
    let verdict = [
      diagnosis.explanation.rule ?? "", diagnosis.explanation.confidence.rawValue,
      diagnosis.explanation.title,
    ]
    return [
      ("the verdict", verdict), ("the blamed frame", [blamed, diagnosis.blamedName ?? ""]),
      ("the signature", [diagnosis.signature ?? ""]),
      ("the frames", diagnosis.symbolicated.report.allFrames.map(text)),
    ]
  }

  private func text(_ frame: Frame) -> String {
    let numbers = [frame.address?.rawValue, frame.imageOffset?.rawValue, frame.reportedSymbolOffset]
    return
      "\(frame.kind) \(numbers) \(frame.image ?? -1) \(frame.reportedLine ?? 0) \(frame.reportedSymbol ?? "")"
  }

  /// A text with its names replaced by pseudonyms.
  private func renamed(_ text: String) -> String {
    entries.filter { text.holds($0.original) }.reduce(text) { $0.replacing($1.original, with: $1.pseudonym) }
  }
}
