#!/usr/bin/env python3
"""Where a batch spends its processor time, stage by stage, for one or more builds side by side.

    swift build -c release && python3 Tests/Benchmarks/stages.py [--count 2000] [--corpus DIR] [BINARY…]

Samples `batch` with Linux's `perf`, several runs in turn, and prints the median of each stage in microseconds a report. A
stage is a function with all that it calls; what workers do outside of them and what the batch's own process does (finding
and sending inputs, ordering and writing results) are lines of their own. Needs perf and the toolchain's `swift demangle`.
"""
import argparse
import os
import re
import resource
import statistics
import subprocess
import tempfile

from batch import make_reports
from lookup import release_build

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# The outermost function of each stage, as it is demangled.
WORKER, LOOP = "WorkerServer.run()", "BatchLoop.run("
STAGES = [
    ("parse", "CrashReport.parse("),
    ("match and look up", "Symbolicator.symbolicate("),
    ("diagnose", "KnowledgeBase.diagnose("),
    ("render JSON", "JSONRenderer.line("),
    ("signature and group", "occurrenceJSON("),
]


def sampled_shares(recording):
    """The share of all samples that each function had on its stack."""
    report = ["perf", "report", "-i", recording, "--children", "--percent-limit", "0.05", "-g", "none"]
    text = subprocess.run(report, capture_output=True, text=True, check=True).stdout
    text = subprocess.run(["swift", "demangle", "--simplified"], input=text, capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        match = re.match(r"\s*([\d.]+)%\s+[\d.]+%\s+\S+\s+\S+\s+\[.\]\s+(.*)", line)
        if match:
            yield float(match[1]) / 100, match[2]


def measure(binary, reports, count, recording):
    """Microseconds a report in each stage."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        ["perf", "record", "-q", "-F", "997", "-g", "-o", recording, binary, "batch", reports],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    shares = list(sampled_shares(recording))
    time = lambda name: next((share for share, function in shares if name in function), 0) * seconds / count * 1e6
    stages = [time(name) for _, name in STAGES]
    return stages + [time(WORKER) - sum(stages), time(LOOP)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binaries", nargs="*")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--corpus", default=os.path.join(ROOT, "Samples", "reports"))
    arguments = parser.parse_args()
    binaries = arguments.binaries or [release_build()]
    runs = {binary: [] for binary in binaries}
    with tempfile.TemporaryDirectory() as folder:
        reports = os.path.join(folder, "reports")
        size = make_reports(arguments.corpus, reports, arguments.count, 200_000)
        print(f"{arguments.count} reports, {size / 1e6:.1f} MB; microseconds of processor time a report, median of {arguments.runs}")
        for _ in range(arguments.runs):
            for binary in binaries:
                runs[binary].append(measure(binary, reports, arguments.count, os.path.join(folder, "perf.data")))
    labels = [label for label, _ in STAGES] + ["rest of the workers", "the batch's process"]
    for index, label in enumerate(labels):
        cells = [statistics.median(run[index] for run in runs[binary]) for binary in binaries]
        print(f"{label:22}" + "".join(f"{cell:10.0f}" for cell in cells))


if __name__ == "__main__":
    main()
