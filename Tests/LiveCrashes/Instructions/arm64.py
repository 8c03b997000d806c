#!/usr/bin/env python3
"""Runs the functions that crash as arm64 programs in an emulator, compiled in several ways, and asks what the instruction did.

    Tests/LiveCrashes/Instructions/arm64.py .build/debug/crashread

It takes Clang, LLVM's linker for Mach-O (`ld64.lld`), dsymutil, and PyPI's `unicorn`, QEMU's CPUs as a library. The reports
are those of an iPhone: with 40 bytes of code on each side, or without but with the program, and its dSYM, beside them.
"""
import base64, collections, json, pathlib, shutil, struct, subprocess, sys, tempfile

import unicorn
from unicorn import arm64_const as arm

from check import HERE, NAMES, examine, name_in_source

TOOL = lambda *names: next(path for name in names if (path := shutil.which(name)))
CLANG = TOOL("clang++")
LINKER = TOOL("ld64.lld-19", "ld64.lld")
DSYMUTIL = TOOL("dsymutil-19", "dsymutil")
FLAGS = ["-target", "arm64-apple-macosx14", "-ffreestanding", "-fno-rtti", "-fno-exceptions", "-w", "-x", "c++", "-"]
SOURCE = f'#include "{HERE}/cases.h"\nextern "C" void run(int number) {{ cases[number].run(); }}\n'
BASE, STACK, RETURN = 0x100000000, 0x16F000000, 0x1F0000000
REGISTERS = [getattr(arm, f"UC_ARM64_REG_X{number}") for number in range(29)]


def build(folder, options):
    """A program without libraries, whose dSYM stands beside it where it has debug information."""
    program = f"{folder}/crash"
    subprocess.run([CLANG, *options, *FLAGS, "-c", "-o", f"{program}.o"], input=SOURCE.encode(), check=True)
    subprocess.run([LINKER, "-arch", "arm64", "-platform_version", "macos", "14", "14", "-e", "_run", "-undefined", "dynamic_lookup", "-no_fixup_chains", f"{program}.o", "-o", program], check=True)
    shutil.rmtree(f"{program}.dSYM", ignore_errors=True)
    if "-g" in options:
        subprocess.run([DSYMUTIL, program], check=True, capture_output=True)
    return program


class Image:
    """What the emulator and a report need of a Mach-O file."""

    def __init__(self, program):
        data = pathlib.Path(program).read_bytes()
        self.segments, self.functions, self.uuid = [], {}, ""
        position = 32
        for _ in range(struct.unpack_from("<I", data, 16)[0]):
            command, size = struct.unpack_from("<II", data, position)
            if command == 0x19:
                address, room, start, length = struct.unpack_from("<4Q", data, position + 24)
                if address >= BASE:
                    self.segments.append((address, room, data[start:start + length]))
            elif command == 0x1B:
                self.uuid = data[position + 8:position + 24].hex()
            elif command == 2:
                symbols, count, strings, _ = struct.unpack_from("<4I", data, position + 8)
                for number in range(count):
                    name, kind, section, _, value = struct.unpack_from("<IBBHQ", data, symbols + 16 * number)
                    if kind & 0xE0 == 0 and section == 1:
                        text = data[strings + name:data.index(b"\0", strings + name)].decode()
                        self.functions[text] = value
            position += size

    def symbol(self, address):
        return max((value, name) for name, value in self.functions.items() if value <= address)


def crash(image, number):
    """The registers and the address that the program couldn't reach."""
    machine = unicorn.Uc(unicorn.UC_ARCH_ARM64, unicorn.UC_MODE_ARM)
    for address, room, contents in image.segments:
        machine.mem_map(address, (room + 0x3FFF) & ~0x3FFF)
        machine.mem_write(address, contents)
    machine.mem_map(STACK - 0x10000, 0x10000)
    machine.reg_write(arm.UC_ARM64_REG_SP, STACK - 64)
    machine.reg_write(arm.UC_ARM64_REG_LR, RETURN)
    machine.reg_write(arm.UC_ARM64_REG_CPACR_EL1, 3 << 20)
    machine.reg_write(REGISTERS[0], number)
    faults = []
    machine.hook_add(unicorn.UC_HOOK_MEM_INVALID, lambda _, kind, address, *rest: faults.append((kind, address)))
    try:
        machine.emu_start(image.functions["_run"], RETURN)
    except unicorn.UcError:
        pass
    state = {f"x{index}": machine.reg_read(register) for index, register in enumerate(REGISTERS)}
    for name in ["FP", "LR", "SP", "PC"]:
        state[name.lower()] = machine.reg_read(getattr(arm, f"UC_ARM64_REG_{name}"))
    return state, *faults[0], machine


