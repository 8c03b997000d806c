public import CrashReadCore

/// The kind of a frame's address, which decides how it is looked up; raw values are those of the JSON output.
public enum FrameKind: String, Sendable, Hashable {
  /// Where the thread was executing, or an address inside a call as some reporters print it: looked up unchanged.
  case programCounter
  /// Where a call will return to: looked up inside the call before it.
  case returnAddress
  /// Where an `async` function will resume: looked up unchanged.
  case asyncResumePoint
  /// Stands for frames that the reporter left out. It has no address.
  case omitted
  /// Marks where the reporter stopped. It has no address.
  case truncated
}

/// One line of a backtrace, as the report states it.
public struct Frame: Sendable, Hashable {
  /// What the address is.
  public var kind: FrameKind
  /// The address as printed, never adjusted; nil where the report states none.
  public var address: RuntimeAddress?
  /// The image's name as printed; `???` is nil.
  public var imageName: String?
  /// The image, as an index into the report's `images`; nil when it isn't among them.
  public var image: Int?
  /// The distance from the image's load address, where the report states one (`+ 904660`, `imageOffset`).
  public var imageOffset: ImageOffset?
  /// The symbol as printed, without its offset.
  public var reportedSymbol: String?
  /// The distance from the symbol's start, in bytes.
  public var reportedSymbolOffset: UInt64?
  /// The source file as printed.
  public var reportedFile: String?
  /// The line in the source file, 1-based.
  public var reportedLine: Int?
  /// Whether the report marks the frame as inlined into the next one.
  public var isInlined: Bool
  /// Whether it is a call in a language that runs in a virtual machine, reported by its runtime; it has no address.
  public var isManaged: Bool
  /// The number of samples it was in, on a sampled thread's heaviest path; nil elsewhere.
  public var sampleCount: Int?
  /// The frame's number as printed.
  public var number: Int?
  /// Its line in the input, 1-based; nil in JSON formats.
  package var line: Int?
  /// The number of input lines it takes: more than 1 where a program has wrapped them.
  package var lineCount: Int
  /// Whether the report's writer added it from a register: in an event of ours that is read back.
  package var isRecovered = false

  /// A frame with only an address.
  package init(kind: FrameKind, address: RuntimeAddress?) {
    self.kind = kind
    self.address = address
    isInlined = false
    isManaged = false
    lineCount = 1
  }
}
