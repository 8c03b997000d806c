import Foundation
import Testing

@testable import CrashReadDebugInfo

@Suite("Swift names")
struct SwiftNameTests {
  /// Each line is a mangled name and its short form.
  ///
  /// The names are those of a small library of our own, compiled once with and once without optimisation.
  static let table = """
    $s3Own008ngon_qoa003ndaySi_tF någon(ö:)
    $s3Own4BankC15unownedExecutorScevg Bank.unownedExecutor.getter
    $s3Own4BankC3addyS2iYaKF Bank.add(_:)
    $s3Own4BankC3addyS2iYaKFTQ1_ Bank.add(_:)
    $s3Own4BankC3addyS2iYaKFTY0_ Bank.add(_:)
    $s3Own4BankC3addyS2iYaKFTu async function pointer to Bank.add(_:)
    $s3Own4BankC3sumSivM Bank.sum.modify
    $s3Own4BankC3sumSivM.resume.0 Bank.sum.modify
    $s3Own4BankC3sumSivg Bank.sum.getter
    $s3Own4BankC3sumSivpWvd direct field offset for Bank.sum
    $s3Own4BankC3sumSivpfi variable initialization expression of Bank.sum
    $s3Own4BankC3sumSivs Bank.sum.setter
    $s3Own4BankCACycfC Bank.__allocating_init()
    $s3Own4BankCACycfc Bank.init()
    $s3Own4BankCMa type metadata accessor for Bank
    $s3Own4BankCMf full type metadata for Bank
    $s3Own4BankCN type metadata for Bank
    $s3Own4BankCfD Bank.__deallocating_deinit
    $s3Own4BankCfd Bank.deinit
    $s3Own4ModeO8allCasesSayACGvgZ static Mode.allCases.getter
    $s3Own4ModeO8allCasesSayACGvgZTv_ outlined variable #0 of static Mode.allCases.getter
    $s3Own4ModeO8rawValueACSgSS_tcfC Mode.init(rawValue:)
    $s3Own4ModeO8rawValueACSgSS_tcfCTv_ outlined variable #0 of Mode.init(rawValue:)
    $s3Own4ModeO8rawValueSSvg Mode.rawValue.getter
    $s3Own4ModeOMa type metadata accessor for Mode
    $s3Own4ModeOMf full type metadata for Mode
    $s3Own4ModeON type metadata for Mode
    $s3Own4ModeOSHAASH9hashValueSivgTW protocol witness for Hashable.hashValue.getter in conformance Mode
    $s3Own5ShapeP Shape
    $s3Own5outer_4thenS2i_S2ictF outer(_:then:)
    $s3Own5outer_4thenS2i_S2ictF5innerL_1yS2i_tF inner #1 (y:) in outer(_:then:)
    $s3Own5outer_4thenS2i_S2ictF5innerL_1yS2i_tFSiycfU_ closure #1 in inner #1 (y:) in outer(_:then:)
    $s3Own5outer_4thenS2i_S2ictFS2iXEfU_ closure #1 in outer(_:then:)
    $s3Own5outer_4thenS2i_S2ictFS2iXEfU_TA partial apply for closure #1 in outer(_:then:)
    $s3Own5outer_4thenS2i_S2ictFfA0_ default argument 1 of outer(_:then:)
    $s3Own5outer_4thenS2i_S2ictFfA0_S2icfU_ closure #1 in default argument 1 of outer(_:then:)
    $s3Own6CircleV1poiyA2C_ACtFZ static Circle.+ infix(_:_:)
    $s3Own6CircleV1sopyA2CFZ static Circle.- prefix(_:)
    $s3Own6CircleV23__derived_struct_equalsySbAC_ACtFZ static Circle.__derived_struct_equals(_:_:)
    $s3Own6CircleV4areaSdvg Circle.area.getter
    $s3Own6CircleV4makeACyFZ static Circle.make()
    $s3Own6CircleV5scale2byACSd_tF Circle.scale(by:)
    $s3Own6CircleV6hidden023_81EB15B36646FE743045D8G8DA385859LLyS2iF Circle.hidden(_:)
    $s3Own6CircleV6radiusACSd_tcfC Circle.init(radius:)
    $s3Own6CircleV6radiusSdvM Circle.radius.modify
    $s3Own6CircleV6radiusSdvM.resume.0 Circle.radius.modify
    $s3Own6CircleV6radiusSdvW Circle.radius.didset
    $s3Own6CircleV6radiusSdvg Circle.radius.getter
    $s3Own6CircleV6radiusSdvs Circle.radius.setter
    $s3Own6CircleV6radiusSdvw Circle.radius.willset
    $s3Own6CircleV6revealSiyF Circle.reveal()
    $s3Own6CircleVAA5ShapeA2aDP4areaSdvgTW protocol witness for Shape.area.getter in conformance Circle
    $s3Own6CircleVAA5ShapeA2aDP4makexyFZTW protocol witness for static Shape.make() in conformance Circle
    $s3Own6CircleVAA5ShapeA2aDP5scale2byxSd_tFTW protocol witness for Shape.scale(by:) in conformance Circle
    $s3Own6CircleVMa type metadata accessor for Circle
    $s3Own6CircleVMf full type metadata for Circle
    $s3Own6CircleVN type metadata for Circle
    $s3Own6CircleV_6offsetS2i_SitciM Circle.subscript.modify
    $s3Own6CircleV_6offsetS2i_SitciM.resume.0 Circle.subscript.modify
    $s3Own6CircleV_6offsetS2i_Sitcig Circle.subscript.getter
    $s3Own6CircleV_6offsetS2i_Sitcis Circle.subscript.setter
    $s3Own6labels1a_2inSi_Si1btSi_SSSDySiSSSgGtF labels(a:_:in:)
    $s3Own6sharedSDySSSiGvau shared.unsafeMutableAddressor
    $s3Own6sharedSDySSSiGvp shared
    $s3Own6shared_WZ one-time initialization function for shared
    $s3Own6shared_Wz one-time initialization token for shared
    $s3Own7AccountC4find_5wherexSgqd___Sbx_qd__tKXEtKlF Account.find<A>(_:where:)
    $s3Own7AccountC4find_5wherexSgqd___Sbx_qd__tKXEtKlFSbxKXEfU_ closure #1 in Account.find<A>(_:where:)
    $s3Own7AccountC5itemsACyxGSgSayxG_tcfC Account.__allocating_init(items:)
    $s3Own7AccountC5itemsACyxGSgSayxG_tcfc Account.init(items:)
    $s3Own7AccountC5itemsSayxGvM Account.items.modify
    $s3Own7AccountC5itemsSayxGvM.resume.0 Account.items.modify
    $s3Own7AccountC5itemsSayxGvg Account.items.getter
    $s3Own7AccountC5itemsSayxGvs Account.items.setter
    $s3Own7AccountC6NestedC3runSiycyF Account.Nested.run()
    $s3Own7AccountC6NestedC3runSiycyFSiycfU_ closure #1 in Account.Nested.run()
    $s3Own7AccountC6NestedC3runSiycyFSiycfU_SiyXEfU_ closure #1 in closure #1 in Account.Nested.run()
    $s3Own7AccountC6NestedC3runSiycyFSiycfU_TA partial apply for closure #1 in Account.Nested.run()
    $s3Own7AccountC6NestedCAEyx_GycfC Account.Nested.__allocating_init()
    $s3Own7AccountC6NestedCAEyx_Gycfc Account.Nested.init()
    $s3Own7AccountC6NestedCMP generic type metadata pattern for Account.Nested
    $s3Own7AccountC6NestedCMa type metadata accessor for Account.Nested
    $s3Own7AccountC6NestedCMi type metadata instantiation function for Account.Nested
    $s3Own7AccountC6NestedCMr type metadata completion function for Account.Nested
    $s3Own7AccountC6NestedCfD Account.Nested.__deallocating_deinit
    $s3Own7AccountC6NestedCfd Account.Nested.deinit
    $s3Own7AccountCAASiRszrlE5totalSiyF Account<>.total()
    $s3Own7AccountCAASiRszrlE5totalSiyFS2i_SitXEfU_ closure #1 in Account<>.total()
    $s3Own7AccountCMP generic type metadata pattern for Account
    $s3Own7AccountCMa type metadata accessor for Account
    $s3Own7AccountCMi type metadata instantiation function for Account
    $s3Own7AccountCMr type metadata completion function for Account
    $s3Own7AccountCfD Account.__deallocating_deinit
    $s3Own7AccountCfd Account.deinit
    $s3Own7generic_1byx_q_tYa7ElementQy_RszSTR_r0_lF generic<A, B>(_:b:)
    $s3Own7generic_1byx_q_tYa7ElementQy_RszSTR_r0_lFTu async function pointer to generic<A, B>(_:b:)
    $s3Own8computedSivg computed.getter
    $s3Own8computedSivs computed.setter
    $s3Own8variadicyySid_tF variadic(_:)
    $sSa3OwnAA5ShapeRzlE9totalAreaSdyF Array<A>.totalArea()
    $sSa3OwnAA5ShapeRzlE9totalAreaSdyFS2d_xtXEfU_ closure #1 in Array<A>.totalArea()
    $sSa3OwnAA5ShapeRzlE9totalAreaSdyFS2d_xtXEfU_TA partial apply for closure #1 in Array<A>.totalArea()
    $sSa5countSivgSi_Tg5 specialized Array.count.getter
    $sSaySiGWOh outlined destroy of [Int]
    $sSayxGSHRzlWOh outlined destroy of [A]
    $sSayxGSgSHRzlWOh outlined destroy of [A]?
    $sSl10startIndex0B0QzvgTj dispatch thunk of Collection.startIndex.getter
    $sSl5countSivgTj dispatch thunk of Collection.count.getter
    $sSl9formIndex5aftery0B0Qzz_tFTj dispatch thunk of Collection.formIndex(after:)
    $sSly7ElementQz5IndexQzcirTj dispatch thunk of Collection.subscript.read
    $ss15ContiguousArrayVyqd__GSlRzs5ErrorRd_0_r_0_lWOh outlined destroy of ContiguousArray<A1>
    $ss27_allocateUninitializedArrayySayxG_BptBwlFyp_Tg5 specialized _allocateUninitializedArray<A>(_:)
    """

