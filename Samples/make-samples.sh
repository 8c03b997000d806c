#!/usr/bin/env bash
# Builds every sample from sources/: the symbols, the reports and expected.tsv.
# Runs on Debian 12 with Swift 6.3; the same sources give the same bytes.
#
#     ./make-samples.sh            writes next to this script
#     ./make-samples.sh DIR        writes into DIR (to compare two runs)
set -eu

here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
mkdir -p "$out"
out=$(cd "$out" && pwd)
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
ulimit -c 0
export LC_ALL=C.UTF-8 TZ=UTC SOURCE_DATE_EPOCH=1735689600

# --- tools -------------------------------------------------------------------------------

# LLVM 19 comes first: Swift brings its own ld64.lld and dsymutil, and they cannot write Mach-O.
export PATH="/usr/lib/llvm-19/bin:$PATH"
need() { # TOOL PACKAGE
    command -v "$1" > /dev/null || { echo "make-samples.sh: $1 is missing; install $2" >&2; exit 1; }
}
need ld64.lld "the Debian package lld-19"
need dsymutil "the Debian package llvm-19"
need llvm-lipo "the Debian package llvm-19"
need clang-19 "the Debian package clang-19"
need gcc "the Debian package gcc"
need setarch "the Debian package util-linux"
need python3 "the Debian package python3"
need swiftc "Swift 6.3 from swift.org"

toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")

rm -rf "$out/reports" "$out/symbols" "$out/binaries"
mkdir -p "$out/reports/text" "$out/reports/ips" "$out/reports/other" "$out/symbols" "$out/binaries"

# --- Mach-O ------------------------------------------------------------------------------

# What the linker has to know about Apple's libraries: the names of the functions used here.
stub() { # FILE INSTALL-NAME SYMBOLS
    cat > "$build/$1" << END
--- !tapi-tbd
tbd-version:     4
targets:         [ arm64-ios, arm64-macos, x86_64-macos ]
install-name:    '$2'
exports:
  - targets:     [ arm64-ios, arm64-macos, x86_64-macos ]
    symbols:     [ $3 ]
...
END
}
stub libSystem.tbd /usr/lib/libSystem.B.dylib "dyld_stub_binder, ___stack_chk_fail, ___stack_chk_guard, _abort, _arc4random_buf, _bzero, _free, _malloc, _memcpy, _memmove, _memset, _posix_memalign, _putchar, _puts"
stub objc.tbd /usr/lib/libobjc.A.dylib "_objc_msgSend, __objc_empty_cache, '_OBJC_CLASS_\$_NSObject', '_OBJC_METACLASS_\$_NSObject', '_OBJC_CLASS_\$_NSArray'"
stub UIKit.tbd /System/Library/Frameworks/UIKit.framework/UIKit "_UIApplicationMain"

# Links objects in $build into a program. The paths of the objects are left out of it.
link_macho() { # NAME ARCH PLATFORM VERSION OBJECT...
    local name=$1 arch=$2 platform=$3 version=$4
    shift 4
    (cd "$build" && ld64.lld -arch "$arch" -platform_version "$platform" "$version" "$version" \
        -dead_strip_dylibs -oso_prefix . -o "$name" "$@" libSystem.tbd objc.tbd UIKit.tbd)
}

# Collects the debug information of a program into a dSYM bundle.
make_dsym() { # NAME BUNDLE
    (cd "$build" && dsymutil --oso-prepend-path="$build" -o "$out/symbols/$2" "$1")
    rm -rf "$out/symbols/$2/Contents/Resources/Relocations"
}

# Embedded Swift for iOS. One pass is off because it would rename the functions.
swift_ios() { # OBJECT FLAGS...
    local object=$1
    shift
    (cd "$here/sources/HogeApp" && swiftc "$@" -c -g -wmo -parse-as-library -module-name HogeApp \
        -target arm64-apple-ios18 -enable-experimental-feature Embedded -enable-experimental-feature Extern \
        -Xllvm -sil-disable-pass=function-signature-opts \
        -Xfrontend -no-clang-module-breadcrumbs -module-cache-path "$build/modules" \
        -file-prefix-map "$here/sources=/Users/dev" -debug-prefix-map "$here/sources=/Users/dev" \
        -file-prefix-map "$toolchain=/swift" -debug-prefix-map "$toolchain=/swift" \
        App.swift Fuga.swift Hoge.swift JSON.swift -o "$build/$object")
}

swift_ios HogeApp.o -O
link_macho HogeApp arm64 ios 18.0 HogeApp.o
make_dsym HogeApp HogeApp.app.dSYM

# The same app under a Japanese name, built without optimisation.
swift_ios アプリ.o -Onone
link_macho アプリ arm64 ios 18.0 アプリ.o
make_dsym アプリ アプリ.app.dSYM

# A C or Objective-C program for macOS.
clang_macos() { # NAME ARCH SOURCE
    (cd "$here/sources/$1" && clang-19 -target "$2-apple-macos14" -c -g -O2 -Wall \
        -ffile-prefix-map="$here/sources=/Users/dev" -fdebug-compilation-dir="/Users/dev/$1" \
        "$3" -o "$build/$1-$2.o")
}

# One dSYM for both processors: Xcode makes such "fat" files.
for arch in x86_64 arm64; do
    clang_macos NullNode $arch null_node.c
    link_macho NullNode-$arch $arch macos 14.0 NullNode-$arch.o
    (cd "$build" && dsymutil --oso-prepend-path="$build" -o NullNode-$arch.dSYM NullNode-$arch)
