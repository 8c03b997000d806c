import CrashReadCore
import CrashReadDebugInfo
import CrashReadInstructions
import CrashReadReports
import CrashReadSystem
import TestSupport
import Testing

@testable import CrashReadSymbolication

/// A debug file of the samples, loaded at a made-up address, and a report about it.
private struct Scene {
  static let start: UInt64 = 0x1_0000_0000
  let path: String
  let slice: BinarySlice
  var report = CrashReport(format: .appleText)

  init(_ sample: String, architecture: Architecture? = nil) throws {
    path = Samples.path(sample)
    let slices = try BinarySlice.all(in: path)
    slice = try #require(slices.first { architecture == nil || $0.architecture == architecture })
    var image = BinaryImage(start: RuntimeAddress(Self.start))
    image.end = RuntimeAddress(Self.start + 0xf_ffff)
    image.name = "program"
    image.path = "/opt/program"
    image.id = slice.id
    image.architecture = slice.architecture
    report.header.process = "program"
    report.header.path = "/opt/program"
    report.images = [image]
  }

  /// Puts a linked address of the debug file into a frame.
  func frame(_ address: LinkedAddress, _ kind: FrameKind = .programCounter) throws -> Frame {
    let distance = try #require(
      RuntimeAddress(address.rawValue).offset(from: RuntimeAddress(slice.linkedBase.rawValue)))
    return Frame(kind: kind, address: RuntimeAddress(Self.start).advanced(by: distance))
  }

  /// An address at which functions are inlined, by the debug file itself.
  func inlinedAddress() throws -> LinkedAddress {
    let file = try DebugFile(path: path, slice: slice)
    let code = try #require(slice.codeRanges.first)
    let addresses = stride(from: code.lowerBound.rawValue, to: code.upperBound.rawValue, by: 1)
    return LinkedAddress(try #require(addresses.first { file.frames(at: LinkedAddress($0)).count > 1 }))
  }

  mutating func setFrames(_ frames: [Frame]) {
    var thread = ThreadRecord(index: 0)
    thread.isCrashed = true
    thread.frames = frames
    report.threads = [thread]
    report.crashedThread = 0
  }

  func resolved(_ symbols: [String]? = nil, allowsMismatch: Bool = false) -> SymbolicatedReport {
    let store = SymbolStore(searching: symbols ?? [path])
    var symbolicator = Symbolicator(store: store)
    symbolicator.allowsMismatch = allowsMismatch
    return symbolicator.symbolicate(report)
  }
}

private func identity(_ digits: String) -> ImageID? { ImageID(parsing: digits) }

@Suite("Debug files for images")
struct MatchingTests {
  /// A report with one frame in a function of `c-divide`.
  private func scene() throws -> Scene {
    var scene = try Scene("symbols/c-divide.debug")
    scene.setFrames([try scene.frame(scene.inlinedAddress())])
    return scene
  }

  @Test func identityMatchesRegardlessOfName() throws {
    var scene = try scene()
    scene.report.images[0].name = "somebody else"
    scene.report.images[0].path = "/opt/somebody"
    let result = scene.resolved()
    #expect(result.images[0].status == .matched)
    #expect(result.images[0].debugFile == scene.path)
    #expect(!result.images[0].isGuess)
    #expect(result.images[0].attempts.map(\.outcome) == [.used])
    let frame = result.threads[0][0]
    #expect(frame.resolution == .debugInfo && frame.reason == nil && !frame.isGuess && frame.isInApp)
    #expect(frame.locations.map(\.isInlined) == [true, false])
    #expect(frame.locations.allSatisfy { $0.location?.file.hasSuffix("c_divide.c") == true })
  }

  @Test("a build-id may be written as a UUID", arguments: [false, true])
  func buildIDAsUUID(_ isGUID: Bool) throws {
    var scene = try scene()
    var bytes = try Array(#require(scene.slice.id).bytes.prefix(16))
    if isGUID { bytes = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15].map { bytes[$0] } }
    scene.report.images[0].id = ImageID(bytes: bytes)
    let result = scene.resolved()
    #expect(result.images[0].status == .matched)
    #expect(!result.images[0].isGuess)
  }

