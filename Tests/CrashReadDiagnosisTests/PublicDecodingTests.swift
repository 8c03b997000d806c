import CrashReadReports
import Foundation
import TestSupport
import Testing

@testable import CrashReadDiagnosis
@testable import CrashReadVerdict

/// Public reports print numbers together with their own decoding; ours must agree with it.
@Suite("Numbers of public reports", .enabled(if: PublicReports.areAvailable))
struct PublicDecodingTests {
  private static let codes = Knowledge.embedded.codes

  private static let reports: [(path: String, report: CrashReport)] =
    PublicReports.paths(every: 1, upTo: 4 << 20).flatMap { path -> [(String, CrashReport)] in
      guard let bytes = try? PublicReports.bytes(path), let reports = try? CrashReport.parse(bytes) else {
        return []
      }
      return reports.map { (path, $0) }
    }

  @Test("The exception syndrome agrees with its description")
  func exceptionSyndrome() throws {
    var compared = 0
    for (path, report) in Self.reports {
      for state in report.threads.compactMap(\.state) {
        guard let register = state.registers.first(where: { $0.name == "esr" }),
          let words = register.meaning?.trimmingCharacters(in: .whitespaces), !words.isEmpty
        else { continue }
        let decoded = try #require(Self.codes.decode(register.value, as: "esr"))
        // The reporter decodes the low bits as a status for every class, so that isn't a statement.
        if words == "Address size fault" { continue }
        #expect(decoded.appleWords == words, "\(path)")
        compared += 1
      }
    }
    #expect(compared > 10)
  }

  @Test("The page-fault error code agrees with the text after it")
  func pageFault() throws {
    let marker = " (no mapping for user data read)"
    var compared = 0
    for path in PublicReports.paths(every: 1, upTo: 4 << 20) where path.hasPrefix("text/") {
      let text = String(decoding: try PublicReports.bytes(path), as: UTF8.self)
      for line in text.split(separator: "\n") where line.hasPrefix("Error Code:") && line.hasSuffix(marker) {
        let digits = line.dropFirst(11).dropLast(marker.count).trimmingCharacters(in: .whitespaces)
        let decoded = try #require(UInt64(digits, radix: 16).flatMap { Self.codes.decode($0, as: "err") })
        #expect(decoded.parts.map(\.text) == ["read", "not mapped", "user"], "\(path)")
        compared += 1
      }
    }
    #expect(compared > 0)
  }

  @Test("Numbers of signals, exceptions and codes have the names printed beside them")
  func names() throws {
    var compared = 0
    for (path, report) in Self.reports where report.format == .ips || report.format == .appleText {
      guard let termination = report.termination, termination.namespace == "SIGNAL",
        let code = termination.code,
        let indicator = termination.indicator?.split(separator: " ").last.flatMap({ UInt64($0) })
      else { continue }
      #expect(code == indicator, "\(path)")
      let signal = Self.codes.decode(code, in: "signal")?.names.first
      #expect(
        signal != nil && (report.exception?.signal == nil || report.exception?.signal == signal), "\(path)")
      compared += 1
    }
    for (path, report) in Self.reports {
      guard let exception = report.exception, let code = exception.codes.first, let type = exception.type,
        let subtype = exception.subtype?.prefix(while: { $0 != " " }), subtype.hasPrefix("KERN_")
      else { continue }
      #expect(Self.codes.name(of: code, in: "code." + type) == String(subtype), "\(path)")
      compared += 1
    }
    #expect(compared > 10)
  }

  @Test("KSCrash's numbers have the names that KSCrash gives them")
  func kscrash() throws {
    var compared = 0
    for path in PublicReports.paths(every: 1, upTo: 4 << 20) where path.hasPrefix("kscrash/") {
      let document = try? JSONSerialization.jsonObject(with: Data(try PublicReports.bytes(path)))
      guard let crash = (document as? [String: Any])?["crash"] as? [String: Any],
        let error = crash["error"] as? [String: Any]
      else { continue }
      for (part, number, name, table) in [
        ("mach", "exception", "exception_name", "exception"), ("signal", "signal", "name", "signal"),
        ("mach", "code", "code_name", "code.EXC_BAD_ACCESS"),
      ] {
        guard let fields = error[part] as? [String: Any], let value = fields[number] as? UInt64,
          let expected = fields[name] as? String
        else { continue }
        #expect(Self.codes.decode(value, in: table)?.names == [expected], "\(path)")
        compared += 1
      }
    }
    #expect(compared > 30)
  }
}

extension DecodedNumber {
  /// The syndrome as described in Apple's reports.
  fileprivate var appleWords: String {
    switch name(of: "class") {
    case "svc": "(Syscall)"
    case "brk": "(Breakpoint) brk \(part("immediate")?.value ?? 0)"
    case "instruction abort": "(Instruction Abort) \(status)"
    // Without details of the access the reporter reads its size as 0, which means one byte.
    case "data abort": "(Data Abort) byte \(name(of: "access") ?? "") \(status)"
    default: ""
    }
  }

  private var status: String { (name(of: "status") ?? "").capitalizedFirst }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
