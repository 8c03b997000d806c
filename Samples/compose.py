#!/usr/bin/env python3
"""Composes the crash reports of the Mach-O samples.

Nobody can run these programs on Linux, so their reports are written here. Every address in
our own binaries is a true one: it is looked up in the disassembly (the trapping instruction,
the instruction after a call) and moved by the load address. Apple's images, their addresses
and their UUIDs are invented.

    compose.py SOURCES BINARIES SYMBOLS REPORTS
"""
import json
import os
import re
import struct
import subprocess
import sys
import uuid
import zlib

SOURCES, BINARIES, SYMBOLS, REPORTS = sys.argv[1:5]
NOTE = "composed from the addresses of a real binary, see Samples/README.md"


def run(tool, *arguments, stdin=None):
    return subprocess.run([tool, *arguments], input=stdin, check=True,
                          capture_output=True, text=True).stdout


# --- binaries ------------------------------------------------------------------------------

class Image:
    """One image of a process: name, load address, size, UUID, path."""

    def __init__(self, name, base, size, path, arch="arm64e"):
        self.name, self.base, self.size, self.path, self.arch = name, base, size, path, arch
        self.uuid = str(uuid.uuid5(uuid.NAMESPACE_URL, "invented:" + path + arch))

    def frame(self, symbol, offset):
        """A frame of Apple's code, already symbolicated, at an invented address."""
        start = self.base + zlib.crc32(symbol.encode()) % (self.size - 0x4000) // 16 * 16
        return {"image": self, "address": start + offset, "symbol": symbol, "offset": offset}


class Binary(Image):
    """One of our own Mach-O programs, loaded at `base`."""

    def __init__(self, file, dsym, base, path, arch="arm64"):
        with open(os.path.join(BINARIES, file), "rb") as f:
            data = f.read()
        self.file, self.arch, self.path, self.base = os.path.join(BINARIES, file), arch, path, base
        self.name = os.path.basename(path)
        position = 32
        for _ in range(struct.unpack_from("<I", data, 16)[0]):
            command, length = struct.unpack_from("<II", data, position)
            if command == 0x1b:  # LC_UUID
                self.uuid = str(uuid.UUID(bytes=data[position + 8:position + 24]))
            if command == 0x19 and data[position + 8:position + 24].rstrip(b"\0") == b"__TEXT":
                self.linked, self.size = struct.unpack_from("<QQ", data, position + 24)
            position += length

        self.code = []  # (address, function, mnemonic, operands)
        function = ""
        for line in run("llvm-objdump", "-d", "--no-show-raw-insn", self.file).splitlines():
            if m := re.match(r"[0-9a-f]{16} <(.*)>:", line):
                function = m[1]
            elif m := re.match(r"\s*([0-9a-f]+):\s+(\S+)\s*(.*)", line):
                self.code.append((int(m[1], 16), function, m[2], m[3]))
        debug = os.path.join(SYMBOLS, dsym, "Contents/Resources/DWARF", os.path.basename(path))
        answer = run("llvm-symbolizer", "--obj=" + debug, "--default-arch=" + arch, "--output-style=JSON",
                     stdin="".join(hex(c[0]) + "\n" for c in self.code))
        self.lines = []  # for each instruction: {"Fuga.swift:10", ...} with all inlined levels
        for entry in map(json.loads, answer.splitlines()):
            self.lines.append({os.path.basename(s["FileName"]) + ":" + str(s["Line"]) for s in entry["Symbol"]})

    def find(self, place, mnemonic, operand="", last=False):
        """The index of the first (or last) such instruction of a source line ("Fuga.swift: text")."""
        name, text = place.split(": ", 1)
        source = [os.path.join(d, name) for d, _, files in os.walk(SOURCES) if name in files][0]
        with open(source) as f:
            number = [i for i, line in enumerate(f, 1) if text in line][0]
        hits = [i for i, c in enumerate(self.code)
                if c[2] == mnemonic and operand in c[3] and f"{name}:{number}" in self.lines[i]]
        if not hits:
            sys.exit(f"{self.name}: no {mnemonic} at {name}:{number}")
        return hits[-1 if last else 0]

    def at(self, place, mnemonic, last=False):
        """A frame at an instruction, for the crash itself."""
        return self.own(self.code[self.find(place, mnemonic, last=last)][0])

    def after(self, place, function="", last=False):
        """A frame at the return address of the call (to this function) on this line."""
        call = self.find(place, "bl" if self.arch == "arm64" else "callq", function, last)
        return self.own(self.code[call + 1][0])

    def inside(self, function, mnemonic, operand=""):
        """A frame at the first such instruction of a function; for a call, at its return address."""
        hits = [i for i, c in enumerate(self.code) if function in c[1] and c[2] == mnemonic and operand in c[3]]
        return self.own(self.code[hits[0] + (mnemonic in ("bl", "callq"))][0])

    def symbol(self, name):
        """The loaded address of a variable."""
        listing = run("llvm-nm", "--defined-only", self.file)
        return int(re.search(rf"(\w+) \w {name}\n", listing)[1], 16) - self.linked + self.base

    def own(self, linked):
        return {"image": self, "address": linked - self.linked + self.base, "symbol": None, "offset": 0}


# --- writing -------------------------------------------------------------------------------

def column(key, value, width):
    return f"{key + ':':{width}}{value}".rstrip() + "\n"


def frame_line(index, frame):
    address, image = frame["address"], frame["image"]
    if image is None:
        return f"{index:<4}{'???':30}\t{hex(address):>18} 0x0 + {address}\n"
    place = f"{frame['symbol']} + {frame['offset']}" if frame["symbol"] else \
        f"{hex(image.base)} + {address - image.base}"
    return f"{index:<4}{image.name:30}\t{hex(address):>18} {place}\n"


def arm_registers(number, r):
    out = f"Thread {number} crashed with ARM Thread State (64-bit):\n"
    names = [f"x{i}" for i in range(29)] + ["fp", "lr", "sp", "pc", "cpsr"]
    for i in range(0, len(names), 4):
        cells = []
        for name in names[i:i + 4]:
            width = 8 if name == "cpsr" else 16
            cells.append(f"{name:>5}: 0x{r.get(name, 0):0{width}x}")
        out += " " + "".join(cells) + "\n"
    return out + f"   far: 0x{r['far']:016x}  esr: 0x{r['esr'][0]:08x} {r['esr'][1]}\n"