  @Test("the slice of a fat file is the one with the UUID", arguments: [Architecture.arm64, .x86_64])
  func fatSlice(_ architecture: Architecture) throws {
    var scene = try Scene(
      "symbols/NullNode.dSYM/Contents/Resources/DWARF/NullNode", architecture: architecture)
    scene.setFrames([try scene.frame(scene.inlinedAddress())])
    let result = scene.resolved()
    #expect(result.images[0].attempts.map(\.id) == [scene.slice.id])
    let functions = result.threads[0][0].locations.map(\.function)
    #expect(functions.last == "total_length" || functions.last == "main")
    #expect(functions.count > 1)
  }

  @Test func otherBuildIsRejected() throws {
    var scene = try scene()
    scene.report.images[0].id = identity("11CE3F57-6264-3E8D-8A89-86894D83B974")
    let result = scene.resolved()
    #expect(result.images[0].status == .identityMismatch)
    #expect(result.images[0].debugFile == nil)
    #expect(
      result.images[0].attempts == [.init(path: scene.path, id: scene.slice.id, outcome: .identityMismatch)])
    let frame = result.threads[0][0]
    #expect(frame.locations.isEmpty)
    #expect(frame.resolution == .unresolved && frame.reason == .identityMismatch)
  }

  @Test func otherBuildIsAGuessWhenAllowed() throws {
    var scene = try scene()
    scene.report.images[0].id = identity("11CE3F57-6264-3E8D-8A89-86894D83B974")
    let result = scene.resolved(allowsMismatch: true)
    #expect(result.images[0].status == .matched)
    #expect(result.images[0].isGuess)
    #expect(result.threads[0][0].resolution == .debugInfo)
    #expect(result.threads[0][0].isGuess)
  }

  @Test func matchingBuildIsNoGuess() throws {
    let result = try scene().resolved([Samples.path("symbols")], allowsMismatch: true)
    #expect(result.images[0].status == .matched)
    #expect(!result.images[0].isGuess)
    #expect(!result.threads[0][0].isGuess)
  }

  @Test func unrelatedFileIsNoMismatch() throws {
    var scene = try scene()
    scene.report.header.process = "main program"
    scene.report.images[0].id = identity("11CE3F57-6264-3E8D-8A89-86894D83B974")
    let result = scene.resolved()
    #expect(result.images[0].status == .missing)
    #expect(result.images[0].attempts.isEmpty)
    #expect(result.threads[0][0].reason == .noDebugFile)
  }

  @Test func nameWithoutIdentityIsAGuess() throws {
    var scene = try scene()
    scene.report.images[0].id = nil
    scene.report.images[0].path = "/opt/c-divide"
    scene.report.header.process = "else"
    let result = scene.resolved([Samples.path("symbols")])
    #expect(result.images[0].status == .matched)
    #expect(result.images[0].debugFile?.hasSuffix("c-divide.debug") == true)
    #expect(result.images[0].isGuess && result.threads[0][0].isGuess)
  }

  @Test func onlyFileIsAGuessForTheProcess() throws {
    var scene = try scene()
    scene.report.images[0].id = nil
    #expect(scene.resolved().images[0].isGuess)
    #expect(scene.resolved([Samples.path("symbols")]).images[0].status == .missing)
    scene.report.header.process = "else"
    #expect(scene.resolved().images[0].status == .missing)
  }

  @Test func guessHasTheSameCPU() throws {
    var scene = try scene()
    scene.report.images[0].id = nil
    scene.report.images[0].architecture = .arm64
    #expect(scene.resolved().images[0].status == .missing)
  }

  @Test func unreadableFileIsUnusable() throws {
    var scene = try scene()
    var builder = MachOBuilder()
    builder.segments = [.init("__DWARF", at: 0, size: 1, sections: (0..<600).map { .init("__debug_\($0)") })]
    let directory = try TemporaryDirectory()
    try directory.write(builder.file(), to: "program")
    scene.report.images[0].id = ImageID(bytes: Array(1...16))
    let result = scene.resolved([directory.path("program")])
    #expect(result.images[0].status == .unusable)
    #expect(result.images[0].attempts.first?.message == "a file with so many sections is not supported")
    #expect(result.threads[0][0].reason == .damaged)
  }

  @Test func imagesWithoutFramesAreNotSearched() throws {
    var scene = try scene()
    scene.report.images.append(BinaryImage(start: RuntimeAddress(0x9000_0000_0000)))
    #expect(scene.resolved().images[1].status == .notSearched)
  }

  @Test func withoutDebugFilesNothingIsResolved() throws {
    let result = try scene().resolved([])
    #expect(result.images[0].status == .missing)
    #expect(result.threads[0][0].reason == .noDebugFile)
    #expect(result.threads[0][0].image == 0)
  }
}