done
(cd "$build" && cp NullNode-arm64 NullNode && make_dsym NullNode NullNode.dSYM)
dwarf=Contents/Resources/DWARF
llvm-lipo -create "$build/NullNode-x86_64.dSYM/$dwarf/NullNode-x86_64" \
    "$build/NullNode-arm64.dSYM/$dwarf/NullNode-arm64" -output "$out/symbols/NullNode.dSYM/$dwarf/NullNode"

for source in ObjCThrow/shop.m JumpNull/jump_null.c; do
    name=${source%/*}
    clang_macos $name arm64 "${source#*/}"
    link_macho $name arm64 macos 14.0 $name-arm64.o
    make_dsym $name $name.dSYM
done

# --- ELF: real crashes --------------------------------------------------------------------

maps="-ffile-prefix-map=$here/sources=/src"
link="-Wl,--build-id=sha1"
clang-19 -O2 -Wall -c $maps -fdebug-compilation-dir=/src/handler "$here/sources/handler/crash_handler.c" -o "$build/handler.o"

(cd "$here/sources/cpp-inline" && clang-19 -c -g -gdwarf-5 -O2 -Wall $maps -fdebug-compilation-dir=/src/cpp-inline \
    cpp_inline.cpp -o "$build/cpp-inline.o")
(cd "$here/sources/c-abort" && clang-19 -c -g -gdwarf-4 -O0 -Wall $maps -fdebug-compilation-dir=/src/c-abort \
    c_abort.c -o "$build/c-abort.o")
(cd "$here/sources/c-divide" && gcc -c -g -gdwarf-5 -O2 -Wall $maps c_divide.c -o "$build/c-divide.o")
(cd "$here/sources/swift-trap" && swiftc -c -g -O -wmo -module-name swift_trap \
    -Xcc -fno-omit-frame-pointer -Xcc -mno-omit-leaf-frame-pointer -module-cache-path "$build/modules" \
    -file-prefix-map "$here/sources=/src" -debug-prefix-map "$here/sources=/src" \
    -file-prefix-map "$toolchain=/swift" -debug-prefix-map "$toolchain=/swift" \
    -Xfrontend -no-clang-module-breadcrumbs main.swift Order.swift Shop.swift -o "$build/swift-trap.o")

cd "$build"
llvm-objcopy --remove-section=.swift_modhash swift-trap.o # it depends on the path of $build
for name in cpp-inline c-abort c-divide; do
    gcc $link $name.o handler.o -o $name
done
swiftc swift-trap.o handler.o -no-toolchain-stdlib-rpath -Xclang-linker $link -o swift-trap

# The debug information goes into a file of its own, the program keeps a link to it.
for name in cpp-inline c-abort c-divide swift-trap; do
    llvm-objcopy --only-keep-debug --remove-section=.swift_ast $name "$out/symbols/$name.debug"
    llvm-objcopy --strip-all --remove-section=.swift_ast \
        --add-gnu-debuglink="$out/symbols/$name.debug" $name "$out/binaries/$name"
    chmod 644 "$out/symbols/$name.debug"
done

# Each program crashes; its handler writes the report. The environment and the addresses are
# fixed, so that the report is the same each time.
mkdir run
cd run
for name in cpp-inline c-abort c-divide swift-trap; do
    cp "$out/binaries/$name" $name
    {
        setarch -R env -i CRASH_REPORT=$name.crash CRASH_IMAGE_ROOT=/opt/samples \
            SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH SWIFT_BACKTRACE=enable=no \
            LD_LIBRARY_PATH="$toolchain/lib/swift/linux" ./$name || true
    } > /dev/null 2>&1
    sed "s#$toolchain#/swift#" $name.crash > "$out/reports/text/$name.crash"
done

# The same crash as the Swift runtime's own backtrace writes it, as text and as JSON. The program
# runs with its debug information, so that the backtrace has lines. What differs from run to run is fixed or left out: times, register r9,
# and the order of captured memory.
cp "$build/swift-trap" swift-trap
for format in text json; do
    setarch -R env -i SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH SWIFT_ROOT="$toolchain" \
        LD_LIBRARY_PATH="$toolchain/lib/swift/linux" \
        SWIFT_BACKTRACE="enable=yes,color=no,interactive=no,format=$format,output-to=$PWD/backtrace.$format" \
        ./swift-trap > /dev/null 2>&1 || true
    sed -E -e "s#$PWD/#/opt/samples/#g" -e 's/^( r9 ).*/\10x0000000000000000  0/' \
        -e 's/("r9": )"0x[0-9a-f]*"/\1"0x0000000000000000"/' -e 's/took [0-9.]*s/took 0.01s/' \
        -e 's/"timestamp": "[^"]*"/"timestamp": "2025-01-01T00:00:00.000000Z"/' \
        -e 's/"capturedMemory": \{[^}]*\}/"capturedMemory": {}/' \
        -e 's/"backtraceTime": [0-9.]*/"backtraceTime": 0.01/' backtrace.$format > swift-trap-backtrace.$format
done
cp swift-trap-backtrace.text "$out/reports/other/swift-trap-backtrace.txt"
cp swift-trap-backtrace.json "$out/reports/other/swift-trap-backtrace.json"
cd "$here"

# --- Mach-O: composed reports --------------------------------------------------------------

python3 "$here/compose.py" "$here/sources" "$build" "$out/symbols" "$out/reports"
python3 "$here/hostile.py" "$out/reports"

# What llvm-symbolizer says about all of them.
python3 "$here/make-expected.py" "$out"
