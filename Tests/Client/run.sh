#!/bin/bash
# A program of somebody else's that uses the library: the README's example, word for word, beside names that clash with
# the library's. `surface.py` says what `import CrashRead` shows.
#
#   Tests/Client/run.sh [PRODUCTS]    against what `swift build` has made (.build/debug); seconds
#   Tests/Client/run.sh --package     as a package by path, built from nothing; minutes
set -euo pipefail
cd "$(dirname "$0")/../.."
client=$(mktemp -d)
trap 'rm -rf "$client"' EXIT
cp -r Tests/Client/Package.swift Tests/Client/Sources "$client"
sed -n '/^## As a library/,/^## /{/^```swift/,/^```$/{/^```/!p}}' README.md >"$client/Sources/Client/main.swift"
grep -q 'import CrashRead' "$client/Sources/Client/main.swift"

if [ "${1:-}" = --package ]; then
  sed -i "s|path: \"../..\"|path: \"$PWD\"|" "$client/Package.swift"
  swift build --package-path "$client"
  program=$client/.build/debug/Client
else
  products=${1:-.build/debug}
  flags=(-swift-version 6 -I "$client" -I "$products/Modules")
  for module in Sources/CCrashRead*/; do
    map=$(find "$module" "$products/$(basename "$module").build" -name module.modulemap 2>/dev/null | head -1 || true)
    flags+=(-Xcc "-fmodule-map-file=$PWD/$map")
  done
  swiftc "${flags[@]}" -emit-library -static -emit-module -module-name Rendering -o "$client/libRendering.a" \
    -emit-module-path "$client/Rendering.swiftmodule" "$client"/Sources/Rendering/*.swift
  # What the library's other client, Samples/ingest, is linked of, but for its own part.
  mapfile -t objects < <(tr -d "'" <"$products/Ingest.product/Objects.LinkFileList" | grep -v '/Ingest\.build/')
  program=$client/client
  swiftc "${flags[@]}" -module-name Client "$client"/Sources/Client/*.swift "${objects[@]}" "$client/libRendering.a" -o "$program"
fi
output=$("$program")
echo "$output"
grep -qx 'Fuga.swift:17' <<<"$output"