def report(image, state, kind, fault, machine, with_code):
    esr = 0x82000006 if kind == unicorn.UC_MEM_FETCH_UNMAPPED else 0x92000046 if kind == unicorn.UC_MEM_WRITE_UNMAPPED else 0x92000006
    counter = fault if kind == unicorn.UC_MEM_FETCH_UNMAPPED else state["pc"]
    frames = [{"imageOffset": counter - BASE, "imageIndex": 0}]
    start, symbol = image.symbol(counter) if counter >= BASE else (0, None)
    if symbol is None:
        frames = [{"imageOffset": counter}, {"imageOffset": state["lr"] - BASE, "imageIndex": 0}]
    elif with_code:
        frames[0] |= {"symbol": symbol, "symbolLocation": counter - start}
    values = lambda *names: {name: {"value": state[name]} for name in names}
    registers = {"flavor": "ARM_THREAD_STATE64", "x": [{"value": state[f"x{index}"]} for index in range(29)]}
    registers |= values("fp", "lr", "sp") | {"pc": {"value": counter}, "far": {"value": fault}, "esr": {"value": esr}}
    body = {
        "cpuType": "ARM-64", "procName": "crash", "faultingThread": 0,
        "threads": [{"id": 1, "triggered": True, "threadState": registers, "frames": frames}],
        "exception": {"type": "EXC_BAD_ACCESS", "signal": "SIGSEGV", "rawCodes": [1, fault], "codes": f"0x1, {fault:#018x}"},
        "usedImages": [{"base": BASE, "size": 0x10000, "arch": "arm64", "name": "crash", "uuid": image.uuid}],
    }
    if with_code and symbol:
        code = lambda address: base64.b64encode(bytes(machine.mem_read(address, 40))).decode()
        body["instructionByteStream"] = {"beforePC": code(counter - 40), "atPC": code(counter)}
    header = {"bug_type": "309", "os_version": "iPhone OS 17.5 (21F79)", "app_name": "crash", "timestamp": "2026-01-01 00:00:00.00 +0000"}
    return json.dumps(header) + "\n" + json.dumps(body) + "\n"


def main():
    crashread, counts, failures = sys.argv[1], collections.Counter(), []
    names = [line.split('"')[1] for line in (HERE / "cases.h").read_text().split("#ifdef __x86_64__\n    {")[0].splitlines() if line.startswith('    {"')]
    with tempfile.TemporaryDirectory() as folder:
        for options in [["-O0"], ["-O0", "-g"], ["-O1"], ["-O2"], ["-O2", "-g"], ["-O3"], ["-O3", "-g"], ["-Os"]]:
            program = build(folder, options)
            image = Image(program)
            for number, name in enumerate(names):
                found = crash(image, number)
                for with_code in [True, False]:
                    path = pathlib.Path(f"{folder}/report.ips")
                    path.write_text(report(image, *found, with_code))
                    files = [path] if with_code else [path, program] + [f"{program}.dSYM"] * ("-g" in options)
                    run = subprocess.run([crashread, "--format", "json", "--cache", "off", *files], capture_output=True, text=True)
                    answer = json.loads(run.stdout)
                    answer = answer.get("reports", [answer])[0]
                    missing, wrong = examine(name, options[0], answer, with_code)
                    place = f"{' '.join(options)} {name} {'code' if with_code else 'binary'}"
                    counts["cases"] += 1
                    counts["right"] += not missing and not wrong
                    failures += [f"{place}: {text}" for text in wrong]
                    for text in missing:
                        print(f"missing: {place}: {text}")
                    if "-g" in options and not with_code and name in NAMES:
                        said = name_in_source(name, answer)
                        counts["names"] += 1
                        counts["named"] += said is True
                        if said not in (None, True):
                            failures.append(f"{place}: {said}, not {NAMES[name]}")
                        elif said is None:
                            print(f"unnamed: {place}")
    print(f"{counts['right']} of {counts['cases']} as the source has it")
    print(f"{counts['named']} of {counts['names']} values by their names in the source")
    for failure in failures:
        print("wrong:", failure)
    return bool(failures) or counts["right"] < 0.9 * counts["cases"]


if __name__ == "__main__":
    sys.exit(main())
