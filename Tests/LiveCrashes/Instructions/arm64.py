#!/usr/bin/env python3
"""Runs the functions that crash as arm64 programs in an emulator, compiled in several ways, and asks what the instruction did.

    Tests/LiveCrashes/Instructions/arm64.py .build/debug/crashread

It takes Clang, LLVM's linker for Mach-O (`ld64.lld`), dsymutil, and PyPI's `unicorn`, QEMU's CPUs as a library. The reports
are those of an iPhone: with 40 bytes of code on each side, or without but with the program, and its dSYM, beside them.
They have the innermost frame alone; who called is known by the calls and returns that ran.
"""
import base64, pathlib, re, shutil, struct, subprocess, sys, tempfile

import unicorn
from unicorn import arm64_const as arm

from check import HERE, LEVELS, SWIFT_LEVELS
from expected import CHECKS, Score, answer, ips

TOOL = lambda *names: next(path for name in names if (path := shutil.which(name)))
CLANG, SWIFT = TOOL("clang++"), shutil.which("swiftc")
LINKER = TOOL("ld64.lld-19", "ld64.lld")
DSYMUTIL = TOOL("dsymutil-19", "dsymutil")
TARGET = ["-target", "arm64-apple-macosx14", "-ffreestanding", "-fno-builtin", "-w"]
GLUE = """
#include "%s"
extern "C" void run(int number) { cases[number].run(); }
"""
# What Embedded Swift takes from the system.
SYSTEM = """
typedef unsigned long size;
extern "C" {
long __stack_chk_guard;
void __stack_chk_fail() { __builtin_trap(); }
void free(void *) {}
void *memset(void *place, int value, size count) {
  for (size i = 0; i < count; i++) ((volatile char *)place)[i] = value;
  return place;
}
int posix_memalign(void **place, size, size count) {
  alignas(16) static char heap[65536];
  static size used;
  *place = heap + used;
  used += (count + 15) & ~15ul;
  return 0;
}
}
"""
BASE, STACK, RETURN = 0x100000000, 0x16F000000, 0x1F0000000
REGISTERS = [getattr(arm, f"UC_ARM64_REG_X{number}") for number in range(29)]


def build(folder, language, options):
    """A program without libraries, whose dSYM stands beside it where it has debug information."""
    program = f"{folder}/crash"
    run = lambda *command, text="": subprocess.run(command, input=text.encode(), check=True, capture_output=True)
    # The glue can't be told from the functions when it is optimised; only its calls matter.
    compile = lambda text, name: run(CLANG, *TARGET, "-fno-rtti", "-fno-exceptions", "-I", HERE, "-x", "c++", "-", "-c", "-o", name, text=text)
    objects = [f"{program}-{number}.o" for number in range(3 if language == "swift" else 2)]
    if language == "swift":
        run(SWIFT, "-target", "arm64-apple-none-macho", "-enable-experimental-feature", "Embedded", "-wmo", "-parse-as-library",
            *options, "-c", HERE / "cases.swift", "-o", objects[0])
        compile(SYSTEM, objects[2])
    else:
        run(CLANG, *options, *TARGET, "-x", language, "-c", HERE / "functions.c", "-o", objects[0])
    compile(GLUE % ("cases_swift.h" if language == "swift" else "cases.h"), objects[1])
    run(LINKER, "-arch", "arm64", "-platform_version", "macos", "14", "14", "-e", "_run", "-undefined", "dynamic_lookup", "-no_fixup_chains", *objects, "-o", program)
    shutil.rmtree(f"{program}.dSYM", ignore_errors=True)
    if "-g" in options:
        run(DSYMUTIL, program)
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

    def nearest(self, address):
        return max(((value, name) for name, value in self.functions.items() if value <= address), default=(0, ""))

    def symbol(self, address):
        return self.nearest(address)[1]


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
    faults, callers = [], []

    def follow(machine, address, *_):
        word = int.from_bytes(machine.mem_read(address, 4), "little")
        if word >> 26 == 0x25 or word & 0xFFFFFC1F == 0xD63F0000:  # bl, blr
            callers.append(address + 4)
        elif word & 0xFFFFFC1F == 0xD65F0000 and callers:  # ret
            callers.pop()

    machine.hook_add(unicorn.UC_HOOK_CODE, follow)
    machine.hook_add(unicorn.UC_HOOK_MEM_INVALID, lambda _, kind, address, *rest: faults.append((kind, address)))
    machine.hook_add(unicorn.UC_HOOK_INTR, lambda machine, number, _: (faults.append(("trap", 0)), machine.emu_stop()))
    try:
        machine.emu_start(image.functions["_run"], RETURN)
    except unicorn.UcError:
        pass
    state = {f"x{index}": machine.reg_read(register) for index, register in enumerate(REGISTERS)}
    for name in ["FP", "LR", "SP", "PC"]:
        state[name.lower()] = machine.reg_read(getattr(arm, f"UC_ARM64_REG_{name}"))
    state["caller"] = callers[-1] if callers else None
    return state, *faults[0], machine


