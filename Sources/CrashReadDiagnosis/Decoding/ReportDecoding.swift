internal import CrashReadCore
internal import CrashReadInstructions
internal import CrashReadReports
internal import CrashReadVerdict

extension CrashFacts {
  /// Decodes the CPU's description of the fault: ARM's exception syndrome, x86's trap and error code.
  mutating func addProcessorState(_ report: CrashReport, _ codes: CodeTables) {
    // A signal that the program sent itself leaves the state of a system call, which is unrelated to the crash.
    let isFault = !has(.exception, "EXC_CRASH")
    if let syndrome = report.crashedRegister(["esr"]), let number = codes.decode(syndrome.value, as: "esr") {
      add(number, isFault && number.access != nil ? syndrome.evidence : nil)
      addBreak(number, syndrome.evidence)
    }
    addBreakInCode(codes)
    addImmediateCrash()
    addUndefinedInCode()
    let trap = report.crashedRegister(["trap"])?.value
    if let trap { add(codes.decode(trap, in: "trap")) }
    // The error code of other traps has another meaning.
    if let error = report.crashedRegister(["err"]), (trap ?? 14) == 14 {
      add(codes.decode(error.value, as: "err"), isFault ? error.evidence : nil)
    }
  }

  /// Adds the immediate of an arm64 `brk`.
  private mutating func addBreak(_ syndrome: DecodedNumber, _ evidence: Evidence) {
    guard syndrome.name(of: "class") == "brk" else { return }
    let immediate = syndrome.part("immediate")?.value ?? 0
    numbers[.breakImmediate] = Fact(immediate, evidence)
    set(.breakImmediate, hexadecimal(immediate), evidence)
    set(.breakName, syndrome.name(of: "immediate"), evidence)
  }

  /// Adds the immediate of a `brk` from the code, if the CPU's state isn't stated.
  private mutating func addBreakInCode(_ codes: CodeTables) {
    guard numbers[.breakImmediate] == nil, let code, case .trap(.breakpoint(let number)) = code.current.flow,
      has(.exception, "EXC_BREAKPOINT") || has(.exception, "SIGTRAP")
    else { return }
    numbers[.breakImmediate] = Fact(number, code.evidence)
    set(.breakImmediate, hexadecimal(number), code.evidence)
    set(.breakName, codes.name(of: number, in: "brk"), code.evidence)
  }

  /// Adds `brk #0` and `hlt #0` at the program counter, which end Chromium's and V8's checks on arm64
  /// (chromium, base/immediate_crash.h, `TRAP_SEQUENCE`).
  private mutating func addImmediateCrash() {
    guard let code, code.set == .arm64, case .trap(.breakpoint(0)) = code.current.flow,
      code.instructions.indices.contains(code.stop + 1),
      code.bytes(of: code.instructions[code.stop + 1]) == [0, 0, 0x40, 0xd4]
    else { return }
    set(.immediateCrash, "brk #0, hlt #0", code.evidence)
  }

  /// Adds x86's `ud2` at the program counter, which compilers emit to stop a program.
  private mutating func addUndefinedInCode() {
    guard let code, code.set != .arm64, case .trap(.undefined(2)) = code.current.flow,
      has(.exception, "EXC_BAD_INSTRUCTION") || has(.exception, "SIGILL")
    else { return }
    set(.trapInstruction, "ud2", code.evidence)
  }

  /// Decodes the 64-bit code of EXC_GUARD or EXC_RESOURCE.
  mutating func addGuardOrResource(_ report: CrashReport, _ codes: CodeTables) {
    if has(.exception, "EXC_GUARD") || has(.namespace, "GUARD") {
      addGuard(report, codes)
    } else if has(.exception, "EXC_RESOURCE") {
      addResource(report, codes)
    }
  }

  /// Decodes a guard exception. A text report truncates the exception's code to its target; the termination has the
  /// whole code.
  private mutating func addGuard(_ report: CrashReport, _ codes: CodeTables) {
    let termination = report.termination.flatMap { $0.namespace == "GUARD" ? $0.code : nil }
    let exception = report.exception?.codes ?? []
    let candidates: [(ReportField, UInt64?)] = [
      (.termination, termination), (.exceptionCodes, exception.first),
    ]
    for case (let field, let code?) in candidates where code >> 32 != 0 {
      guard let number = codes.decode(code, as: "guard", subcode: exception.dropFirst().first),
        let type = number.name(of: "type")
      else { return }
      let evidence = Evidence(.field(field), code)
      add(number, evidence)
      setGuardType(type, evidence)
      setFlavor(number.name(of: "flavor"), ofGuard: type, evidence)
      return set(.guardTarget, hexadecimal(code & 0xffff_ffff), evidence)
    }
    addGuardWords(report, codes)
  }

