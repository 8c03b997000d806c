package import CrashReadCore

extension BinarySlice {
  /// What of a binary's headers says which one it is and what it is good for: little enough to be kept of each of
  /// thousands of files, and on disk.
  package struct Summary: Sendable, Hashable {
    /// How the binary is laid out.
    package var layout: Layout
    /// `LC_UUID` or build-id; nil when it has none.
    package var id: ImageID?
    /// Its CPU; nil for one not known here.
    package var architecture: Architecture?
    /// Where it begins, in bytes from the file's start.
    package var fileOffset: Int
    /// Whether it has a `.debug_info` (`__debug_info`) section.
    package var hasDWARF: Bool
    /// Bytes of all its sections of debug information, as they are in the file: compressed or not.
    package var sizeOfDWARF: Int
    /// Where an ELF program has its debug file; nil when it doesn't say.
    package var debugLink: DebugLink?
    /// Whether it is what `dsymutil` makes (`MH_DSYM`), and no program.
    package var isDSYM: Bool
    /// Whether it is the part of a debug build that only loads the app's code from a `.debug.dylib`.
    package var isDebugDylibStub: Bool
    /// The path of an image that shares its file with those of a whole system; nil for any other.
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

  /// How much a binary says of an address; more is better.
  package enum Detail: Int, Sendable, CaseIterable {
    /// Names at most.
    case names
    /// Functions, lines and inlined calls.
    case lines
    /// These, and variables.
    case dwarf
  }

  /// What is kept of it while it is not being read.
  package var summary: Summary {
    Summary(
      layout: layout, id: id, architecture: architecture, fileOffset: fileOffset, hasDWARF: hasDWARF,
      sizeOfDWARF: sizeOfDWARF, debugLink: debugLink, isDSYM: isDSYM, isDebugDylibStub: isDebugDylibStub,
      member: member)
  }

  /// Reads the headers of the binary in a file that a summary was made of, once more.
  ///
  /// - Throws: `DebugFileError` when the file can't be read any more, and when it has another binary now.
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
  /// How much the binary says of an address.
  package var detail: BinarySlice.Detail {
    if hasDWARF { return .dwarf }
    return layout == .breakpad || layout == .gsym ? .lines : .names
  }
}
