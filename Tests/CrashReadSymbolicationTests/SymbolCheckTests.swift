import CrashReadCore
import CrashReadDebugInfo
import CrashReadReports
import CrashReadSystem
import Foundation
import TestSupport
import Testing

@testable import CrashReadSymbolication

@Suite("Debug files that a report needs")
struct SymbolCheckTests {
  private static let folder = "/var/containers/Bundle/Application/1/App.app/"
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// A report with a frame in each named image of the app, and one in the system's.
  private func report(_ images: [(name: String, id: ImageID?)]) -> CrashReport {
    var report = CrashReport(format: .appleText)
    report.header.process = "App"
    report.header.path = Self.folder + "App"
    var thread = ThreadRecord(index: 0)
    for (index, entry) in ([("/usr/lib/libsystem.dylib", uuid(900))] + images).enumerated() {
      let start = RuntimeAddress(0x1_0000 * UInt64(index + 1))
      var image = BinaryImage(start: start)
      image.end = RuntimeAddress(start.rawValue + 0xffff)
      image.path = entry.0.hasPrefix("/") ? entry.0 : Self.folder + entry.0
      image.name = String(fileName(entry.0))
      image.id = entry.1
      image.architecture = .arm64
      report.images.append(image)
      thread.frames.append(Frame(kind: .returnAddress, address: RuntimeAddress(start.rawValue + 0x100)))
    }
    report.threads = [thread]
    return report
  }

  private func check(_ images: [(name: String, id: ImageID?)]) -> SymbolCheck {
    Symbolicator(store: SymbolStore(searching: [directory.url.path])).check(report(images))
  }

  private func write(_ bytes: [UInt8], to name: String) throws {
    try directory.makeDirectory(String(CrashReadSystem.directory(of: name)))
    try directory.write(bytes, to: name)
  }

