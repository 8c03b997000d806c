#!/usr/bin/env python3
"""How many nameless frames of the system a symbol memory names again, and how often it is wrong.

usage: symbol_memory.py CRASHREAD DIRECTORY...      leave one report out, over the reports in directories
       symbol_memory.py CRASHREAD --composed COUNT [--all-different]
                                                    reports of a composed system: size, look-up and learning cost

Leaving one out: the memory learns from all reports but those of one device, whose names of the system's functions are then
hidden. A frame that is named again is right when the name is the hidden one.
"""
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HEAD = "crashread symbols 1\n"


def crashread(*arguments, stdin=None):
    return subprocess.run([PROGRAM, *map(str, arguments)], input=stdin, capture_output=True)


def exported(path, memory):
    """What a report says: {(image, start, extent, name): (day, witnesses)}."""
    if os.path.exists(memory):
        os.remove(memory)
    if crashread("symbols", "learn", f"--symbol-memory={memory}", path).returncode:
        return {}
    text = crashread("symbols", "export", f"--symbol-memory={memory}").stdout.decode()
    rows, image = {}, None
    for line in text.splitlines()[1:]:
        parts = line.split("\t")
        if len(parts) == 1:
            image = line
        else:
            rows[(image, parts[0], parts[1], parts[4])] = (parts[2], frozenset(parts[3].split(",")))
    return rows


def memory_text(rows):
    text, last = [HEAD], None
    for (image, start, extent, name), (day, witnesses) in sorted(rows.items()):
        if image != last:
            text.append(image + "\n")
        last = image
        text.append("\t".join([start, extent, day, ",".join(sorted(witnesses)[:32]), name]) + "\n")
    return "".join(text)


def hidden(data):
    """The report with every symbol that has a distance behind it made nameless."""
    data = re.sub(rb"(?m)^(\d+\s+\S.*?0x[0-9a-fA-F]+ +)(\S.*?)( \+ \d+)", rb"\1<redacted>\3", data)
    return re.sub(rb'("symbol(?:_name)?"\s*:\s*)"(?:[^"\\]|\\.)*"', rb'\1"<redacted>"', data)


def frames(document):
    for report in document if isinstance(document, list) else [document]:
        for thread in report.get("threads", []):
            for frame in thread["frames"]:
                yield frame


def parsed(path, *options):
    run = crashread("--format=json", "--cache=off", *options, path)
    try:
        return json.loads(run.stdout)
    except ValueError:
        return []


def is_same(found, truth):
    words = lambda name: set(re.findall(r"[A-Za-z0-9_$]+", name or ""))
    location = found["locations"][-1]
    names = [location.get("linkageName"), location.get("function")]
    return truth in names or any(words(name) and words(name) <= words(truth) for name in names)


def build(document):
    for report in document if isinstance(document, list) else [document]:
        match = re.search(r"\((\w+)\)", report["report"].get("osVersion") or "")
        return match.group(1) if match else "?"
    return "?"


def leave_one_out(directories):
    with tempfile.TemporaryDirectory() as folder:
        memory = f"{folder}/memory"
        files = sorted(p for d in directories for p in Path(d).rglob("*") if p.is_file() and p.stat().st_size < 8 << 20)
        said = {path: exported(path, memory) for path in files}
        said = {path: rows for path, rows in said.items() if rows}
        documents = {path: parsed(path) for path in said}
        builds = collections.Counter(build(documents[path]) for path in said)
        everything = collections.defaultdict(lambda: ["-", set()])
        for rows in said.values():
            for key, (day, witnesses) in rows.items():
                everything[key][0] = day
                everything[key][1] |= witnesses
        print(f"{len(said)} reports with names of the system, {len(everything)} sightings")
        for quorum in (1, 2):
            sums = collections.defaultdict(collections.Counter)
            for path, rows in said.items():
                own = frozenset().union(*(witnesses for _, witnesses in rows.values()))
                images = {key[0] for key in rows}
                others = {
                    key: (day, witnesses - own) for key, (day, witnesses) in everything.items()
                    if key[0] in images and witnesses - own}
                place = f"{folder}/report{path.suffix}"
                Path(place).write_bytes(hidden(path.read_bytes()))
                if os.path.exists(memory):
                    os.remove(memory)
                crashread("symbols", "import", f"--symbol-memory={memory}", "-", stdin=memory_text(others).encode())
                named = parsed(place, f"--symbol-memory={memory}", f"--learn-quorum={quorum}")
                seen = builds[build(documents[path])] - 1
                bucket = "0" if seen == 0 else "1 to 4" if seen < 5 else "5 to 19" if seen < 20 else "20 or more"
                for before, after in zip(frames(documents[path]), frames(named)):
                    if before["inApp"] or not before.get("reportedSymbolOffset") or not before.get("reportedSymbol"):
                        continue
                    if before["reportedSymbol"].startswith("<") or after.get("reportedSymbol") != "<redacted>":
                        continue
                    sums[bucket]["hidden"] += 1
                    if after["resolution"] == "learned":
                        right = is_same(after, before["reportedSymbol"])
                        sums[bucket]["right" if right else "wrong"] += 1
                        if not right:
                            print("wrong:", path, before["reportedSymbol"], "->", after["locations"][-1])
            print(f"quorum {quorum}: other reports of the same build, hidden, right, wrong")
            for bucket, counts in sorted(sums.items()):
                print(f"  {bucket:12} {counts['hidden']:7} {counts['right']:7} {counts['wrong']:7}")


