package import CrashReadCore

/// Replaces what identifies a person or a device in reports, each of which keeps its format.
package struct Anonymizer: Sendable {
  /// The replacements, the same in all reports.
  package private(set) var pseudonyms = Pseudonyms()
  private let limits: Limits

  /// An anonymizer that has replaced nothing yet.
  package init(limits: Limits = Limits()) { self.limits = limits }

  /// The report without personal data, otherwise byte for byte the same; text in UTF-16 becomes UTF-8.
  ///
  /// - Throws: `ReportError` for bytes without a report, since it couldn't be checked that no statement has changed.
  package mutating func anonymize(_ input: [UInt8]) throws(ReportError) -> [UInt8] {
    let bytes = UTF16ByteOrder(of: input).map { $0.utf8(input) } ?? input
    let names = ProgramNames(try CrashReport.parse(bytes, limits: limits))
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var position = 0
    for finding in PersonalData(bytes, names).findings {
      result += bytes[position..<finding.range.lowerBound]
      result += pseudonyms.replace(Array(bytes[finding.range]), finding.kind)
      position = finding.range.upperBound
    }
    return result + bytes[position...]
  }
}
