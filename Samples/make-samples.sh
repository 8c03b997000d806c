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
need objcopy "the Debian package binutils"
need gcc "the Debian package gcc"
need g++ "the Debian package g++"
need setarch "the Debian package util-linux"
need python3 "the Debian package python3"
need swiftc "Swift 6.3 from swift.org"

toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")

rm -rf "$out/reports" "$out/symbols" "$out/binaries" "$out/archives" "$out/variants"
mkdir -p "$out/reports/text" "$out/reports/ips" "$out/reports/other" "$out/symbols" "$out/binaries" "$out/variants"

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
stub libSystem.tbd /usr/lib/libSystem.B.dylib "dyld_stub_binder, ___stack_chk_fail, ___stack_chk_guard, _abort, _arc4random_buf, _bzero, _free, _malloc, _memcpy, _memmove, _memset, _posix_memalign, _putchar, _puts, _system_call"
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
swift_ios() { # OBJECT DIRECTORY FLAGS-AND-SOURCES...
    local object=$1 directory=$2
    shift 2
    (cd "$here/sources/$directory" && swiftc -c -g -wmo -module-name "$directory" \
        -target arm64-apple-ios18 -enable-experimental-feature Embedded -enable-experimental-feature Extern \
        -Xllvm -sil-disable-pass=function-signature-opts \
        -Xfrontend -no-clang-module-breadcrumbs -module-cache-path "$build/modules" \
        -file-prefix-map "$here/sources=/Users/dev" -debug-prefix-map "$here/sources=/Users/dev" \
        -file-prefix-map "$toolchain=/swift" -debug-prefix-map "$toolchain=/swift" \
        "$@" -o "$build/$object")
}

hoge="-parse-as-library App.swift Fuga.swift Hoge.swift JSON.swift"
swift_ios HogeApp.o HogeApp -O $hoge
link_macho HogeApp arm64 ios 18.0 HogeApp.o
make_dsym HogeApp HogeApp.app.dSYM

# The same app under a Japanese name, built without optimisation.
swift_ios アプリ.o HogeApp -Onone $hoge
link_macho アプリ arm64 ios 18.0 アプリ.o
make_dsym アプリ アプリ.app.dSYM

swift_ios VarsSwift.o VarsSwift -O Depot.swift main.swift
link_macho VarsSwift arm64 ios 18.0 VarsSwift.o
make_dsym VarsSwift VarsSwift.dSYM

# A C or Objective-C program for macOS.
clang_macos() { # NAME ARCH SOURCE
    (cd "$here/sources/$1" && clang-19 -target "$2-apple-macos14" -c -g -O2 -Wall \
        -ffile-prefix-map="$here/sources=/Users/dev" -fdebug-compilation-dir="/Users/dev/$1" \
        "$3" -o "$build/$1-$2.o")
}

# One dSYM for both processors: Xcode makes such "fat" files.
dwarf=Contents/Resources/DWARF
fat_macos() { # NAME SOURCE
    for arch in x86_64 arm64; do
        clang_macos $1 $arch $2
        link_macho $1-$arch $arch macos 14.0 $1-$arch.o
        (cd "$build" && dsymutil --oso-prepend-path="$build" -o $1-$arch.dSYM $1-$arch)
    done
    (cd "$build" && cp $1-arm64 $1 && make_dsym $1 $1.dSYM)
    llvm-lipo -create "$build/$1-x86_64.dSYM/$dwarf/$1-x86_64" "$build/$1-arm64.dSYM/$dwarf/$1-arm64" \
        -output "$out/symbols/$1.dSYM/$dwarf/$1"
}
fat_macos NullNode null_node.c
fat_macos VarsC shelf.c

for source in ObjCThrow/shop.m JumpNull/jump_null.c; do
    name=${source%/*}
    clang_macos $name arm64 "${source#*/}"
    link_macho $name arm64 macos 14.0 $name-arm64.o
    make_dsym $name $name.dSYM
done

(cd "$here/sources/AppleCauses" && clang-19 -target arm64-apple-macos14 -c -g -O1 -Wall -Wno-infinite-recursion \
    -ffile-prefix-map="$here/sources=/Users/dev" -fdebug-compilation-dir="/Users/dev/AppleCauses" \
    apple_causes.c -o "$build/AppleCauses-arm64.o")
link_macho AppleCauses arm64 macos 14.0 AppleCauses-arm64.o
make_dsym AppleCauses AppleCauses.dSYM

# --- Mach-O: debug information in other places -----------------------------------------------

