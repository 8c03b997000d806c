import CrashReadCore
import CrashReadReports
import CrashReadSystem
import Foundation
import TestSupport
import Testing

@testable import CrashReadDebugInfo
@testable import CrashReadSymbolication

@Suite("Debug files beside programs")
struct SeparateFileTests {
  @Test func checksumMatchesTheManual() throws {
    let directory = try TemporaryDirectory()
    try directory.write("123456789", to: "file")
    // The check value of CRC-32 in catalogues of checksums.
    #expect(try debugLinkChecksum(ofFileAt: directory.path("file")) == 0xcbf4_3926)
    #expect(throws: DebugFileError.self) { try debugLinkChecksum(ofFileAt: directory.path("none")) }
  }

  @Test func debugLinkStatesTheChecksum() throws {
    let program = try #require(BinarySlice.all(in: Samples.path("binaries/c-abort")).first)
    let link = try #require(program.debugLink)
    #expect(try debugLinkChecksum(ofFileAt: Samples.path("symbols/" + link.name)) == link.checksum)
  }

  @Test(arguments: [
    ("a/App", ["a/App.dSYM"]),
    (
      "P/A.app/Frameworks/F.framework/F",
      [
        "P/A.app/Frameworks/F.framework/F.dSYM", "P/A.app/Frameworks/F.framework.dSYM", "P/A.app.dSYM",
        "P/F.dSYM",
        "P/F.framework.dSYM",
      ]
    ),
    (
      "/x/A.xcarchive/Products/Applications/A.app/A",
      [
        "/x/A.xcarchive/Products/Applications/A.app/A.dSYM",
        "/x/A.xcarchive/Products/Applications/A.app.dSYM",
        "/x/A.xcarchive.dSYM", "/x/A.xcarchive/dSYMs", "/x/A.dSYM", "/x/A.app.dSYM",
      ]
    ),
  ])
  func bundlesBesideABinary(_ binary: String, _ places: [String]) {
    #expect(bundlePaths(for: binary) == places)
  }

  // MARK: dSYMs

  @Test(arguments: [
    ("App.app/App", "App.app.dSYM/Contents/Resources/DWARF/App"),
    ("App.app/Frameworks/F.framework/F", "F.framework.dSYM/Contents/Resources/DWARF/F"),
    (
      "X.xcarchive/Products/Applications/App.app/App",
      "X.xcarchive/dSYMs/Any.dSYM/Contents/Resources/DWARF/App"
    ),
  ])
  func programLeadsToItsBundle(_ program: String, _ debugFile: String) throws {
    let directory = try TemporaryDirectory()
    for path in [program, debugFile] {
      try directory.makeDirectory(String(CrashReadSystem.directory(of: path)))
    }
    try directory.write(machO(1, fileType: 2, hasDWARF: false), to: program)
    try directory.write(machO(1), to: debugFile)
    let store = SymbolStore(searching: [directory.path(program)])
    #expect(store.candidates(for: uuid(1)).first?.path == directory.path(debugFile))
  }

  // MARK: The report's own paths

  /// A report with one frame in an image at a path.
  private func report(_ path: String, _ id: ImageID?, isApp: Bool = true) -> CrashReport {
    var report = CrashReport(format: .appleText)
    report.header.path = isApp ? path : "/opt/other"
    report.header.process = isApp ? String(fileName(path)) : "other"
    var image = BinaryImage(start: RuntimeAddress(0x1_0000))
    image.end = RuntimeAddress(0x1_ffff)
    image.path = path
    image.name = String(fileName(path))
    image.id = id
    image.architecture = .arm64
    report.images = [image]
    var thread = ThreadRecord(index: 0)
    thread.frames = [Frame(kind: .programCounter, address: RuntimeAddress(0x1_0100))]
    report.threads = [thread]
    return report
  }

  private func match(
    _ report: CrashReport, _ symbols: [String] = [], below folder: TemporaryDirectory? = nil
  ) -> ImageMatch {
    let store = SymbolStore(searching: symbols, programFolders: folder.map { [$0.url.path] } ?? [])
    return Symbolicator(store: store).symbolicate(report).images[0]
  }