@Suite("Resolved frames")
struct ResolvedFrameTests {
  @Test func returnAddressIsLookedUpInTheCall() throws {
    var scene = try Scene("symbols/c-divide.debug")
    let address = try scene.inlinedAddress()
    let after = LinkedAddress(address.rawValue + 1)
    scene.setFrames([try scene.frame(address), try scene.frame(after, .returnAddress)])
    let frames = scene.resolved().threads[0]
    #expect(frames[1].lookup == address)
    #expect(
      frames[1].captured.address
        == frames[0].captured.address?.advanced(by: ImageOffset(1)))
    #expect(frames[1].locations == frames[0].locations)
  }

  @Test func addressOutsideImagesIsMarked() throws {
    var scene = try Scene("symbols/c-divide.debug")
    scene.setFrames([
      Frame(kind: .programCounter, address: RuntimeAddress(0x10)), Frame(kind: .omitted, address: nil),
    ])
    let frames = scene.resolved().threads[0]
    #expect(frames.map(\.reason) == [.notInImage, .noAddress])
    #expect(frames.map(\.image) == [nil, nil])
  }

  @Test func reportedSymbolIsKeptWithoutDWARF() throws {
    var scene = try Scene("symbols/c-divide.debug")
    // The very start of the image is its header: no DWARF, no symbol.
    var frame = try scene.frame(scene.slice.linkedBase)
    frame.reportedSymbol = "reported"
    scene.setFrames([frame])
    let resolved = scene.resolved().threads[0][0]
    #expect(resolved.resolution == .asReported)
    #expect(resolved.reason == .noDebugInfo)
    #expect(resolved.locations.isEmpty)
  }

  @Test func symbolTableIsTheLastResort() throws {
    var builder = MachOBuilder()
    builder.segments = [.init("__TEXT", at: 0x4000, size: 0x2000, isCode: true)]
    builder.symbols = [.init("_main", at: 0x4100)]
    let directory = try TemporaryDirectory()
    try directory.write(builder.file(), to: "program")
    var scene = try Scene("symbols/c-divide.debug")
    scene.report.images[0].id = ImageID(bytes: Array(1...16))
    let start = RuntimeAddress(Scene.start)
    var named = Frame(kind: .programCounter, address: start.advanced(by: ImageOffset(0x123)))
    scene.setFrames([named])
    var resolved = scene.resolved([directory.path("program")]).threads[0][0]
    #expect(resolved.resolution == .symbolTable)
    #expect(resolved.locations.map(\.function) == ["main"])
    #expect(resolved.locations.map(\.symbolOffset) == [0x23])

    named.reportedSymbol = "reported"
    scene.setFrames([named])
    resolved = scene.resolved([directory.path("program")]).threads[0][0]
    #expect(resolved.resolution == .asReported)
    #expect(resolved.locations.isEmpty)
  }

  /// 1,100 names of 64 KB are more than a report's 64 MB and 4 KB for each frame.
  @Test func totalNameSizeIsLimited() throws {
    let directory = try TemporaryDirectory()
    try directory.write(ElfBuilder.longNames(functions: 1100), to: "program")
    var scene = try Scene("symbols/c-divide.debug")
    scene.report.images[0].id = ImageID(bytes: Array(1...16))
    let start = RuntimeAddress(Scene.start)
    scene.setFrames(
      (0..<1100 as Range<UInt64>).map {
        Frame(kind: .programCounter, address: start.advanced(by: ImageOffset(0x8 + 16 * $0)))
      })
    let report = scene.resolved([directory.path("program")])
    let lengths = report.threads[0].map { $0.locations.first?.function?.utf8.count ?? 0 }
    #expect(lengths.first == 65_536 + "…".utf8.count)
    #expect(lengths.last == 0)
    #expect(lengths.reduce(0, +) <= (64 << 20) + 1100 * 4096)
    #expect(report.threads[0].last?.reason == .damaged)
    let messages = report.images[0].attempts.compactMap(\.message)
    #expect(
      messages == ["its names and paths are too long for one report; they are left out from here on"])
  }

  @Test func pointerAuthenticationBitsAreStripped() throws {
    var scene = try Scene("symbols/NullNode.dSYM/Contents/Resources/DWARF/NullNode", architecture: .arm64)
    var frame = try scene.frame(scene.inlinedAddress())
    let plain = frame
    frame.address = frame.address.map { RuntimeAddress($0.rawValue | 0x3a5a << 48) }
    scene.setFrames([plain, frame])
    let frames = scene.resolved().threads[0]
    #expect(frames[1].locations == frames[0].locations)
    #expect(frames[1].captured.address == frame.address)
    #expect(!frames[1].locations.isEmpty)
  }

  @Test func exceptionFramesAreResolved() throws {
    var scene = try Scene("symbols/c-divide.debug")
    scene.report.lastExceptionBacktrace = [try scene.frame(scene.inlinedAddress())]
    #expect(scene.resolved().lastExceptionBacktrace.map(\.resolution) == [.debugInfo])
  }
}

