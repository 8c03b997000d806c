/// The memory that a fault is blamed on, where the system kept a record of it: memory tagging, or guarded malloc.
public struct AllocationRecord: Sendable, Hashable {
  /// What went wrong, in the report's words.
  public var errorType: String?
  /// The address of the memory.
  public var address: UInt64?
  /// The requested size in bytes.
  public var size: UInt64?
  /// Whether it had been freed; nil where the report doesn't say.
  public var isFreed: Bool?
  /// How certain the report is that this is the memory in question, in its words.
  public var confidence: String?
  /// Who allocated it, innermost first.
  public var allocated: [Frame] = []
  /// Who freed it, innermost first.
  public var deallocated: [Frame] = []

  /// An empty record.
  public init() {}
}
