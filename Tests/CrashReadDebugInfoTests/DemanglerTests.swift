import CrashReadDebugInfo
import Testing

@Suite("Demangling")
struct DemanglerTests {
  @Test(
    "reads Swift's and C++'s names",
    arguments: [
      ("$s7HogeApp4FugaV4jsonAcA4JSONV_tcfC", "Fuga.init(json:)"),
      ("_$s7HogeApp4FugaV4jsonAcA4JSONV_tcfC", "Fuga.init(json:)"),
      ("$e7HogeApp4JSONV7integerySis12StaticStringVF", "JSON.integer(_:)"),
      ("_ZN4shop6report11total_priceERKNS_5TableE", "shop::report::total_price(shop::Table const&)"),
      ("__ZN4shop6report3sumEv", "shop::report::sum()"),
      ("_Z4workPv", "work(void*)"),
      ("_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()() const"),
    ])
  func demangled(_ name: String, _ readable: String) {
    #expect(demangle(name) == readable)
  }

  @Test(
    "gives nil for other names",
    arguments: [
      "", "main", "_main", "-[Shop itemAtIndex:]", "+[NSObject new]", "_", "$", "__", "_Z", "_ZN", "$s", "_T",
      "$sIAmNotMangled!", "_Zork", "_Z1", "_ZN999999999999999999999E", "$s999999999999999999999C", "海", "$s海",
      "_Z海", "_ZN4shop6report", "\u{1b}[31m", "_Z\u{0}", "??0Class@@QEAA@XZ",
    ])
  func others(_ name: String) {
    #expect(demangle(name) == nil)
  }

  @Test(
    "terminates for long and deeply nested names",
    arguments: [
      "_Z" + String(repeating: "N", count: 100_000), "_Z1f" + String(repeating: "P", count: 100_000) + "i",
      "_Z1f" + String(repeating: "F", count: 50_000) + "v" + String(repeating: "E", count: 50_000),
      "_ZN" + String(repeating: "1aI", count: 30_000), "_Z" + String(repeating: "Z", count: 100_000),
      "$s" + String(repeating: "Sa", count: 50_000), "$s" + String(repeating: "y", count: 100_000),
      "$s" + String(repeating: "1a", count: 50_000) + "V",
      "$sSi" + String(repeating: "Sg", count: 50_000) + "D",
      "_T0" + String(repeating: "A", count: 100_000), "_Tt" + String(repeating: "GSa", count: 30_000),
    ])
  func hostile(_ name: String) {
    // The result doesn't matter, only that there is one.
    #expect((demangle(name)?.utf8.count ?? 0) < 50_000_000)
  }
}
