#!/usr/bin/env python3
"""Crashes programs of x86-64, compiled in several ways, for real, and asks crashread what the instruction did.

    Tests/LiveCrashes/Instructions/check.py .build/debug/crashread [CXX...]

Of each crash the cause is known from the source. The registers and the code are those of the moment; a report is made
of them once with the code, as Apple's have it, and once without it but with the program beside it.
"""
import json, os, pathlib, re, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).parent
# The finding that must be there, and what it must contain. At -O0 every value goes through the stack.
LOAD = "was loaded from"
ORIGINS = {
    "argument_read": "its argument 1", "argument_write": "its argument 1", "member_read": LOAD, "member_chain": LOAD,
    "member_increment": LOAD, "global_read": LOAD, "result_read": "is what the call at", "element": "its argument 1",
    "byte_at": "its argument 1", "floating": "its argument 1", "copy_to": "its argument 1", "copy_from": "its argument 2",
    "argument_noncanonical": "its argument 1", "member_noncanonical": LOAD, "misaligned": "its argument 1",
}
ACCESS = {"argument_write": "writing", "copy_to": "writing", "member_increment": "(reading and )?writing|reading"}
RULES = {
    "privileged": "privileged-instruction", "misaligned": "misaligned-vector",
    "argument_noncanonical": "non-canonical-operand", "member_noncanonical": "non-canonical-operand",
}
# What the source calls the value, with debug information.
NAMES = {
    "argument_read": "node", "argument_write": "node", "member_read": "node->next", "member_increment": "node->next",
    "argument_noncanonical": "node", "member_noncanonical": "node->next", "element": "values", "copy_to": "to",
}
CALLS = {"virtual_call": "", "pointer_call": "", "member_call": ""}


def report(crash, build_id, symbols, with_code):
    registers = crash["registers"]
    trap = registers["trap"]
    kind = [13, 0] if trap == 13 else [1, registers["cr2"]]
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
        "cpuType": "X86-64", "procName": "crash", "faultingThread": 0, "threads": [thread],
        "exception": {"type": "EXC_BAD_ACCESS", "signal": "SIGSEGV", "rawCodes": kind,
                      "codes": ", ".join(f"{code:#018x}" for code in kind)},
        "usedImages": [{"base": base, "size": 0x100000, "arch": "x86_64", "name": "crash", "uuid": build_id}],
    }
    header = {"bug_type": "309", "os_version": "macOS 14.5 (23F79)", "app_name": "crash", "timestamp": "2026-01-01 00:00:00.00 +0000"}
    return json.dumps(header) + "\n" + json.dumps(body) + "\n"


def name_in_source(name, answer):
    """Whether the source's name is the right one; nothing where none is said."""
    said = answer["threads"][0].get("instruction", {}).get("origin", {}).get("variable")
    return None if said is None or name not in NAMES else said == NAMES[name] or said


def examine(name, level, answer, with_code):
    """What is missing, and what is wrong."""
    findings = {finding["rule"]: finding for finding in answer["diagnosis"].get("findings", [])}
    operand = findings.get("instruction", {})
    missing, wrong = [], []
    if name in RULES and answer["diagnosis"].get("rule") != RULES[name]:
        missing.append("rule " + str(answer["diagnosis"].get("rule")))
    if name in CALLS:
        if not with_code and "lost-call" not in findings:
            missing.append("call")
    elif name != "privileged":
        if not re.search("was " + "(" + ACCESS.get(name, "reading") + ")", operand.get("text", "")):
            (wrong if operand else missing).append("operand " + operand.get("text", ""))
        origin = findings.get("instruction-origin", {}).get("text", "")
        if ORIGINS[name] not in origin and not (level == "-O0" and LOAD in origin):
            (wrong if origin else missing).append("origin " + origin)
    wrong += [f["text"] for f in findings.values() if "belong together" in f["text"]]
    return missing, wrong


def main():
    crashread, compilers = sys.argv[1], sys.argv[2:] or ["clang++", "g++"]
    total, found, failures = 0, 0, []
    named = [0, 0]
    with tempfile.TemporaryDirectory() as folder:
        for compiler in compilers:
            for level, debug in [("-O0", "-g0"), ("-O0", "-g"), ("-O1", "-g0"), ("-O2", "-g0"), ("-O2", "-g"), ("-O3", "-g0"), ("-Os", "-g0")]:
                program = f"{folder}/crash"
                subprocess.run([compiler, level, debug, "-Wl,--build-id=sha1", "-w", HERE / "crash.cpp", "-o", program], check=True)
                notes = subprocess.run(["readelf", "-n", program], capture_output=True, text=True).stdout
                build_id = re.search(r"Build ID: (\w+)", notes)[1]
                table = subprocess.run(["nm", program], capture_output=True, text=True).stdout.splitlines()
                symbols = [(int(line.split()[0], 16), line.split()[2]) for line in table if line[17:18] in ("T", "t", "W")]
                names = subprocess.run([program], capture_output=True, text=True).stdout.split()
                for name in names:
                    crash = json.loads(subprocess.run([program, name], capture_output=True, text=True).stdout)
                    for with_code in [True, False]:
                        path = f"{folder}/report.ips"
                        pathlib.Path(path).write_text(report(crash, build_id, symbols, with_code))
                        files = [path] if with_code else [path, program]
                        run = subprocess.run([crashread, "--format", "json", "--cache", "off", *files], capture_output=True, text=True)
                        answer = json.loads(run.stdout)
                        answer = answer.get("reports", [answer])[0]
                        missing, wrong = examine(name, level, answer, with_code)
                        total += 1
                        if debug == "-g" and not with_code and name in NAMES:
                            said = name_in_source(name, answer)
                            named = [named[0] + (said is True), named[1] + 1]
                            if said is None:
                                print(f"unnamed: {compiler} {level} {name}")
                            elif said is not True:
                                failures.append(f"wrong: {compiler} {level} {name}: {said}, not {NAMES[name]}")
                        found += not missing and not wrong
                        failures += [f"wrong: {compiler} {level} {name}: {text}" for text in wrong]
                        for text in missing:
                            print(f"missing: {compiler} {level} {name} {'code' if with_code else 'binary'}: {text}")
    print(f"{found} of {total} as the source has it")
    print(f"{named[0]} of {named[1]} values by their names in the source")
    for failure in failures:
        print(failure)
    return bool(failures) or found < 0.9 * total


if __name__ == "__main__":
    sys.exit(main())
