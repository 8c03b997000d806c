import CrashReadCore
import Foundation
import TestSupport
import Testing

@testable import CrashReadDebugInfo

/// Debug files with DWARF: our own, and public ones if they are beside the repository.
let debugFiles: [String] = {
  let own = Samples.symbols.map { Repository.root.appending(path: $0).path }
  let shared = Samples.shared.map { root in
    Samples.files(below: root, "symbols").map { root.appending(path: $0).path }
  }
  return own + (shared ?? []).filter { isBinary($0) }
}()

@Suite("Compared with llvm-symbolizer")
struct OracleTests {
  @Test(
    "functions, files and lines of inline chains are equal", .enabled(if: symbolizer != nil),
    arguments: debugFiles)
  func chains(_ path: String) throws {
    for slice in try BinarySlice.all(in: path) where slice.hasDWARF {
      let file = try DebugFile(path: path, slice: slice)
      var oracle = LineOracle(file)
      #expect(try oracle.compareThroughout(count: 2000) > 300)
      #expect(oracle.counts[.different] == nil, "\(oracle.counts)")
      #expect(oracle.counts[.datum, default: 0] < 400, "\(oracle.counts)")
    }
  }
}
