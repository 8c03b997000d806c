internal import CCrashReadElfutils
internal import CrashReadCore
internal import CrashReadSystem

/// A file with split units: a `.dwo` file, an object file with split sections beside its code, or a `.dwp` package.
///
/// libdw doesn't support packages, or object files with both kinds of sections: it reads each unit's parts through a
/// façade.
struct SplitFile {
  private let path: String
  private let slice: BinarySlice
  /// The index of a package; nil for other files.
  private let index: PackageIndex?

  /// Reads the headers.
  init(_ path: String) throws(DebugFileError) {
    self.path = path
    let file = try MappedFile.debugFile(path)
    guard let slice = try BinarySlice.all(in: file).first else { throw .unrecognised }
    self.slice = slice
    guard let section = slice.sections.first(where: { $0.name == ".debug_cu_index" }) else {
      index = nil
      return
    }
    let bytes = file.withBytes { try? $0.bytes(at: section.fileOffset, length: section.size) }
    guard let index = bytes.flatMap({ PackageIndex($0) }) else {
      throw .damaged("the index of the units", at: section.fileOffset)
    }
    self.index = index
  }

  /// Opens the unit with an identity.
  /// - Returns: Nil when the file doesn't have it.
  /// - Throws: `DebugFileError` when it can't be read.
  func unit(_ id: UInt64) throws(DebugFileError) -> SplitUnit? {
    var seen = slice
    if let index {
      guard let contributions = index.contributions(of: id) else { return nil }
      seen.sections = try sections(contributions)
    }
    let file = try MappedFile.debugFile(path, headSize: ElfFacade.headSize)
    return try SplitUnit(id, in: DwarfHandle(file, slice: seen))
  }

  /// A unit's parts as separate sections, and the strings, which all units share.
  private func sections(_ parts: [PackageIndex.Contribution]) throws(DebugFileError) -> [BinarySlice.Section]
  {
    var sections = slice.sections.filter { $0.name == ".debug_str.dwo" }
    if slice.sections.contains(where: \.isCompressed) { throw .unsupported("a compressed package") }
    for part in parts {
      guard let whole = slice.sections.first(where: { $0.name == part.section }), part.size <= whole.size,
        part.offset <= whole.size - part.size
      else { throw .damaged("a part of a unit is outside \(part.section)", at: part.offset) }
      sections.append(.init(name: part.section, fileOffset: whole.fileOffset + part.offset, size: part.size))
    }
    return sections
  }
}

/// A split unit with its functions; their lines and addresses are in another file.
final class SplitUnit {
  let handle: DwarfHandle
  let sections: DebugSections
  let header: UnitHeader
  let root: DwarfEntry

  /// Looks up the unit with an identity; nil when there is none.
  init?(_ id: UInt64, in handle: consuming DwarfHandle) {
    self.handle = handle
    sections = DebugSections(self.handle, suffix: ".dwo")
    for header in UnitHeader.all(in: sections.info) where header.isSplit {
      guard let dwarf = unsafe self.handle.dwarf, let root = unsafe DwarfEntry(in: dwarf, at: header.root)
      else { continue }
      guard header.splitID ?? root.number(DW_AT_GNU_dwo_id) == id else { continue }
      self.header = header
      self.root = root
      return
    }
    return nil
  }
}

/// Finds the files of a debug file's split units.
final class SplitFiles {
  private let debugFile: String
  private(set) var missing: [MissingPart] = []
  /// The units opened so far.
  private var units: [SplitUnit] = []
  /// The package; nil when there is none.
  private lazy var package: SplitFile? = openPackage()

  init(of debugFile: String) { self.debugFile = debugFile }

  /// The package beside the debug file: `App.dwp` of `App` and of `App.debug`.
  private func openPackage() -> SplitFile? {
    let bare = debugFile.hasSuffix(".debug") ? [String(debugFile.dropLast(6))] : []
    for path in ([debugFile] + bare).map({ $0 + ".dwp" }) {
      do throws(DebugFileError) {
        return try SplitFile(path)
      } catch {
        if !error.isAbsent { missing.append(MissingPart(kind: .splitUnit, path: path, error: error)) }
      }
    }
    return nil
  }

  /// Whether bytes of a file in use were missing when they were read.
  var isTruncated: Bool { units.contains { $0.handle.isTruncated } }

  /// The unit that a skeleton refers to; nil when `root` isn't a skeleton, or the unit isn't found.
  func unit(of root: DwarfEntry, _ header: UnitHeader) -> SplitUnit? {
    let unit = find(root, header)
    if let unit { units.append(unit) }
    return unit
  }

  private func find(_ root: DwarfEntry, _ header: UnitHeader) -> SplitUnit? {
    guard let name = root.string(DW_AT_dwo_name) ?? root.string(DW_AT_GNU_dwo_name),
      let id = header.splitID ?? root.number(DW_AT_GNU_dwo_id)
    else { return nil }
    if let unit = try? package?.unit(id) { return unit }
    let candidates = candidates(of: name, in: root.string(DW_AT_comp_dir))
    return missing.firstUsable(of: candidates, beside: debugFile, for: .splitUnit) {
      (path) throws(DebugFileError) in
      guard let unit = try SplitFile(path).unit(id) else {
        throw .otherBuild("it has no unit \(hexadecimal(id))")
      }
      return unit
    }
  }

  /// The possible paths of the file: where the compiler wrote it, and beside the debug file, by its path and by its
  /// name alone.
  private func candidates(of name: String, in compilationDirectory: String?) -> [String] {
    let here = directory(of: debugFile)
    let built =
      name.hasPrefix("/")
      ? [name] : compilationDirectory.map { [$0 + "/" + name, here + name] } ?? [here + name]
    let moved = here + name.dropFirst(directory(of: name).count)
    return built.contains(moved) ? built : built + [moved]
  }
}
