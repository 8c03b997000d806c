internal import CrashReadCore

// MARK: - Types

extension CxxNameGrowth {
  /// A type; all types but builtin ones can be referred to.
  mutating func readType() throws(NotUnderstood) -> Double {
    if try skipQualifiers() {
      return remember(try (isNext("F") ? readFunctionType() : readType()) + Self.word)
    }
    switch peek {
    case UInt8(ascii: "S") where !isNext("St"): return try readReferredType()
    case UInt8(ascii: "T"):
      let length = try readTemplateParameter()
      return remember(isNext("I") ? try remember(length) + readTemplateArguments() : length)
    case UInt8(ascii: "D"): return try readDType()
    case UInt8(ascii: "u"):
      _ = try next()
      return remember(try readSourceName())
    case let byte? where (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte):
      _ = try next()
      return Self.word
    default: return remember(try readCompoundType())
    }
  }

  private mutating func skipQualifiers() throws(NotUnderstood) -> Bool {
    var isQualified = false
    while true {
      if take("r") || take("V") || take("K") || take("Do") || take("Dx") {
      } else if take("DO") {
        _ = try readExpression()
        try expect("E")
      } else {
        return isQualified
      }
      isQualified = true
    }
  }

  private mutating func readReferredType() throws(NotUnderstood) -> Double {
    let length = try readSubstitution()
    return isNext("I") ? remember(try length + readTemplateArguments()) : length
  }

  private mutating func readCompoundType() throws(NotUnderstood) -> Double {
    if isNext("F") { return try readFunctionType() }
    if take("P") || take("R") || take("O") || take("C") || take("G") { return try readType() + Self.word }
    if take("M") { return try readType() + readType() + Self.word }
    if take("A") {
      let size = isNext("_") || peek?.isDigit == true ? Self.word : try readExpression()
      skipNumber()
      try expect("_")
      return try size + readType() + Self.word
    }
    if take("U") {
      let qualifier = try readSourceName()
      let arguments = isNext("I") ? try readTemplateArguments() : 0
      return try qualifier + arguments + readType()
    }
    return try readName()
  }

  private mutating func readFunctionType() throws(NotUnderstood) -> Double {
    try expect("F")
    _ = take("Y")
    return try readList { (part) throws(NotUnderstood) in
      guard part.isNext("RE") || part.isNext("OE") else { return try part.readType() }
      return try part.skipByte()
    }
  }

  private mutating func readDType() throws(NotUnderstood) -> Double {
    _ = try next()
    switch try next() {
    case UInt8(ascii: "t"), UInt8(ascii: "T"):
      let length = try readExpression()
      try expect("E")
      return remember(length + Self.word)
    case UInt8(ascii: "p"): return remember(repeated(try readType()))
    case UInt8(ascii: "a"), UInt8(ascii: "c"): return remember(Self.word)
    case UInt8(ascii: "v"):
      let size = take("_") ? try readExpression() : Self.word
      skipNumber()
      try expect("_")
      return remember(try size + readType())
    case UInt8(ascii: "F"): throw NotUnderstood()
    default: return Self.word
    }
  }
}

// MARK: - Expressions

extension CxxNameGrowth {
  mutating func readExpression() throws(NotUnderstood) -> Double {
    if isNext("L") { return try readLiteral() }
    if isNext("T") { return try readTemplateParameter() }
    if take("sr") { return try readScopedName() }
    if take("sp") { return repeated(try readExpression()) }
    if take("fp") { return try readFunctionParameter() }
    if take("on") || peek?.isDigit == true { return try readMember() }
    if take("il") { return try readExpressions() }
    if take("tl") { return try readType() + readExpressions() }
    if take("cv") {
      let type = try readType()
      return try type + (take("_") ? readExpressions() : readExpression()) + Self.word
    }
    if take("nw") || take("na") { return try readNew() }
    if take("sZ") || take("sP") {
      return repeated(try isNext("I") ? readTemplateArguments() : readExpression())
    }
    return try readOperator()
  }

  private mutating func readOperator() throws(NotUnderstood) -> Double {
    let code = String(decoding: [try next(), try next()], as: UTF8.self)
    guard let operands = Self.operands[code] else { throw NotUnderstood() }
    if code == "pp" || code == "mm" { _ = take("_") }
    var length = Self.word
    for operand in operands.utf8 {
      switch operand {
      case UInt8(ascii: "e"): length += try readExpression()
      case UInt8(ascii: "t"): length += try readType()
      case UInt8(ascii: "n"): length += try readMember()
      case UInt8(ascii: "l"): length += try readExpressions()
      case UInt8(ascii: "o"): length += try skipByte() + skipByte()
      default: throw NotUnderstood()
      }
    }
    return operands.utf8.first == UInt8(ascii: "o") ? repeated(length) : length
  }

  /// The operands of an operator: expressions, types, the name of a member, a list of expressions, another operator.
  private static let operands: [String: String] = {
    var operands = [
      "qu": "eee", "cl": "el", "dt": "en", "pt": "en", "fl": "oe", "fr": "oe", "fL": "oee", "fR": "oee",
    ]
    operands["tr"] = ""
    for code in ["ti", "st", "at"] { operands[code] = "t" }
    for code in ["dc", "sc", "cc", "rc"] { operands[code] = "te" }
    let unary = "ps ng ad de co pp mm nt nx sz az te dl da tw gs"
    for code in unary.split(separator: " ") { operands[String(code)] = "e" }
    let binary = """
      aN aS aa an cm dV dS dv ds eO eo eq ge gt ix lS le ls lt mI mL mi ml ne oR oo or pL pl pm rM rS rm rs ss
      """
    for code in binary.split(separator: " ") { operands[String(code)] = "ee" }
    return operands
  }()

  private mutating func readExpressions() throws(NotUnderstood) -> Double {
    try readList { (part) throws(NotUnderstood) in try part.readExpression() }
  }

  /// An unresolved scope: a type, or a path of names that ends with `E`.
  private mutating func readScopedName() throws(NotUnderstood) -> Double {
    let isPath = peek?.isDigit == true
    var length = try readType()
    if isPath {
      while peek?.isDigit == true { length += try readMember() }
      if !take("E") { return length }
    }
    return try length + readMember()
  }

  /// A name after `sr`, `dt`, `pt` or `on`.
  private mutating func readMember() throws(NotUnderstood) -> Double {
    let length = try readUnqualifiedName()
    return isNext("I") ? try length + readTemplateArguments() : length
  }

  /// `fpT`, `fp_`, `fp0_`, `fL0p_`.
  private mutating func readFunctionParameter() throws(NotUnderstood) -> Double {
    if take("T") { return Self.word }
    while take("r") || take("V") || take("K") {}
    skipNumber()
    try expect("_")
    return Self.word
  }

  private mutating func readNew() throws(NotUnderstood) -> Double {
    var length = Self.word
    while !take("_") { length += try readExpression() }
    length += try readType()
    if take("E") { return length }
    if take("pi") || isNext("il") {
      return try length + (isNext("il") ? readExpression() : readExpressions())
    }
    throw NotUnderstood()
  }

  /// `L` type number `E`, `L_Z` function `E`.
  private mutating func readLiteral() throws(NotUnderstood) -> Double {
    try expect("L")
    if take("_Z") || take("Z") {
      let length = try readEncoding()
      try expect("E")
      return length
    }
    let length = try readType()
    let start = remaining
    try skip(past: UInt8(ascii: "E"))
    return length + Double(start - remaining)
  }
}