# A program whose lines are only in its object files, one of them in a static library; and its dSYM, to compare with.
for arch in arm64 x86_64; do
    folder="$out/variants/objects-$arch"
    mkdir -p "$folder" "$build/objects-$arch"
    (cd "$build/objects-$arch"
    for name in main weigh price; do
        clang-19 -target "$arch-apple-macos14" -c -g -gdwarf-$([ $arch = arm64 ] && echo 4 || echo 5) -O2 -Wall \
            -ffile-prefix-map="$here/sources=/Users/dev" -fdebug-compilation-dir=/Users/dev/DebugMap \
            "$here/sources/DebugMap/$name.c" -o $name.o
        touch -d @$SOURCE_DATE_EPOCH $name.o
    done
    llvm-ar rcU libprice.a price.o
    printf %s $SOURCE_DATE_EPOCH | dd of=libprice.a bs=1 seek=24 conv=notrunc status=none # the index has the time of now
    ld64.lld -arch $arch -platform_version macos 14.0 14.0 -oso_prefix . -o Scales main.o weigh.o \
        libprice.a ../libSystem.tbd
    dsymutil --oso-prepend-path="$PWD" -o Scales.dSYM Scales
    cp -p Scales main.o weigh.o libprice.a "$folder/"
    cp Scales.dSYM/Contents/Resources/DWARF/Scales "$folder/Scales.dwarf")
done

# A program with the names that Apple's bitcode builds hid, made by hiding them in the compiler's own text, and the map of
# the names. That compiler isn't to be had; the forms are those of App Store Connect's dSYMs.
hidden="$out/variants/hidden"
mkdir -p "$hidden/dSYMs" "$hidden/BCSymbolMaps"
(cd "$here/sources/Hidden" && clang-19 -target arm64-apple-macos14 -S -emit-llvm -g -O2 -Wall \
    -fdebug-compilation-dir=/Users/dev/Hidden ledger.cpp -o "$build/ledger.ll")
python3 "$here/hide-names.py" "$build/ledger.ll" "$build/hidden.ll" "$build/names"
for name in ledger hidden; do
    (cd "$build" && clang-19 -target arm64-apple-macos14 -c -O2 -Wno-override-module $name.ll -o $name.o &&
        ld64.lld -arch arm64 -platform_version macos 14.0 14.0 -oso_prefix . -o Ledger $name.o libSystem.tbd &&
        dsymutil --oso-prepend-path="$build" -o $name.dSYM Ledger)
    rm -rf "$build/$name.dSYM/Contents/Resources/Relocations"
done
cp -r "$build/hidden.dSYM" "$hidden/dSYMs/Ledger.app.dSYM"
cp "$build/ledger.dSYM/Contents/Resources/DWARF/Ledger" "$hidden/Ledger.dwarf"
# Apple's servers compiled the app anew, under a new UUID; the map goes by the old one, which a list in the dSYM keeps.
uuid=$(llvm-dwarfdump --uuid "$hidden/dSYMs/Ledger.app.dSYM" | sed -E 's/UUID: ([^ ]*) .*/\1/')
cp "$build/names" "$hidden/BCSymbolMaps/11111111-2222-3333-4444-555555555555.bcsymbolmap"
cat > "$hidden/dSYMs/Ledger.app.dSYM/Contents/Resources/$uuid.plist" << END
<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0">
<dict>
	<key>DBGOriginalUUID</key>
	<string>11111111-2222-3333-4444-555555555555</string>
</dict>
</plist>
END

# --- ELF: real crashes --------------------------------------------------------------------

maps="-ffile-prefix-map=$here/sources=/src"
link="-Wl,--build-id=sha1"
clang-19 -O2 -Wall -c $maps -fdebug-compilation-dir=/src/handler "$here/sources/handler/crash_handler.c" -o "$build/handler.o"

(cd "$here/sources/cpp-inline" && clang-19 -c -g -gdwarf-5 -O2 -Wall $maps -fdebug-compilation-dir=/src/cpp-inline \
    cpp_inline.cpp -o "$build/cpp-inline.o")
(cd "$here/sources/c-abort" && clang-19 -c -g -gdwarf-4 -O0 -Wall $maps -fdebug-compilation-dir=/src/c-abort \
    c_abort.c -o "$build/c-abort.o")
(cd "$here/sources/c-divide" && gcc -c -g -gdwarf-5 -O2 -Wall $maps c_divide.c -o "$build/c-divide.o")
# The programs that die in many ways. The compiler must see no mistake, so optimisation stays low.
(cd "$here/sources/causes" && gcc -c -g -gdwarf-5 -Og -Wall -fstack-protector-strong $maps causes.c -o "$build/causes.o")
(cd "$here/sources/causes-cpp" && g++ -c -g -gdwarf-5 -Og -Wall $maps causes.cpp -o "$build/causes-cpp.o")
(cd "$here/sources/causes-swift" && swiftc -c -g -O -wmo -module-name causes_swift \
    -Xcc -fno-omit-frame-pointer -module-cache-path "$build/modules" \
    -file-prefix-map "$here/sources=/src" -debug-prefix-map "$here/sources=/src" \
    -file-prefix-map "$toolchain=/swift" -debug-prefix-map "$toolchain=/swift" \
    -Xfrontend -no-clang-module-breadcrumbs main.swift -o "$build/causes-swift.o")
# The same sources with and without optimisation: variables are in registers, or all in memory.
for level in O0 O2; do
    (cd "$here/sources/VarsC" && clang-19 -c -g -$level -Wall $maps -fdebug-compilation-dir=/src/VarsC \
        shelf.c -o "$build/vars-c-$level.o")
    (cd "$here/sources/VarsCpp" && clang-19 -c -g -$level -fno-rtti -Wall $maps -fdebug-compilation-dir=/src/VarsCpp \
        crate.cpp -o "$build/vars-cpp-$level.o")
