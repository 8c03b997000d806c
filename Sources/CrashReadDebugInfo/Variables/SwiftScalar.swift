internal import CCrashReadElfutils

/// A type of Swift's standard library that fits in a register, recognised by its mangled name.
///
/// DWARF states only name and size: `Int` is a structure without members. The names are stable ("ABI/Mangling.rst" of
/// the Swift repository).
enum SwiftScalar: Equatable {
  case signed(Int?)
  case unsigned(Int?)
  case bool
  case float(Int)
  /// A pointer to a value of its generic parameter's type, or to bytes.
  case pointer
  /// A reference to an object.
  case object

  /// Recognises a type.
  /// - Parameter mangled: Its name as in `DW_AT_linkage_name`: `$sSiD`, in Embedded Swift `$eSiD`.
  init?(mangled: String) {
    guard mangled.hasPrefix("$s") || mangled.hasPrefix("$e"), mangled.hasSuffix("D") else { return nil }
    var name = mangled.dropFirst(2).dropLast()
    // A null pointer means nil for an optional of this type.
    let isOptional = name.hasSuffix("Sg")
    if isOptional { name = name.dropLast(2) }
    let isGeneric = name.hasSuffix("G")
    if name == "Sv" || name == "SV" || isGeneric && (name.hasPrefix("Spy") || name.hasPrefix("SPy")) {
      self = .pointer
    } else if let scalar = Self.named[name], !isOptional {
      self = scalar
    } else if name.hasSuffix("C"), !name.contains("y"), !name.contains("_") {
      self = .object
    } else {
      return nil
    }
  }

  private static let named: [Substring: SwiftScalar] = [
    "Si": .signed(nil), "Su": .unsigned(nil), "Sb": .bool, "Sd": .float(8), "Sf": .float(4),
    "s4Int8V": .signed(1), "s5Int16V": .signed(2), "s5Int32V": .signed(4), "s5Int64V": .signed(8),
    "s5UInt8V": .unsigned(1), "s6UInt16V": .unsigned(2), "s6UInt32V": .unsigned(4), "s6UInt64V": .unsigned(8),
  ]

  /// The size in bytes, given the size of a pointer.
  func size(_ addressSize: Int) -> Int? {
    switch self {
    case .signed(let size), .unsigned(let size): size ?? addressSize
    case .bool: 1
    case .float(let size): size
    case .pointer, .object: addressSize
    }
  }
}

/// `DW_AT_APPLE_runtime_class`, which elfutils doesn't define: the language whose runtime manages a type's objects.
let appleRuntimeClass = 0x3fe6

extension DwarfEntry {
  /// Whether a type is one of Swift's.
  var isSwift: Bool { number(appleRuntimeClass) == UInt64(DW_LANG_Swift) }

  /// A Swift type's mangled name; nil for one of another language.
  var swiftName: String? {
    guard isSwift else { return nil }
    if let name = ownSwiftName { return name }
    return string(DW_AT_name) == nil ? swiftContent?.ownSwiftName : nil
  }

  private var ownSwiftName: String? {
    if let name = string(DW_AT_linkage_name) { return name }
    let name = string(DW_AT_name)
    return name?.hasPrefix("$") == true ? name : nil
  }

  /// The member of the unnamed structure that Swift puts around a generic type to give it a size.
  var swiftContent: DwarfEntry? {
    guard let member = firstChild, member.tag == DW_TAG_member, member.string(DW_AT_name) == nil else {
      return nil
    }
    return member.reference(DW_AT_type)
  }
}
