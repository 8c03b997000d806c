// MARK: - Names

extension CxxNameGrowth {
  /// A function with its parameters, a variable, or something that the compiler made for one.
  mutating func readEncoding() throws(NotUnderstood) -> Double {
    if isNext("T") || isNext("G") { return try readSpecialName() }
    let outer = (isFunctionName, isLambda)
    (isFunctionName, isLambda) = (true, false)
    var length = try readName()
    isFunctionName = false
    while let byte = peek, byte != UInt8(ascii: "E"), byte != UInt8(ascii: ".") { length += try readType() }
    (isFunctionName, isLambda) = outer
    return length
  }

  private mutating func readSpecialName() throws(NotUnderstood) -> Double {
    switch (try next(), try next()) {
    case (UInt8(ascii: "T"), UInt8(ascii: "h")), (UInt8(ascii: "T"), UInt8(ascii: "v")):
      position -= 1
      try skipCallOffset()
      return try readEncoding() + Self.word
    case (UInt8(ascii: "T"), UInt8(ascii: "c")):
      try skipCallOffset()
      try skipCallOffset()
      return try readEncoding() + Self.word
    case (UInt8(ascii: "T"), UInt8(ascii: "C")):
      let length = try readType()
      try skip(past: UInt8(ascii: "_"))
      return try length + readType() + Self.word
    case (UInt8(ascii: "T"), let kind) where "VTISFJ".utf8.contains(kind): return try readType() + Self.word
    case (UInt8(ascii: "T"), let kind) where "HW".utf8.contains(kind): return try readName() + Self.word
    case (UInt8(ascii: "G"), let kind) where "VR".utf8.contains(kind):
      let length = try readName() + Self.word
      if kind == UInt8(ascii: "R"), peek != nil { try skip(past: UInt8(ascii: "_")) }
      return length
    case (UInt8(ascii: "G"), UInt8(ascii: "A")): return try readEncoding() + Self.word
    case (UInt8(ascii: "G"), UInt8(ascii: "T")): return try skipByte() + readEncoding()
    default: throw NotUnderstood()
    }
  }

  /// `h` number `_`, `v` number `_` number `_`.
  private mutating func skipCallOffset() throws(NotUnderstood) {
    let isVirtual = take("v")
    if !isVirtual { try expect("h") }
    try skip(past: UInt8(ascii: "_"))
    if isVirtual { try skip(past: UInt8(ascii: "_")) }
  }

  mutating func readName() throws(NotUnderstood) -> Double {
    switch peek {
    case UInt8(ascii: "N"): return try readNestedName()
    case UInt8(ascii: "Z"): return try readLocalName()
    case UInt8(ascii: "S") where !isNext("St"):
      let length = try readSubstitution()
      return isNext("I") ? try length + readTemplateArguments() : length
    default:
      _ = take("St")
      let length = try readUnqualifiedName() + Self.word
      return isNext("I") ? try remember(length) + readTemplateArguments() : length
    }
  }

  private mutating func readNestedName() throws(NotUnderstood) -> Double {
    try expect("N")
    while take("r") || take("V") || take("K") {}
    _ = take("R") || take("O")
    var length = 0.0
    while !take("E") {
      let isSubstitution = isNext("S")
      length += try readNamePart()
      if !isSubstitution, !isNext("E") { _ = remember(length) }
    }
    return length
  }

  private mutating func readNamePart() throws(NotUnderstood) -> Double {
    if isNext("S") { return try readSubstitution() }
    if isNext("T") { return try readTemplateParameter() }
    if isNext("I") { return try readTemplateArguments() }
    if isNext("Dt") || isNext("DT") { return try readType() }
    if take("M") { return 0 }
    return try readUnqualifiedName()
  }

  /// `Z` function `E` and what is in it.
  private mutating func readLocalName() throws(NotUnderstood) -> Double {
    try expect("Z")
    var length = try readEncoding() + Self.word
    try expect("E")
    if take("s") { return try length + skipDiscriminator() }
    if take("d") { try skip(past: UInt8(ascii: "_")) }
    length += try readName()
    return try length + skipDiscriminator()
  }