def stack(functions, chosen):
    """The lines of 20 frames; the functions near the start of the list are the most frequent ones."""
    lines = []
    for frame in range(20):
        library, start, size = functions[min(int(chosen.expovariate(8 / len(functions))), len(functions) - 1)]
        # A return address follows one of the function's calls: about one in twelve instructions.
        distance = min(48 * chosen.randrange(size // 48 + 1) + 8 + start % 24 // 4 * 4, size - 4)
        address = 0x180000000 + library * 0x1000000 + start + distance
        lines.append(f"{frame:<4}lib{library}.dylib                     \t0x{address:016x} _function_{library}_{start:x} + {distance}")
    return lines


def composed_report(functions, waiting, number, chosen):
    """A text report of a system whose libraries hold functions at known places."""
    lines = [
        f"Incident Identifier: {number:032X}", f"CrashReporter Key:   {number % 997:040x}",
        "Hardware Model:      iPhone12,1", "Process:             App [1]", "Path:                /private/var/App.app/App",
        "Identifier:          com.example.App", "Version:             1 (1)", "Code Type:           ARM-64 (Native)", "",
        "Date/Time:           2026-01-01 00:00:00 +0000", "OS Version:          iPhone OS 18.1 (22B83)", "",
        "Exception Type:  EXC_CRASH (SIGABRT)", "Triggered by Thread:  0", ""]
    for thread in range(8):
        lines.append(f"Thread {thread}{' Crashed' if thread == 0 else ''}:")
        # Most threads of a system wait in the same few places; every thread is another one with --all-different.
        waits = thread > 1 and not ALL_DIFFERENT
        lines += waiting[chosen.randrange(len(waiting))] if waits else stack(functions, chosen)
        lines.append("")
    lines.append("Binary Images:")
    for library in range(40):
        base = 0x180000000 + library * 0x1000000
        lines.append(f"0x{base:x} - 0x{base + 0xffffff:x} lib{library}.dylib arm64e  <{library + 1:032x}> /usr/lib/lib{library}.dylib")
    return "\n".join(lines) + "\n"


def coverage(functions, waiting, chosen):
    """How many hidden names of 20 reports are found again after 1, 5, 20 and 100 others of the same system."""
    with tempfile.TemporaryDirectory() as folder:
        memory, hidden_report, learned = f"{folder}/memory", f"{folder}/hidden.crash", 0
        probes = [composed_report(functions, waiting, 500 + number, chosen) for number in range(20)]
        for seen in (1, 5, 20, 100):
            os.makedirs(f"{folder}/{seen}")
            for number in range(learned, seen):
                Path(f"{folder}/{seen}/{number}.crash").write_text(composed_report(functions, waiting, number, chosen))
            learned = seen
            crashread("symbols", "learn", f"--symbol-memory={memory}", f"{folder}/{seen}")
            for quorum in (1, 2):
                named = right = total = 0
                for probe in probes:
                    Path(hidden_report).write_bytes(hidden(probe.encode()))
                    names = re.findall(r"(?m)^\d+ +lib\d+\.dylib\s+0x\w+ (\w+) \+ \d+$", probe)
                    found = parsed(hidden_report, f"--symbol-memory={memory}", f"--learn-quorum={quorum}")
                    for frame, name in zip(frames(found), names, strict=True):
                        total += 1
                        if frame["resolution"] == "learned":
                            named += 1
                            right += is_same(frame, name)
                print(f"{seen} reports, quorum {quorum}: {named} of {total} hidden names found, {named - right} wrong")


def composed(count):
    chosen = random.Random(23)
    functions = []
    for library in range(40):
        place = 0x4000
        while place < 0x100000:
            size = chosen.randrange(0x20, 0x800, 4)
            functions.append((library, place, size))
            place += size
    chosen.shuffle(functions)
    waiting = [stack(functions, chosen) for _ in range(64)]
    coverage(functions, waiting, random.Random(5))
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/reports")
        for number in range(count):
            Path(f"{folder}/reports/{number}.crash").write_text(composed_report(functions, waiting, number, chosen))
        memory = f"{folder}/memory"
        times = {}
        rounds = (("without", []), ("learning", [f"--symbol-memory={memory}", "--learn"]), ("using", [f"--symbol-memory={memory}"]))
        for name, options in rounds:
            start = time.monotonic()
            run = crashread("batch", f"{folder}/reports", "-o", f"{folder}/{name}.ndjson", *options)
            times[name] = time.monotonic() - start
            print(name, f"{times[name]:.1f} s", run.stderr.decode().strip().splitlines()[-1:])
        print(f"learning costs {100 * (times['learning'] / times['without'] - 1):.1f} %")
        print(f"memory: {os.path.getsize(memory) / 1e6:.1f} MB")
        for path in Path(f"{folder}/reports").iterdir():
            path.write_bytes(hidden(path.read_bytes()))
        start = time.monotonic()
        crashread("batch", f"{folder}/reports", "-o", f"{folder}/none.ndjson")
        nameless = time.monotonic() - start
        start = time.monotonic()
        crashread("batch", f"{folder}/reports", f"--symbol-memory={memory}", "-o", f"{folder}/named.ndjson")
        cost = time.monotonic() - start - nameless
        learned = sum(line.count(b'"resolution": "learned"') + line.count(b'"resolution":"learned"') for line in open(f"{folder}/named.ndjson", "rb"))
        print(f"{count * 160} nameless frames: {learned} named, {max(0, cost) * 1e6 / (count * 160):.2f} µs of the clock a frame")


PROGRAM = sys.argv[1]
ALL_DIFFERENT = "--all-different" in sys.argv
if sys.argv[2] == "--composed":
    composed(int(sys.argv[3]))
else:
    leave_one_out(sys.argv[2:])
