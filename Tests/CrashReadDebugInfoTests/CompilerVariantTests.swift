import CrashReadCore
import Foundation
import TestSupport
import Testing

@testable import CrashReadDebugInfo

/// One way to build a program with debug information.
struct Variant: CustomStringConvertible, Sendable {
  var description: String
  /// A shell script; `$GCC` and similar variables are programs of this machine.
  var script: String
  /// Where the debug file is.
  var product = "prog"
  /// What the reference reads if it can't read the product.
  var reference: String?
  /// A file `app` that the script uses.
  var binary: [UInt8] = []
  /// Whether it runs only with all variants, since it takes long or adds little.
  var isExtra = false

  init(
    _ description: String, product: String = "prog", reference: String? = nil, isExtra: Bool = false,
    _ script: String
  ) {
    self.description = description
    self.script = script
    self.product = product
    self.reference = reference
    self.isExtra = isExtra
  }

  /// The programs that the script needs.
  var tools: [String] {
    Set(script.matches(of: /\$([A-Z_0-9]+)/).map { String($0.1) }).sorted()
  }
}

/// C and C++ through one compiler, to a program.
private func native(_ name: String, _ compiler: String, _ flags: String, isExtra: Bool = false) -> Variant {
  let (c, cxx) = compiler == "gcc" ? ("$GCC", "$GXX") : ("$CLANG", "$CLANGXX")
  return Variant(
    "\(compiler) \(name)", isExtra: isExtra,
    """
    \(c) -g \(flags) -c a.c && \(cxx) -g \(flags) -c b.cpp
    \(cxx) -g \(flags) a.o b.o -o prog
    """)
}

/// C and C++ for another system, linked by LLVM's linker for ELF.
private func cross(
  _ name: String, _ target: String, _ flags: String, link: String = "", isExtra: Bool = false
)
  -> Variant
{
  let options = "--target=\(target) -ffreestanding -fno-exceptions -fno-rtti \(flags) -g -c"
  return Variant(
    "clang \(name)", isExtra: isExtra,
    "$CLANG \(options) a.c && $CLANG \(options) b.cpp && $LD_LLD \(link) -e main a.o b.o -o prog --unresolved-symbols=ignore-all"
  )
}

/// C and C++ for an Apple system, to a dSYM.
private func apple(
  _ architecture: String, _ target: String, _ platform: String, isExtra: Bool = false
) -> Variant {
  let options = "--target=\(target) -ffreestanding -fno-exceptions -fno-rtti -O2 -g -c"
  return Variant(
    "dSYM \(architecture)", product: "prog.dSYM/Contents/Resources/DWARF/prog", isExtra: isExtra,
    """
    $CLANG \(options) a.c && $CLANG \(options) b.cpp
    $LD64_LLD -arch \(architecture) -platform_version \(platform) -undefined dynamic_lookup -o prog a.o b.o libSystem.tbd
    $DSYMUTIL prog -o prog.dSYM
    """)
}

/// C and C++ for an Apple system that current linkers don't support: dsymutil gets the addresses that a
/// linker would have assigned.
private func apple32(_ architecture: String, _ target: String, cpuType: UInt32, subtype: UInt32) -> Variant {
  var builder = MachOBuilder()
  builder.is64Bit = false
  builder.cpuType = cpuType
  builder.cpuSubtype = subtype
  builder.segments = [.init("__TEXT", at: 0x4000, size: 0x1000, isCode: true)]
  let options = "--target=\(target) -ffreestanding -fno-exceptions -fno-rtti -O2 -g -c"
  var variant = Variant(
    "dSYM \(architecture)", product: "prog.dSYM/Contents/Resources/DWARF/prog",
    """
    $CLANG \(options) a.c && $CLANG \(options) b.cpp
    {
      printf "%s\\n" --- "triple: '\(architecture)-apple-darwin'" "binary-path: app" "objects:"
      base=$((0x4000))
      for object in a.o b.o; do
        printf "%s\\n" "  - filename: $object" "    timestamp: 0" "    symbols:"
        end=
        $LLVM_NM -n $object | grep -i ' t _' | sort -r | while read address type name; do
          start=$((0x$address))
          : "${end:=$((start + 64))}"
          echo "      - { sym: $name, objAddr: $start, binAddr: $((start + base)), size: $((end - start)) }"
          end=$start
        done
        base=$((base + 0x800))
      done
      echo ...
    } > prog
    $DSYMUTIL -y prog -o prog.dSYM
    """)
  variant.binary = builder.file()
  return variant
}

private let split =
  "$CLANG -gdwarf-5 -gsplit-dwarf -O2 -c a.c && $CLANGXX -gdwarf-5 -gsplit-dwarf -O2 -c b.cpp\n"
private let splitByGCC =
  "$GCC -gdwarf-5 -gsplit-dwarf -O2 -c a.c && $GXX -gdwarf-5 -gsplit-dwarf -O2 -c b.cpp\n"

