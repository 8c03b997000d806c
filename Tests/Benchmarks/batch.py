#!/usr/bin/env python3
"""Reads many reports in one batch, beside a Python loop with Sentry's symbolic over the same reports and debug files.

    swift build -c release && python3 Tests/Benchmarks/batch.py [--count 20000] [--corpus DIR] [--symbols DIR]

The reports are the corpus over and over, each copy at other addresses, and one in four of another build. Printed are the
throughput, the peak of memory of all processes together after a quarter and at the end, whether the order was kept, and
whether 200 of the results are what single runs give. The loop is run when PyPI's `symbolic` can be imported: it finds the
frames of text and .ips reports by two regular expressions, opens each debug file once, and looks the frames up.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
import uuid

from lookup import release_build
from report_copies import Template


def files_below(path):
    return sorted(os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)


def make_reports(corpus, folder, count, limit):
    """Writes the reports, and returns how many bytes they have."""
    templates = [Template(path) for path in files_below(corpus) if os.path.getsize(path) <= limit]
    templates = [template for template in templates if not template.path.endswith((".tsv", ".py", ".md"))]
    size = 0
    for number in range(count):
        template = templates[number % len(templates)]
        other = {}
        if number % 4 == 3:
            other = {identity: uuid.uuid4() for identity in template.identities()}
        text = template.copy(number, other)
        size += len(text)
        place = os.path.join(folder, f"{number // 1000:03}")
        os.makedirs(place, exist_ok=True)
        with open(os.path.join(place, f"{number:06}"), "wb") as file:
            file.write(text)
    return size


class PeakOfMemory(threading.Thread):
    """The most memory that a process and its children had to themselves at one time, in MB."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.process = process
        self.peak = 0
        self.start()

    def run(self):
        while self.process.poll() is None:
            self.peak = max(self.peak, sum(map(private_memory, family(self.process.pid))))
            time.sleep(0.1)


def family(process):
    try:
        with open(f"/proc/{process}/task/{process}/children") as file:
            return [process] + [int(child) for child in file.read().split()]
    except OSError:
        return []


def private_memory(process):
    try:
        with open(f"/proc/{process}/statm") as file:
            fields = file.read().split()
        return (int(fields[1]) - int(fields[2])) * os.sysconf("SC_PAGESIZE") / 1e6
    except OSError:
        return 0


def run_batch(crashread, folder, symbols, output, arguments):
    with open(output, "wb") as file:
        start = time.monotonic()
        process = subprocess.Popen([crashread, "batch", folder, "--symbols", symbols, *arguments], stdout=file, stderr=subprocess.DEVNULL)
        memory = PeakOfMemory(process)
        early = None
        while process.poll() is None:
            time.sleep(0.2)
            if early is None and time.monotonic() - start > 5:
                early = memory.peak
        return time.monotonic() - start, early or memory.peak, memory.peak


def check(crashread, symbols, output, count):
    """Whether the order was kept, and how many of 200 results are those of single runs."""
    lines = {}
    order = []
    with open(output, "rb") as file:
        for line in file:
            name = json.loads(line)["input"]
            lines.setdefault(name, b"")
            lines[name] += line
            if not order or order[-1] != name:
                order.append(name)
    sample = random.Random(7).sample(order, min(200, len(order)))
    same = 0
    for name in sample:
        single = subprocess.run([crashread, "--format=ndjson", name, "--symbols", symbols], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        same += single.stdout == lines[name]
    return len(order), order == sorted(order), same, len(sample)


FRAME = re.compile(r"^\d+\s+(.+?)\s+(0x[0-9a-fA-F]+) ", re.MULTILINE)
IMAGE = re.compile(r"^\s*(0x[0-9a-fA-F]+) - +(0x[0-9a-fA-F]+) .*?<([0-9a-fA-F-]{32,36})>", re.MULTILINE)


def frames_of(text):
    """Pairs of an image's UUID and an offset in it."""
    images = [(int(start, 16), int(end, 16), uuid.UUID(identity)) for start, end, identity in IMAGE.findall(text)]
    if images:
        for _, address in FRAME.findall(text):
            value = int(address, 16)
            for start, end, identity in images:
                if start <= value <= end:
                    yield identity, value - start
                    break
        return
    try:
        report = json.loads(text.partition("\n")[2])
        for thread in report["threads"]:
            for frame in thread["frames"]:
                yield uuid.UUID(report["usedImages"][frame["imageIndex"]]["uuid"]), frame["imageOffset"]
    except (ValueError, KeyError, TypeError, IndexError):
        return


def run_symbolic(folder, symbols):
    """Seconds that the loop takes, and how many frames it resolved; nil when symbolic isn't installed."""
    try:
        from symbolic.debuginfo import Archive
    except ImportError:
        return None
    start = time.monotonic()
    caches = {}
    for path in files_below(symbols):
        try:
            for thing in Archive.open(path).iter_objects():
                caches[uuid.UUID(str(thing.debug_id)[:36])] = thing.make_symcache()
        except Exception:  # whatever is no debug file
            continue
    resolved = 0
    for path in files_below(folder):
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        result = []
        for identity, offset in frames_of(text):
            cache = caches.get(identity)
            found = cache.lookup(offset) if cache else []
            result.append([{"function": place.symbol, "file": place.full_path, "line": place.line} for place in found])
            resolved += bool(found)
        json.dumps(result)
    return time.monotonic() - start, resolved


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    samples = os.path.join(os.path.dirname(__file__), "..", "..", "Samples")
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--corpus", default=os.path.join(samples, "reports"))
    parser.add_argument("--symbols", default=os.path.join(samples, "symbols"))
    parser.add_argument("--largest", type=int, default=200_000, help="bytes of a report")
    options, arguments = parser.parse_known_args()
    crashread = release_build()
    os.environ["CRASHREAD_CACHE"] = "off"
    with tempfile.TemporaryDirectory() as folder:
        reports = os.path.join(folder, "reports")
        size = make_reports(options.corpus, reports, options.count, options.largest)
        print(f"{options.count} reports, {size / 1e6:.0f} MB")
        output = os.path.join(folder, "output")
        seconds, early, peak = run_batch(crashread, reports, options.symbols, output, arguments)
        print(f"crashread batch: {seconds:.1f} s, {options.count / seconds:.0f} reports/s, "
              f"{os.path.getsize(output) / 1e6:.0f} MB of results, peak {peak:.0f} MB ({early:.0f} MB after 5 s)")
        results, is_ordered, same, sample = check(crashread, options.symbols, output, options.count)
        print(f"{results} inputs with results, order {'kept' if is_ordered else 'LOST'}, {same} of {sample} as single runs give")
        loop = run_symbolic(reports, options.symbols)
        if loop is None:
            print("symbolic isn't installed: skipped")
        else:
            print(f"Python loop with symbolic: {loop[0]:.1f} s, {loop[1]} frames resolved; "
                  f"crashread takes {seconds / loop[0]:.2f} times as long")


if __name__ == "__main__":
    sys.exit(main())
