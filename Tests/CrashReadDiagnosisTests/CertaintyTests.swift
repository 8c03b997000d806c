import CrashRead
import CrashReadDiagnosis
import CrashReadReports
import CrashReadSymbolication
import CrashReadVerdict
import TestSupport
import Testing

/// A report with lines removed, numbers changed and words omitted, differently for each seed.
private struct AlteredReport: Sendable, CustomTestStringConvertible {
  var path: String
  var seed: UInt64
  var testDescription: String { "\(path), seed \(seed)" }

  func bytes() throws -> [UInt8] {
    let original =
      path.hasPrefix("reports/") ? try Samples.bytes(path) : try PublicReports.bytes(path)
    var random = SeededRandom(seed: seed)
    var lines = String(decoding: original, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false
    ).map(String.init)
    for _ in 0..<Int.random(in: 1...6, using: &random) where lines.count > 2 {
      // The first lines are decisive, so these are altered more often.
      let end = Bool.random(using: &random) ? min(lines.count, 40) : lines.count
      let index = Int.random(in: 0..<end, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1: lines.remove(at: index)
      case 2: lines.removeSubrange(index..<min(lines.count, index + 5))
      case 3: lines[index] = withOtherDigit(lines[index], &random)
      default: lines[index] = withoutAWord(lines[index], &random)
      }
    }
    return Array(lines.joined(separator: "\n").utf8)
  }

  private func withOtherDigit(_ line: String, _ random: inout SeededRandom) -> String {
    var characters = Array(line)
    let digits = characters.indices.filter { characters[$0].isHexDigit && characters[$0].isNumber }
    guard let index = digits.randomElement(using: &random) else { return line }
    characters[index] = Character(String(Int.random(in: 0..<10, using: &random)))
    return String(characters)
  }

  private func withoutAWord(_ line: String, _ random: inout SeededRandom) -> String {
    var words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard let index = words.indices.randomElement(using: &random) else { return line }
    words.remove(at: index)
    return words.joined(separator: " ")
  }

  /// Every sample six times, and public reports if available.
  static let all: [AlteredReport] = {
    let samples = (0..<6).flatMap { round in Samples.reports.map { ($0, round) } }
    let publicPaths = ["text", "ips", "crashprobe"].flatMap {
      Samples.files(below: PublicReports.directory, $0)
    }
    let small = publicPaths.filter { (try? PublicReports.bytes($0).count) ?? .max < 60_000 }
    let more = (0..<2).flatMap { round in small.map { ($0, round) } }
    return (samples + more).enumerated().map { index, report in
      AlteredReport(path: report.0, seed: UInt64(index) &* 31 &+ UInt64(report.1))
    }
  }()
}

/// The contents of a report's bytes, read without any of the program's readers.
private struct RawReport {
  private let text: String
  private let numbers: Set<UInt64>

  init(_ bytes: [UInt8]) {
    text = String(decoding: bytes, as: UTF8.self)
      .replacing("\\/", with: "/").replacing("\\\"", with: "\"")
    numbers = Set(text.split { !$0.isHexDigit && $0 != "x" }.flatMap(Self.values))
  }

  private static func values(_ word: Substring) -> [UInt64] {
    let hexadecimal = UInt64(word.hasPrefix("0x") ? word.dropFirst(2) : word, radix: 16)
    return [UInt64(word), hexadecimal].compactMap(\.self)
  }

  func holds(number: UInt64) -> Bool { numbers.contains(number) }

  /// Whether every number of a line is in the report in some notation, and every other word unchanged.
  func holds(_ line: some StringProtocol) -> Bool {
    line.split { " ,()\n".contains($0) }.allSatisfy { word in
      if word.hasPrefix("0x"), let value = UInt64(word.dropFirst(2), radix: 16) {
        return holds(number: value)
      }
      return text.contains(word)
    }
  }
}

private let reader = CrashReader(store: SymbolStore(searching: [Samples.path("symbols")]))