private let versions: [Variant] = [2, 3, 4, 5].flatMap { version in
  ["0", "2"].flatMap { level in
    ["gcc", "clang"].map { compiler in
      native(
        "DWARF \(version) -O\(level)", compiler, "-gdwarf-\(version) -O\(level)",
        isExtra: version == 3 || level == "0" && version != 5)
    }
  }
}

private let layouts: [Variant] = [
  native("type units", "gcc", "-gdwarf-5 -O2 -fdebug-types-section"),
  native("type units, DWARF 4", "gcc", "-gdwarf-4 -O2 -fdebug-types-section", isExtra: true),
  native("type units", "clang", "-gdwarf-5 -O2 -fdebug-types-section", isExtra: true),
  native("type units, DWARF 4", "clang", "-gdwarf-4 -O2 -fdebug-types-section"),
  native("64-bit DWARF", "clang", "-gdwarf-5 -gdwarf64 -O2"),
  native("64-bit DWARF", "gcc", "-gdwarf-5 -gdwarf64 -O2", isExtra: true),
  native("link-time optimisation", "gcc", "-gdwarf-5 -O2 -flto"),
  native("sections of dropped functions", "gcc", "-O2 -ffunction-sections -Wl,--gc-sections"),
  native(
    "sections of dropped functions, DWARF 4", "gcc", "-gdwarf-4 -O2 -ffunction-sections -Wl,--gc-sections"),
  native("lines alone", "clang", "-O2 -gline-tables-only"),
  native("lines alone", "gcc", "-O2 -g1", isExtra: true),
  cross("dropped functions", "x86_64-linux-gnu", "-O2 -ffunction-sections", link: "--gc-sections"),
  cross(
    "dropped functions, DWARF 4", "x86_64-linux-gnu", "-gdwarf-4 -O2 -ffunction-sections",
    link: "--gc-sections"),
  cross("a section for each block", "x86_64-linux-gnu", "-O2 -fbasic-block-sections=all"),
  cross(
    "identical code folded", "x86_64-linux-gnu", "-O2 -ffunction-sections", link: "--icf=all", isExtra: true),
  Variant(
    "dwz", reference: "plain",
    "$GCC -g -O2 -c a.c && $GXX -g -O2 -c b.cpp && $GXX a.o b.o -o prog && cp prog plain && $DWZ prog"),
  Variant(
    "dwz, alternate file", reference: "plain",
    """
    $GCC -g -O2 -c a.c && $GXX -g -O2 -c b.cpp && $GXX a.o b.o -o prog && cp prog plain && cp prog again
    $DWZ -m common.dwz -M common.dwz prog again
    """),
  Variant(
    "dwz, supplementary file", reference: "plain", isExtra: true,
    """
    $GCC -g -O2 -c a.c && $GXX -g -O2 -c b.cpp && $GXX a.o b.o -o prog && cp prog plain && cp prog again
    $DWZ --dwarf-5 -m common.dwz -M common.dwz prog again
    """),
]

private let splits: [Variant] = [
  native("split units", "clang", "-gdwarf-5 -gsplit-dwarf -O2"),
  native("split units, DWARF 4", "clang", "-gdwarf-4 -gsplit-dwarf -O2", isExtra: true),
  native("split units, not optimised", "clang", "-gdwarf-5 -gsplit-dwarf -O0", isExtra: true),
  native("split units in the objects", "clang", "-gdwarf-5 -gsplit-dwarf=single -O2"),
  native("split and type units", "clang", "-gdwarf-5 -gsplit-dwarf -fdebug-types-section -O2"),
  native("split units", "gcc", "-gdwarf-5 -gsplit-dwarf -O2", isExtra: true),
  native("split units, DWARF 4", "gcc", "-gdwarf-4 -gsplit-dwarf -O2"),
  native("split and type units", "gcc", "-gdwarf-5 -gsplit-dwarf -fdebug-types-section -O2", isExtra: true),
  native("split units, compressed", "clang", "-gdwarf-5 -gsplit-dwarf -gz -O2", isExtra: true),
  Variant(
    "clang package", split + "$CLANGXX a.o b.o -o prog && $LLVM_DWP a.dwo b.dwo -o prog.dwp && rm a.dwo b.dwo"
  ),
  Variant(
    "gcc package", splitByGCC + "$GXX a.o b.o -o prog && $LLVM_DWP a.dwo b.dwo -o prog.dwp && rm a.dwo b.dwo"),
  Variant(
    "gcc package, DWARF 4",
    splitByGCC.replacing("dwarf-5", with: "dwarf-4")
      + "$GXX a.o b.o -o prog && $DWP -e prog && rm a.dwo b.dwo"),
  Variant(
    "clang package, DWARF 4", isExtra: true,
    split.replacing("dwarf-5", with: "dwarf-4")
      + "$CLANGXX a.o b.o -o prog && $LLVM_DWP a.dwo b.dwo -o prog.dwp && rm a.dwo b.dwo"),
]

