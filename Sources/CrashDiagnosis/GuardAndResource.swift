internal import CrashReports

extension CrashFacts {
  /// Takes apart the 64-bit code of EXC_GUARD or EXC_RESOURCE into the names of its type and flavor.
  mutating func addGuardOrResource(_ report: CrashReport, _ codes: CodeTables) {
    if has(.exception, "EXC_GUARD") || has(.namespace, "GUARD") {
      addGuard(report, codes)
    } else if has(.exception, "EXC_RESOURCE") {
      addResource(report, codes)
    }
  }

  /// Layout: type in bits 63–61, flavor in 60–32, target below.
  ///
  /// A text report cuts the exception's code to its target; the whole code is then the termination's.
  private mutating func addGuard(_ report: CrashReport, _ codes: CodeTables) {
    let termination = report.termination.flatMap { $0.namespace == "GUARD" ? $0.code : nil }
    guard
      let code = [termination, report.exception?.codes.first].compactMap(\.self).first(where: {
        $0 >> 32 != 0
      }),
      let type = codes.name(of: code >> 61, in: "guard")
    else { return }
    set("guardType", type, evidence: "guard code: " + hexadecimal(code))
    values["guardFlavor"] = codes.name(of: code >> 32 & 0x1fff_ffff, in: "guard." + type)
    values["guardTarget"] = hexadecimal(code & 0xffff_ffff)
  }

  /// Layout: type in bits 63–61, flavor in 60–58.
  ///
  /// A text report names the type as the exception's subtype.
  private mutating func addResource(_ report: CrashReport, _ codes: CodeTables) {
    if let code = report.exception?.codes.first, let type = codes.name(of: code >> 61, in: "resource") {
      set("resourceType", type, evidence: "Exception Codes: " + hexadecimal(code))
      values["resourceFlavor"] = codes.name(of: code >> 58 & 0x7, in: "resource." + type)
    } else if let type = report.exception?.subtype?.split(separator: " ").first {
      set("resourceType", String(type), evidence: "Exception Subtype: \(type)")
    }
  }
}