  private struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: [UInt8]
    var verdict: CheckedFile.Verdict?
    var step: ImageCheck.Step?
    var testDescription: String { name }
  }

  private static let cases = [
    Case(name: "match", bytes: machO(1), verdict: .match),
    Case(name: "other build", bytes: machO(2), verdict: .otherBuild, step: .findThisBuild),
    Case(
      name: "simulator", bytes: machO(2, cpu: 0x0100_0007), verdict: .otherArchitecture,
      step: .findArchitecture),
    Case(
      name: "program", bytes: machO(1, fileType: 2, hasDWARF: false), verdict: .stripped,
      step: .findSeparateFile),
    Case(name: "empty", bytes: machO(1, hasDWARF: false), verdict: .emptyDSYM, step: .buildWithDebugInfo),
    Case(
      name: "stub", bytes: machO(1, hasDWARF: false, sections: ["__debug_dylib"]), verdict: .debugDylibStub,
      step: .findDebugDylib),
    Case(name: "cut", bytes: Array(machO(1).prefix(90)), verdict: .damaged, step: .copyAgain),
    Case(name: "no binary", bytes: [1, 2, 3, 4], verdict: nil, step: .findDebugFile),
  ]

  @Test(arguments: cases)
  private func oneFile(_ example: Case) throws {
    try write(example.bytes, to: "dSYMs/App.app.dSYM/Contents/Resources/DWARF/App")
    let check = check([("App", uuid(1))])
    try #require(check.images.count == 1)
    let image = check.images[0]
    #expect(image.files.map(\.verdict) == [example.verdict].compactMap { $0 })
    #expect(image.step == example.step)
    #expect(image.isFound == (example.step == nil))
    #expect(check.isComplete == (example.step == nil))
    #expect(image.index == 1 && image.frameCount == 1)
    #expect(check.systemImageCount == 1)
    #expect(image.origin == .archive)
  }

  @Test func matchingFileHasPriority() throws {
    for (index, example) in Self.cases.enumerated() { try write(example.bytes, to: "\(index)/App") }
    let image = check([("App", uuid(1))]).images[0]
    #expect(image.isFound && image.step == nil)
    #expect(image.files.first?.verdict == .match)
    #expect(
      Set(image.files.map(\.verdict)) == [
        .match, .otherBuild, .otherArchitecture, .stripped, .emptyDSYM, .debugDylibStub, .damaged,
      ])
  }

  /// The files of another slice don't make a fat file's right slice look wrong.
  @Test func fatFileIsOneFile() throws {
    var slices = [MachOBuilder(), MachOBuilder()]
    (slices[0].uuid, slices[1].uuid) = (uuid(1)?.bytes, uuid(2)?.bytes)
    slices[1].cpuType = 0x0100_0007
    for index in slices.indices {
      slices[index].segments = [.init("__DWARF", at: 0, size: 16, sections: [.init("__debug_info", [1])])]
    }
    try write(universalFile(slices), to: "App")
    let image = check([("App", uuid(1))]).images[0]
    #expect(image.files.map(\.verdict) == [.match])
    #expect(image.files.first?.architectures == [.arm64])
    #expect(check([("App", uuid(3))]).images[0].files.map(\.verdict) == [.otherBuild])
  }

  @Test func fewFilesOfOtherNamesAreShown() throws {
    try write(machO(2), to: "Other")
    #expect(check([("App", uuid(1))]).images[0].files.map(\.verdict) == [.otherProgram])
    #expect(check([("App", uuid(1))]).images[0].step == .findDebugFile)
    // It belongs to another image.
    #expect(check([("App", uuid(1)), ("Lib", uuid(2))]).images[0].files.isEmpty)
    for number: UInt16 in 10..<20 { try write(machO(number), to: "Other\(number)") }
    #expect(check([("App", uuid(1))]).images[0].files.isEmpty)
    #expect(check([("App", uuid(1))]).candidateCount == 11)
  }

  @Test func debugStubNeedsNoFile() throws {
    try write(machO(1, hasDWARF: false, sections: ["__debug_dylib"]), to: "App")
    let missing = check([("App", uuid(1)), ("App.debug.dylib", uuid(2))])
    #expect(missing.images.map(\.isFound) == [true, false])
    #expect(missing.images[1].files.map(\.verdict) == [.debugDylibStub])
    #expect(missing.images[1].step == .findDebugDylib)
    #expect(missing.images[1].origin == .localBuild)
    try write(machO(2), to: "App.debug.dylib")
    #expect(check([("App", uuid(1)), ("App.debug.dylib", uuid(2))]).isComplete)
  }

  @Test func nameWithoutIdentityIsAGuess() throws {
    #expect(check([("App", nil)]).images[0].step == .findByName)
    try write(machO(1), to: "App")
    let image = check([("App", nil)]).images[0]
    #expect(image.isFound && image.files.map(\.verdict) == [.unproven])
  }

  @Test func bundleStatesItsVersion() throws {
    try write(machO(2), to: "App.app.dSYM/Contents/Resources/DWARF/App")
    func plist(_ version: String, _ build: String) throws {
      try directory.write(
        """
        <plist version="1.0"><dict><key>CFBundleShortVersionString</key>
          <string>\(version)</string><key>CFBundleVersion</key> <string>\(build)</string></dict></plist>
        """, to: "App.app.dSYM/Contents/Info.plist")
    }
    try plist("2.1", "34")
    #expect(check([("App", uuid(1))]).images[0].files.first?.version == "2.1 (34)")
    try plist("1.0", "1")  // what dsymutil writes when it doesn't know
    #expect(check([("App", uuid(1))]).images[0].files.first?.version == nil)
    try directory.write("<key>CFBundleVersion</key><string>", to: "App.app.dSYM/Contents/Info.plist")
    #expect(check([("App", uuid(1))]).images[0].files.first?.version == nil)
  }

  @Test func manyBuildsAreCounted() throws {
    for number: UInt16 in 10..<50 { try write(machO(number), to: "\(number)/App") }
    let image = check([("App", uuid(1))]).images[0]
    #expect(image.files.count == 16)
    #expect(image.furtherFileCount == 24)
  }

  @Test func imagesWithoutFramesAreNotNeeded() throws {
    var report = report([("App", uuid(1)), ("Other.framework/Other", uuid(2))])
    report.threads[0].frames.removeLast()
    let store = SymbolStore(searching: [])
    let check = Symbolicator(store: store).check(report)
    #expect(check.images.map(\.image.name) == ["App"])
    #expect(check.idleImageCount == 1)
    report.threads = []
    #expect(Symbolicator(store: store).check(report).isComplete)
  }

  @Test func nothingIsKnownWithoutImages() {
    var report = report([("App", uuid(1))])
    report.images = []
    let check = Symbolicator(store: SymbolStore(searching: [])).check(report)
    #expect(!check.hasImages && !check.isComplete)
  }
}