def x86_registers(number, r):
    out = f"Thread {number} crashed with X86 Thread State (64-bit):\n"
    for row in ("rax rbx rcx rdx", "rdi rsi rbp rsp", "r8 r9 r10 r11", "r12 r13 r14 r15", "rip rfl cr2"):
        out += "".join(f"{name:>5}: 0x{r.get(name, 0):016x}" for name in row.split()) + "\n"
    return out + "\nLogical CPU:     0\nError Code:      0x00000004 (no mapping for user data read)\nTrap Number:     14\n"


def text(r, last_exception_as_list=False):
    """The report as text, in the layout of iOS 18 or of macOS 14."""
    ios = r["os"].startswith("iPhone")
    app, e = r["app"], r["exception"]
    code_type = "ARM-64 (Native)" if app.arch == "arm64" else "X86-64 (Native)"
    out = ""
    if ios:
        for key, value in (
                ("Incident Identifier", r["incident"].upper()), ("CrashReporter Key", "0000000000000000000000000000000000000001"),
                ("Hardware Model", r["model"]), ("Process", f"{app.name} [{r['pid']}]"), ("Path", app.path),
                ("Identifier", r["identifier"]), ("Version", "1.0 (1)"), ("AppStoreTools", "16B40"),
                ("AppVariant", f"1:{r['model']}:18"), ("Code Type", code_type), ("Role", "Foreground"),
                ("Parent Process", "launchd [1]"), ("Coalition", f"{r['identifier']} [512]")):
            out += column(key, value, 21)
        out += "\n"
        for key, value in (("Date/Time", r["time"]), ("Launch Time", r["launch"]), ("OS Version", r["os"]),
                           ("Release Type", "User"), ("Baseband Version", "1.00.00"), ("Report Version", "104")):
            out += column(key, value, 21)
        width = 17
        out += "\n"
    else:
        for key, value in (
                ("Process", f"{app.name} [{r['pid']}]"), ("Path", app.path), ("Identifier", r["identifier"]),
                ("Version", "1.0 (1)"), ("Code Type", code_type), ("Parent Process", "zsh [611]"),
                ("Responsible", "Terminal [580]"), ("User ID", "501")):
            out += column(key, value, 23)
        out += "\n"
        for key, value in (("Date/Time", r["time"]), ("OS Version", r["os"]), ("Report Version", "12"),
                           ("Anonymous UUID", r["incident"].upper())):
            out += column(key, value, 23)
        out += "\n" + column("Time Awake Since Boot", "4200 seconds", 23)
        out += "\n" + column("System Integrity Protection", "enabled", 29)
        queue = r["threads"][r["crashed"]].get("queue")
        out += "\n" + column("Crashed Thread", f"{r['crashed']}" + (f"  Dispatch queue: {queue}" if queue else ""), 23)
        width = 23
        out += "\n"
    out += column("Exception Type", f"{e['type']} ({e['signal']})", width)
    if ios and "subtype" in e:
        out += column("Exception Subtype", e["subtype"], 0).replace(":", ": ", 1)
    codes = f"0x{e['codes'][0]:016x}, 0x{e['codes'][1]:016x}"
    out += column("Exception Codes", codes if ios or "subtype" not in e else e["subtype"], width)
    if not ios:
        if "subtype" in e:
            out += column("Exception Codes", codes, width)
        out += column("Exception Note", "EXC_CORPSE_NOTIFY", width)
        out += "\n"
    number, meaning, namespace, details = (*r["termination"], "SIGNAL", [])[:4]
    if ios:
        out += f"Termination Reason: SIGNAL {number} {meaning}\nTerminating Process: exc handler [{r['pid']}]\n"
        out += f"\nTriggered by Thread:  {r['crashed']}\n\n"
    else:
        code = number if namespace == "SIGNAL" else hex(number)
        out += f"Termination Reason:    Namespace {namespace}, Code {code} {meaning}".rstrip() + "\n"
        out += "".join(line + "\n" for line in details)
        out += f"Terminating Process:   exc handler [{r['pid']}]\n\n"
    if "region" in r:
        out += r["region"] + "\n"
    if "asi" in r:
        out += "Application Specific Information:\n" + "".join(line + "\n" for lines in r["asi"].values() for line in lines) + "\n"
    if "leb" in r:
        out += "Last Exception Backtrace:\n"
        if last_exception_as_list:
            out += "(" + " ".join(hex(f["address"]) for f in r["leb"]) + ")\n"
        else:
            out += "".join(frame_line(i, f) for i, f in enumerate(r["leb"]))
        out += "\n"
    for number, frames in enumerate(r.get("asb", [])):
        out += f"Application Specific Backtrace {number}:\n"
        out += "".join(frame_line(i, f) for i, f in enumerate(frames)) + "\n"
    for number, thread in enumerate(r["threads"]):
        name, queue = thread.get("name"), thread.get("queue")
        label = " ".join(x for x in (name, queue and "Dispatch queue: " + queue) if x)
        crashed = " Crashed:" if number == r["crashed"] else ":"
        if ios:
            if label:
                out += f"Thread {number} name:  {label}\n"
            out += f"Thread {number}{crashed}\n"
        else:
            out += f"Thread {number}{crashed}" + (f": {label}" if label else "") + "\n"
        out += "".join(frame_line(i, f) for i, f in enumerate(thread["frames"])) + "\n"
    out += ("\n" if ios else "") + (arm_registers if app.arch == "arm64" else x86_registers)(r["crashed"], r["registers"])
    out += "\nBinary Images:\n"
    for image in r["images"]:
        span = f"{hex(image.base):>18} - {hex(image.base + image.size - 1):>18} "
        if ios:
            out += f"{span}{image.name} {image.arch}  <{image.uuid.replace('-', '')}> {image.path}\n"
        else:
            name = f"{r['identifier']} (1.0)" if image is app else f"{image.name} (*)"
            out += f"{span}{name} <{image.uuid}> {image.path}\n"
    return out + f"\nNotes: {NOTE}\n\nEOF\n"


