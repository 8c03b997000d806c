/// A number of seconds since 1970 as `2016-04-21T20:09:40Z`; nil for 0, which reporters write for 'unknown', and for years
/// of more than four digits.
package func utcDate(_ seconds: UInt64) -> String? {
  guard seconds > 0, seconds < 253_402_300_800 else { return nil }
  let (year, month, day) = civilDate(Int(seconds / 86_400))
  let second = Int(seconds % 86_400)
  let date = [padded(year, 4), padded(month, 2), padded(day, 2)].joined(separator: "-")
  let time = [second / 3600, second / 60 % 60, second % 60].map { padded($0, 2) }.joined(separator: ":")
  return "\(date)T\(time)Z"
}

/// Year, month and day of a day counted from 1970.
///
/// Years are counted from March, so that the leap day comes last; 400 years have 146097 days.
private func civilDate(_ days: Int) -> (year: Int, month: Int, day: Int) {
  let shifted = days + 719_468
  let era = shifted / 146_097
  let dayOfEra = shifted % 146_097
  let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  let shiftedMonth = (5 * dayOfYear + 2) / 153
  let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
  let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
}

private func padded(_ number: Int, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