def report(image, state, kind, fault, machine, with_code):
    fetch = kind == unicorn.UC_MEM_FETCH_UNMAPPED
    esr = 0xF2000001 if kind == "trap" else 0x92000046 if kind == unicorn.UC_MEM_WRITE_UNMAPPED else 0x82000006 if fetch else 0x92000006
    counter = fault if fetch else state["pc"]
    frames = [{"imageOffset": counter - BASE, "imageIndex": 0}]
    start, symbol = image.nearest(counter)
    if not symbol:
        frames = [{"imageOffset": counter}, {"imageOffset": state["lr"] - BASE, "imageIndex": 0}]
    elif with_code:
        frames[0] |= {"symbol": symbol, "symbolLocation": counter - start}
    values = lambda *names: {name: {"value": state[name]} for name in names}
    registers = {"flavor": "ARM_THREAD_STATE64", "x": [{"value": state[f"x{index}"]} for index in range(29)]}
    registers |= values("fp", "lr", "sp") | {"pc": {"value": counter}, "far": {"value": fault}, "esr": {"value": esr}}
    body = {
        "cpuType": "ARM-64", "threads": [{"id": 1, "triggered": True, "threadState": registers, "frames": frames}],
        "usedImages": [{"base": BASE, "size": 0x20000, "arch": "arm64", "name": "crash", "uuid": image.uuid}],
    }
    if with_code and symbol:
        code = lambda address: base64.b64encode(bytes(machine.mem_read(address, 40))).decode()
        body["instructionByteStream"] = {"beforePC": code(counter - 40), "atPC": code(counter)}
    if kind == "trap":
        return ips(body, "iPhone OS 17.5 (21F79)", "EXC_BREAKPOINT", "SIGTRAP", [1, counter])
    return ips(body, "iPhone OS 17.5 (21F79)", "EXC_BAD_ACCESS", "SIGSEGV", [1, fault])


def names(language):
    """The cases in their order, without those of x86-64."""
    header = "cases_swift.h" if language == "swift" else "cases.h"
    return re.findall(r'^    \{"(\w+)"', (HERE / header).read_text().split("#ifdef __x86_64__\n    {")[0], re.M)


def main():
    crashread, score = sys.argv[1], Score()
    with tempfile.TemporaryDirectory() as folder:
        for language in ["c", "c++"] + ["swift"] * bool(SWIFT):
            for options in SWIFT_LEVELS if language == "swift" else LEVELS:
                program = build(folder, language, options)
                image = Image(program)
                for number, name in enumerate(names(language)):
                    # A debug file names the check itself.
                    if name in CHECKS and "-g" in options:
                        continue
                    found = crash(image, number)
                    # Without optimisation some checks are the standard library's, which says what failed.
                    if name in CHECKS and "-Onone" in options and name.removeprefix("swift_") not in image.symbol(found[0]["pc"]):
                        continue
                    for with_code in [True, False]:
                        path = pathlib.Path(f"{folder}/report.ips")
                        path.write_text(report(image, *found, with_code))
                        files = [path] if with_code else [path, program] + [f"{program}.dSYM"] * ("-g" in options)
                        place = f"{language} {' '.join(options)} {name} {'code' if with_code else 'binary'}"
                        said = answer(crashread, files)
                        score.add(name, place, options, said, not with_code)
                        if not with_code and image.symbol(found[0]["pc"]):
                            score.add_caller(place, said, found[0]["caller"], found[0]["lr"])
    return not score.print()


if __name__ == "__main__":
    sys.exit(main())
