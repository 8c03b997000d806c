/// Formats seconds since 1970 as `2016-04-21T20:09:40Z`; nil for 0, which reporters write for 'unknown', and for
/// years with more than four digits.
package func utcDate(_ seconds: UInt64) -> String? {
  guard seconds > 0, seconds < 253_402_300_800 else { return nil }
  let second = Int64(seconds % 86_400)
  let time = [second / 3600, second / 60 % 60, second % 60].map(twoDigits).joined(separator: ":")
  return "\(calendarDay(Int64(seconds / 86_400)))T\(time)Z"
}
