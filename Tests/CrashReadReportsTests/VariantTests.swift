import CrashReadCore
import CrashReadReports
import TestSupport
import Testing

@Suite("Reports damaged in transit")
struct VariantTests {
  @Test("are read the same", arguments: Variant.all)
  func sameContent(_ variant: Variant) throws {
    for text in [iOSReport, ipsReport] {
      let plain = try parse(text)
      let changed = try CrashReport(parsing: variant.change(text))
      #expect(changed.content == plain.content)
    }
  }

  @Test("keep their line numbers", arguments: Variant.all.filter { !$0.name.contains("fenced") })
  func sameLines(_ variant: Variant) throws {
    let changed = try CrashReport(parsing: variant.change(iOSReport))
    let plain = try parse(iOSReport)
    #expect(changed.threads.map { $0.frames.map(\.line) } == plain.threads.map { $0.frames.map(\.line) })
    #expect(changed.images.map(\.line) == plain.images.map(\.line))
  }

  @Test(
    "are read the same if they are public reports", .enabled(if: PublicReports.areAvailable),
    arguments: PublicReports.paths(every: 9, upTo: 20_000))
  func publicReport(_ path: String) throws {
    let bytes = try PublicReports.bytes(path)
    // Bytes that are no UTF-8 can't be written as UTF-16; binary reports are no text.
    guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else { return }
    let plain = (try? CrashReport.parse(bytes))?.map(\.content)
    for variant in Variant.all where variant.isReversible(text) {
      let changed = (try? CrashReport.parse(variant.change(text)))?.map(\.content)
      let isSame = changed == plain
      #expect(isSame, "\(variant.name)")
    }
  }

  @Test(
    "that are truncated keep the frames before the end", .enabled(if: PublicReports.areAvailable),
    arguments: PublicReports.paths(every: 7, upTo: 12_000))
  func cutReport(_ path: String) throws {
    let bytes = try PublicReports.bytes(path)
    let full = (try? CrashReport.parse(bytes)) ?? []
    // Call trees are printed from the outermost frame on, and kept from the innermost on; of stackshots one thread is.
    let isTree = !full.allSatisfy { $0.kind == .crash && [.appleText, .ips, .ipsText].contains($0.format) }
    var before = 0
    for step in 1...50 {
      let cut = (try? CrashReport.parse(Array(bytes[..<(bytes.count * step / 50)]))) ?? []
      if isTree { continue }
      #expect(frames(of: cut).count >= before, "cut at \(step)/50")
      before = frames(of: cut).count
      // The last frame may be truncated inside its address or before its symbol.
      // Addresses of .ips frames depend on the images, which come after them.
      let isKept =
        switch cut.first?.format {
        case .ips: symbols(of: full).starts(with: symbols(of: cut).dropLast())
        // Trees are written outermost first, and read innermost first: the truncation is at the other end.
        case .metricKit, .sentryJSON, .sample, .spindump:
          Set(frames(of: cut)).subtracting(frames(of: full)).count <= 1
        default: frames(of: full).starts(with: frames(of: cut).dropLast())
        }
      #expect(isKept, "cut at \(step)/50")
    }
    #expect(isTree || before == frames(of: full).count)
  }

  private func symbols(of reports: [CrashReport]) -> [String?] {
    reports.flatMap(\.threads).flatMap(\.frames).map(\.reportedSymbol)
  }

  /// The addresses of all threads' frames, in the reports' order.
  private func frames(of reports: [CrashReport]) -> [UInt64?] {
    reports.flatMap(\.threads).flatMap(\.frames).map { $0.address?.rawValue }
  }
}

@Suite("Repairs")
struct RepairTests {
  @Test("leave intact text unchanged", arguments: [iOSReport, ipsReport])
  func clean(_ report: String) {
    let text = ReportText(Array(report.utf8))
    #expect(text.bytes == Array(report.utf8))
    #expect(text.notes.isEmpty)
  }

  @Test(
    "are noted with the line they begin in",
    arguments: [
      ("indented", "indentation", 1), ("quoted", "quoted mail", 1), ("escaped", "HTML", 21),
      ("fenced", "Markdown", 1), ("in a list", "list markers", 1), ("numbered", "line numbers", 1),
      ("UTF-16LE", "UTF-16", 1),
    ])
  func notes(_ name: String, _ word: String, _ line: Int) throws {
    let variant = try #require(Variant.all.first { $0.name == name })
    let notes = ReportText(variant.change(iOSReport)).notes
    #expect(notes.count == 1)
    #expect(notes.first?.message.contains(word) == true)
    #expect(notes.first?.line == line)
  }

