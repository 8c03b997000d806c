package import CrashReadCore

extension BinarySlice {
  /// The properties that identify a binary and its use: small enough to be kept in memory for each of thousands of
  /// files, and on disk.
  package struct Summary: Sendable, Hashable {
    /// How the binary is laid out.
    package var layout: Layout
    /// `LC_UUID` or build-id; nil when it has none.
    package var id: ImageID?
    /// Its CPU; nil when it is unsupported.
    package var architecture: Architecture?
    /// Its offset in the file.
    package var fileOffset: Int
    /// Whether it has a `.debug_info` (`__debug_info`) section.
    package var hasDWARF: Bool
    /// The size of all its debug sections in the file, in bytes, compressed or not.
    package var sizeOfDWARF: Int
    /// The link to an ELF program's debug file; nil when there is none.
    package var debugLink: DebugLink?
    /// Whether it was written by `dsymutil` (`MH_DSYM`), and isn't a program.
    package var isDSYM: Bool
    /// Whether it is the executable of a debug build that only loads the app's code from a `.debug.dylib`.
    package var isDebugDylibStub: Bool
    /// The path of an image that shares its file with the images of a whole system; nil for any other.
    package var member: String?

    package init(
      layout: Layout, id: ImageID?, architecture: Architecture?, fileOffset: Int, hasDWARF: Bool,
      sizeOfDWARF: Int, debugLink: DebugLink?, isDSYM: Bool, isDebugDylibStub: Bool, member: String? = nil
    ) {
      self.layout = layout
      self.id = id
      self.architecture = architecture
      self.fileOffset = fileOffset
      self.hasDWARF = hasDWARF
      self.sizeOfDWARF = sizeOfDWARF
      self.debugLink = debugLink
      self.isDSYM = isDSYM
      self.isDebugDylibStub = isDebugDylibStub
      self.member = member
    }
  }

  /// How much a binary can tell about an address, in ascending order.
  package enum Detail: Int, Sendable, CaseIterable {
    /// At most names of functions.
    case names
    /// Functions, lines and inlined calls.
    case lines
    /// Functions, lines, inlined calls and variables.
    case dwarf
  }

  /// The properties that are kept while the binary isn't open.
  package var summary: Summary {
    Summary(
      layout: layout, id: id, architecture: architecture, fileOffset: fileOffset, hasDWARF: hasDWARF,
      sizeOfDWARF: sizeOfDWARF, debugLink: debugLink, isDSYM: isDSYM, isDebugDylibStub: isDebugDylibStub,
      member: member)
  }

  /// Reads the headers again of the binary that a summary was made from.
  ///
  /// - Throws: `DebugFileError` when the file can't be read any more, or contains another binary now.
  package init(path: String, summary: Summary) throws(DebugFileError) {
    if let slice = try BinarySlice.image(in: path, summary) {
      self = slice
      return
    }
    let slices = try BinarySlice.all(in: path)
    let same = slices.first {
      $0.id == summary.id && $0.fileOffset == summary.fileOffset && $0.architecture == summary.architecture
    }
    guard let same else { throw .changed(found: slices.compactMap(\.id)) }
    self = same
  }
}

extension BinarySlice.Summary {
  /// How much the binary can tell about an address.
  package var detail: BinarySlice.Detail {
    if hasDWARF { return .dwarf }
    return [.breakpad, .gsym, .symCache].contains(layout) ? .lines : .names
  }
}
