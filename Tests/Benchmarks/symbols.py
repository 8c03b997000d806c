#!/usr/bin/env python3
"""Times the search for debug files in a large directory beside llvm-dwarfdump, which prints the identity of each.

    swift build -c release && python3 Tests/Benchmarks/symbols.py [--count 5000] [--runs 5]

Makes a directory of small files: half of them dSYM bundles, half `.debug` files in a tree by build-id, each with an
identity of its own. Timed are the first search (nothing is known yet), the next one (what the first one kept is checked by
`stat`), a report that wants one of the files, and `find … | xargs llvm-dwarfdump --uuid`. Runs of different programs take
turns. The lists of UUIDs that both print must be the same; the report is read with at most 16 open files.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

from lookup import measure, read_mach_o, release_build, show

SAMPLES = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "Samples")
PLIST = """<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict><key>CFBundleShortVersionString</key><string>1.{n}</string></dict></plist>
"""


def make_files(folder, count):
    """Writes the files, and returns the UUIDs of those of the dSYMs."""
    with open(os.path.join(SAMPLES, "symbols/HogeApp.app.dSYM/Contents/Resources/DWARF/HogeApp"), "rb") as file:
        mach_o = file.read()
    uuid = bytes.fromhex(read_mach_o(file.name)[0])
    with open(os.path.join(SAMPLES, "symbols/c-abort.debug"), "rb") as file:
        elf = file.read()
    mark = b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0"
    build_id = elf.index(mark) + len(mark)
    made = []
    for n in range(count // 2):
        made.append(uuid[:12] + n.to_bytes(4, "big"))
        bundle = os.path.join(folder, "archives", str(n // 100), f"{n}.xcarchive", "dSYMs", "HogeApp.app.dSYM")
        os.makedirs(os.path.join(bundle, "Contents/Resources/DWARF"))
        with open(os.path.join(bundle, "Contents/Resources/DWARF/HogeApp"), "wb") as file:
            file.write(mach_o.replace(uuid, made[-1], 1))
        with open(os.path.join(bundle, "Contents/Info.plist"), "w") as file:
            file.write(PLIST.format(n=n))
        digits = f"{n * 2654435761 % (1 << 32):08x}" + f"{n:032x}"
        place = os.path.join(folder, "build-id", digits[:2])
        os.makedirs(place, exist_ok=True)
        with open(os.path.join(place, digits[2:] + ".debug"), "wb") as file:
            file.write(elf[:build_id] + bytes.fromhex(digits) + elf[build_id + 20:])
    return made


def make_report(path, uuid):
    """The sample's report, about another build."""
    digits = uuid.hex()
    text = "-".join([digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]])
    with open(os.path.join(SAMPLES, "reports/ips/HogeApp.ips")) as file, open(path, "w") as copy:
        copy.write(file.read().replace("4c4c44ed-5555-3144-a162-5a07dae58c2c", text))


def uuids(command):
    """The UUIDs in the second column; llvm-dwarfdump prints no build-ids."""
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return sorted(line.split()[1] for line in lines if len(line.split()[1]) == 36)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    crashread = release_build()
    dwarfdump = shutil.which("llvm-dwarfdump-19") or shutil.which("llvm-dwarfdump")
    dwarfdump or sys.exit("symbols.py: llvm-dwarfdump is needed; the Debian package llvm-19 has it")
    with tempfile.TemporaryDirectory() as folder:
        files, cache, report = (os.path.join(folder, name) for name in ["files", "cache", "report.ips"])
        made = make_files(files, options.count)
        make_report(report, made[len(made) // 2])
        time.sleep(3)  # what is younger than two seconds is read every time
        run = [crashread, "symbols", "--cache", cache, files]
        find = f"find '{files}' -type f '(' -path '*/DWARF/*' -o -name '*.debug' ')' -print0"
        peer = ["sh", "-c", f"{find} | xargs -0 '{dwarfdump}' --uuid"]
        lookup = f"ulimit -n 16; exec '{crashread}' --cache '{cache}' '{report}' --symbols '{files}'"

        found = uuids(run)
        assert found == uuids(peer) and len(found) == len(made), "the lists differ"
        print(f"{options.count} debug files, medians of {options.runs} runs; the same {len(found)} UUIDs in both lists")
        show("list", measure([
            ("first search", ["sh", "-c", "rm -rf \"$4\"; exec \"$@\"", "sh", *run], ""),
            ("next search", run, ""),
            ("without caches", [*run[:2], "--cache=off", files], ""),
            (os.path.basename(dwarfdump), peer, ""),
        ], options.runs), os.path.basename(dwarfdump))
        result = subprocess.run(["sh", "-c", lookup], capture_output=True, text=True)
        assert "Fuga.swift:17" in result.stdout, result.stderr
        show("one report", measure([("crashread", ["sh", "-c", lookup], "")], options.runs))


if __name__ == "__main__":
    main()
