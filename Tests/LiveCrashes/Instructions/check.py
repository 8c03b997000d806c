#!/usr/bin/env python3
"""Crashes programs of x86-64, compiled in several ways, for real, and asks crashread what the instruction did.

    Tests/LiveCrashes/Instructions/check.py .build/debug/crashread [COMPILER...]

A compiler is `clang`, `clang++`, `gcc`, `g++` or `swiftc`; by default those that are there. Of each crash the cause is known
from the source. The registers and the code are those of the moment; a report is made of them once with the code, as
Apple's have it, and once without it but with the program beside it.
"""
import json, pathlib, re, shutil, subprocess, sys, tempfile

from expected import CHECKS, Score, answer, ips

HERE = pathlib.Path(__file__).parent
LEVELS = [["-O0"], ["-O0", "-g"], ["-O1"], ["-O2"], ["-O2", "-g"], ["-O3"], ["-Os"]]
SWIFT_LEVELS = [["-Onone"], ["-Onone", "-g"], ["-O"], ["-O", "-g"], ["-Osize"]]


def build(compiler, options, program):
    run = lambda *command: subprocess.run(command, check=True, capture_output=True)
    header, partner = "cases.h", {"clang": "clang++", "gcc": "g++"}.get(compiler, compiler)
    if compiler == "swiftc":
        header, partner = "cases_swift.h", "clang++"
        run("swiftc", "-wmo", "-parse-as-library", *options, "-c", HERE / "cases.swift", "-o", f"{program}-1.o")
    else:
        run(compiler, *options, "-w", "-c", HERE / "functions.c", "-o", f"{program}-1.o")
    level = [{"-Onone": "-O0", "-O": "-O2", "-Osize": "-Os"}.get(option, option) for option in options]
    run(partner, *level, "-w", f'-DCASES="{header}"', "-c", HERE / "crash.cpp", "-o", f"{program}-2.o")
    objects = [f"{program}-1.o", f"{program}-2.o", "-o", program]
    if compiler == "swiftc":
        run("swiftc", *objects, "-lstdc++", "-Xlinker", "--build-id=sha1")
    else:
        run(partner, *objects, "-Wl,--build-id=sha1")


def report(crash, build_id, symbols, with_code):
    registers = crash["registers"]
    trap = registers["trap"]
    base = crash["base"]
    state = {name: {"value": value} for name, value in registers.items() if trap == 14 or name != "cr2"}
    state["flavor"] = "x86_THREAD_STATE"
    frames = [{"imageOffset": registers["rip"] - base, "imageIndex": 0}]
    # On the device the nearest symbol is known.
    start, symbol = max((entry for entry in symbols if entry[0] <= frames[0]["imageOffset"]), default=(0, ""))
    if with_code:
        frames[0] |= {"symbol": symbol, "symbolLocation": frames[0]["imageOffset"] - start}
    if not crash["at"]:
        caller = int.from_bytes(bytes(crash["stack"]), "little")
        frames = [{"imageOffset": registers["rip"]}, {"imageOffset": caller - base, "imageIndex": 0}]
    thread = {"id": 1, "triggered": True, "threadState": state, "frames": frames}
    if with_code and crash["at"]:
        code = crash["before"] + crash["at"]
        thread["instructionState"] = {"instructionStream": {"bytes": code, "offset": len(crash["before"])}}
    body = {
        "cpuType": "X86-64", "threads": [thread],
        "usedImages": [{"base": base, "size": 0x100000, "arch": "x86_64", "name": "crash", "uuid": build_id}],
    }
    if crash["signal"] == 4:
        return ips(body, "macOS 14.5 (23F79)", "EXC_BAD_INSTRUCTION", "SIGILL", [1, 0])
    return ips(body, "macOS 14.5 (23F79)", "EXC_BAD_ACCESS", "SIGSEGV", [13, 0] if trap == 13 else [1, registers["cr2"]])


def run(crashread, compiler, options, folder, score):
    program = f"{folder}/crash"
    build(compiler, options, program)
    notes = subprocess.run(["readelf", "-n", program], capture_output=True, text=True).stdout
    build_id = re.search(r"Build ID: (\w+)", notes)[1]
    table = subprocess.run(["nm", program], capture_output=True, text=True).stdout.splitlines()
    symbols = [(int(line.split()[0], 16), line.split()[2]) for line in table if line[17:18] in ("T", "t", "W")]
    for name in subprocess.run([program], capture_output=True, text=True).stdout.split():
        # A debug file names the check itself.
        if name in CHECKS and "-g" in options:
            continue
        crash = json.loads(subprocess.run([program, name], capture_output=True, text=True).stdout)
        # Without optimisation some checks are the standard library's, which says what failed.
        if crash["at"] and not 0 <= crash["registers"]["rip"] - crash["base"] < 0x100000:
            continue
        for with_code in [True, False]:
            path = f"{folder}/report.ips"
            pathlib.Path(path).write_text(report(crash, build_id, symbols, with_code))
            place = f"{compiler} {' '.join(options)} {name} {'code' if with_code else 'binary'}"
            score.add(name, place, options, answer(crashread, [path] if with_code else [path, program]), not with_code)


def main():
    crashread = sys.argv[1]
    compilers = sys.argv[2:] or [name for name in ["clang", "clang++", "gcc", "g++", "swiftc"] if shutil.which(name)]
    score = Score()
    with tempfile.TemporaryDirectory() as folder:
        for compiler in compilers:
            for options in SWIFT_LEVELS if compiler == "swiftc" else LEVELS:
                run(crashread, compiler, options, folder, score)
    return not score.print()


if __name__ == "__main__":
    sys.exit(main())