@Suite("A caller found in the link register")
struct MissingCallerTests {
  private func first(of name: String, in scene: Scene) throws -> LinkedAddress {
    let file = try DebugFile(path: scene.path, slice: scene.slice)
    let code = try #require(scene.slice.codeRanges.first)
    let addresses = stride(from: code.lowerBound.rawValue, to: code.upperBound.rawValue, by: 4)
    return LinkedAddress(
      try #require(addresses.first { file.frames(at: LinkedAddress($0)).last?.function == name }))
  }

  /// A jump to address 0 from a call in the image, with the caller's caller as the next frame.
  private func scene() throws -> (scene: Scene, caller: Frame) {
    var scene = try Scene("symbols/JumpNull.dSYM/Contents/Resources/DWARF/JumpNull")
    let caller = try scene.frame(LinkedAddress(first(of: "dispatch", in: scene).rawValue + 4), .returnAddress)
    let next = try scene.frame(LinkedAddress(first(of: "deliver", in: scene).rawValue + 4), .returnAddress)
    scene.setFrames([Frame(kind: .programCounter, address: RuntimeAddress(0)), next])
    scene.report.threads[0].state = ThreadState(registers: [
      .init(name: "lr", value: caller.address?.rawValue ?? 0)
    ])
    return (scene, caller)
  }

  @Test func isInserted() throws {
    let (scene, caller) = try scene()
    let frames = scene.resolved().threads[0]
    #expect(frames.map(\.isRecovered) == [false, true, false])
    #expect(frames[1].captured.address == caller.address)
    #expect(frames.map { $0.locations.last?.function } == [nil, "dispatch", "deliver"])
  }

  @Test func isNotInsertedTwice() throws {
    var (scene, caller) = try scene()
    scene.report.threads[0].frames.insert(caller, at: 1)
    #expect(scene.resolved().threads[0].map(\.isRecovered) == [false, false, false])
  }

  @Test func isNotInsertedWhenTheCounterIsInAnImage() throws {
    var (scene, caller) = try scene()
    scene.report.threads[0].frames[0] = Frame(kind: .programCounter, address: caller.address)
    #expect(scene.resolved().threads[0].count == 2)
  }

  @Test("is inserted if the program stopped at a function's first instruction")
  func atEntry() throws {
    var (scene, caller) = try scene()
    let file = try DebugFile(path: scene.path, slice: scene.slice)
    let deliver = try #require(file.frames(at: LinkedAddress(first(of: "deliver", in: scene).rawValue)).last)
    let counter = try scene.frame(try #require(deliver.entry))
    scene.report.threads[0].frames[0] = counter
    let frames = scene.resolved().threads[0]
    #expect(frames.map(\.isRecovered) == [false, true, false])
    #expect(frames[1].captured.address == caller.address)
    // One instruction further, only the code could show it, which a dSYM doesn't have.
    scene.report.threads[0].frames[0].address = counter.address?.advanced(by: ImageOffset(4))
    #expect(scene.resolved().threads[0].count == 2)
  }

  @Test(
    "is inserted as long as no instruction has written the link register",
    arguments: [
      // ldr w0, [x0]; ret
      ([0xb940_0000, 0xd65f_03c0], 0, true),
      // stp x29, x30, [sp, #-16]!; mov x29, sp; bl; ldr w0, [x0]
      ([0xa9bf_7bfd, 0x9100_03fd, 0x9400_0004, 0xb940_0000], 2, true),
      ([0xa9bf_7bfd, 0x9100_03fd, 0x9400_0004, 0xb940_0000], 3, false),
      // ldr w0, [x0]; bl; cbnz w0, back: the call may have been before
      ([0xb940_0000, 0x9400_0004, 0x35ff_ffc0], 0, false),
      // ldr w0, [x0]; cbnz w0, back; bl
      ([0xb940_0000, 0x35ff_ffe0, 0x9400_0004], 0, false),
      // ldr w0, [x0]; cbnz w0, back; ret
      ([0xb940_0000, 0x35ff_ffe0, 0xd65f_03c0], 0, true),
    ] as [([UInt32], Int, Bool)])
  func leaf(_ words: [UInt32], _ index: Int, _ isKept: Bool) throws {
    let bytes = words.flatMap(\.littleEndianBytes)
    let code = ImageCode(start: 0x1000, bytes: bytes, entry: 0x1000)
    let set = try #require(InstructionSet(.arm64))
    let function = try #require(LeafFunction(code, upTo: 0x1000 + UInt64(4 * index), set))
    #expect(function.keepsReturnAddress == isKept)
    #expect(LeafFunction(ImageCode(start: 0x1000, bytes: bytes, entry: nil), upTo: 0x1000, set) == nil)
  }

  @Test("isn't inserted without a register that points to code", arguments: [nil, 0, 0x10])
  func noRegister(_ value: UInt64?) throws {
    var (scene, _) = try scene()
    scene.report.threads[0].state = value.map { ThreadState(registers: [.init(name: "lr", value: $0)]) }
    #expect(scene.resolved().threads[0].count == 2)
  }
}

@Suite("Inlined frames of a report")
struct InlinedFrameTests {
  /// The frames of a report that lists inlined calls, which all have the address of the real function.
  private func resolved(inlined: [Bool], otherAddress: Bool = false) throws -> [ResolvedFrame] {
    var scene = try Scene("symbols/c-divide.debug")
    let address = try scene.inlinedAddress()
    scene.setFrames(
      try inlined.enumerated().map { index, isInlined in
        let own = LinkedAddress(address.rawValue - (otherAddress && index == 0 ? 1 : 0))
        var frame = try scene.frame(own)
        frame.isInlined = isInlined
        return frame
      })
    return scene.resolved().threads[0]
  }

  @Test func eachHasItsOwnFunction() throws {
    let whole = try resolved(inlined: [false])[0].locations
    try #require(whole.count == 2)
    let frames = try resolved(inlined: [true, false])
    #expect(frames[0].locations == [whole[0]])
    #expect(frames[1].locations == [whole[1]])
  }

  /// The concrete frame has the whole chain; frames that match nothing in it keep only the report's statements.
  @Test func moreFramesThanFunctionsAreSuperseded() throws {
    let frames = try resolved(inlined: [true, true, false])
    #expect(frames.map(\.locations.count) == [0, 0, 2])
    #expect(frames.map(\.reason) == [.superseded, .superseded, nil])
  }

  @Test func frameAtAnotherAddressIsUnchanged() throws {
    let frames = try resolved(inlined: [true, false], otherAddress: true)
    #expect(frames[1].locations.count == 2)
  }

  @Test func unmarkedFramesAreNotShared() throws {
    let frames = try resolved(inlined: [false, false])
    #expect(frames.map(\.locations.count) == [2, 2])
  }
}
