internal import CrashReadReports

/// The layout of a number: one of `layouts` in `codes.json`.
///
/// A field whose table has a name for it may add fields: those of the layout named after the table and the name, such
/// as `guard.FD`. A layout with the suffix `.subcode` describes a second number.
struct BitLayout: Sendable, Hashable {
  /// A range of bits of the number.
  struct Field: Sendable, Hashable {
    /// The name of the field in JSON and in texts.
    var name: String
    /// Bit numbers, the lowest being 0.
    var bits: ClosedRange<Int>
    /// The table of its values; nil for a plain number.
    var table: String?
    /// The format of the number: `hex`, or a unit that follows it; nil for a bare decimal.
    var unit: String?

    func value(in number: UInt64) -> UInt64 {
      number >> UInt64(bits.lowerBound) & (UInt64.max >> UInt64(63 - (bits.upperBound - bits.lowerBound)))
    }
  }

  /// A link to where the layout is defined.
  var source: String
  /// Words that usually precede such a number in text.
  var words: [String]
  /// Whether a number can be recognised by its bits as having this layout.
  var isStandalone: Bool
  var fields: [Field]

  /// Parses a layout; nil when one of its fields is invalid.
  init?(_ source: JSONValue) {
    self.source = source["source"].string ?? ""
    words = source["words"].elements.compactMap(\.string)
    isStandalone = source["alone"].isTrue
    fields = source["fields"].elements.compactMap { Field($0) }
    if fields.isEmpty || fields.count != source["fields"].elements.count { return nil }
  }
}

extension BitLayout.Field {
  /// Parses a field; its bits are written `31-26` or `6`.
  fileprivate init?(_ source: JSONValue) {
    let bits = (source["bits"].string ?? "").split(separator: "-").compactMap { Int($0) }
    guard let name = source["name"].string, let high = bits.first, let low = bits.last,
      low <= high, low >= 0, high < 64
    else { return nil }
    self.init(name: name, bits: low...high, table: source["table"].string, unit: source["unit"].string)
  }
}
