import CrashReadDebugInfo
import Foundation
import TestSupport
import Testing

/// Names that rustc 1.95 mangled in one program, and their meaning by Rust's own description of the scheme.
private let names = #"""
  _RNvCs4T4zK9Otvt5_5names4main names::main
  _RNvCs4T4zK9Otvt5_5names8c_unsafe names::c_unsafe
  _RNCNvCs4T4zK9Otvt5_5names4main0B3_ names::main::{closure#0}
  _RINvCs4T4zK9Otvt5_5names5sizeduEB2_ names::sized::<()>
  _RINvCs4T4zK9Otvt5_5names5sizedyEB2_ names::sized::<u64>
  _RNvCs4T4zK9Otvt5_5names10c_function names::c_function
  _RNCNvCs4T4zK9Otvt5_5names4mains_0B3_ names::main::{closure#1}
  _RINvCs4T4zK9Otvt5_5names5sizedThEEB2_ names::sized::<(u8,)>
  _RINvCs4T4zK9Otvt5_5names7genericeEB2_ names::generic::<str>
  _RNCNvCs4T4zK9Otvt5_5names4mains3_0B3_ names::main::{closure#5}
  _RINvCs4T4zK9Otvt5_5names5sizedFlElEB2_ names::sized::<fn(i32) -> i32>
  _RINvCs4T4zK9Otvt5_5names7genericStEB2_ names::generic::<[u16]>
  _RNvCs4T4zK9Otvt5_5names13with_lifetime names::with_lifetime
  _RINvCs4T4zK9Otvt5_5names5sizedFKClElEB2_ names::sized::<extern "C" fn(i32) -> i32>
  _RINvCs4T4zK9Otvt5_5names5sizedQAsj4_EB2_ names::sized::<&mut [i16; 4]>
  _RNCNCNvCs4T4zK9Otvt5_5names4mains3_00B5_ names::main::{closure#5}::{closure#0}
  _RINvNvCs4T4zK9Otvt5_5names4main5inneryEB4_ names::main::inner::<u64>
  _RINvCs4T4zK9Otvt5_5names5sizedFUKCPhOxElEB2_ names::sized::<unsafe extern "C" fn(*const u8, *mut i64) -> i32>
  _RINvCs4T4zK9Otvt5_5names5sizedThnofdcbiEEB2_ names::sized::<(u8, i128, u128, f32, f64, char, bool, isize)>
  _RNvNtCs4T4zK9Otvt5_5namesu9gre_6ka8iu8lnge_loa names::größe::länge
  _RNvMs1_Cs4T4zK9Otvt5_5namesINtB5_6BorrowmE3getB5_ <names::Borrow<u32>>::get
  _RINvNvNvCs4T4zK9Otvt5_5names4main5inner7deepestyEB6_ names::main::inner::deepest::<u64>
  _RINvCs4T4zK9Otvt5_5names5sizedNCNCNvB2_4mains2_00EB2_ names::sized::<names::main::{closure#4}::{closure#0}>
  _RNvNtNtCs4T4zK9Otvt5_5namesu9gre_6ka8iu3kdvu7_88jz42z names::größe::数::足す
  _RINvCs4T4zK9Otvt5_5names5sizedFG0_RL1_eRL0_eERL1_eEB2_ names::sized::<for<'a, 'b> fn(&'a str, &'b str) -> &'a str>
  _RNvMs0_Cs4T4zK9Otvt5_5namesINtB5_4PairhAhj3_E6arraysB5_ <names::Pair<u8, [u8; 3]>>::arrays
  _RNvYINtCs4T4zK9Otvt5_5names4PairmReENtB5_5Shape5twiceB5_ <names::Pair<u32, &str> as names::Shape>::twice
  _RINvCs4T4zK9Otvt5_5names7genericDNtB2_5Shapep4UnithEL_EB2_ names::generic::<dyn names::Shape<Unit = u8>>
  _RNvXCs4T4zK9Otvt5_5namesINtB2_4PairmReENtB2_5Shape4areaB2_ <names::Pair<u32, &str> as names::Shape>::area
  _RNvXs2_Cs4T4zK9Otvt5_5namesNCNvB5_4mains1_0NtB5_3Run3runB5_ <names::main::{closure#3} as names::Run>::run
  _RNvXs3_Cs4T4zK9Otvt5_5namesDNtB5_5Shapep4UnithEL_NtB5_3Run3run <dyn names::Shape<Unit = u8> as names::Run>::run
  _RNvMs_Cs4T4zK9Otvt5_5namesINtB4_6BufferKj0_Ka7f_Kc27_Kb0_E4sizeB4_ <names::Buffer<0, 127, '\'', false>>::size
  _RNvMs_Cs4T4zK9Otvt5_5namesINtB4_6BufferKj7_Kan3_Kc71_Kb1_E4sizeB4_ <names::Buffer<7, -3, 'q', true>>::size
  _RNvMs_Cs4T4zK9Otvt5_5namesINtB4_6BufferKj1_Ka1_Kc6570_Kb0_E4sizeB4_ <names::Buffer<1, 1, '数', false>>::size
  _RINvCs4T4zK9Otvt5_5names7genericDNtNtCsgEmfK2I1SDS_4core3fmt5DebugEL_EB2_ names::generic::<dyn core::fmt::Debug>
  _RNvMs_Cs4T4zK9Otvt5_5namesINtB4_6BufferKjffffffffffffffff_Kan80_Kca_Kb0_E4sizeB4_ <names::Buffer<18446744073709551615, -128, '\n', false>>::size
  _RINvCs4T4zK9Otvt5_5names7genericDNtNtCsgEmfK2I1SDS_4core3fmt7DisplayNtNtBz_6marker4SendEL_EB2_ names::generic::<dyn core::fmt::Display + core::marker::Send>
  _RNvYNCNvCs4T4zK9Otvt5_5names4main0INtNtNtCsgEmfK2I1SDS_4core3ops8function6FnOnceTlEE9call_onceB6_ <names::main::{closure#0} as core::ops::function::FnOnce<(i32,)>>::call_once
  _RNvYNCNvCs4T4zK9Otvt5_5names4mains_0INtNtNtCsgEmfK2I1SDS_4core3ops8function6FnOnceTReEE9call_onceB6_ <names::main::{closure#1} as core::ops::function::FnOnce<(&str,)>>::call_once
  _RINvCs4T4zK9Otvt5_5names5sizedRDG_INtNtNtCsgEmfK2I1SDS_4core3ops8function2FnTRL0_hEEp6OutputRL0_hEL_EB2_ names::sized::<&dyn for<'a> core::ops::function::Fn<(&'a u8,), Output = &'a u8>>
  _RNSNvYNCNvCs4T4zK9Otvt5_5names4mains_0INtNtNtCsgEmfK2I1SDS_4core3ops8function6FnOnceTReEE9call_once6vtableB8_ <names::main::{closure#1} as core::ops::function::FnOnce<(&str,)>>::call_once::{shim:vtable#0}
  _RINvCs4T4zK9Otvt5_5names5sizedINtNtCslNYArtu3iFV_5alloc5boxed3BoxDG_INtNtNtCsgEmfK2I1SDS_4core3ops8function2FnTRL0_eEEp6OutputINtNtB1b_6option6OptionRL0_eENtNtB1b_6marker4SendEL_EEB2_ names::sized::<alloc::boxed::Box<dyn for<'a> core::ops::function::Fn<(&'a str,), Output = core::option::Option<&'a str>> + core::marker::Send>>
  _RNvXs0_NtNtCsjrHSEGnQ3l9_3std6thread9lifecycleINtB5_6PacketuENtNtNtCsgEmfK2I1SDS_4core3ops4drop4Drop4dropCs4T4zK9Otvt5_5names <std::thread::lifecycle::Packet<()> as core::ops::drop::Drop>::drop
  _RINvNvMs2_NtCslNYArtu3iFV_5alloc7raw_vecINtB8_11RawVecInnerpE7reserve21do_reserve_and_handleNtNtBa_5alloc6GlobalECs4T4zK9Otvt5_5names <alloc::raw_vec::RawVecInner<_>>::reserve::do_reserve_and_handle::<alloc::alloc::Global>
  _RNvMs4_NtCslNYArtu3iFV_5alloc7raw_vecNtB5_11RawVecInner11finish_growCs4T4zK9Otvt5_5names.llvm.8382273046943333605 <alloc::raw_vec::RawVecInner>::finish_grow
  _RINvNtNtCsjrHSEGnQ3l9_3std3sys9backtrace28___rust_begin_short_backtraceFEuuECs4T4zK9Otvt5_5names std::sys::backtrace::__rust_begin_short_backtrace::<fn(), ()>
  _RINvNtCsgEmfK2I1SDS_4core3ptr13drop_in_placeINtNtCslNYArtu3iFV_5alloc5boxed3BoxDINtNtNtB4_3ops8function6FnOnceuEp6OutputuNtNtB4_6marker4SendEL_EECs4T4zK9Otvt5_5names core::ptr::drop_in_place::<alloc::boxed::Box<dyn core::ops::function::FnOnce<(), Output = ()> + core::marker::Send>>
  """#.split(separator: "\n").map { line -> (name: String, meaning: String) in
    let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
    return (parts[0], parts[1])
  }

private let cxxfilt = installedProgram("llvm-cxxfilt") ?? installedProgram("llvm-cxxfilt-19")

@Suite("Rust's names")
struct RustNameTests {
  @Test("are read in the v0 mangling", arguments: names)
  func current(_ name: String, _ meaning: String) {
    #expect(demangle(name) == meaning)
    #expect(demangle("_" + name) == meaning)  // Mach-O
  }

  @Test(
    "are read in the legacy mangling",
    arguments: [
      ("_ZN5names5sized17h434dd984488832f4E", "names::sized"),
      ("__ZN5names5sized17h434dd984488832f4E", "names::sized"),
      ("_ZN5names5sized17h434dd984488832f4E.llvm.8382273046943333605", "names::sized"),
      ("_ZN5names5sized17h434dd984488832f4E.cold.1", "names::sized.cold.1"),
      ("_ZN5names27Buffer$LT$_$C$_$C$_$C$_$GT$4size17h60781d251d5621beE", "names::Buffer<_,_,_,_>::size"),
      ("_ZN5names4main28_$u7b$$u7b$closure$u7d$$u7d$17h5e4f06c06689d058E", "names::main::{{closure}}"),
      (
        "_ZN5names38Pair$LT$T$C$$u5b$T$u3b$$u20$3$u5d$$GT$6arrays17h9488d2eec8cfc146E",
        "names::Pair<T,[T; 3]>::arrays"
      ),
      (
        "_ZN4core3ptr60drop_in_place$LT$std..thread..spawnhook..ChildSpawnHooks$GT$17hfa0a93c719c2101dE",
        "core::ptr::drop_in_place<std::thread::spawnhook::ChildSpawnHooks>"
      ),
      (
        "_ZN103_$LT$alloc..vec..into_iter..IntoIter$LT$T$C$A$GT$$u20$as$u20$core..iter..traits..iterator..Iterator"
          + "$GT$9size_hint17hec5359bc5c50ef15E",
        "<alloc::vec::into_iter::IntoIter<T,A> as core::iter::traits::iterator::Iterator>::size_hint"
      ),
      ("_ZN28$RF$a$BP$b$SP$c$LP$d$RP$.e..17h0123456789abcdefE", "&a*b@c(d).e::"),
      ("_ZN9a$XX$b$C$17h0123456789abcdefE", "a$XX$b$C$"), ("_ZN6a$u1b$17h0123456789abcdefE", "a$u1b$"),
      ("_ZN3a$C17h0123456789abcdefE", "a$C"),
    ])
  func older(_ name: String, _ meaning: String) {
    #expect(demangle(name) == meaning)
  }

  @Test(
    "are read in the legacy mangling after demangling as C++",
    arguments: [
      ("core::ptr::real_drop_in_place::h40492c2c00bdb879", "core::ptr::real_drop_in_place"),
      (
        "_$LT$demo..Double$u20$as$u20$core..ops..drop..Drop$GT$::drop::hb0a79f427bc4332a",
        "<demo::Double as core::ops::drop::Drop>::drop"
      ),
      (
        "std::rt::lang_start::_$u7b$$u7b$closure$u7d$$u7d$::hc80788536e97b081 (.llvm.13811582661879557506)",
        "std::rt::lang_start::{{closure}}"
      ),
    ])
  func olderAsCxx(_ name: String, _ meaning: String) {
    #expect(demangle(name) == meaning)
  }

  @Test(
    "need a hash; other names with a similar part aren't Rust's",
    arguments: [
      "::h40492c2c00bdb879", "a::h40492c2c00bdb87", "a::h40492c2c00bdb87G", "a:h40492c2c00bdb879",
      "a::h40492c2c00bdb879()", "a::h40492c2c00bdb879 (.cold)",
    ])
  func notAsCxx(_ name: String) {
    #expect(demangle(name) == nil)
  }

  @Test("similar C++ names are demangled as C++")
  func cxx() {
    #expect(demangle("_ZN5names5sized17h434dd984488832fXEv") == "names::sized::h434dd984488832fX()")
    #expect(demangle("_ZN5names5sized17h434dd984488832f4Ev") == "names::sized::h434dd984488832f4()")
  }

  @Test(
    "are nil for damaged names",
    arguments: [
      "_R", "_RN", "_R1NvC1a1b", "_RNvC1a", "_RNvC1a2b", "_RNvC1a1b ", "_RNvC1a1b$", "_RC1aC", "_RNvB_1a",
      "_RB_",
      "_RINvC1a1bB9_E", "_RINvC1a1bL0_E", "_RINvC1a1bKb2_E", "_RINvC1a1bKcd800_E", "_RINvC1a1bKj_E",
      "_RINvC1a1bTh", "_RINvC1a1bDC1bE", "_RINvC1a1bFG99999999999_EuE", "_RINvC1a1bFGzzzzzzzzzzzzzzz_EuE",
      "_RNvC1as99999999999999_1b", "_RNvC1au3a_", "_RNvC1a99999999999999999999b", "_RNvC1a\u{0}",
      "_RNvC1海1b", "_R海",
    ])
  func damaged(_ name: String) {
    #expect(demangle(name) == nil)
  }

  @Test("truncated at any byte don't trap")
  func cut() {
    for (name, _) in names {
      for length in 0..<name.utf8.count { _ = demangle(String(name.prefix(length))) }
    }
  }

  private func number(_ value: Int) -> String {
    let digits = Array("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    if value == 0 { return "_" }
    var text = ""
    var rest = value - 1
    repeat {
      text = String(digits[rest % 62]) + text
      rest /= 62
    } while rest > 0
    return text + "_"
  }

  /// A type that contains the previous one twice, so often that the whole would exceed any memory.
  private func doubled(_ count: Int, by tag: String, end: String) -> String {
    var name = "INvC1a1b"
    var last = name.utf8.count
    name += "h"
    for _ in 0..<count {
      let start = name.utf8.count
      name += tag + "B" + number(last) + "B" + number(last) + end
      last = start
    }
    return "_R" + name + "E"
  }

  @Test("that expand or nest without limit are refused")
  func hostile() {
    let long = String(repeating: "a", count: 20_000)
    for name in [
      doubled(100, by: "T", end: "E"), doubled(100, by: "F", end: "Eu"), doubled(5000, by: "T", end: "E"),
      "_RM" + String(repeating: "C1aM", count: 50_000), "_RINvC1a1b" + String(repeating: "S", count: 100_000),
      "_RINvC1a1b" + String(repeating: "R", count: 100_000) + "hE",
      "_RNvC1au20000" + long, "_RNvC1au20002b_" + long, "_RC20000" + long,
      "_RINvC1a1b" + String(repeating: "FGzz_Eu", count: 10_000) + "E",
      "_RINvC1a1bK" + String(repeating: "B_", count: 100_000), "_RINvC1a1bTB9_EE",
      "_ZN" + String(repeating: "1a", count: 50_000) + "17h0123456789abcdefE",
      "_ZN40000" + String(repeating: "$C$.", count: 10_000) + "17h0123456789abcdefE",
    ] {
      #expect((demangle(name)?.utf8.count ?? 0) < 200_000)
    }
    #expect(demangle(doubled(3, by: "T", end: "E"))?.contains("((u8, u8), (u8, u8))") == true)
    #expect(demangle(doubled(100, by: "T", end: "E")) == nil)
  }

  @Test(
    "agree with LLVM's reader on all names of a program",
    .enabled(if: installedProgram("rustc") != nil && cxxfilt != nil))
  func oracle() throws {
    let directory = try TemporaryDirectory()
    try directory.write(
      """
      use std::collections::{BTreeMap, HashMap};
      fn main() {
        let words: HashMap<String, u32> = std::env::args().map(|a| (a.clone(), a.len() as u32)).collect();
        let mut sorted: BTreeMap<u32, &str> = words.iter().map(|(k, v)| (*v, k.as_str())).collect();
        sorted.insert(3, "abc");
        println!("{:?} {}", sorted, (0..9).flat_map(|a| (0..a).map(move |b| a * b)).sum::<i32>());
      }
      """, to: "main.rs")
    let rustc = try #require(installedProgram("rustc"))
    let build = try CommandRun(
      program: rustc, ["-Csymbol-mangling-version=v0", "--emit=asm", "main.rs"], in: directory)
    try #require(build.outcome == .exited(0), "\(build.errors)")
    let symbols = Set(
      try directory.read("main.s").split { !$0.isASCII || !($0.isLetter || $0.isNumber || $0 == "_") }
    ).filter { $0.hasPrefix("_R") }.map(String.init).sorted()
    try #require(symbols.count > 300)
    let filter = try CommandRun(
      program: #require(cxxfilt), [], input: symbols.joined(separator: "\n") + "\n")
    for (name, meaning) in zip(symbols, filter.output.split(separator: "\n")) {
      #expect(demangle(name) ?? name == meaning)
    }
  }
}
