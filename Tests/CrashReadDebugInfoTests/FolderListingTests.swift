import Foundation
import TestSupport
import Testing

@testable import CrashReadSystem

/// Untrusted folders that are searched for reports.
@Suite struct FolderListingTests {
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
    try folder.link("top/file", to: "in/a")
    try folder.link("top/out", to: "../secret")
    try folder.link("top/whole", to: folder.path("secret/b"))
    try folder.link("top/over", to: "in/../../secret/b")
    try folder.link("top/nothing", to: "in/none")
    #expect(try list(folder, "top") == ["file", "in/a"])
  }

  /// Each folder is visited once, by any of its names.
  @Test func cyclesTerminate() throws {
    let folder = try TemporaryDirectory()
    try folder.makeDirectory("top/in")
    try folder.write("", to: "top/in/a")
    for number in 0..<20 { try folder.link("top/in/again\(number)", to: "..") }
    try folder.link("top/same", to: "in")
    let found = try list(folder, "top", depth: 12, count: 10_000)
    #expect(found.count == 1)
    #expect(found.allSatisfy { $0.hasSuffix("/a") })
  }
}
