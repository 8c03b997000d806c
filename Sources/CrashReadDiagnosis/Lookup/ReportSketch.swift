internal import CrashReadReports
internal import CrashReadSymbolication

extension CrashReport {
  /// A report that states nothing but a number, for the rules to explain.
  ///
  /// Nil for numbers that no report states alone.
  init?(showing number: DecodedNumber, subcode: UInt64?, codes: CodeTables) {
    self.init(format: .appleText)
    let path = number.kind.split(separator: ".").map(String.init)
    guard let value = number.value else { return nil }
    switch path[0] {
    case "exception", "signal": exception = .init(type: number.names.first)
    case "code":
      exception = .init(type: path[1], codes: [value] + (subcode.map { [$0] } ?? []))
      if path.count > 2 { header.codeType = ["arm": "ARM-64", "x86": "X86-64"][path[2]] }
    case "namespace": termination = .init(namespace: number.names.first)
    case "termination":
      termination = .init(namespace: path.count > 1 && path[1] != "archived" ? path[1] : nil, code: value)
    case "guard":
      let code = number.whole(value, shift: 32, codes)
      exception = .init(type: "EXC_GUARD", codes: [code] + (subcode.map { [$0] } ?? []))
      termination = .init(namespace: "GUARD", code: code)
    case "resource":
      let code = number.whole(value, shift: 58, codes)
      exception = .init(type: "EXC_RESOURCE", codes: [code] + (subcode.map { [$0] } ?? []))
    case "esr" where path.count == 1: self.show(syndrome: value)
    case "esr" where path[1] == "class": self.show(syndrome: value << 26)
    case "brk": self.show(syndrome: 0x3c << 26 | value)
    default: return nil
    }
  }

  private mutating func show(syndrome: UInt64) {
    let register = Register(name: "esr", value: syndrome)
    exception = register.trappedException.map { .init(type: $0) }
    header.codeType = "ARM-64"
    var thread = ThreadRecord(index: 0)
    thread.state = ThreadState(registers: [register])
    threads = [thread]
    crashedThread = 0
  }
}

extension DecodedNumber {
  /// The full code of a guard or resource exception with a given type or flavor.
  fileprivate func whole(_ value: UInt64, shift: UInt64, _ codes: CodeTables) -> UInt64 {
    guard parts.isEmpty else { return value }
    let path = kind.split(separator: ".", maxSplits: 1).map(String.init)
    guard path.count > 1, let type = codes.tables[path[0]]?.numbers[path[1]] else { return value << 61 }
    return type << 61 | value << shift
  }
}

extension ExceptionRecord {
  fileprivate init(type: String?, codes: [UInt64] = []) {
    self.init()
    self.type = type
    self.codes = codes
  }
}

extension TerminationRecord {
  fileprivate init(namespace: String?, code: UInt64? = nil) {
    self.init()
    self.namespace = namespace
    self.code = code
  }
}

extension SymbolicatedReport {
  /// A report without debug files.
  init(unresolved report: CrashReport) {
    self.init(
      report: report, threads: report.threads.map { $0.frames.map(ResolvedFrame.init) },
      lastExceptionBacktrace: report.lastExceptionBacktrace.map(ResolvedFrame.init), images: [])
  }
}
