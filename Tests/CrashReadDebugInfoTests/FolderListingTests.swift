import Foundation
import TestSupport
import Testing

@testable import CrashReadSystem

/// Untrusted folders that are searched for reports.
@Suite struct FolderListingTests {
  private func link(_ name: String, to target: String, in folder: TemporaryDirectory) throws {
    try FileManager.default.createSymbolicLink(atPath: folder.path(name), withDestinationPath: target)
  }

  private func list(
    _ folder: TemporaryDirectory, _ name: String, depth: Int = 8, count: Int = 100
  ) throws
    -> [String]
  {
    try #require(ConfinedFolder(folder.path(name))).files(depth: depth, count: count)
  }

  @Test func filesAreListedByRelativePath() throws {
    let folder = try TemporaryDirectory()
    try folder.makeDirectory("top/b/c")
    for name in ["top/z", "top/b/y", "top/b/c/x", "top/.hidden", "outside"] { try folder.write("", to: name) }
    try folder.makePipe("top/pipe")
    #expect(try list(folder, "top") == ["b/c/x", "b/y", "z"])
    #expect(try list(folder, "top", depth: 1) == ["b/y", "z"])
    #expect(try list(folder, "top", depth: 0) == ["z"])
    #expect(try list(folder, "top", count: 2).count == 2)
  }

  @Test func linksInsideAreFollowed() throws {
    let folder = try TemporaryDirectory()
    try folder.makeDirectory("top/in")
    try folder.makeDirectory("secret")
    for name in ["top/in/a", "secret/b"] { try folder.write("", to: name) }
    try link("top/file", to: "in/a", in: folder)
    try link("top/out", to: "../secret", in: folder)
    try link("top/whole", to: folder.path("secret/b"), in: folder)
    try link("top/over", to: "in/../../secret/b", in: folder)
    try link("top/nothing", to: "in/none", in: folder)
    #expect(try list(folder, "top") == ["file", "in/a"])
  }

  /// Each folder is visited once, by any of its names.
  @Test func cyclesTerminate() throws {
    let folder = try TemporaryDirectory()
    try folder.makeDirectory("top/in")
    try folder.write("", to: "top/in/a")
    for number in 0..<20 { try link("top/in/again\(number)", to: "..", in: folder) }
    try link("top/same", to: "in", in: folder)
    let found = try list(folder, "top", depth: 12, count: 10_000)
    #expect(found.count == 1)
    #expect(found.allSatisfy { $0.hasSuffix("/a") })
  }
}
