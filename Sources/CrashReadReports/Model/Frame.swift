public import CrashReadCore

/// The kind of a frame's address, which decides how it is looked up; raw values are those of the JSON output.
public enum FrameKind: String, Sendable, Hashable {
  /// The address being executed, or one inside a call as some reporters print it: looked up unchanged.
  case programCounter
  /// The address to which a call will return: looked up inside the call before it.
  case returnAddress
  /// The address at which an `async` function will resume: looked up unchanged.
  case asyncResumePoint
  /// Stands for frames that the reporter left out. It has no address.
  case omitted
  /// Marks where the reporter stopped. It has no address.
  case truncated
}

/// One line of a backtrace, as the report states it.
public struct Frame: Sendable, Hashable {
  /// The kind of its address.
  public var kind: FrameKind
  /// The address as printed, never adjusted; nil if the report states none.
  public var address: RuntimeAddress?
  /// The image's name as printed; `???` is nil.
  public var imageName: String?
  /// The image, as an index into the report's `images`; nil when it isn't among them.
  public var image: Int?
  /// The distance from the image's load address in bytes; nil if the report doesn't state it (`+ 904660`,
  /// `imageOffset`).
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
  /// Whether it is a call in a language that runs in a virtual machine, stated by its runtime; it has no address.
  public var isManaged: Bool
  /// The number of samples it was in, on a sampled thread's heaviest path; nil elsewhere.
  public var sampleCount: Int?
  /// The frame's number as printed.
  public var number: Int?
  /// Its line in the input, 1-based; nil in JSON formats.
  package var line: Int?
  /// The number of input lines it takes: more than 1 if a program has wrapped it.
  package var lineCount: Int
  /// Whether the writer of the report recovered it from a register, as in events that this program wrote.
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
