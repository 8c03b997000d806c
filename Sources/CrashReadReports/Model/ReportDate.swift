/// Reads a date and time as reports and ISO 8601 write them: `2026-11-21 09:00:12.1234 +0900`, `2026-11-21T00:00:12Z`.
///
/// - Parameters:
///   - text: The date, the time, an optional fraction that is ignored, and an offset from UTC.
///   - fallback: Seconds east of UTC to assume where the text states no offset; nil to require one.
/// - Returns: Seconds since 1970 in UTC; nil for any other text.
package func secondsSince1970(_ text: String, offset fallback: Int64? = nil) -> Int64? {
  let bytes = Array(text.utf8.prefix(64))
  guard bytes.count >= 19, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
    bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: " "),
    bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
    let year = number(bytes[0..<4], 1970...9999), let month = number(bytes[5..<7], 1...12),
    let day = number(bytes[8..<10], 1...31), let hour = number(bytes[11..<13], 0...23),
    let minute = number(bytes[14..<16], 0...59), let second = number(bytes[17..<19], 0...60),
    let offset = secondsEast(ofZone: withoutFraction(bytes[19...])) ?? (bytes.count == 19 ? fallback : nil)
  else { return nil }
  return days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
}

/// Days since 1970-01-01 in the Gregorian calendar: years begin in March, so that a leap day comes last.
private func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
  let march = month > 2 ? year : year - 1
  let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
  return march * 365 + march / 4 - march / 100 + march / 400 + dayOfYear - 719_468
}

/// A day as `2026-11-21`, from its number since 1970-01-01: the inverse of `days`.
///
/// The method is Howard Hinnant's `civil_from_days`: 400 years are always 146,097 days.
package func calendarDay(_ day: Int64) -> String {
  let shifted = day + 719_468
  let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
  let dayOfEra = shifted - era * 146_097
  let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  let march = (5 * dayOfYear + 2) / 153
  let month = march < 10 ? march + 3 : march - 9
  let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return "\(year)-\(twoDigits(month))-\(twoDigits(dayOfYear - (153 * march + 2) / 5 + 1))"
}

/// Formats seconds since 1970 as `2016-04-21T20:09:40Z`; nil for 0, which reporters write for 'unknown', and for
/// years with more than four digits.
package func utcDate(_ seconds: UInt64) -> String? {
  guard seconds > 0, seconds < 253_402_300_800 else { return nil }
  let second = Int64(seconds % 86_400)
  let time = [second / 3600, second / 60 % 60, second % 60].map(twoDigits).joined(separator: ":")
  return "\(calendarDay(Int64(seconds / 86_400)))T\(time)Z"
}

private func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : String(number) }

private func withoutFraction(_ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
  guard rest.first == UInt8(ascii: ".") else { return rest }
  return rest.dropFirst().drop { (0x30...0x39).contains($0) }
}

/// Seconds east of UTC of `Z`, `+09:00` or ` +0900`; nil for anything else.
private func secondsEast(ofZone text: ArraySlice<UInt8>) -> Int64? {
  let zone = text.drop { $0 == UInt8(ascii: " ") }
  if zone.elementsEqual("Z".utf8) || zone.elementsEqual("UTC".utf8) { return 0 }
  let digits = zone.dropFirst().filter { $0 != UInt8(ascii: ":") }
  guard let sign = zone.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), digits.count == 4,
    let hours = number(digits[0..<2], 0...23), let minutes = number(digits[2..<4], 0...59)
  else { return nil }
  return (hours * 3600 + minutes * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
}

private func number(_ digits: ArraySlice<UInt8>, _ range: ClosedRange<Int64>) -> Int64? {
  guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
  let value = digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  return range.contains(value) ? value : nil
}
