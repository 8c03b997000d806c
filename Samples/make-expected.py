#!/usr/bin/env python3
"""Writes expected.tsv: what llvm-symbolizer says about every frame of our own binaries.

The reports are read here on their own, without compose.py, so that this is a check of them, too.
One row for each level of a frame, the innermost first:

    report   debug file   thread ("leb": Last Exception Backtrace)   frame ("lr": the register)
    function as llvm-symbolizer prints it   file:line   Swift's function demangled ("-": not Swift)

A report whose debug file is not here has one row with "-" for the debug file.

    make-expected.py DIR        DIR has reports/ and symbols/
"""
import glob
import json
import os
import re
import subprocess
import sys

os.chdir(sys.argv[1])


def run(*command, stdin=None):
    return subprocess.run(command, input=stdin, check=True, capture_output=True, text=True).stdout


# --- debug files by UUID: (file, file to give to llvm-symbolizer, architecture, linked base) --------

debug = {}
for dwarf in sorted(glob.glob("symbols/*.dSYM/Contents/Resources/DWARF/*")):
    for id, arch in re.findall(r"UUID: (\S+) \((\S+)\)", run("llvm-dwarfdump", "--uuid", dwarf)):
        debug[id.replace("-", "").lower()] = (dwarf.split("/")[1], dwarf, arch, 0x100000000)
for file in sorted(glob.glob("symbols/*.debug")):
    id = re.search(r"Build ID: (\w+)", run("llvm-readelf", "-n", file))[1]
    debug[id] = (os.path.basename(file), file, "x86_64", 0)


# --- reports: images [(base, end, uuid)], frames [(thread, frame, address)], lr -----------------------

def read_text(report):
    images, frames, thread, lr = [], [], None, None
    for line in report.splitlines():
        if m := re.match(r"Thread (\d+).*:", line):
            thread = m[1] if "State" not in line else None
        elif line.startswith("Last Exception Backtrace:"):
            thread = "leb"
        elif thread == "leb" and line.startswith("("):
            frames += [("leb", str(i), int(a, 16)) for i, a in enumerate(line.strip("()").split())]
        elif thread and (m := re.match(r"(\d+) .*?\t\s*(0x[0-9a-f]+) ", line)):
            frames.append((thread, m[1], int(m[2], 16)))
        elif m := re.match(r"\s*(0x[0-9a-f]+) -\s+(0x[0-9a-f]+) .*<([0-9a-fA-F-]+)>", line):
            images.append((int(m[1], 16), int(m[2], 16), m[3].replace("-", "").lower()))
        elif m := re.search(r" lr: (0x[0-9a-f]+)", line):
            lr = int(m[1], 16)
    return images, frames, lr


def read_ips(report):
    body = json.loads(report.split("\n", 1)[1])
    used = body["usedImages"]
    images = [(i["base"], i["base"] + i["size"] - 1, i["uuid"].replace("-", "")) for i in used]
    frames, lr = [], None
    threads = [("leb", body.get("lastExceptionBacktrace", []))]
    threads += [(str(n), t["frames"]) for n, t in enumerate(body["threads"])]
    for name, list in threads:
        frames += [(name, str(i), used[f["imageIndex"]]["base"] + f["imageOffset"]) for i, f in enumerate(list)]
    for thread in body["threads"]:
        if "threadState" in thread:
            lr = thread["threadState"]["lr"]["value"]
    return images, frames, lr


# --- rows -------------------------------------------------------------------------------------------

rows = []
for path in sorted(glob.glob("reports/*/*")):
    with open(path) as f:
        report = f.read()
    images, frames, lr = (read_ips if path.endswith(".ips") else read_text)(report)
    start = len(rows)
    crashed = next((t for t, f, a in frames if t != "leb" and re.search(rf"Thread {t} Crashed", report)), "0")
    if lr and (crashed, "0", 0) in frames:  # the program counter is 0: the caller is in lr
        frames.insert(0, (crashed, "lr", lr))
    for thread, frame, address in frames:
        for base, end, uuid in images:
            if not (base <= address <= end and uuid in debug):
                continue
            name, file, arch, linked = debug[uuid]
            # A crash address is exact (frame 0); the others come after a call.
            lookup = address - base + linked - (0 if frame == "0" and thread != "leb" else 1)
            answer = json.loads(run("llvm-symbolizer", "--obj=" + file, "--default-arch=" + arch,
                                    "--output-style=JSON", hex(lookup)))
            for level in answer[0]["Symbol"] if isinstance(answer, list) else answer["Symbol"]:
                if level["FileName"]:
                    place = os.path.basename(level["FileName"]) + ":" + str(level["Line"])
                    rows.append([path, name, thread, frame, level["FunctionName"], place])
    if len(rows) == start:
        rows.append([path, "-", "-", "-", "-", "-"])

names = sorted({row[4] for row in rows if re.match(r"\$[se]", row[4])})
swift = dict(zip(names, run("swift", "demangle", "-compact", *names).splitlines()))
with open("expected.tsv", "w") as f:
    for row in rows:
        f.write("\t".join(row + [swift.get(row[4], "-")]) + "\n")
