internal import CrashReadCore

/// Demangles the names of rustc: the legacy scheme, which resembles C++'s, and 'v0'.
///
/// Sources: RFC 2603 and the rustc book's 'v0 symbol format'; `compiler/rustc_symbol_mangling/src/legacy.rs`. The
/// hashes that identify builds and crates are omitted, as in Rust's own backtraces.
enum RustDemangler {
  /// The readable name; nil when it isn't rustc's, or is damaged.
  static func demangle(_ name: String) -> String? {
    let bytes = Array(name.utf8)
    if name.hasPrefix("_ZN") { return LegacyRustName(bytes)?.text }
    guard name.hasPrefix("_R"), var reader = RustNameReader(bytes) else { return nil }
    return reader.read()
  }

  /// The readable form of a legacy name that was demangled as C++'s, as Apple's symbolicator does:
  /// `_$LT$Foo$GT$::bar::h` and the hash. Nil when it isn't one.
  static func demangle(cxxForm name: String) -> String? {
    pathLength(ofCxxForm: name.utf8.span).map { LegacyRustName(path: name.utf8.prefix($0)).text }
  }

  /// The length of the path before the hash in a name that was demangled as C++'s; nil when there is no hash.
  static func pathLength(ofCxxForm name: Span<UInt8>) -> Int? {
    var end = name.count
    if end > 0, name[end - 1] == UInt8(ascii: ")") {
      guard let suffix = name.lastOffset(of: UInt8(ascii: " ")),
        isOnlyUnique(name.extracting(suffix..<end - 1))
      else { return nil }
      end = suffix
    }
    let start = end - 19
    guard start > 0, name.extracting(start...).begins(with: "::h"),
      (start + 3..<end).allSatisfy({ LegacyRustName.isHashDigit(name[$0]) })
    else { return nil }
    return start
  }

  /// Whether a suffix in brackets only makes a name unique: ` (.llvm.123` or ` (.78`.
  private static func isOnlyUnique(_ suffix: Span<UInt8>) -> Bool {
    if suffix.begins(with: " (.llvm.") { return true }
    return suffix.begins(with: " (.") && suffix.count > 3
      && (3..<suffix.count).allSatisfy { 0x30...0x39 ~= suffix[$0] }
  }

  /// The suffix to print for one that a compiler has appended, such as `.cold`; empty for LLVM's `.llvm.123`, which
  /// only makes the name unique. Nil when it is invalid.
  static func shown(suffix: ArraySlice<UInt8>) -> String? {
    guard let first = suffix.first else { return "" }
    guard first == UInt8(ascii: "."), suffix.allSatisfy({ 0x21...0x7e ~= $0 }) else { return nil }
    return suffix.starts(with: ".llvm.".utf8) ? "" : String(decoding: suffix, as: UTF8.self)
  }
}

/// A name of the legacy scheme: `_ZN`, the path's parts with their lengths, `17h` and 16 hexadecimal digits, `E`.
private struct LegacyRustName {
  /// The path without the hash.
  let text: String

  init?(_ name: [UInt8]) {
    var rest = name[3...]
    var parts: [ArraySlice<UInt8>] = []
    while let digit = rest.first, digit != UInt8(ascii: "E") {
      let digits = rest.prefix { 0x30...0x39 ~= $0 }
      rest = rest.dropFirst(digits.count)
      guard let length = Int(String(decoding: digits, as: UTF8.self)), length <= rest.count else {
        return nil
      }
      parts.append(rest.prefix(length))
      rest = rest.dropFirst(length)
    }
    guard rest.first == UInt8(ascii: "E"), let hash = parts.popLast(), Self.isHash(hash), !parts.isEmpty,
      let suffix = RustDemangler.shown(suffix: rest.dropFirst())
    else { return nil }
    text = parts.map(Self.unescaped).joined(separator: "::") + suffix
  }

  /// The path as C++'s demanglers print it, without the hash.
  init(path: some Collection<UInt8>) {
    text = path.split(separator: UInt8(ascii: ":")).map { Self.unescaped(Array($0)[...]) }
      .joined(separator: "::")
  }

  private static func isHash(_ part: ArraySlice<UInt8>) -> Bool {
    part.count == 17 && part.first == UInt8(ascii: "h") && part.dropFirst().allSatisfy(isHashDigit)
  }

  static func isHashDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte || 0x61...0x66 ~= byte }

  /// A part of the path with `$LT$` and `..` decoded to `<` and `::`; from an unknown escape on it is left unchanged.
  private static func unescaped(_ part: ArraySlice<UInt8>) -> String {
    // An identifier can't begin with an escape, so an underscore is put before it.
    var rest = part.starts(with: "_$".utf8) ? part.dropFirst() : part
    var text: [UInt8] = []
    while let first = rest.first {
      if rest.starts(with: "..".utf8) {
        text += "::".utf8
        rest = rest.dropFirst(2)
      } else if first == UInt8(ascii: "$") {
        let code = rest.dropFirst().prefix { $0 != UInt8(ascii: "$") }
        guard code.endIndex < rest.endIndex, let meaning = meaning(of: code) else { break }
        text += meaning.utf8
        rest = rest.dropFirst(code.count + 2)
      } else {
        text.append(first)
        rest = rest.dropFirst()
      }
    }
    return String(decoding: text + rest, as: UTF8.self)
  }

  private static func meaning(of escape: ArraySlice<UInt8>) -> String? {
    switch String(decoding: escape, as: UTF8.self) {
    case "SP": return "@"
    case "BP": return "*"
    case "RF": return "&"
    case "LT": return "<"
    case "GT": return ">"
    case "LP": return "("
    case "RP": return ")"
    case "C": return ","
    case let code where code.hasPrefix("u"):
      let scalar = UInt32(code.dropFirst(), radix: 16).flatMap(Unicode.Scalar.init)
      return scalar.flatMap { $0.properties.generalCategory == .control ? nil : String($0) }
    default: return nil
    }
  }
}