def ips(r):
    """The same report as .ips: one line of JSON, then the body."""
    ios = r["os"].startswith("iPhone")
    app, e = r["app"], r["exception"]
    images = list(r["images"]) + [None]

    def json_frame(f):
        out = {"imageOffset": f["address"] - (f["image"].base if f["image"] else 0)}
        if f["symbol"]:
            out["symbol"], out["symbolLocation"] = f["symbol"], f["offset"]
        out["imageIndex"] = images.index(f["image"])
        return out

    header = {"app_name": app.name, "timestamp": r["time"][:22] + r["time"][-6:], "app_version": "1.0",
              "slice_uuid": app.uuid, "build_version": "1", "platform": 2 if ios else 1,
              "bundleID": r["identifier"], "share_with_app_devs": 0, "is_first_party": 0, "bug_type": "309",
              "os_version": r["os"], "roots_installed": 0, "name": app.name, "incident_id": r["incident"].upper()}
    train, build = re.match(r"(.*) \((.*)\)", r["os"]).groups()
    registers = r["registers"]
    state = {"x": [{"value": registers.get(f"x{i}", 0)} for i in range(29)], "flavor": "ARM_THREAD_STATE64"}
    for name in ("lr", "cpsr", "fp", "sp", "pc", "far"):
        state[name] = {"value": registers[name]}
    state["esr"] = {"value": registers["esr"][0], "description": registers["esr"][1]}
    state["pc"]["matchesCrashFrame"] = 1
    if "selector" in r:
        state["x"][1]["objc-selector"] = r["selector"]
    threads = []
    for number, thread in enumerate(r["threads"]):
        out = {"id": 5000 + 7 * number}
        if number == r["crashed"]:
            out = {"triggered": True, **out, "threadState": state}
        out.update({key: thread[key] for key in ("name", "queue") if key in thread})
        out["frames"] = [json_frame(f) for f in thread["frames"]]
        threads.append(out)
    number, meaning, namespace, details = (*r["termination"], "SIGNAL", [])[:4]
    body = {
        "uptime": 4200, "procRole": "Foreground", "version": 2, "userID": 501, "deployVersion": 210,
        "modelCode": r["model"], "coalitionID": 512,
        "osVersion": {**({"isEmbedded": True} if ios else {}), "train": train, "releaseType": "User", "build": build},
        "captureTime": r["time"], "codeSigningMonitor": 2, "incident": r["incident"].upper(), "pid": r["pid"],
        "translated": False, "cpuType": "ARM-64", "roots_installed": 0, "bug_type": "309",
        "procLaunch": r["launch"], "procName": app.name, "procPath": app.path,
        "bundleInfo": {"CFBundleShortVersionString": "1.0", "CFBundleVersion": "1", "CFBundleIdentifier": r["identifier"]},
        "parentProc": "launchd", "parentPid": 1, "coalitionName": r["identifier"],
        "crashReporterKey": "0000000000000000000000000000000000000001",
        "exception": {"codes": f"0x{e['codes'][0]:016x}, 0x{e['codes'][1]:016x}", "rawCodes": list(e["codes"]),
                      "type": e["type"], "signal": e["signal"], **({"subtype": e["subtype"]} if "subtype" in e else {})},
        "termination": {"flags": 0, "code": number, "namespace": namespace, "indicator": meaning,
                        **({"details": details} if details else {}),
                        "byProc": "exc handler", "byPid": r["pid"]},
        **({"asi": r["asi"]} if "asi" in r else {}),
        **({"vmregioninfo": r["region"]} if "region" in r else {}),
        **({"lastExceptionBacktrace": [json_frame(f) for f in r["leb"]]} if "leb" in r else {}),
        "faultingThread": r["crashed"], "threads": threads,
        "usedImages": [
            {"source": "P", "arch": i.arch, "base": i.base, "size": i.size, "uuid": i.uuid, "path": i.path, "name": i.name}
            if i else {"size": 0, "source": "A", "base": 0, "uuid": "00000000-0000-0000-0000-000000000000"}
            for i in images],
        "sharedCache": {"base": 0x180000000, "size": 0x100000000, "uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, "invented:cache"))},
        "legacyInfo": {"threadTriggered": {"queue": r["threads"][r["crashed"]].get("queue", "")}},
        "reportNotes": [NOTE],
    }
    # Apple writes one key a line and escapes the slashes.
    dump = lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("/", "\\/")
    lines = ",\n".join(f'  "{key}" : {dump(value)}' for key, value in body.items())
    return dump(header) + "\n{\n" + lines + "\n}\n"


def save(path, content):
    with open(os.path.join(REPORTS, path), "w", newline="") as f:
        f.write(content)


# --- Apple's images (invented) ---------------------------------------------------------------

def apple(name, base, size, path, arch="arm64e"):
    return Image(name, base, size, path, arch)


UIKIT = apple("UIKitCore", 0x18f4a0000, 0x1b4a000, "/System/Library/PrivateFrameworks/UIKitCore.framework/UIKitCore")
COREFOUNDATION = apple("CoreFoundation", 0x18cc3c000, 0x546000, "/System/Library/Frameworks/CoreFoundation.framework/CoreFoundation")
FOUNDATION = apple("Foundation", 0x18b8e4000, 0xbc5000, "/System/Library/Frameworks/Foundation.framework/Foundation")
GRAPHICS = apple("GraphicsServices", 0x1d9c40000, 0x9000, "/System/Library/PrivateFrameworks/GraphicsServices.framework/GraphicsServices")
DYLD = apple("dyld", 0x1b2c38000, 0x88000, "/usr/lib/dyld")
KERNEL = apple("libsystem_kernel.dylib", 0x1dc9a8000, 0x3a000, "/usr/lib/system/libsystem_kernel.dylib")
PTHREAD = apple("libsystem_pthread.dylib", 0x2162e8000, 0xd000, "/usr/lib/system/libsystem_pthread.dylib")
C = apple("libsystem_c.dylib", 0x1945fc000, 0x80000, "/usr/lib/system/libsystem_c.dylib")
OBJC = apple("libobjc.A.dylib", 0x18a5c8000, 0x52000, "/usr/lib/libobjc.A.dylib")
CXXABI = apple("libc++abi.dylib", 0x2161f8000, 0x1a000, "/usr/lib/libc++abi.dylib")

RUN_LOOP = [
    COREFOUNDATION.frame("__CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__", 28),
    COREFOUNDATION.frame("__CFRunLoopDoSource0", 176),
    COREFOUNDATION.frame("__CFRunLoopDoSources0", 244),
    COREFOUNDATION.frame("__CFRunLoopRun", 840),
    COREFOUNDATION.frame("CFRunLoopRunSpecific", 588),
    GRAPHICS.frame("GSEventRunModal", 164),
    UIKIT.frame("-[UIApplication _run]", 816),
    UIKIT.frame("UIApplicationMain", 340),
]
START = DYLD.frame("start", 2724)
WORKER = {"frames": [PTHREAD.frame("start_wqthread", 0)]}
EVENT_FETCH = {"name": "com.apple.uikit.eventfetch-thread", "frames": [
    KERNEL.frame("mach_msg2_trap", 8), KERNEL.frame("mach_msg2_internal", 80), KERNEL.frame("mach_msg_overwrite", 424),
    KERNEL.frame("mach_msg", 24), COREFOUNDATION.frame("__CFRunLoopServiceMachPort", 160),
    COREFOUNDATION.frame("__CFRunLoopRun", 1208), COREFOUNDATION.frame("CFRunLoopRunSpecific", 588),
    FOUNDATION.frame("-[NSRunLoop(NSRunLoop) runMode:beforeDate:]", 212), UIKIT.frame("-[UIEventFetcher threadMain]", 424),
    FOUNDATION.frame("__NSThread__start__", 724), PTHREAD.frame("_pthread_start", 136), PTHREAD.frame("thread_start", 8)]}
URL_LOADING = {"queue": "com.example.download", "frames": [
    KERNEL.frame("__psynch_cvwait", 8), PTHREAD.frame("_pthread_cond_wait", 1224),
    FOUNDATION.frame("-[NSCondition waitUntilDate:]", 132), PTHREAD.frame("_pthread_start", 136), PTHREAD.frame("thread_start", 8)]}
IOS_IMAGES = [UIKIT, DYLD, FOUNDATION, COREFOUNDATION, GRAPHICS, KERNEL, PTHREAD]


# --- HogeApp: nil in Fuga.init(json:), an iOS app in Swift ------------------------------------

def hoge_app(name, base, incident, seconds):
    container = str(uuid.uuid5(uuid.NAMESPACE_URL, "container:" + name)).upper()
    app = Binary(name, name + ".app.dSYM", base, f"/private/var/containers/Bundle/Application/{container}/{name}.app/{name}")
    optimised = name == "HogeApp"
    integer = "Fuga.swift: value(of: name)!"
    price = 'Fuga.swift: json.integer("price")'
    if optimised:  # integer(_:) is inlined into Fuga.init and traps there; add(_:) is inlined into reload(_:)
        own = [app.at(integer, "brk", last=True), app.after("Hoge.swift: Fuga(json: answer)", "4FugaV4json"),
               app.after("Hoge.swift: reload(answers)", "6reload")]
        main = [app.after("App.swift: UIApplicationMain(0, nil")]
        lr = app.after(integer, "5value", last=True)["address"]
    else:  # each function has a frame, and the library's own function traps
        own = [app.inside("_assertionFailure", "brk"), app.inside("7integer", "bl", "_assertionFailure"),
               app.after(price, "7integer"), app.after("Hoge.swift: Fuga(json: answer)", "4FugaV4json"), app.after("Hoge.swift: add(answer)", "3add"),
               app.after("Hoge.swift: reload(answers)", "6reload")]
        main = [app.after("App.swift: UIApplicationMain(0, nil"), app.inside("$main", "bl"), app.inside("_main", "bl", "$main")]
        lr = own[0]["address"]  # the trap follows a call
    trap = own[0]
    frames = [*own,
              UIKIT.frame("-[UIViewController _sendViewDidLoadWithAppearanceProxyObjectTaggingEnabled]", 84),
              UIKIT.frame("-[UIViewController loadViewIfRequired]", 792),
              UIKIT.frame("-[UIWindow addRootViewControllerViewIfPossible]", 156),
              UIKIT.frame("-[UIWindow makeKeyAndVisible]", 44),
              *RUN_LOOP, *main, START]
    registers = {f"x{i}": 0 for i in range(29)}
    registers.update({"x1": 1, "x3": 0x280c04120, "x4": 0x280c04160, "x19": 0x280c04160, "x20": 0x280c04120, "x21": 2,
                      "x25": 2, "x26": 1, "fp": 0x16fb1f180, "lr": lr, "sp": 0x16fb1f150, "pc": trap["address"],
                      "cpsr": 0x60001000, "far": 0x0000000102f24000, "esr": (0xf2000001, "(Breakpoint) brk 1")})
    return {
        "app": app, "pid": 1512, "identifier": "com.example.HogeApp" + ("" if optimised else ".ja"), "model": "iPhone15,2", "os": "iPhone OS 18.1 (22B83)",
        "incident": incident, "time": f"2025-01-01 09:00:{seconds}.1234 +0900", "launch": f"2025-01-01 08:59:{seconds}.5678 +0900",
        "exception": {"type": "EXC_BREAKPOINT", "signal": "SIGTRAP", "codes": (1, trap["address"])},
        "termination": (5, "Trace/BPT trap: 5"), "crashed": 0,
        "threads": [{"queue": "com.apple.main-thread", "frames": frames}, WORKER, EVENT_FETCH, URL_LOADING],
        "registers": registers, "images": [app, *IOS_IMAGES],
    }


hoge = hoge_app("HogeApp", 0x1022e0000, "6d1f7a52-0c4e-4b0e-9b7d-2f1c8e5a9d01", "12")
save("text/HogeApp.crash", text(hoge))
save("ips/HogeApp.ips", ips(hoge))
apuri = hoge_app("アプリ", 0x104a90000, "b1c7e2d4-5f60-4a11-8a5e-7c3d90f2e602", "34")
save("text/アプリ.crash", text(apuri))
save("ips/アプリ.ips", ips(apuri))


# --- NullNode: a member read through a null pointer, a macOS program in C ----------------------

def null_node(arch, base):
    app = Binary("NullNode-" + arch, "NullNode.dSYM", base, "/Applications/NullNode.app/Contents/MacOS/NullNode", arch)
    crash = app.at("list.h: return node->length", "ldr" if arch == "arm64" else "movq")
    caller = app.after("null_node.c: total_length(names)", "_total_length")
    if arch == "arm64":
        images = [app, DYLD, PTHREAD]
        registers = {"x0": app.symbol("_only"), "x8": 4, "x9": 0, "fp": 0x16b6f7420, "lr": caller["address"], "sp": 0x16b6f7420,
                     "pc": crash["address"], "cpsr": 0x60001000, "far": 0x18,
                     "esr": (0x92000006, "(Data Abort) byte read Translation fault")}
    else:
        images = [app, DYLD_X86, PTHREAD_X86]
        registers = {"rdi": app.symbol("_only"), "rsi": 0x7ff7b1c3a5f8, "rdx": 0x7ff7b1c3a608, "rcx": 0x7ff7b1c3a708,
                     "rbp": 0x7ff7b1c3a3f0, "rsp": 0x7ff7b1c3a3f0, "rip": crash["address"], "rfl": 0x10246, "cr2": 0x18}
    start, worker = images[1].frame("start", 1942), images[2].frame("start_wqthread", 0)
    first_page = hex(base)[2:] + "-" + hex(base + app.size)[2:]
    return {
        "app": app, "pid": 2207, "identifier": "com.example.NullNode", "model": "Mac14,2", "os": "macOS 14.6.1 (23G93)",
        "incident": str(uuid.uuid5(uuid.NAMESPACE_URL, "incident:NullNode" + arch)),
        "time": "2025-01-01 10:15:30.2500 +0100", "launch": "2025-01-01 10:15:30.1100 +0100",
        "exception": {"type": "EXC_BAD_ACCESS", "signal": "SIGSEGV", "codes": (1, 0x18),
                      "subtype": "KERN_INVALID_ADDRESS at 0x0000000000000018"},
        "termination": (11, "Segmentation fault: 11"), "crashed": 0,
        "region": f"VM Region Info: 0x18 is not in any region.  Bytes before following region: {base - 0x18}\n"
                  "      REGION TYPE                    START - END         [ VSIZE] PRT/MAX SHRMOD  REGION DETAIL\n"
                  "      UNUSED SPACE AT START\n--->  \n"
                  f"      __TEXT                      {first_page}    [{app.size // 1024:5}K] r-x/r-x SM=COW  {app.path}\n",
        "threads": [{"queue": "com.apple.main-thread", "frames": [crash, caller, start]}, {"frames": [worker]}],
        "registers": registers, "images": images,
    }


# --- VarsC and VarsSwift: variables in registers ------------------------------------------------

def arguments(app, function, crash, values):
    """The registers of a function's arguments at an instruction of it.

    Before that instruction none may be written, so they are what the calling convention (AAPCS64, System V AMD64) and the
    call in the source say; here that is looked up in the code.
    """
    start = next(i for i, c in enumerate(app.code) if function in c[1])
    stop = next(i for i, c in enumerate(app.code) if c[0] - app.linked + app.base == crash["address"])
    alias = {"edi": "rdi", "esi": "rsi", "edx": "rdx", "ecx": "rcx", "r8d": "r8", "r9d": "r9"}
    for _, name, mnemonic, operands in app.code[start:stop]:
        assert function in name
        target = operands.split(",")[0].lstrip("[") if app.arch == "arm64" else operands.split("#")[0].split(",")[-1].strip(" %")
        target = re.sub(r"^w(\d+)$", r"x\1", alias.get(target, target))
        assert target not in values, f"{app.name}: {mnemonic} {operands} writes {target} before the crash"
    return values


def bad_pointer(app, name, ident, crash, callers, registers, fault, images, ios):
    """A report of a read from an address where nothing is mapped."""
    system = ("iPhone15,2", "iPhone OS 18.1 (22B83)") if ios else ("Mac14,2", "macOS 14.6.1 (23G93)")
    return {
        "app": app, "pid": 2502, "identifier": "com.example." + name, "model": system[0], "os": system[1],
        "incident": str(uuid.uuid5(uuid.NAMESPACE_URL, "incident:" + ident)),
        "time": "2025-01-01 13:20:10.2500 +0100", "launch": "2025-01-01 13:20:10.1100 +0100",
        "exception": {"type": "EXC_BAD_ACCESS", "signal": "SIGSEGV", "codes": (1, fault),
                      "subtype": f"KERN_INVALID_ADDRESS at 0x{fault:016x}"},
        "termination": (11, "Segmentation fault: 11"), "crashed": 0,
        "threads": [{"queue": "com.apple.main-thread", "frames": [crash, *callers, images[1].frame("start", 1942)]},
                    {"frames": [images[2].frame("start_wqthread", 0)]}],
        "registers": registers, "images": images,
    }


def vars_c(arch, base):
    app = Binary("VarsC-" + arch, "VarsC.dSYM", base, "/Applications/VarsC.app/Contents/MacOS/VarsC", arch)
    intel = arch == "x86_64"
    crash = app.at("shelf.c: long width = shelf->box.width[2];", "movswq" if intel else "ldrsh")
    caller = app.after("shelf.c: return measure(shelf, blue", "_measure")
    shelf, fault = 0x133700006000, 0x133700006014
    # measure(shelf, blue, -7, 200, 1, {-3, 4}, 2.5, 0xfeedface): negative ints are written as 32 bits
    order = "rdi rsi rdx rcx r8 r9" if intel else "x0 x1 x2 x3 x4 x5 x6"
    values = [shelf, 0xfffffffe, 0xfffffff9, 200, 1, 4 << 32 | 0xfffffffd] + ([] if intel else [0xfeedface])
    registers = arguments(app, "_measure", crash, dict(zip(order.split(), values)))
    if intel:  # rax holds shelf_number, which the instruction before has loaded
        registers |= {"rax": 6, "rbp": 0x7ff7b1c3a3f0, "rsp": 0x7ff7b1c3a3d8, "rip": crash["address"], "rfl": 0x10246, "cr2": fault}
        images = [app, DYLD_X86, PTHREAD_X86]
    else:  # shelf_number is loaded into no register
        registers |= {"x8": app.symbol("_shelf_number") & ~0xfff, "fp": 0x16b6f7420, "lr": caller["address"], "sp": 0x16b6f7420,
                      "pc": crash["address"], "cpsr": 0x60001000, "far": fault,
                      "esr": (0x92000006, "(Data Abort) byte read Translation fault")}
        images = [app, DYLD, PTHREAD]
    return bad_pointer(app, "VarsC", "VarsC" + arch, crash, [caller], registers, fault, images, False)


def vars_swift():
    app = Binary("VarsSwift", "VarsSwift.dSYM", 0x1022e0000, "/private/var/containers/Bundle/Application/VarsSwift.app/VarsSwift")
    crash = app.at("Depot.swift: let weight = item.pointee.weight", "ldr")
    caller = app.after("main.swift: let weight = weigh(", "5weigh")
    # weigh(item, times: -4, isHeavy: true, limit: 250, depot: depot, missing: nil, share: 0.75)
    registers = arguments(app, "5weigh", crash, {
        "x0": 0x133700003000, "x1": 0xfffffffc, "x2": 1, "x3": 250, "x4": 0x280c04120, "x5": 0})
    registers |= {"fp": 0x16fb1f180, "lr": caller["address"], "sp": 0x16fb1f150, "pc": crash["address"], "cpsr": 0x60001000,
                  "far": 0x133700003008, "esr": (0x92000006, "(Data Abort) byte read Translation fault")}
    return bad_pointer(app, "VarsSwift", "VarsSwift", crash, [caller], registers, 0x133700003008,
                       [app, DYLD, PTHREAD], True)


def on_intel(image):
    return Image(image.name, image.base - 0x180000000 + 0x7ff800000000, image.size, image.path, "x86_64")


DYLD_X86, PTHREAD_X86 = on_intel(DYLD), on_intel(PTHREAD)
save("text/NullNode-x86_64.crash", text(null_node("x86_64", 0x10e2c5000)))
save("ips/NullNode-arm64.ips", ips(null_node("arm64", 0x104708000)))
save("text/VarsC-x86_64.crash", text(vars_c("x86_64", 0x10e2c5000)))
save("ips/VarsC-arm64.ips", ips(vars_c("arm64", 0x104708000)))
save("ips/VarsSwift.ips", ips(vars_swift()))


# --- ObjCThrow: an uncaught NSException; the crashed thread only shows abort() -------------------

app = Binary("ObjCThrow", "ObjCThrow.dSYM", 0x1009dc000, "/Applications/ObjCThrow.app/Contents/MacOS/ObjCThrow")
abort = [KERNEL.frame("__pthread_kill", 8), PTHREAD.frame("pthread_kill", 288), C.frame("abort", 180),
         CXXABI.frame("abort_message", 132), CXXABI.frame("demangling_terminate_handler()", 320),
         OBJC.frame("_objc_terminate()", 160), CXXABI.frame("std::__terminate(void (*)())", 16),
         CXXABI.frame("__cxa_rethrow", 188), OBJC.frame("objc_exception_rethrow", 44), START]
thrown = [COREFOUNDATION.frame("__exceptionPreprocess", 176), OBJC.frame("objc_exception_throw", 60),
          COREFOUNDATION.frame("-[__NSArrayI objectAtIndex:]", 240), app.after("shop.m: [_items objectAtIndex:index]"),
          app.after("shop.m: [shop itemAtIndex:3]"), app.after("shop.m: show_last_item([Shop new])", "_show_last_item"), START]
exception = {
    "app": app, "pid": 2310, "identifier": "com.example.ObjCThrow", "model": "Mac14,2", "os": "macOS 14.6.1 (23G93)",
    "incident": str(uuid.uuid5(uuid.NAMESPACE_URL, "incident:ObjCThrow")),
    "time": "2025-01-01 11:40:05.7500 +0100", "launch": "2025-01-01 11:40:04.9000 +0100",
    "exception": {"type": "EXC_CRASH", "signal": "SIGABRT", "codes": (0, 0)},
    "termination": (6, "Abort trap: 6"), "crashed": 0,
    "asi": {"CoreFoundation": ["*** Terminating app due to uncaught exception 'NSRangeException', reason: "
                               "'*** -[__NSArrayI objectAtIndex:]: index 3 beyond bounds [0 .. 2]'"],
            "libsystem_c.dylib": ["abort() called"],
            "libc++abi.dylib": ["terminating due to uncaught exception of type NSException"]},
    "leb": thrown,
    "threads": [{"queue": "com.apple.main-thread", "frames": abort}, WORKER],
    "registers": {"x1": 0, "x8": 0x4d2f6a1c9b3e5078, "x16": 328, "x19": 6, "x20": 0x1f7c14c00, "x21": 259, "fp": 0x16f41eb40,
                  "lr": abort[1]["address"], "sp": 0x16f41eb20, "pc": abort[0]["address"], "cpsr": 0x40001000,
                  "far": 0, "esr": (0x56000080, "Address size fault")},
    "images": [app, COREFOUNDATION, OBJC, CXXABI, C, KERNEL, PTHREAD, DYLD],
}
save("text/ObjCThrow.crash", text(exception))
save("text/ObjCThrow-addresses.crash", text(exception, last_exception_as_list=True))
save("ips/ObjCThrow.ips", ips(exception))


# --- JumpNull: a call through a null function pointer; only lr knows the caller ------------------

app = Binary("JumpNull", "JumpNull.dSYM", 0x102c84000, "/Applications/JumpNull.app/Contents/MacOS/JumpNull")
nowhere = {"image": None, "address": 0, "symbol": None, "offset": 0}
call = app.own(app.code[app.find("jump_null.c: handlers[event](event)", "blr") + 1][0])
# The frame of dispatch() is missing: the walk goes on with what is saved on the stack.
frames = [nowhere, app.after("jump_null.c: dispatch(event)", "_dispatch"), app.after("jump_null.c: deliver(argc)", "_deliver"), START]
jump = {
    "app": app, "pid": 2415, "identifier": "com.example.JumpNull", "model": "Mac14,2", "os": "macOS 14.6.1 (23G93)",
    "incident": str(uuid.uuid5(uuid.NAMESPACE_URL, "incident:JumpNull")),
    "time": "2025-01-01 12:05:50.1000 +0100", "launch": "2025-01-01 12:05:49.8000 +0100",
    "exception": {"type": "EXC_BAD_ACCESS", "signal": "SIGSEGV", "codes": (1, 0),
                  "subtype": "KERN_INVALID_ADDRESS at 0x0000000000000000"},
    "termination": (11, "Segmentation fault: 11"), "crashed": 0,
    "threads": [{"queue": "com.apple.main-thread", "frames": frames}, WORKER],
    "registers": {"x0": 1, "x1": 0x16d17b5b8, "x8": 0, "x19": 1, "fp": 0x16d17b410, "lr": call["address"], "sp": 0x16d17b400,
                  "pc": 0, "cpsr": 0x60001000, "far": 0, "esr": (0x82000006, "(Instruction Abort) Translation fault")},
    "images": [app, DYLD, PTHREAD],
}
save("text/JumpNull.crash", text(jump))
save("ips/JumpNull.ips", ips(jump))


# --- AppleCauses: one report for each place in the program ---------------------------------------

app = Binary("AppleCauses", "AppleCauses.dSYM", 0x104a18000, "/Applications/AppleCauses.app/Contents/MacOS/AppleCauses")
LIBRARIES = {name: apple(name, 0x1a0000000 + 0x100000 * number, 0x80000, path + name) for number, (name, path) in enumerate([
    ("libswiftCore.dylib", "/usr/lib/swift/"), ("libswift_Concurrency.dylib", "/usr/lib/swift/"),
    ("libdispatch.dylib", "/usr/lib/system/"), ("libsystem_malloc.dylib", "/usr/lib/system/"),
    ("libsystem_platform.dylib", "/usr/lib/system/"), ("libsqlite3.dylib", "/usr/lib/"),
    ("XCTestCore", "/Library/Developer/PrivateFrameworks/XCTestCore.framework/")])}
SWIFT, CONCURRENCY, DISPATCH, MALLOC, PLATFORM, SQLITE, XCTEST = LIBRARIES.values()
ABORT = [KERNEL.frame("__pthread_kill", 8), PTHREAD.frame("pthread_kill", 288), C.frame("abort", 180)]
IDLE = [KERNEL.frame("mach_msg2_trap", 8), COREFOUNDATION.frame("__CFRunLoopServiceMachPort", 160),
        COREFOUNDATION.frame("__CFRunLoopRun", 1208), START]
BAD_ACCESS = {"type": "EXC_BAD_ACCESS", "signal": "SIGSEGV"}
TRAP = {"type": "EXC_BREAKPOINT", "signal": "SIGTRAP", "codes": (1, 0x1a0201234)}
ABORTED = {"type": "EXC_CRASH", "signal": "SIGABRT", "codes": (0, 0)}
KILLED = {"type": "EXC_CRASH", "signal": "SIGKILL", "codes": (0, 0)}
SIGNALS = {"SIGSEGV": (11, "Segmentation fault: 11"), "SIGTRAP": (5, "Trace/BPT trap: 5"), "SIGABRT": (6, "Abort trap: 6")}


def place(name):
    return app.after(f"apple_causes.c: blame: {name} ")


def fault(address, note=""):
    return {**BAD_ACCESS, "codes": (1, address), "subtype": f"KERN_INVALID_ADDRESS at {address:#018x}" + note}


def cause(name, frames, exception, asi=None, others=(WORKER,), queue="com.apple.main-thread", **more):
    registers = {"fp": 0x16b3e6f20, "lr": frames[1]["address"], "sp": 0x16b3e6f00, "pc": frames[0]["address"], "cpsr": 0x60001000,
                 "far": 0, "esr": (0x56000080, "Address size fault"), **more.pop("registers", {})}
    report = {
        "app": app, "pid": 2600, "identifier": "com.example.AppleCauses", "model": "Mac14,2", "os": "macOS 14.6.1 (23G93)",
        "incident": str(uuid.uuid5(uuid.NAMESPACE_URL, "incident:AppleCauses:" + name)),
        "time": "2025-01-01 13:00:00.1000 +0100", "launch": "2025-01-01 12:59:59.8000 +0100", "exception": exception,
        "termination": SIGNALS.get(exception["signal"]), "crashed": 0,
        "threads": [{"queue": queue, "frames": frames}, *others], "registers": registers, **more}
    if asi:
        report["asi"] = asi
    used = [f["image"] for t in [*report["threads"], *({"frames": f} for f in more.get("asb", []))] for f in t["frames"]]
    report["images"] = [app, *dict.fromkeys(image for image in used if image not in (app, None))]
    write, extension = (ips, "ips") if name in ("freed-object", "isolation", "watchdog", "test") else (text, "crash")
    save(f"causes/AppleCauses-{name}.{extension}", write(report))


def breaks(library, message):  # what a system library says before it stops the program
    return {library.name: [message]}


READ_FAULT = (0x92000004, "(Data Abort) byte read Translation fault")
cause("freed-object", [OBJC.frame("objc_msgSend", 32), place("freed-object"), START], fault(0x5c3f8a1b2010),
      registers={"x0": 0x600001d54120, "x1": 0x1f0c3d2a8, "far": 0x5c3f8a1b2010, "esr": READ_FAULT}, selector="title")
cause("freed-swift-object", [SWIFT.frame("swift_release", 24), place("freed-swift-object"), START], fault(0x8000000b8),
      registers={"x0": 0x600002c40c60, "far": 0x8000000b8, "esr": READ_FAULT})
cause("heap", [*ABORT, MALLOC.frame("malloc_vreport", 896), MALLOC.frame("malloc_report", 64), place("heap"), START], ABORTED,
      breaks(MALLOC, "AppleCauses(2600,0x1f7c14c00) malloc: *** error for object 0x600003a4c010: pointer being freed was not allocated"))
cause("recursive-lock", [PLATFORM.frame("_os_unfair_lock_recursive_abort", 36), PLATFORM.frame("_os_unfair_lock_lock_slow", 356), place("recursive-lock"), START],
      TRAP, breaks(PLATFORM, "BUG IN CLIENT OF LIBPLATFORM: Trying to recursively lock an os_unfair_lock"))
cause("own-queue", [DISPATCH.frame("__DISPATCH_WAIT_FOR_QUEUE__", 452), DISPATCH.frame("_dispatch_sync_f_slow", 144), place("own-queue"), START],
      TRAP, breaks(DISPATCH, "BUG IN CLIENT OF LIBDISPATCH: dispatch_sync called on queue already owned by current thread"))
MAIN_ONLY = "BUG IN CLIENT OF LIBDISPATCH: Assertion failed: Block was expected to execute on queue [com.apple.main-thread (0x1f7c15000)]"
ASSERT_QUEUE = [DISPATCH.frame("_dispatch_assert_queue_fail", 120), DISPATCH.frame("dispatch_assert_queue", 196)]
cause("wrong-queue", [*ASSERT_QUEUE, place("wrong-queue"), PTHREAD.frame("start_wqthread", 8)], TRAP, breaks(DISPATCH, MAIN_ONLY),
      others=[{"queue": "com.apple.main-thread", "frames": IDLE}], queue="com.example.download")
cause("isolation", [*ASSERT_QUEUE, CONCURRENCY.frame("swift_task_checkIsolatedImpl", 48), CONCURRENCY.frame("_checkExpectedExecutor", 60),
                    place("isolation"), PTHREAD.frame("start_wqthread", 8)], TRAP, breaks(DISPATCH, MAIN_ONLY),
      others=[{"queue": "com.apple.main-thread", "frames": IDLE}], queue="com.example.download")
WAIT_FOR_MUTEX = [KERNEL.frame("__psynch_mutexwait", 8), PTHREAD.frame("_pthread_mutex_firstfit_lock_wait", 84),
                  PTHREAD.frame("_pthread_mutex_firstfit_lock_slow", 220)]
LOG = {"queue": "com.example.log", "frames": [KERNEL.frame("fsync", 8), app.after("apple_causes.c: system_call(lock) + 9"),
                                            PTHREAD.frame("start_wqthread", 8)]}
cause("watchdog", [*WAIT_FOR_MUTEX, place("watchdog"), START], KILLED, others=[WORKER, LOG], registers={"x0": 0x104a20040, "x3": 5014},
      termination=(0x8badf00d, "", "FRONTBOARD", [
          "scene-update watchdog transgression: app<com.example.AppleCauses>:2600 exhausted real (wall clock) time allowance of 10.00 seconds"]))
cause("database-lock", IDLE, KILLED, termination=(0xdead10cc, "", "RUNNINGBOARD"), others=[WORKER, {"frames": [
    KERNEL.frame("fsync", 8), SQLITE.frame("unixSync", 220), SQLITE.frame("sqlite3_step", 528), place("database-lock"),
    PTHREAD.frame("start_wqthread", 8)]}])
THROWN = [COREFOUNDATION.frame("__exceptionPreprocess", 176), OBJC.frame("objc_exception_throw", 60)]
cause("unrecognized-selector", [*ABORT, CXXABI.frame("abort_message", 132), CXXABI.frame("demangling_terminate_handler()", 320), START], ABORTED,
      breaks(COREFOUNDATION, "*** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: "
                             "'-[NSNull length]: unrecognized selector sent to instance 0x1f7c00a40'"),
      asb=[[*THROWN, COREFOUNDATION.frame("-[NSObject(NSObject) doesNotRecognizeSelector:]", 364),
            COREFOUNDATION.frame("___forwarding___", 1480), place("unrecognized-selector"), START]])
cause("zombie", [COREFOUNDATION.frame("___forwarding___", 1016), COREFOUNDATION.frame("_CF_forwarding_prep_0", 96), place("zombie"), START], TRAP,
      breaks(COREFOUNDATION, "*** -[Document title]: message sent to deallocated instance 0x600001d54120"))
for name, address, note in (("freed-memory", 0x5555555555555565, ""), ("text-as-pointer", 0x646c726f57206f7c, ""),
                            ("pointer-authentication", 0x2000000104a20010, " -> 0x0000000104a20010 (possible pointer authentication failure)")):
    cause(name, [app.at(f"apple_causes.c: blame: {name} ", "ldr"), START], fault(address, note),
          registers={"x0": address - 16, "far": address, "esr": READ_FAULT})
cause("cpp-exception", [*ABORT, CXXABI.frame("abort_message", 132), CXXABI.frame("std::__terminate(void (*)())", 16),
                        CXXABI.frame("__cxa_throw", 140), place("cpp-exception"), START], ABORTED,
      breaks(CXXABI, "terminating due to uncaught exception of type std::out_of_range: vector"))
cause("test", [SWIFT.frame("_assertionFailure(_:_:file:line:flags:)", 236), place("test"), XCTEST.frame("-[XCTestCase invokeTest]", 272),
               XCTEST.frame("-[XCTestCase performTest:]", 288), START], TRAP,
      breaks(SWIFT, "Totals/Totals.swift:12: Precondition failed: the total is wrong"))
cause("exclusivity", [*ABORT, SWIFT.frame("swift_beginAccess", 1284), place("exclusivity"), START], ABORTED,
      breaks(SWIFT, "Simultaneous accesses to 0x600000c10230, but modification requires exclusive access."))
cause("threads", [DISPATCH.frame("_dispatch_root_queue_poke_slow", 412), place("threads"), START], TRAP,
      breaks(DISPATCH, "BUG IN CLIENT OF LIBDISPATCH: Process has too many threads"))
cause("continuation", [SWIFT.frame("_assertionFailure(_:_:file:line:flags:)", 236), CONCURRENCY.frame("CheckedContinuation.resume(returning:)", 340),
                       place("continuation"), START], TRAP,
      breaks(SWIFT, "_Concurrency/CheckedContinuation.swift:196: Fatal error: SWIFT TASK CONTINUATION MISUSE: load(_:) tried to resume "
                    "its continuation more than once, returning ()!"))
again = app.after("apple_causes.c: return visit(tree + 1)", "_visit")
guard = 0x16b3e3ff0
cause("guard-page", [app.at("apple_causes.c: blame: guard-page ", "stp"), *[again] * 60, START],
      {"type": "EXC_BAD_ACCESS", "signal": "SIGBUS", "codes": (2, guard), "subtype": f"KERN_PROTECTION_FAILURE at {guard:#018x}"},
      termination=(10, "Bus error: 10"), registers={"far": guard, "sp": guard + 16, "esr": (0x92000047, "(Data Abort) byte write Translation fault")},
      region=f"VM Region Info: {guard:#x} is in 0x167be0000-0x16b3e4000;  bytes after start: 58720240  bytes before end: 15\n"
             "      REGION TYPE                    START - END         [ VSIZE] PRT/MAX SHRMOD  REGION DETAIL\n"
             "--->  STACK GUARD                 167be0000-16b3e4000    [ 56.0M] ---/rwx SM=NUL  stack guard for thread 0\n"
             "      Stack                       16b3e4000-16bbe0000    [ 8176K] rw-/rwx SM=PRV  thread 0\n")


# --- damaged and mismatching copies of HogeApp.crash ---------------------------------------------

whole = text(hoge)
save("other/HogeApp-cut.crash", whole[:whole.index("Thread 2:") + 420])
save("other/HogeApp-crlf.crash", whole.replace("\n", "\r\n"))
other = hoge["app"].uuid.replace("-", "")
save("other/HogeApp-other-build.crash", whole.replace(other, "0123456789abcdef0123456789abcdef"))
