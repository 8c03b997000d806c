/// Changes to a file of which most remains unchanged: random bytes would be rejected immediately as a debug file.
///
/// The input is a row of records of 8 bytes: which region, how to change it, where (2 bytes), to what (4 bytes). So an
/// input is short however large the file is, and what libFuzzer does to it hits the parts that are read.
struct FileEdits {
  /// Where the file is changed: headers and sections.
  let regions: [Range<Int>]
  /// Unchanged bytes at the start, such as the magic number.
  var protected = 5

  private static let recordSize = 8
  private static let maximumRecords = 64

  func apply(_ records: ArraySlice<UInt8>, to original: [UInt8]) -> [UInt8] {
    var bytes = original
    var size = bytes.count
    var rest = records
    for _ in 0..<Self.maximumRecords where rest.count >= Self.recordSize {
      let record = Array(rest.prefix(Self.recordSize))
      rest = rest.dropFirst(Self.recordSize)
      let region = regions[Int(record[0]) % regions.count]
      let place = Int(record[2]) | Int(record[3]) << 8 | Int(record[1] >> 4) << 16
      let value = record[4...].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      let position = region.lowerBound + place % region.count
      if record[1] & 15 == 15, value & 7 == 0 { size = min(size, max(protected, position)) }
      change(&bytes, at: position, in: region, how: Int(record[1] & 15) % 8, value)
    }
    bytes.replaceSubrange(..<protected, with: original[..<protected])
    return size < bytes.count ? Array(bytes[..<size]) : bytes
  }

  private func change(
    _ bytes: inout [UInt8], at position: Int, in region: Range<Int>, how: Int, _ value: UInt32
  ) {
    let new: [UInt8] =
      switch how {
      case 0: little(UInt8(truncatingIfNeeded: value))
      case 1: little(UInt16(truncatingIfNeeded: value))
      case 2: little(value)
      case 3: little(UInt64(bitPattern: Int64(Int32(bitPattern: value))))
      case 4: [bytes[position] ^ 1 << UInt8(value & 7)]
      case 5: [UInt8](repeating: UInt8(truncatingIfNeeded: value), count: 2 + Int(value >> 8 & 63))
      case 6: Array(bytes[region.lowerBound + Int(value) % region.count..<region.upperBound].prefix(16))
      default: [UInt8](repeating: 0xff, count: 9) + [1]  // the largest LEB128 number
      }
    let end = min(position + new.count, bytes.count)
    bytes.replaceSubrange(position..<end, with: new[..<(end - position)])
  }

  private func little(_ value: some FixedWidthInteger) -> [UInt8] {
    stride(from: 0, to: value.bitWidth, by: 8).map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}
