#!/usr/bin/env python3
"""Times a whole report beside llvm-symbolizer, which gets the same addresses and nothing else to do.

    swift build -c release && python3 Tests/Benchmarks/report.py [--threads 40] [--frames 600] [--runs 7] DSYM…

Composes an .ips file whose frames are random addresses in the code of each thin 64-bit Mach-O file named (the one inside
a .dSYM). Printed are medians of wall time, their ratio to llvm-symbolizer's, and the greatest peak of memory.
"""
import argparse
import json
import os
import tempfile

from lookup import code_addresses, measure, read_mach_o, release_build, show

LOAD_ADDRESS = 0x104000000


def compose(path, threads, frames):
    """The text of a report, and the linked addresses that its frames are looked up at."""
    uuid, base, (start, size) = read_mach_o(path)
    offsets = [int(address, 16) - base for address in code_addresses(path, frames)]
    uuid = "-".join([uuid[:8], uuid[8:12], uuid[12:16], uuid[16:20], uuid[20:]])
    name = os.path.basename(path)
    listed = [
        {"id": n, "frames": [{"imageOffset": offset, "imageIndex": 0} for offset in offsets[n::threads]]}
        for n in range(threads)
    ]
    listed[0]["triggered"] = True
    body = {
        "procName": name, "procPath": "/Applications/" + name, "cpuType": "ARM-64", "bug_type": "309", "faultingThread": 0,
        "osVersion": {"train": "macOS 14.6.1", "build": "23G93"}, "version": 2,
        "exception": {"type": "EXC_BAD_ACCESS", "signal": "SIGSEGV", "codes": "0x1, 0x18", "rawCodes": [1, 24],
                      "subtype": "KERN_INVALID_ADDRESS at 0x18"},
        "threads": listed,
        "usedImages": [{"source": "P", "arch": "arm64", "base": LOAD_ADDRESS, "size": start - base + size, "uuid": uuid,
                        "path": "/Applications/" + name, "name": name}],
    }
    # All frames but the first of each thread are return addresses; the call is the instruction before.
    looked_up = [
        hex(base + offset - (4 if index >= threads else 0)) for index, offset in enumerate(offsets)
    ]
    header = {"app_name": name, "bug_type": "309", "name": name, "os_version": "macOS 14.6.1 (23G93)"}
    return json.dumps(header) + "\n" + json.dumps(body), looked_up


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--threads", type=int, default=40)
    parser.add_argument("--frames", type=int, default=600)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--keep", help="where to leave the last report")
    parser.add_argument("files", nargs="+", metavar="DSYM")
    options = parser.parse_args()
    crashread = release_build()
    with tempfile.TemporaryDirectory() as folder:
        for path in options.files:
            text, addresses = compose(path, options.threads, options.frames)
            report = options.keep or os.path.join(folder, "report.ips")
            with open(report, "w") as file:
                file.write(text)
            print(f"{os.path.basename(path)}, {os.path.getsize(path) / 1e6:.0f} MB, medians of {options.runs} runs")
            lines = "\n".join(addresses) + "\n"
            show(f"{options.threads} threads, {options.frames} frames", measure([
                ("crashread", [crashread, report, path], ""),
                ("crashread --json", [crashread, "--format=json", report, path], ""),
                ("crashread lookup", [crashread, "lookup", path, "--addresses", "-", "--format=tsv"], lines),
                ("llvm-symbolizer", ["llvm-symbolizer", "--obj=" + path, "--inlines"], lines),
            ], options.runs))


if __name__ == "__main__":
    main()
