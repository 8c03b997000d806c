// The grammar of Rust's 'v0' names, rule by rule. `RustNameReader` provides what all rules need.

// MARK: - Paths

extension RustNameReader {
  mutating func readPath(inType: Bool) throws(Malformed) {
    try nested { (reader) throws(Malformed) in
      _ = try reader.readOpenPath(inType: inType, leavesOpen: false)
    }
  }

  /// Parses a path; with `leavesOpen` its generic arguments aren't closed, so that a trait's types can follow them.
  ///
  /// - Returns: Whether there is an open `<`.
  private mutating func readOpenPath(inType: Bool, leavesOpen: Bool) throws(Malformed) -> Bool {
    switch try next() {
    case "C":
      _ = try readDisambiguator()
      write(try readIdentifier())
    case "M":
      try skipImplPath()
      write("<")
      try readType()
      write(">")
    case "X":
      try skipImplPath()
      try readQualifiedType()
    case "Y": try readQualifiedType()
    case "N": try readNested(inType)
    case "I":
      try readPath(inType: inType)
      write(inType ? "<" : "::<")
      try readList { (reader) throws(Malformed) in try reader.readGenericArgument() }
      if leavesOpen { return true }
      write(">")
    case "B":
      var isOpen = false
      try followReference { (reader) throws(Malformed) in
        isOpen = try reader.readOpenPath(inType: inType, leavesOpen: leavesOpen)
      }
      return isOpen
    default: throw Malformed()
    }
    return false
  }

  /// The path of an implementation, which isn't shown.
  private mutating func skipImplPath() throws(Malformed) {
    _ = try readDisambiguator()
    try hidden { (reader) throws(Malformed) in try reader.readPath(inType: false) }
  }

  /// `<Type as Trait>`.
  private mutating func readQualifiedType() throws(Malformed) {
    write("<")
    try readType()
    write(" as ")
    try readPath(inType: true)
    write(">")
  }

  /// A path and a name inside it; capital letters stand for what the compiler generated, such as closures.
  private mutating func readNested(_ inType: Bool) throws(Malformed) {
    let namespace = try next()
    guard namespace.isLetter, namespace.isASCII else { throw Malformed() }
    try readPath(inType: inType)
    let number = try readDisambiguator()
    let identifier = try readIdentifier()
    guard namespace.isUppercase else {
      write(identifier.isEmpty ? "" : "::" + identifier)
      return
    }
    let kind = namespace == "C" ? "closure" : namespace == "S" ? "shim" : String(namespace)
    write("::{\(kind)\(identifier.isEmpty ? "" : ":" + identifier)#\(number)}")
  }

  private mutating func readGenericArgument() throws(Malformed) {
    if take("L") {
      try writeLifetime(readNumber())
    } else if take("K") {
      try readConstant()
    } else {
      try readType()
    }
  }
}

// MARK: - Types

extension RustNameReader {
  private mutating func readType() throws(Malformed) {
    try nested { (reader) throws(Malformed) in try reader.readTypeInside() }
  }

  private mutating func readTypeInside() throws(Malformed) {
    let start = position
    let tag = try next()
    if let basic = Self.basicTypes[tag] {
      write(basic)
      return
    }
    switch tag {
    case "A", "S":
      write("[")
      try readType()
      if tag == "A" {
        write("; ")
        try readConstant()
      }
      write("]")
    case "T":
      write("(")
      if try readList({ (reader) throws(Malformed) in try reader.readType() }) == 1 { write(",") }
      write(")")
    case "R", "Q": try readReferenceType(isMutable: tag == "Q")
    case "P", "O":
      write(tag == "P" ? "*const " : "*mut ")
      try readType()
    case "F": try withBinder { (reader) throws(Malformed) in try reader.readFunctionType() }
    case "D": try readTraitObject()
    case "B": try followReference { (reader) throws(Malformed) in try reader.readType() }
    default:
      position = start
      try readPath(inType: true)
    }
  }

  private static let basicTypes: [Character: String] = [
    "a": "i8", "b": "bool", "c": "char", "d": "f64", "e": "str", "f": "f32", "h": "u8", "i": "isize",
    "j": "usize", "l": "i32", "m": "u32", "n": "i128", "o": "u128", "p": "_", "s": "i16", "t": "u16",
    "u": "()", "v": "...", "x": "i64", "y": "u64", "z": "!",
  ]

  private mutating func readReferenceType(isMutable: Bool) throws(Malformed) {
    write("&")
    if take("L") {
      let lifetime = try readNumber()
      if lifetime > 0 {
        try writeLifetime(lifetime)
        write(" ")
      }
    }
    if isMutable { write("mut ") }
    try readType()
  }

