import CrashReadCore
import CrashReadSystem
import TestSupport
import Testing

@testable import CrashReadDebugInfo

/// What is unsupported here is answered by libdw: each form and each opcode that a file has is hidden in turn, and the
/// answers stay the same.
@Suite("Forms and opcodes that only libdw knows")
struct UnknownPartTests {
  private static let files = debugFiles.filter { path in
    ["/cpp-inline.debug", "/swift-trap.debug", "/c-divide.debug", "/HogeApp"].contains { path.hasSuffix($0) }
  }

  /// The forms that the units of a file use.
  private func forms(_ handle: borrowing DwarfHandle) -> Set<UInt16> {
    let sections = DebugSections(handle)
    var forms: Set<UInt16> = []
    for header in UnitHeader.all(in: sections.info) {
      let table = sections.shapes.table(at: header.abbreviations, header.encoding, in: sections.abbreviations)
      forms.formUnion(table.attributes.map(\.form))
    }
    return forms
  }

  private func slice(_ path: String) throws -> BinarySlice {
    try #require(BinarySlice.all(in: path).first { $0.hasDWARF })
  }

  private func handle(_ path: String) throws -> DwarfHandle {
    let slice = try slice(path)
    let headSize = slice.layout == .machO ? ElfFacade.headSize : 0
    return try DwarfHandle(MappedFile(path: path, headSize: headSize), slice: slice)
  }

  /// What is answered at addresses all over a file, with something hidden.
  private func answers(_ path: String, hiding hidden: DebugSections.Hidden?) throws -> [[SourceFrame]] {
    let handle = try handle(path)
    let index = UnitIndex(
      handle, splitFiles: SplitFiles(of: path), codeRanges: try slice(path).codeRanges, hiding: hidden)
    var random = SeededRandom(seed: 11)
    return index.ranges.entries.flatMap { range in
      (0..<40).map { _ in
        let address = LinkedAddress(.random(in: range.low..<range.high, using: &random))
        return index.unit(at: address)?.chain(at: address).frames ?? []
      }
    }
  }

  @Test(arguments: files) func formsAreReadByLibdw(_ path: String) throws {
    let known = try answers(path, hiding: nil)
    #expect(known.contains { $0.count > 0 })
    let handle = try handle(path)
    let forms = forms(handle)
    #expect(forms.count > 5)
    for form in forms.sorted() {
      #expect(try answers(path, hiding: .form(form)) == known, "without form \(form)")
    }
  }

  @Test(arguments: files) func opcodesAreReadByLibdw(_ path: String) throws {
    let known = try answers(path, hiding: nil)
    let opcodes = (1...12).map { LineProgram.Opcode.standard($0) } + (1...4).map { .extended($0) }
    for opcode in opcodes {
      #expect(try answers(path, hiding: .opcode(opcode)) == known, "without \(opcode)")
    }
    // Every table ends with it: nothing is read here.
    let handle = try handle(path)
    let sections = DebugSections(handle, hiding: .opcode(.extended(1)))
    #expect(sections.lineTables.table(at: 0, in: sections, addressSize: 8) == nil)
  }
}