  /// Reads the words that a text report has for a guard exception: `GUARD_TYPE_VIRT_MEMORY` as the subtype, and
  /// `offset=0x…, flavor=0x00000001 (DEALLOC_GAP)` or `CLOSE on file descriptor 5` as the message.
  private mutating func addGuardWords(_ report: CrashReport, _ codes: CodeTables) {
    guard let subtype = report.exception?.subtype,
      let word = subtype.split(separator: " ").first(where: { $0.hasPrefix("GUARD_TYPE_") })
    else { return }
    let type = codes.mainName(String(word), in: "guard")
    guard codes.number(of: type, in: "guard") != nil else { return }
    setGuardType(type, Evidence(.field(.exceptionSubtype), String(word)))
    let message = report.exception?.message ?? ""
    let words = message.prefix(200).split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")) }
    let flavor = words.lazy.map(String.init).first { codes.number(of: $0, in: "guard." + type) != nil }
    setFlavor(flavor, ofGuard: type, Evidence(.field(.exceptionMessage), message))
  }

  private mutating func setGuardType(_ type: String, _ evidence: Evidence) {
    set(.guardType, type, evidence)
    add(.guard, type, evidence)
  }

  private mutating func setFlavor(_ flavor: String?, ofGuard type: String, _ evidence: Evidence) {
    guard let flavor else { return }
    set(.guardFlavor, flavor, evidence)
    add(.guard, type + "." + flavor, evidence)
  }

  /// Decodes a resource exception. A text report states the type as the exception's subtype.
  private mutating func addResource(_ report: CrashReport, _ codes: CodeTables) {
    let exception = report.exception?.codes ?? []
    if let code = exception.first,
      let number = codes.decode(code, as: "resource", subcode: exception.dropFirst().first),
      let type = number.name(of: "type")
    {
      let evidence = Evidence(.field(.exceptionCodes), code)
      add(number, evidence)
      set(.resourceType, type, evidence)
      set(.resourceFlavor, number.name(of: "flavor"), evidence)
    } else if let word = report.exception?.subtype?.split(separator: " ").first.map(String.init) {
      let type = codes.mainName(word, in: "resource")
      set(.resourceType, type, Evidence(.field(.exceptionSubtype), word))
      add(resourceMessage(report.exception?.message ?? "", type: type))
    }
  }

  private static let resourcePattern = TextPattern("^(Limit {limit}) Observed {observed} over {window}")

  /// Decodes the reporter's description of a code: `(Limit 50%) Observed 60% over 180 secs`.
  private func resourceMessage(_ message: String, type: String) -> DecodedNumber {
    let found = Self.resourcePattern?.match(Array(message.utf8.prefix(200))) ?? [:]
    let parts = ["limit", "window", "observed"].compactMap { field in
      found[field].map { DecodedNumber.Part(field: field, names: [$0]) }
    }
    return DecodedNumber(
      kind: "resource", parts: [.init(field: "type", names: [type], group: "resource")] + parts,
      origins: ["resource"])
  }

  /// The parts of the dynamic linker's message.
  mutating func addLinkerError() {
    guard let error = LinkerError(texts[.text] ?? []) else { return }
    decodings.append(FactDecoding(number: error.decoded, evidence: error.evidence))
    values[.wantedBy] = error.wantedBy
    values[.expectedIn] = error.expectedIn
    // dyld had looked in every library.
    if error.expectedIn?.value == "flat namespace" { values[.flatSymbol] = error.symbol }
    values[.demangledSymbol] = error.demangledSymbol
  }

  /// Adds the names of whole numbers: exception, signal, their codes, termination.
  mutating func addNamedCodes(_ report: CrashReport, _ codes: CodeTables) {
    for word in words[.exception] ?? [] {
      if let number = codes.tables["exception"]?.numbers[word.value] {
        add(codes.decode(number, in: "exception"))
      } else if codes.has(word.value, in: "signal") {
        add(DecodedNumber(kind: "signal", names: [word.value], origins: ["signal"]))
      }
    }
    let table = "code." + (report.exception?.type ?? "")
    if let code = report.exception?.codes.first {
      let variant = codeVariant.flatMap { codes.decode(code, in: table + "." + $0) }
      add(variant ?? codes.decode(code, in: table))
    }
    if let namespace = values[.knownNamespace]?.value,
      let number = codes.tables["namespace"]?.numbers[namespace]
    {
      add(codes.decode(number, in: "namespace"))
      let table = "termination." + namespace
      if let code = report.termination?.code ?? codes.number(of: report.termination?.indicator, in: table) {
        add(codes.decode(code, in: table))
      }
    }
    if let code = numbers[.terminationCode]?.value {
      add(codes.killCodeTable(code).flatMap { codes.decode(code, in: $0) })
    }
  }

  private mutating func add(_ number: DecodedNumber?, _ evidence: Evidence? = nil) {
    guard let number else { return }
    decodings.append(FactDecoding(number: number, evidence: [evidence].compactMap(\.self)))
  }
}

extension DecodedNumber {
  /// What the instruction tried, according to the CPU; nil when the number doesn't say.
  var access: MemoryAccess? {
    if name(of: "class")?.hasPrefix("instruction abort") == true || part("fetch") != nil { return .execute }
    return name(of: "access").flatMap(MemoryAccess.init(rawValue:))
  }
}