@Suite("Certainty") struct CertaintyTests {
  @Test func thereAreEnoughReports() { #expect(AlteredReport.all.count >= 200) }

  @Test("Nearly all altered reports are still read")
  func nearlyAllAreRead() {
    let count = AlteredReport.all.filter { (try? CrashReport.parse($0.bytes())) != nil }.count
    #expect(count * 20 >= AlteredReport.all.count * 19)
  }

  @Test(
    "No statement is certain without evidence in the report or a debug file", arguments: AlteredReport.all)
  fileprivate func altered(_ report: AlteredReport) throws {
    let bytes = try report.bytes()
    guard let analyses = try? reader.analyze(bytes) else { return }
    let raw = RawReport(bytes)
    for analysis in analyses {
      let explanation = analysis.diagnosis.explanation
      var statements = explanation.findings.map { ($0.rule, $0.confidence, $0.evidence) }
      statements.append((explanation.rule ?? "", explanation.confidence, explanation.evidence))
      for (rule, confidence, evidence) in statements where confidence == .certain {
        #expect(!evidence.isEmpty, "\(rule)")
        for line in evidence {
          #expect(isBacked(line, by: raw, analysis.diagnosis.symbolicated), "\(rule): \(line)")
        }
      }
    }
  }

  /// Whether the quote can be found without trusting the diagnosis.
  private func isBacked(_ evidence: Evidence, by raw: RawReport, _ symbolicated: SymbolicatedReport) -> Bool {
    let quote = evidence.quote.replacing("…", with: " ")
    switch evidence.source {
    case .field(.kind): return symbolicated.report.kind.rawValue == quote
    case .field(.threadCount): return String(symbolicated.threads.count) == quote
    // JSON reports state in another field whether Rosetta ran the program.
    case .field(.codeType): return raw.holds(quote.prefix { $0 != " " })
    case .field(.lastExceptionBacktraceCount):
      return String(symbolicated.lastExceptionBacktrace.count) == quote
    case .field(.exceptionType), .field(.termination):
      // Some formats state these differently: a phrase for a signal, a number for the kind of report.
      let phrase = symbolicated.report.format == .appleText ? nil : symbolicated.report.exception?.message
      return raw.holds(quote.replacing("JETSAM", with: "")) || phrase.map { raw.holds($0) } ?? false
    case .field(.uncaughtException):
      // Further lines of a reason are joined from lines of the log.
      let exception = symbolicated.report.uncaughtException
      let reason = (exception?.reason ?? "").prefix { !$0.isNewline }
      return raw.holds(exception?.name ?? "") && raw.holds(reason)
    case .frame(let frame): return isFrame(frame, of: evidence.quote, raw, symbolicated)
    case .code: return raw.holds("instructionByteStream") || raw.holds("instruction stream")
    case .field, .register, .image: return raw.holds(quote)
    case .variable, .memberOffset: return false
    }
  }

  /// A frame's name is in the report, or its address is, and a debug file names it.
  private func isFrame(
    _ reference: FrameReference, of name: String, _ raw: RawReport, _ symbolicated: SymbolicatedReport
  ) -> Bool {
    guard case .thread(let thread) = reference.backtrace, symbolicated.threads.indices.contains(thread),
      symbolicated.threads[thread].indices.contains(reference.frame)
    else { return false }
    let frame = symbolicated.threads[thread][reference.frame]
    if raw.holds(name) { return true }
    guard frame.resolution == .debugInfo, frame.locations.contains(where: { $0.function == name }) else {
      return false
    }
    let numbers = [frame.captured.address?.rawValue, frame.captured.imageOffset?.rawValue]
    return frame.isRecovered || numbers.contains { $0.map(raw.holds(number:)) ?? false }
  }

  @Test("The check detects a line that isn't in the report")
  func checkCanFail() {
    let raw = RawReport(Array("Exception Type:  EXC_CRASH (SIGABRT)\nx0: 0x10".utf8))
    #expect(raw.holds("EXC_CRASH (SIGABRT)") && raw.holds("0x10") && raw.holds("0x0010"))
    #expect(!raw.holds("EXC_BAD_ACCESS (SIGABRT)") && !raw.holds("0x11"))
  }
}