private let otherSystems: [Variant] = [
  cross("armv7, Thumb", "armv7-linux-gnueabihf", "-O2 -mthumb"),
  cross("armv7, ARM", "armv7-linux-gnueabihf", "-O2 -marm", isExtra: true),
  cross("arm64", "aarch64-linux-gnu", "-O2"),
  cross("i386", "i386-linux-gnu", "-O2"),
  apple("arm64", "arm64-apple-macos14", "macos 14.0 14.0"),
  apple("x86_64", "x86_64-apple-macos14", "macos 14.0 14.0", isExtra: true),
  apple32("armv7", "armv7-apple-ios9", cpuType: 12, subtype: 9),
  apple32("armv7k", "armv7k-apple-watchos3", cpuType: 12, subtype: 12),
  apple32("i386", "i386-apple-macosx10.9", cpuType: 7, subtype: 3),
  apple("arm64_32", "arm64_32-apple-watchos5", "watchos 5.0 5.0"),
  Variant(
    "dSYM Objective-C blocks", product: "prog.dSYM/Contents/Resources/DWARF/prog",
    """
    $CLANG --target=arm64-apple-macos14 -fblocks -O1 -g -c blocks.m
    $LD64_LLD -arch arm64 -platform_version macos 14.0 14.0 -undefined dynamic_lookup -o prog blocks.o libSystem.tbd
    $DSYMUTIL prog -o prog.dSYM
    """),
]

private let otherLanguages: [Variant] = [
  Variant("Rust", "$RUSTC -g -Copt-level=2 main.rs -o prog"),
  Variant(
    "Rust, not optimised, v0 names", isExtra: true, "$RUSTC -g -Csymbol-mangling-version=v0 main.rs -o prog"),
  Variant(
    "Rust, split units", isExtra: true, "$RUSTC -g -Copt-level=2 -Csplit-debuginfo=unpacked main.rs -o prog"),
  Variant("Rust, package", "$RUSTC -g -Copt-level=1 -Csplit-debuginfo=packed main.rs -o prog"),
  Variant(
    "Swift",
    "$SWIFTC -g -O main.swift -o prog"
  ),
  Variant("Swift, not optimised", isExtra: true, "$SWIFTC -g -Onone main.swift -o prog"),
  Variant(
    "dSYM Embedded Swift", product: "prog.dSYM/Contents/Resources/DWARF/prog", isExtra: true,
    """
    $SWIFTC -target arm64-apple-ios18 -enable-experimental-feature Embedded -wmo -parse-as-library -g -O -c bare.swift -o bare.o
    $LD64_LLD -dylib -arch arm64 -platform_version ios 18.0 18.0 -undefined dynamic_lookup -o prog bare.o libSystem.tbd
    $DSYMUTIL prog -o prog.dSYM
    """),
]

private let all = versions + layouts + splits + otherSystems + otherLanguages

/// The programs that scripts name, as they are called on this machine.
private func program(_ variable: String) -> String? {
  let name =
    ["GXX": "g++", "CLANGXX": "clang++", "LD_LLD": "ld.lld", "LD64_LLD": "ld64.lld"][variable]
    ?? variable.lowercased().replacing("_", with: "-")
  // Distributions append the version; theirs come first, as toolchains ship linkers that reject some systems.
  let names = (14...24).reversed().map { "\(name)-\($0)" } + [name]
  return names.lazy.compactMap { installedProgram($0)?.path }.first
}

@Suite("Output of many compilers")
struct CompilerVariantTests {
  /// Builds a variant's program; cancels the test if a tool is missing.
  private func build(_ variant: Variant) throws -> TemporaryDirectory {
    var tools: [String: String] = ["LC_ALL": "C"]
    for tool in variant.tools {
      guard let path = program(tool) else { try Test.cancel("skipped: no \(tool)") }
      tools[tool] = path
    }
    let directory = try TemporaryDirectory()
    for (name, text) in VariantSources.all { try directory.write(text, to: name) }
    try directory.write(variant.binary, to: "app")
    let run = try CommandRun(
      program: URL(filePath: "/bin/sh"), ["-ec", variant.script], environment: tools, in: directory,
      limit: .seconds(300))
    if run.errors.contains("does not support linking for platform") {
      try Test.cancel("skipped: this machine's only lld is a toolchain's that links for no Apple system")
    }
    try #require(run.outcome == .exited(0), "\(variant): \(run.errors.prefix(2000))")
    return directory
  }

  @Test(
    "chains of functions, files, lines and columns are equal", .enabled(if: symbolizer != nil),
    arguments: all.filter { testsEverything || !$0.isExtra })
  func chains(_ variant: Variant) throws {
    let directory = try build(variant)
    let path = directory.path(variant.product)
    let slice = try BinarySlice.first(in: path)
    let file = try DebugFile(path: path, slice: slice)
    var oracle = LineOracle(file, reference: variant.reference.map(directory.path))
    let covered = try oracle.compareThroughout(count: 1000)
    #expect(covered > 200)
    // swiftc inlines nothing without optimisation.
    #expect(oracle.inlinedChains > 50 || variant.description == "Swift, not optimised")
    #expect(oracle.counts[.different] == nil, "\(oracle.counts)")
    #expect(oracle.counts[.outermostHasNoName, default: 0] < 10, "\(oracle.counts)")
    #expect(file.missingParts.isEmpty)
  }
}