  static let names: [(mangled: String, short: String)] = table.split(separator: "\n").map { line in
    let end = line.firstIndex(of: " ") ?? line.endIndex
    return (String(line[..<end]), String(line[end...].dropFirst()))
  }

  @Test("A name has the short form that a programmer writes", arguments: names)
  func shortForm(name: (mangled: String, short: String)) {
    #expect(demangle(name.mangled) == name.short)
    #expect(demangle("_" + name.mangled) == name.short, "with the underscore that Mach-O adds")
  }

  @Test(
    "The manglings of Swift 4.0, 4.2 and 5 and of Embedded Swift are read",
    arguments: ["_T0", "__T0", "$S", "_$S", "$s", "$e", "_$e"])
  func otherPrefixes(prefix: String) {
    #expect(demangle(prefix + "4main4HogeC3fooyyF") == "Hoge.foo()")
  }

  @Test(
    "A malformed name has no short form",
    arguments: [
      "", "$", "$s", "$main", "$sgarbage", "$s4mainXXQQ", "_T", "main", "objc_msgSend", "-[View draw]",
      "_TFC4main4Hoge3foofT_T_", "$s99999999999999999999a", "$sA99999999999999999999_", "$s\u{0}",
      "$s4main4HogeC3fooyyF\u{0}", "$s\u{1F600}",
    ])
  func noShortForm(name: String) {
    #expect(demangle(name) == nil)
  }

