/// A text that is part of the program's file: it is never copied, and only what is used of it gets into memory.
@safe package struct ProgramText: @unchecked Sendable {
  private let start: UnsafePointer<UInt8>
  private let count: Int

  /// A text that stays where it is while the program runs, such as a constant in C.
  package init(_ start: UnsafePointer<UInt8>, count: Int) {
    unsafe self.start = unsafe start
    self.count = count
  }

  package func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    body(unsafe Span(_unsafeStart: start, count: count))
  }
}