  @Test(
    "aren't made if the damage isn't evident",
    arguments: [
      "0   A  0x1000 f + 1\n1   A  0x2000 g + 1\n2   B  0x3000 h + 1\n", "Process: Q&amp;A [1]\nPath: /a<b\n",
      "Version: 1\n> once\nCode Type: X\nOS Version: 1\n", "Path: /A\u{a0}B.app\n", "- a\nb\n- c\n",
      "last started kext at 1: >Moon\t1.70\nloaded kexts:\n>Moon\t1.70\n>!ATide\t2\n@shore\t3\n", "a\nb\n",
    ])
  func notEvident(_ text: String) { #expect(ReportText(Array(text.utf8)).bytes == Array(text.utf8)) }

  @Test("remove invisible characters")
  func invisible() throws {
    let noBreak = iOSReport.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0.map { $0 == " " ? "\u{a0}" : $0 }) }.joined(separator: "\n")
    #expect(try parse(noBreak).content == parse(iOSReport).content)
    #expect(try frame("0   Ti\u{ad}de  0x10\u{200b} f + 1")?.imageName == "Tide")
  }

  @Test("read escapes by number", arguments: ["&#60;", "&#x3c;", "&lt;", "&#X3C;"])
  func escapes(_ open: String) throws {
    let line = "0x1000 - 0x1fff Tide arm64 \(open)00112233445566778899aabbccddeeff&gt; /Tide"
    let report = try parse("Exception Type: EXC_CRASH\n\nBinary Images:\n\(line)\n")
    #expect(report.images.first?.id != nil)
  }

  @Test("note invalid UTF-8, and read the rest")
  func notUTF8() throws {
    let bytes =
      Array("Process: T\u{e9} [1]\n".unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
      + Array("Exception Type: EXC_CRASH (SIGABRT)\n".utf8)
    let report = try CrashReport(parsing: bytes)
    #expect(report.header.process == "T\u{fffd}")
    #expect(report.notes.map(\.line) == [1])
  }

  @Test("terminate for any nesting", arguments: ["> ", "- ", "1: ", "&amp;lt;", "    ", "```\n"])
  func piled(_ piece: String) {
    let bytes = Array(String(repeating: piece, count: 20_000).utf8)
    let time = processorTime { _ = ReportText(bytes) }
    #expect(time < .seconds(isSanitized ? 100 : 5))
  }
}

@Suite("Wrapped lines")
struct WrappedLineTests {
  @Test(
    "are joined to the frame they belong to",
    arguments: [
      "0   org.example.tides\n0x0000000104003000 -[Moon phase] + 24 (Moon.m:7)",
      "0   org.example.tides  0x0000000104003000\n-[Moon phase] + 24 (Moon.m:7)",
      "0   org.example.tides  0x0000000104003000 -[Moon\nphase] + 24 (Moon.m:7)",
      "0   org.example.tides  0x0000000104003000 -[Moon phase] +\n24 (Moon.m:7)",
      "0   org.example.tides  0x0000000104003000 -[Moon phase]\n+ 24 (Moon.m:7)",
      "0   org.example.tides  0x0000000104003000 -[Moon phase] + 24\n(Moon.m:7)",
      "0   org.example.tides\n0x0000000104003000 -[Moon\nphase] + 24\n(Moon.m:7)",
    ])
  func frames(_ text: String) throws {
    let report = try parse("Exception Type: EXC_CRASH\n\nThread 0 Crashed:\n\(text)\n1   A  0x20 g + 1\n")
    let frames = try #require(report.threads.first?.frames)
    #expect(frames.count == 2)
    #expect(frames[0].address?.rawValue == 0x1_0400_3000)
    #expect(frames[0].imageName == "org.example.tides")
    #expect(frames[0].reportedSymbol == "-[Moon phase]")
    #expect(frames[0].reportedSymbolOffset == 24)
    #expect(frames[0].reportedLine == 7)
    #expect(frames[0].line == 4)
    #expect(frames[0].lineCount == text.split(separator: "\n").count)
    #expect(frames[1].line == 4 + frames[0].lineCount)
    #expect(report.notes.count == 1)
  }

  @Test(
    "after a frame that don't belong to it are kept as lines", arguments: ["...", "Xamarin: at A ()", "word"])
  func otherText(_ text: String) throws {
    let report = try parse("Exception Type: EXC_CRASH\n\nThread 0 Crashed:\n0   A  0x10 f + 1\n\(text)\n")
    #expect(report.threads.first?.frames.map(\.reportedSymbol) == ["f"])
  }

  @Test(
    "are joined to the image they belong to",
    arguments: [
      "0x1000 - 0x1fff +Tide arm64\n<00112233-4455-6677-8899-aabbccddeeff> /var/My App/Tide",
      "0x1000 - 0x1fff +Tide arm64 <00112233-4455-6677-8899-aabbccddeeff>\n/var/My App/Tide",
      "0x1000 -\n0x1fff +Tide arm64 <00112233-4455-6677-8899-aabbccddeeff> /var/My App/Tide",
      "0x1000 - 0x1fff\n+Tide arm64\n<00112233-4455-6677-8899-aabbccddeeff> /var/My App/Tide",
      "0x1000 - 0x1fff +Tide arm64 <00112233-4455-6677-8899-aabbccddeeff> /var/My\nApp/Tide",
      "0x1000 - 0x1fff +Tide arm64 <00112233-4455-\n6677-8899-aabbccddeeff> /var/My App/Tide",
    ])
  func images(_ text: String) throws {
    let report = try parse(
      "Exception Type: EXC_CRASH\n\nBinary Images:\n\(text)\n0x2000 - 0x2fff B arm64 /B\n")
    #expect(report.images.count == 2)
    #expect(report.images[0].id?.description == "00112233-4455-6677-8899-AABBCCDDEEFF")
    #expect(report.images[0].name == "Tide")
    #expect(report.images[0].path == "/var/My App/Tide")
    #expect(report.images[0].line == 4)
    #expect(report.images[1].path == "/B")
    #expect(report.notes.map(\.line) == [4])
  }
}
