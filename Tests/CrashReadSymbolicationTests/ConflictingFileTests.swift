import CrashReadCore
import CrashReadDebugInfo
import CrashReadReports
import Foundation
import TestSupport
import Testing

@testable import CrashReadSymbolication

/// Two files with one identity: a program's debug file, and one in which a function begins four bytes later.
@Suite("Debug files that share an identity")
struct ConflictingFileTests {
  private static let sample = "symbols/c-divide.debug"
  private let slice: BinarySlice
  /// An address in the middle of a function, and where the function begins.
  private let address: LinkedAddress
  private let entry: LinkedAddress

  init() throws {
    let path = Samples.path(Self.sample)
    let slice = try #require(BinarySlice.all(in: path).first)
    let file = try DebugFile(path: path, slice: slice)
    let code = try #require(slice.codeRanges.first)
    let addresses = (code.lowerBound.rawValue..<code.upperBound.rawValue).map { LinkedAddress($0) }
    let entries = file.frames(at: addresses).map { $0.last?.entry }
    let found = zip(addresses, entries).first { address, entry in
      entry.map { address.rawValue > $0.rawValue + 8 } ?? false
    }
    self.slice = slice
    address = try #require(found?.0)
    entry = try #require(found?.1)
  }

  private func report(statesSymbol: Bool) throws -> CrashReport {
    var image = BinaryImage(start: RuntimeAddress(0x1_0000_0000))
    (image.name, image.path, image.id) = ("program", "/opt/program", slice.id)
    image.architecture = slice.architecture
    let base = slice.linkedBase.rawValue
    var frame = Frame(kind: .programCounter, address: RuntimeAddress(0x1_0000_0000 + address.rawValue - base))
    frame.image = 0
    if statesSymbol {
      frame.reportedSymbol = "main"
      frame.reportedSymbolOffset = address.rawValue - entry.rawValue
    }
    var thread = ThreadRecord(index: 0)
    thread.frames = [frame]
    var report = CrashReport(format: .appleText)
    (report.images, report.threads) = ([image], [thread])
    return report
  }

  /// The debug file with the function's beginning changed, everywhere.
  private func changed(_ bytes: [UInt8]) throws -> [UInt8] {
    let old = (0..<8).map { UInt8(truncatingIfNeeded: entry.rawValue >> (8 * $0)) }
    var bytes = bytes
    var places: [Int] = []
    while let place = bytes[(places.last ?? -1).advanced(by: 1)...].firstRange(of: old)?.lowerBound {
      places.append(place)
    }
    for place in places { bytes[place] &+= 4 }
    #expect(!places.isEmpty)
    return bytes
  }

  private func match(in directory: TemporaryDirectory, statesSymbol: Bool) throws -> ImageMatch {
    let store = SymbolStore(searching: [directory.url.path])
    let report = try report(statesSymbol: statesSymbol)
    return try #require(Symbolicator(store: store).symbolicate(report).images.first)
  }

  @Test(
    "the one that agrees with the report is used, in any order", arguments: [true, false],
    [true, false])
  func agreement(_ isTrueFirst: Bool, _ statesSymbol: Bool) throws {
    let bytes = try Samples.bytes(Self.sample)
    let directory = try TemporaryDirectory()
    try directory.write(isTrueFirst ? bytes : changed(bytes), to: "a.debug")
    try directory.write(isTrueFirst ? changed(bytes) : bytes, to: "b.debug")
    let match = try match(in: directory, statesSymbol: statesSymbol)
    let used = directory.path(statesSymbol && !isTrueFirst ? "b.debug" : "a.debug")
    #expect(match.debugFile == used)
    #expect(match.attempts.map(\.outcome) == [.unusable, .used])
    let message = try #require(match.attempts.first?.message)
    #expect(message.contains("the identity of \(used) and other contents"))
    #expect(message.contains("nothing in the report") == !statesSymbol)
  }

  @Test func copiesDoNotConflict() throws {
    let directory = try TemporaryDirectory()
    for name in ["a.debug", "b.debug"] { try directory.write(try Samples.bytes(Self.sample), to: name) }
    let match = try match(in: directory, statesSymbol: true)
    #expect(match.debugFile == directory.path("a.debug"))
    #expect(match.attempts.map(\.outcome) == [.used])
  }
}
