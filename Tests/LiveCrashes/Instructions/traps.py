#!/usr/bin/env python3
"""Compares which check the code alone tells at traps of a Swift program with the check that its DWARF names there.

    Tests/LiveCrashes/Instructions/traps.py .build/debug/crashread PROGRAM [COUNT]

PROGRAM is built with -O and debug information for x86-64 (`swift build -c release`). The reports are made up; crashread
gets them with the program's code, but without its DWARF.
"""
import collections, json, pathlib, random, re, shutil, subprocess, sys, tempfile

from expected import ORDER, OVERFLOW, ZERO

OBJDUMP = next(tool for tool in ["llvm-objdump", "llvm-objdump-19", "objdump"] if shutil.which(tool))
EQUAL = {"two equal numbers"}
DIFFERENT = {"two numbers that must be equal", "a value that must be zero"}
# What a check can be, by the words of its name in DWARF.
KINDS = {
    "arithmetic overflow": OVERFLOW, "found nil": ZERO, "Division by zero": ZERO, "ivision": ZERO | OVERFLOW,
    # An index into what is empty is checked as a count that is zero, one that is counted up as one that has reached it.
    "out of range": ORDER | ZERO | EQUAL, "out of bounds": ORDER | ZERO | EQUAL, "lowerBound": ORDER, "Negative": ORDER | ZERO,
    "less than 'count'": DIFFERENT | ORDER, "underestimatedCount": DIFFERENT | ORDER | EQUAL, "ount": ORDER | ZERO,
    "negative": ORDER,
}


def traps(program):
    lines = subprocess.run([OBJDUMP, "-d", "--no-show-raw-insn", program], capture_output=True, text=True).stdout.splitlines()
    return [int(line.split(":")[0], 16) for line in lines if line.endswith("ud2")]


def names(crashread, program, addresses):
    """The names of the checks by DWARF; nothing where it has none."""
    run = subprocess.run([crashread, "lookup", "--format", "json", "--cache", "off", program, *map(hex, addresses)], capture_output=True, text=True)
    found = re.findall(r'"function": "([^"]*)"|"address": "?(0x[0-9a-f]+)', run.stdout)
    result, address = collections.defaultdict(list), None
    for function, place in found:
        if place:
            address = int(place, 16)
        elif address is not None:
            result[address].append(function)
    return {place: texts[0].split("failure: ")[1] for place, texts in result.items() if "Swift runtime failure: " in texts[0]}


def report(address):
    state = {"flavor": "x86_THREAD_STATE", "rip": {"value": 0x100000000 + address}}
    body = {
        "cpuType": "X86-64", "procName": "x", "faultingThread": 0,
        "threads": [{"id": 1, "triggered": True, "threadState": state, "frames": [{"imageOffset": address, "imageIndex": 0}]}],
        "exception": {"type": "EXC_BAD_INSTRUCTION", "signal": "SIGILL", "rawCodes": [1, 0], "codes": "0x1, 0x0"},
        "usedImages": [{"base": 0x100000000, "size": 0x10000000, "arch": "x86_64", "name": "x", "uuid": "21" * 20}],
    }
    header = {"bug_type": "309", "os_version": "macOS 14.5 (23F79)", "app_name": "x", "timestamp": "2026-01-01 00:00:00.00 +0000"}
    return json.dumps(header) + "\n" + json.dumps(body) + "\n"


def main():
    crashread, program, count = sys.argv[1], sys.argv[2], int((sys.argv + ["300"])[3])
    random.seed(21)
    addresses = traps(program)
    addresses = sorted(random.sample(addresses, min(count, len(addresses))))
    truth = names(crashread, program, addresses)
    score, wrong = collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        note = pathlib.Path(folder) / "note"
        note.write_bytes(bytes([4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0]) + b"GNU\0" + b"\x21" * 20)
        bare = f"{folder}/x"
        subprocess.run(["objcopy", "--strip-debug", "--remove-section=.note.gnu.build-id", f"--add-section=.note.gnu.build-id={note}", program, bare], check=True)
        for address, name in truth.items():
            path = pathlib.Path(folder) / "report.ips"
            path.write_text(report(address))
            run = subprocess.run([crashread, "--format", "json", "--cache", "off", path, bare], capture_output=True, text=True)
            answer = json.loads(run.stdout)
            answer = answer.get("reports", [answer])[0]
            finding = {f["rule"]: f for f in answer["diagnosis"].get("findings", [])}.get("trap-check")
            allowed = next((kinds for words, kinds in KINDS.items() if words in name), None)
            if not finding:
                score["nothing said"] += 1
            elif allowed is None:
                score["a check without a kind"] += 1
            elif any(kind in finding["text"] for kind in allowed):
                score["right" if finding["confidence"] == "likely" else "among several"] += 1
            else:
                score["wrong"] += 1
                wrong.append(f"{address:#x} {name}: {finding['confidence']}: {finding['text']}")
    print(len(truth), "traps with a name:", dict(score))
    for line in wrong[:20]:
        print("wrong:", line)
    said = score["right"] + score["among several"] + score["wrong"]
    return score["wrong"] * 10 > said


sys.exit(main())