  private mutating func readFunctionType() throws(Malformed) {
    if take("U") { write("unsafe ") }
    if take("K") {
      let abi = take("C") ? "C" : String(try readIdentifier().map { $0 == "_" ? "-" : $0 })
      write("extern \"\(abi)\" ")
    }
    write("fn(")
    try readList { (reader) throws(Malformed) in try reader.readType() }
    write(")")
    if take("u") { return }
    write(" -> ")
    try readType()
  }

  private mutating func readTraitObject() throws(Malformed) {
    write("dyn ")
    try withBinder { (reader) throws(Malformed) in
      try reader.readList(separator: " + ") { (reader) throws(Malformed) in try reader.readTrait() }
    }
    guard take("L") else { throw Malformed() }
    let lifetime = try readNumber()
    if lifetime > 0 {
      write(" + ")
      try writeLifetime(lifetime)
    }
  }

  /// A trait, with its associated types: `Iterator<Item = u8>`.
  private mutating func readTrait() throws(Malformed) {
    var isOpen = false
    try nested { (reader) throws(Malformed) in
      isOpen = try reader.readOpenPath(inType: true, leavesOpen: true)
    }
    while take("p") {
      write(isOpen ? ", " : "<")
      isOpen = true
      write(try readIdentifier())
      write(" = ")
      try readType()
    }
    if isOpen { write(">") }
  }

  /// Parses a binder, `for<'a, 'b>`, if there is one, and what it applies to.
  private mutating func withBinder(
    _ body: (inout RustNameReader) throws(Malformed) -> Void
  ) throws(Malformed) {
    let outer = boundLifetimes
    if take("G") {
      let (count, overflow) = try readNumber().addingReportingOverflow(1)
      guard !overflow, count <= UInt64(name.count) else { throw Malformed() }
      write("for<")
      for index in 0..<count {
        boundLifetimes += 1
        if index > 0 { write(", ") }
        try writeLifetime(1)
      }
      write("> ")
    }
    try body(&self)
    boundLifetimes = outer
  }

  /// Lifetimes are numbered from the innermost outwards, from 1; 0 is an erased one.
  private mutating func writeLifetime(_ index: UInt64) throws(Malformed) {
    guard index <= boundLifetimes else { throw Malformed() }
    if index == 0 { return write("'_") }
    let depth = boundLifetimes - index
    write(depth < 26 ? "'" + String(UnicodeScalar(UInt8(0x61 + depth))) : "'z\(depth - 25)")
  }
}

// MARK: - Constants

extension RustNameReader {
  private mutating func readConstant() throws(Malformed) {
    try nested { (reader) throws(Malformed) in try reader.readConstantInside() }
  }

  private mutating func readConstantInside() throws(Malformed) {
    switch try next() {
    case "B": try followReference { (reader) throws(Malformed) in try reader.readConstant() }
    case "p": write("_")
    case "b":
      let value = try readHexadecimal()
      guard value == "0" || value == "1" else { throw Malformed() }
      write(value == "0" ? "false" : "true")
    case "c":
      guard let scalar = UInt32(try readHexadecimal(), radix: 16).flatMap(Unicode.Scalar.init) else {
        throw Malformed()
      }
      write("'" + Self.escaped(scalar) + "'")
    case "h", "t", "m", "y", "o", "j": try readInteger()
    case "a", "s", "l", "x", "n", "i":
      if take("n") { write("-") }
      try readInteger()
    default: throw Malformed()
    }
  }

  /// Numbers of more than 64 bits are printed in hexadecimal.
  private mutating func readInteger() throws(Malformed) {
    let digits = try readHexadecimal()
    write(UInt64(digits, radix: 16).map(String.init) ?? "0x" + digits)
  }

  /// Hexadecimal digits up to an underscore, without leading zeros.
  private mutating func readHexadecimal() throws(Malformed) -> String {
    var digits = ""
    while !take("_") {
      let digit = try next()
      guard digit.isNumber || ("a"..."f").contains(digit) else { throw Malformed() }
      digits.append(digit)
    }
    guard !digits.isEmpty else { throw Malformed() }
    let significant = digits.drop { $0 == "0" }
    return significant.isEmpty ? "0" : String(significant)
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\t": "\\t"
    case "\r": "\\r"
    case "\n": "\\n"
    case "\\", "'": "\\" + String(scalar)
    default:
      scalar.properties.generalCategory == .control
        ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
    }
  }
}