  @Test("C++ keeps its full form")
  func cxx() {
    #expect(demangle("_ZN3foo3barEi") == "foo::bar(int)")
    #expect(demangle("__ZN3foo3barEi") == "foo::bar(int)")
  }
}

@Suite("Growth of Swift names")
struct SwiftNameGrowthTests {
  /// The metadata of P<P<…>, P<…>>, so many levels deep: four bytes more in the name, twice the text.
  static func doubled(_ levels: Int) -> String {
    let references = (3..<3 + levels - 1).map { index -> String in
      if index < 26 { return "A\(Character(UnicodeScalar(UInt8(65 + index))))" }
      return index == 26 ? "A_" : "A\(index - 27)_"
    }
    let opening = String(repeating: "ACy", count: levels - 1)
    return "$s1a1PVy" + opening + "SiSiG" + references.map { $0 + "G" }.joined() + "N"
  }

  @Test("A name that doubles at every level is read while it stays short")
  func short() {
    #expect(demangle(Self.doubled(2)) == "type metadata for P<P<Int, Int>, P<Int, Int>>")
    #expect(demangle(Self.doubled(10))?.utf8.count == 8205)
  }

  @Test("A name beyond the limits of expansion or size is refused", arguments: [16, 30, 60, 1000])
  func gigabytes(levels: Int) {
    #expect(demangle(Self.doubled(levels)) == nil)
  }

  @Test("The bound is never below the printed form", arguments: 2...12)
  func bound(levels: Int) throws {
    let name = Self.doubled(levels)
    let printed = try #require(demangle(name)).utf8.count
    #expect(SwiftNameGrowth.bound(name) * 2 >= Double(printed))
    #expect(SwiftNameGrowth.bound(name) <= Double(printed) * 16)
  }

  @Test(
    "Identifiers are skipped and references counted",
    arguments: [
      ("$s3AdB", 3), ("$s3AdBV", 4), ("$s1aAB", 4), ("$s1aABAB", 7), ("$s1aA3B", 8), ("$s1aA_", 4),
      ("$s1aA12_", 4), ("$s0aB3AdB", 43), ("$s0aB0AB", 82), ("$s001A", 1),
      ("$s33_ABABABABABABABABABABABABABABABABLL", 35),
      ("$s2_", 1), ("$sS3i", 32), ("$sA", 1), ("$s9", 9),
    ])
  func tokens(name: String, bound: Double) {
    #expect(SwiftNameGrowth.bound(name) == bound)
  }

  @Test("Deep nesting is handled", arguments: ["Sg", "1bV", "yXE", "A", "Say", "1a", "0a", "9", "_"])
  func deep(unit: String) {
    let name = "$s1a" + String(repeating: unit, count: 50_000)
    #expect((demangle(name)?.utf8.count ?? 0) <= 65_536)
  }
}
