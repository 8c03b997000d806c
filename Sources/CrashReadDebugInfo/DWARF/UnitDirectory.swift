internal import CrashReadCore

/// All units of `.debug_info`, type and partial units too: names of functions may be kept in another unit than theirs.
///
/// Several threads may use it at once.
final class UnitDirectory {
  let headers: [UnitHeader]
  /// Taken by whoever calls libdw, which isn't made for several threads.
  let libdw = Lock()
  private let sections: DebugSections
  /// Of split units, the unit in the linked file.
  private let skeleton: EntryReader?
  private let readers = LockedCache<Int, EntryReader>()

  init(_ sections: DebugSections, skeleton: EntryReader? = nil) {
    self.sections = sections
    self.skeleton = skeleton
    headers = UnitHeader.all(in: sections.info)
  }

  /// Reads entries of the unit with a header.
  func reader(_ header: UnitHeader) -> EntryReader {
    readers.value(of: header.offset) { EntryReader(header, sections, skeleton: skeleton) }
  }

  /// Reads entries of the unit that an offset is in; nil when it is in none.
  func reader(at offset: Int) -> EntryReader? {
    let index = headers.partitioningIndex { $0.end > offset }
    guard index < headers.count, headers[index].root <= offset, headers[index].isReadable else { return nil }
    return reader(headers[index])
  }
}