  /// `_3`, `__12_`.
  private mutating func skipDiscriminator() throws(NotUnderstood) -> Double {
    if take("__") {
      try skip(past: UInt8(ascii: "_"))
    } else if take("_") {
      skipNumber()
    }
    return 0
  }

  mutating func readUnqualifiedName() throws(NotUnderstood) -> Double {
    let length: Double
    switch peek {
    case let byte? where isDigit(byte): length = try readSourceName()
    case UInt8(ascii: "L"):
      _ = try next()
      length = try readUnqualifiedName()
    case UInt8(ascii: "C"):
      _ = try next()
      length = take("I") ? try skipByte() + readType() : try skipByte()
    case UInt8(ascii: "D"):
      _ = try next()
      length =
        take("C")
        ? try readList { (part) throws(NotUnderstood) in try part.readSourceName() } : try skipByte()
    case UInt8(ascii: "U"): length = try readUnnamedType()
    default: length = try readOperatorName()
    }
    return try length + readTags()
  }

  mutating func skipByte() throws(NotUnderstood) -> Double {
    _ = try next()
    return Self.word
  }

  mutating func readSourceName() throws(NotUnderstood) -> Double {
    guard let first = peek, isDigit(first) else { throw NotUnderstood() }
    var count = 0
    while let byte = peek, isDigit(byte), count <= name.count {
      count = count * 10 + Int(byte - UInt8(ascii: "0"))
      position += 1
    }
    guard count > 0, count <= remaining else { throw NotUnderstood() }
    position += count
    return max(Double(count), 24)  // "(anonymous namespace)"
  }

  mutating func readTags() throws(NotUnderstood) -> Double {
    var length = 0.0
    while take("B") { length += try readSourceName() + Self.word }
    return length
  }

  /// `Ut_`, `UlvE_`: types without a name, and closures.
  private mutating func readUnnamedType() throws(NotUnderstood) -> Double {
    var length = Self.word
    if take("Ul") {
      let outer = isLambda
      isLambda = true
      length += try readList { (part) throws(NotUnderstood) in try part.readType() }
      isLambda = outer
    } else {
      try expect("Ut")
    }
    try skip(past: UInt8(ascii: "_"))
    return remember(length)
  }

  private mutating func readOperatorName() throws(NotUnderstood) -> Double {
    if take("cv") { return try readType() + Self.word }
    if take("li") { return try readSourceName() + Self.word }
    if take("v") { return try skipByte() + readSourceName() }
    guard "a"..."z" ~= Character(Unicode.Scalar(try next())) else { throw NotUnderstood() }
    return try skipByte()
  }

  /// `I` arguments `E`; in a function's name what its parameters' types refer to.
  mutating func readTemplateArguments() throws(NotUnderstood) -> Double {
    guard take("I") || take("J") else { throw NotUnderstood() }
    let isFunction = isFunctionName
    isFunctionName = false
    var lengths: [Double] = []
    while !take("E") { lengths.append(try readTemplateArgument()) }
    isFunctionName = isFunction
    largestPack = max(largestPack, Double(lengths.count))
    if isFunction {
      for (index, length) in lengths.enumerated() {
        if index < arguments.count {
          arguments[index] = max(arguments[index], length)
        } else {
          arguments.append(length)
        }
      }
    }
    return lengths.reduce(Self.word, +)
  }

  private mutating func readTemplateArgument() throws(NotUnderstood) -> Double {
    if isNext("I") || isNext("J") { return try readTemplateArguments() }
    if isNext("L") { return try readExpression() }
    guard take("X") else { return try readType() }
    let length = try readExpression()
    try expect("E")
    return length
  }

  /// A pattern is printed once for each element of a pack.
  func repeated(_ length: Double) -> Double { length * largestPack }
}