  @Test("a file at the path in the report is used only with the right identity", arguments: [true, false])
  func reportedPath(_ hasProgram: Bool) throws {
    let directory = try TemporaryDirectory()
    let program = directory.path("Products/App.app/App")
    try directory.makeDirectory("Products/App.app")
    try directory.makeDirectory("Products/App.app.dSYM/Contents/Resources/DWARF")
    if hasProgram { try directory.write(machO(1, fileType: 2, hasDWARF: false), to: "Products/App.app/App") }
    try directory.write(machO(1), to: "Products/App.app.dSYM/Contents/Resources/DWARF/App")
    #expect(
      match(report(program, uuid(1)), below: directory).debugFile
        == program.replacing("App.app/App", with: "App.app.dSYM/Contents/Resources/DWARF/App"))
    #expect(match(report(program, uuid(2)), below: directory).status == .missing)
    #expect(match(report(program, nil), below: directory).status == .missing)
  }

  @Test func noOtherFileIsOpened() throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("lib")
    try directory.write(machO(1), to: "lib/App")
    let path = directory.path("lib/App")
    #expect(match(report(path, uuid(1)), below: directory).status == .matched)
    // No path outside of the folders that the user named is examined, nor one behind a link that points outside.
    #expect(match(report(path, uuid(1))).status == .missing)
    let other = try TemporaryDirectory()
    #expect(match(report(path, uuid(1)), below: other).status == .missing)
    try other.link("out", to: directory.path("lib"))
    #expect(match(report(other.path("out/App"), uuid(1)), below: other).status == .missing)
    // A directory isn't searched, whatever its name is, and paths are used as they are.
    #expect(match(report(directory.path("lib"), uuid(1)), below: directory).status == .missing)
    #expect(match(report(directory.path("lib/../lib/App"), uuid(1)), below: directory).status == .missing)
    #expect(match(report("/", uuid(1)), below: directory).status == .missing)
    #expect(match(report("", uuid(1)), below: directory).status == .missing)
    #expect(match(report("/proc/self/exe", uuid(1)), below: directory).status == .missing)
  }

  // MARK: Debug links

  private static let buildID = Array(UInt8(1)...20)

  /// A program without DWARF and the debug file it links to, which has no identity of its own.
  private func elf(id: Bool, checksum: UInt32? = nil, in directory: TemporaryDirectory) throws {
    var debug = ElfBuilder()
    debug.sections = [.init(".debug_info", [1, 2, 3])]
    try directory.write(debug.file(), to: "app.dbg")
    let sum = try checksum ?? debugLinkChecksum(ofFileAt: directory.path("app.dbg"))
    var link = ByteBuilder()
    link.append("app.dbg", length: 8)
    link.append(sum)
    var program = ElfBuilder()
    program.segments = [.init(flags: 5, at: 0x1000, size: 0x1000)]
    program.sections = [.init(".gnu_debuglink", link.bytes)]
    if id { program.sections.append(.buildID(Self.buildID)) }
    try directory.write(program.file(), to: "app")
  }

  private func elfReport(id: Bool) -> CrashReport {
    var report = report("/opt/app", id ? ImageID(bytes: Self.buildID) : nil)
    report.images[0].architecture = .x86_64
    return report
  }

  @Test(
    "a debug file without an identity is matched by its checksum", arguments: [true, false], [true, false])
  func checksum(_ hasID: Bool, _ isDirectory: Bool) throws {
    let directory = try TemporaryDirectory()
    try elf(id: hasID, in: directory)
    let place = isDirectory ? directory.url.path : directory.path("app")
    let good = match(elfReport(id: hasID), [place])
    #expect(good.debugFile == directory.path("app.dbg"))
    #expect(good.isGuess != hasID)

    try elf(id: hasID, checksum: 0xdead_beef, in: directory)
    let bad = match(elfReport(id: hasID), [place])
    #expect(bad.debugFile == directory.path("app"))
    #expect(bad.attempts.map(\.outcome) == [.unusable, .used])
    #expect(bad.attempts.first?.path == directory.path("app.dbg"))
    #expect(bad.attempts.first?.message?.contains("0xdeadbeef") == true)
  }

  @Test("a link leads to a file, never out of its directory", arguments: ["../../up.debug", "..", "/", ""])
  func names(_ name: String) throws {
    let directory = try TemporaryDirectory()
    var link = ByteBuilder()
    link.append(name, length: (name.utf8.count + 4) / 4 * 4)
    link.append(UInt32(1))
    var program = ElfBuilder()
    program.sections = [.init(".gnu_debuglink", link.bytes)]
    try directory.write(program.file(), to: "app")
    let slice = try #require(BinarySlice.all(in: directory.path("app")).first)
    #expect(slice.debugLink?.name == (name.hasSuffix(".debug") ? "up.debug" : nil))
  }
}
