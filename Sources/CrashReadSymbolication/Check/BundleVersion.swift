internal import CrashReadDebugInfo
internal import CrashReadSystem

/// The version and build of the program of a dSYM bundle, as in `1.2 (34)`: `dsymutil` copies them from the program's
/// Info.plist. Nil outside of a bundle, and when the bundle states none.
func bundleVersion(of binary: String) -> String? {
  guard let end = binary.firstRange(of: ".dSYM/Contents/Resources/DWARF/") else { return nil }
  let path = binary[..<end.lowerBound] + ".dSYM/Contents/Info.plist"
  guard let bytes = try? readFile(String(path), limit: 1 << 20) else { return nil }
  let text = String(decoding: bytes, as: UTF8.self)
  let version = value(of: "CFBundleShortVersionString", in: text)
  let build = value(of: "CFBundleVersion", in: text)
  // `dsymutil` also writes this for a program without an Info.plist, where it means nothing.
  if version == "1.0", build == "1" { return nil }
  let words = [version, build.map { version == nil ? $0 : "(\($0))" }].compactMap { $0 }
  return words.isEmpty ? nil : words.joined(separator: " ")
}

/// The text between `<string>` and its end that follows a key in a property list; nil when there is none.
private func value(of key: String, in text: String) -> String? {
  guard let name = text.firstRange(of: "<key>\(key)</key>") else { return nil }
  let rest = text[name.upperBound...].drop(while: \.isWhitespace)
  guard rest.hasPrefix("<string>"), let end = rest.firstRange(of: "</string>") else { return nil }
  let value = rest[..<end.lowerBound].dropFirst("<string>".count)
  return value.isEmpty ? nil : String(value)
}
