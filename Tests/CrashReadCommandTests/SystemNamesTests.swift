import CrashReadCore
import Foundation
import TestSupport
import Testing

@testable import CrashReadCommand

/// A public report in which most frames of the system are unnamed, with a pack of that system's names.
@Suite struct SystemNamesTests {
  @Test(.enabled(if: PublicReports.areAvailable, "no public reports here"))
  func packNamesUnnamedFrames() throws {
    let report = PublicReports.directory.appending(path: "crashprobe/Call abort().crash").path
    let directory = try TemporaryDirectory()
    func crashread(_ arguments: String...) throws -> CommandRun {
      try CommandRun.crashread(["--cache=off"] + arguments, in: directory)
    }
    let before = try Document(crashread("-f", "json", report).output)
    let nameless = before.threads[0].frames.filter { !$0.inApp && $0.resolution == "unresolved" }
    #expect(nameless.count == 17)
    // Each image of the system with a function of the least length around each nameless call.
    try directory.makeDirectory("system")
    for (index, image) in before.images.enumerated() {
      let calls = nameless.filter { $0.imageIndex == index }.compactMap { $0.imageOffset }
      guard !calls.isEmpty, let id = image.id.flatMap({ ImageID(parsing: $0) }) else { continue }
      var library = MachOBuilder()
      (library.fileType, library.uuid) = (6, id.bytes)
      library.segments = [.init("__TEXT", at: 0x1_8000_0000, size: 0x100_0000, isCode: true)]
      library.symbols = calls.map { .init("_named_\($0)", at: 0x1_8000_0000 + UInt64($0) - 8) }
      try directory.write(library.file(), to: "system/\(index)")
    }
    let packed = try crashread("symbols", "pack", "-o", "ios.pack", "system")
    #expect(packed.outcome == .exited(0) && packed.output.contains("functions of 3 images"))
    let after = try Document(crashread("-f", "json", report, "ios.pack").output)
    for frame in after.threads[0].frames where nameless.contains(where: { $0.index == frame.index }) {
      #expect(
        frame.resolution == "symbolTable"
          && frame.locations.map(\.function) == ["named_\(frame.imageOffset ?? 0)"])
    }
    #expect(after.diagnosis.rule == before.diagnosis.rule && after.signature == before.signature)
    for format in ["text", "markdown", "html", "sarif", "crash"] {
      let output = try crashread("-f", format, report, "ios.pack").output
      #expect(nameless.allSatisfy { output.contains("named_\($0.imageOffset ?? 0)") }, "\(format)")
    }
    // Missing files are suggested, and available ones are used.
    let advice = try crashread("symbols", "--for", report).output
    #expect(advice.contains("UIKit (14)") && advice.contains("14C92"))
    #expect(try !crashread("symbols", "--for", report, "ios.pack").output.contains("UIKit (1"))
  }
}
