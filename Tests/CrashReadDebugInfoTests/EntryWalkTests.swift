import CrashReadCore
import CrashReadSystem
import TestSupport
import Testing

@testable import CrashReadDebugInfo

/// Our reader gives the same results as libdw over the same bytes.
@Suite("Entries, compared with libdw")
struct EntryWalkTests {
  private struct Function: Hashable, Comparable, CustomStringConvertible {
    var low: UInt64
    var high: UInt64
    var entry: Int
    var description: String { "\(entry): \(LinkedAddress(low))-\(LinkedAddress(high))" }
    static func < (left: Self, right: Self) -> Bool {
      (left.low, left.high, left.entry) < (right.low, right.high, right.entry)
    }
  }

  private func functions(_ search: some FunctionSearch) -> [Function] {
    var found: [Function] = []
    search.forEachFunction(skipsBodies: false) { entry, low, high in
      if low < high { found.append(Function(low: low, high: high, entry: entry)) }
    }
    return found.sorted()
  }

  /// All output for a function and for the calls inlined at some of its addresses.
  private func answers(_ search: some FunctionSearch, _ function: Function) -> [String] {
    var scopes = ScopeTree()
    search.readScopes(of: function.entry, into: &scopes)
    let name = search.name(of: function.entry)
    var result = [
      "\(function) \(name.linkage ?? "-") \(name.source ?? "-") \(search.entryAddress(of: function.entry)?.description ?? "-")"
    ]
    let step = max(1, (function.high - function.low) / 40)
    for address in stride(from: function.low, to: function.high, by: Int(clamping: step)) {
      for entry in scopes.calls(at: address, in: search) {
        let call = search.inlinedCall(at: entry)
        let name = search.name(of: call.function)
        result.append(
          "\(LinkedAddress(address)) \(entry) \(name.linkage ?? "-") \(name.source ?? "-") "
            + "\(call.file ?? 0):\(call.line ?? 0):\(call.column ?? 0)")
      }
    }
    return result
  }

  @Test("functions, inlined calls, names and call sites are equal", arguments: debugFiles)
  func sameAsLibdw(_ path: String) throws {
    var calls = 0
    for slice in try BinarySlice.all(in: path) where slice.hasDWARF {
      let file = try MappedFile(path: path, headSize: slice.layout == .machO ? ElfFacade.headSize : 0)
      let handle = try DwarfHandle(file, slice: slice)
      let directory = UnitDirectory(DebugSections(handle))
      var random = SeededRandom(seed: 5)
      for unit in UnitIndex(handle, splitFiles: SplitFiles(of: path), codeRanges: []).units {
        let libdw = LibdwWalk(unit: try #require(unit.root))
        let ours = EntryWalk(reader: directory.reader(unit.header), units: directory, libdw: libdw)
        let found = functions(ours)
        #expect(found == functions(libdw), "unit at \(unit.header.offset)")
        for function in found.shuffled(using: &random).prefix(60) {
          let answers = answers(ours, function)
          calls += answers.count - 1
          #expect(answers == self.answers(libdw, function))
        }
      }
    }
    if ["/cpp-inline.debug", "/swift-trap.debug", "/HogeApp"].contains(where: { path.hasSuffix($0) }) {
      #expect(calls > 0)
    }
  }

  @Test("looking up many addresses together gives the same answers", arguments: debugFiles)
  func together(_ path: String) throws {
    for slice in try BinarySlice.all(in: path) where slice.hasDWARF {
      let file = try DebugFile(path: path, slice: slice)
      var random = SeededRandom(seed: 6)
      let addresses = (0..<500).compactMap { _ in
        slice.codeRanges.randomElement(using: &random).map {
          LinkedAddress(.random(in: $0.lowerBound.rawValue..<$0.upperBound.rawValue, using: &random))
        }
      }
      try #require(!addresses.isEmpty)
      let alone = try DebugFile(path: path, slice: slice)
      #expect(file.frames(at: addresses) == addresses.map { alone.frames(at: $0) })
    }
  }

  @Test("several threads find the same as one", arguments: debugFiles)
  func threads(_ path: String) throws {
    for slice in try BinarySlice.all(in: path) where slice.hasDWARF {
      var random = SeededRandom(seed: 7)
      let addresses = (0..<3000).compactMap { _ in
        slice.codeRanges.randomElement(using: &random).map {
          LinkedAddress(.random(in: $0.lowerBound.rawValue..<$0.upperBound.rawValue, using: &random))
        }
      }
      try #require(!addresses.isEmpty)
      let alone = try DebugFileContents(path: path, slice: slice, limits: Limits())
      let one = alone.frames(at: addresses, slice: slice, threads: 1)
      #expect(one == addresses.map { alone.frames(at: $0, slice: slice) })
      let contents = try DebugFileContents(path: path, slice: slice, limits: Limits())
      #expect(contents.frames(at: addresses, slice: slice, threads: 4) == one)
      #expect(contents.missingParts == alone.missingParts)
    }
  }

  @Test("a frame's name and linkage name are replaced separately")
  func names() {
    var frame = SourceFrame(FunctionName(linkage: "_Z4calmv", source: "calm"))
    #expect(frame.function == "calm()")
    frame.linkageName = "_Z5otherv"
    #expect(frame.function == "calm()")
    frame.function = nil
    #expect(frame.linkageName == "_Z5otherv")
    #expect(frame.function == nil)
    #expect(SourceFrame(FunctionName(linkage: "_W", source: nil)).function == "_W")
    #expect(SourceFrame(FunctionName(linkage: nil, source: nil)) == SourceFrame())
  }
}