done

swift_linux() { # NAME DIRECTORY FLAGS-AND-SOURCES...
    local name=$1 directory=$2
    shift 2
    (cd "$here/sources/$directory" && swiftc -c -g -wmo -module-name "$(echo $directory | tr - _)" \
        -Xcc -fno-omit-frame-pointer -Xcc -mno-omit-leaf-frame-pointer -module-cache-path "$build/modules" \
        -file-prefix-map "$here/sources=/src" -debug-prefix-map "$here/sources=/src" \
        -file-prefix-map "$toolchain=/swift" -debug-prefix-map "$toolchain=/swift" \
        -Xfrontend -no-clang-module-breadcrumbs "$@" -o "$build/$name.o")
    llvm-objcopy --remove-section=.swift_modhash "$build/$name.o" # it depends on the path of $build
}
swift_linux swift-trap swift-trap -O main.swift Order.swift Shop.swift
for level in O Onone; do
    swift_linux vars-swift-$level VarsSwift -$level -Xllvm -sil-disable-pass=function-signature-opts \
        Depot.swift main.swift
done

cd "$build"
c_names="cpp-inline c-abort c-divide causes vars-c-O0 vars-c-O2 vars-cpp-O0 vars-cpp-O2"
swift_names="swift-trap causes-swift vars-swift-O vars-swift-Onone"
for name in $c_names; do
    gcc $link $name.o handler.o -o $name
done
g++ $link causes-cpp.o handler.o -o causes-cpp
llvm-objcopy --remove-section=.swift_modhash causes-swift.o # it depends on the path of $build
for name in $swift_names; do
    swiftc $name.o handler.o -no-toolchain-stdlib-rpath -Xclang-linker $link -o $name
done

# The debug information goes into a file of its own, the program keeps a link to it.
for name in $c_names causes-cpp $swift_names; do
    llvm-objcopy --only-keep-debug --remove-section=.swift_ast $name "$out/symbols/$name.debug"
    llvm-objcopy --strip-all --remove-section=.swift_ast \
        --add-gnu-debuglink="$out/symbols/$name.debug" $name "$out/binaries/$name"
    chmod 644 "$out/symbols/$name.debug"
done

# The same with compressed sections, in the three forms there are; LLVM has forgotten the oldest.
for form in zlib zstd; do
    llvm-objcopy --compress-debug-sections=$form "$out/symbols/cpp-inline.debug" "$out/variants/cpp-inline-$form.debug"
done
objcopy --compress-debug-sections=zlib-gnu "$out/symbols/cpp-inline.debug" "$out/variants/cpp-inline-zlib-gnu.debug"
chmod 644 "$out"/variants/*.debug

# Each program crashes; its handler writes the report. The environment and the addresses are
# fixed, so that the report is the same each time.
mkdir run
cd run
crash() { # PROGRAM REPORT ARGUMENT...
    local name=$1 report=$2
    shift 2
    [ -f $name ] || cp "$out/binaries/$name" $name
    {
        setarch -R env -i CRASH_REPORT=out.crash CRASH_IMAGE_ROOT=/opt/samples \
            SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH SWIFT_BACKTRACE=enable=no SWIFT_DETERMINISTIC_HASHING=1 \
            LD_LIBRARY_PATH="$toolchain/lib/swift/linux" ./$name "$@" || true
    } > /dev/null 2>&1
    sed "s#$toolchain#/swift#" out.crash > "$out/reports/$report"
    rm out.crash
}
for name in $c_names $swift_names; do
    case $name in causes*) continue ;; esac
    crash $name text/$name.crash
done
mkdir "$out/reports/causes"
printf 'report\tsymbols\trule\tconfidence\tplace\n' > "$out/causes.tsv"
# The marks in a source are the table of what is to be found; the program dies in each of these ways.
marks() { # SOURCE PREFIX SYMBOLS
    grep -n 'blame: ' "$here/sources/$1" | grep -v 'NAME RULE' |
        sed -E "s#^([0-9]+):.*blame: ([^ ]+) ([^ ]+) ([^ ]+).*#reports/causes/$2-\2.crash\t$3\t\3\t\4\t${1##*/}:\1#" >> "$out/causes.tsv"
}
for source in causes/causes.c causes-cpp/causes.cpp causes-swift/main.swift; do
    name=${source%/*}
    marks $source $name $name.debug
    for cause in $(sed -nE 's/.*blame: ([^ ]+) .*/\1/p' "$here/sources/$source" | grep -v NAME); do
        crash $name causes/$name-$cause.crash $cause
    done
done
marks AppleCauses/apple_causes.c AppleCauses AppleCauses.dSYM
# These are composed as .ips.
sed -i -E 's#(AppleCauses-(freed-object|isolation|watchdog|test)).crash#\1.ips#' "$out/causes.tsv"

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
python3 "$here/make-archives.py" "$out/symbols" "$out/archives"

# What llvm-symbolizer says about all of them.
python3 "$here/make-expected.py" "$out"
