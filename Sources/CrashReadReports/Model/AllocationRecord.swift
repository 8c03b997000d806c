/// The memory that a fault is blamed on, where the system kept a record of it: memory tagging, or guarded malloc.
public struct AllocationRecord: Sendable, Hashable {
  /// What went wrong, in the report's words.
  public var errorType: String?
  /// Where the memory lies.
  public var address: UInt64?
  /// How many bytes were asked for.
  public var size: UInt64?
  /// Whether it had been freed; nil where the report doesn't say.
  public var isFreed: Bool?
  /// How sure the report is that this is the memory meant, in its words.
  public var confidence: String?
  /// Who allocated it, innermost first.
  public var allocated: [Frame] = []
  /// Who freed it, innermost first.
  public var deallocated: [Frame] = []

  /// A record that states nothing yet.
  public init() {}
}
