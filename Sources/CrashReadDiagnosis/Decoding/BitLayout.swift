internal import CrashReadReports

/// How a number is put together: one of `layouts` in `codes.json`.
///
/// A field whose table gives a name can bring more fields: those of the layout that is called like the table and the
/// name, such as `guard.FD`. A layout with `.subcode` behind its name says what a second number holds.
struct BitLayout: Sendable, Hashable {
  /// Some bits of the number.
  struct Field: Sendable, Hashable {
    /// Names the field in JSON and in texts.
    var name: String
    /// Bit numbers, the lowest being 0.
    var bits: ClosedRange<Int>
    /// The table that names its values; nil for a plain number.
    var table: String?
    /// How the number is written: `hex`, or a unit to put behind it; nil for a bare decimal.
    var unit: String?

    func value(in number: UInt64) -> UInt64 {
      number >> UInt64(bits.lowerBound) & (UInt64.max >> UInt64(63 - (bits.upperBound - bits.lowerBound)))
    }
  }

  /// A link to where the layout is defined.
  var source: String
  /// What people write in front of such a number.
  var words: [String]
  /// Whether a number can be told to be of this layout by its bits alone.
  var standsAlone: Bool
  var fields: [Field]

  /// Reads a layout; nil when one of its fields can't be read.
  init?(_ source: JSONValue) {
    self.source = source["source"].string ?? ""
    words = source["words"].elements.compactMap(\.string)
    standsAlone = source["alone"].isTrue
    fields = source["fields"].elements.compactMap { Field($0) }
    if fields.isEmpty || fields.count != source["fields"].elements.count { return nil }
  }
}

extension BitLayout.Field {
  /// Reads a field; its bits are written `31-26` or `6`.
  fileprivate init?(_ source: JSONValue) {
    let bits = (source["bits"].string ?? "").split(separator: "-").compactMap { Int($0) }
    guard let name = source["name"].string, let high = bits.first, let low = bits.last,
      low <= high, low >= 0, high < 64
    else { return nil }
    self.init(name: name, bits: low...high, table: source["table"].string, unit: source["unit"].string)
  }
}
