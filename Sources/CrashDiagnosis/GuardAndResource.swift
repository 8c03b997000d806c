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

  /// Layout: type in bits 63–61, flavor in 60–32, target below. A text report cuts the exception's code to its target;
  /// the whole code is then the termination's.
  private mutating func addGuard(_ report: CrashReport, _ codes: CodeTables) {
    let termination = report.termination.flatMap { $0.namespace == "GUARD" ? $0.code : nil }
    guard let code = [termination, report.exception?.codes.first].compactMap(\.self).first(where: { $0 >> 32 != 0 }),
      let type = codes.name(of: code >> 61, in: "guard")
    else { return }
    values["guardType"] = type
    values["guardFlavor"] = codes.name(of: code >> 32 & 0x1fff_ffff, in: "guard." + type)
    values["guardTarget"] = hexadecimal(code & 0xffff_ffff)
  }

  /// Layout: type in bits 63–61, flavor in 60–58. A text report names the type as the exception's subtype.
  private mutating func addResource(_ report: CrashReport, _ codes: CodeTables) {
    let subtype = report.exception?.subtype?.split(separator: " ").first.map(String.init)
    let type = report.exception?.codes.first.flatMap { codes.name(of: $0 >> 61, in: "resource") } ?? subtype
    guard let type else { return }
    values["resourceType"] = type
    values["resourceFlavor"] = report.exception?.codes.first.flatMap {
      codes.name(of: $0 >> 58 & 0x7, in: "resource." + type)
    }
  }
}
