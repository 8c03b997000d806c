#!/usr/bin/env python3
"""Counts the instructions that reports cost as they grow, and prints what a byte more costs.

  Tests/Growth/count.py [--quick | --short] [SIZE [STAGES [WORDS...]]]

Each way in which each sample can grow (Tests/Growth/Dimensions) is read as small as it can be, at SIZE and at four times
SIZE bytes (default 1024), and goes through STAGES (default parse; commas between several). WORDS, if there are any, must
stand in the dimension's name; `-WORD` must not. With --quick two of the ways in which a word can be long are left out; with
--short, for every change, all of them are, and of the others, lines and members that are many, every fourth is counted.
valgrind counts, so that the answer is the same on any machine at any load; without it nothing is counted and the script
says so. Exit status 1 when anything grows faster than its input.

What is compared is the cost of a byte between the second size and the third, and between the first and the second. Of work
that is linear both are the same; of quadratic work the former is about five times the latter. Small inputs have a way of
being special, so what seems to grow faster is counted again at sixteen times the size.
"""
import collections
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile

MOST = 1.5  # hash tables and lists grow in steps
# Less than so many instructions for each further byte are noise.
LEAST_PER_BYTE = 20
FUNCTION = "*GrowthCount7countedyyF"
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")

Row = collections.namedtuple("Row", "stage sample way first second")


def counted(program, arguments, part, parts):
    """The rows of every PARTS-th dimension, with instructions a byte."""
    size, stages, *words = arguments
    with tempfile.TemporaryDirectory() as directory:
        counts_file = os.path.join(directory, "counts")
        run = subprocess.run(
            ["valgrind", "--quiet", "--tool=callgrind", "--collect-atstart=no", f"--toggle-collect={FUNCTION}",
             f"--dump-after={FUNCTION}", "--dump-line=no", "--combine-dumps=yes",
             # Their counts go to their callers: nobody reads whose they are, and the file is large enough.
             *["--fn-skip=" + name for name in ("$s16*", "$sS*", "$ss*", "swift*")],
             f"--callgrind-out-file={counts_file}", program, size, stages, f"{part}/{parts}"] + words,
            cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True,
            env=dict(os.environ, SWIFT_DETERMINISTIC_HASHING="1"))
        with open(counts_file) as file:
            counts = [int(line.split()[1]) for line in file if line.startswith("summary:")]
    lines = [line.split("\t") for line in run.stdout.splitlines()]
    if len(counts) < 3 * len(lines):
        sys.exit(f"growth: {len(counts)} counts for {len(lines)} dimensions")
    return [row(line, counts[3 * index:3 * index + 3]) for index, line in enumerate(lines)]


def row(line, costs):
    stage, name = line[:2]
    sizes = [int(size) for size in line[2::2]]
    per_byte = [(costs[i + 1] - costs[i]) / max(sizes[i + 1] - sizes[i], 1) for i in (0, 1)]
    sample, way = name.split(": ", 1)
    return Row(stage, sample, way, *per_byte)


def grows_faster(row):
    return row.second > LEAST_PER_BYTE and row.second > MOST * max(row.first, LEAST_PER_BYTE)


def main():
    arguments = sys.argv[1:]
    options = {"--quick", "--short"} & set(arguments)
    arguments = [argument for argument in arguments if argument not in options]
    arguments += (["512", "parse,anonymize"] if "--short" in options else ["1024", "parse"])[len(arguments):]
    if "--quick" in options:
        arguments += ["-, the word itself", "-, components"]
    if "--short" in options:
        arguments += ["-, word"]
    if not shutil.which("valgrind"):
        print("growth: skipped, valgrind is not installed")
        return 0
    subprocess.run(
        ["swift", "build", "-c", "release", "--product", "GrowthCount"], cwd=ROOT, check=True, stdout=sys.stderr)
    with tempfile.TemporaryDirectory() as directory:
        program = os.path.join(directory, "GrowthCount")
        # valgrind can't read all of the compiler's debug info, and needs none.
        subprocess.run(["strip", "-g", "-o", program, os.path.join(ROOT, ".build/release/GrowthCount")], check=True)
        rows = counted_by_all(program, arguments, 4 if "--short" in options else 1)
        bad = []
        for stage in {row.stage for row in rows}:
            names = [f"={row.sample}: {row.way}" for row in rows if row.stage == stage and grows_faster(row)]
            if names:
                # Where a small input says something else than a larger one, it costs less or more by chance.
                larger = str(16 * int(arguments[0]))
                bad += filter(grows_faster, counted_by_all(program, [larger, stage] + names))
    report(rows, bad)
    return 1 if bad else 0


def counted_by_all(program, arguments, step=1):
    """The rows of all dimensions, or of every STEP-th, counted on all processors."""
    parts = os.cpu_count() or 1
    with concurrent.futures.ThreadPoolExecutor(parts) as threads:
        jobs = [
            threads.submit(counted, program, arguments, part * step, parts * step) for part in range(parts)]
        return [row for job in jobs for row in job.result()]


def report(rows, bad):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row.stage, row.sample].append(row)
    print("%-11s %-34s %5s  %9s  %s" % ("stage", "sample", "ways", "most/byte", "by"))
    for (stage, sample), members in sorted(groups.items()):
        worst = max(members, key=lambda row: row.second)
        print("%-11s %-34s %5d  %9d  %s" % (stage, sample, len(members), worst.second, worst.way))
    for row in bad:
        print("FASTER than its input: %s, %s: %s: %d instructions a byte, then %d" % (
            row.stage, row.sample, row.way, row.first, row.second))
    print(f"growth: {len(rows)} dimensions, {len(bad)} of them grow faster than their input")


sys.exit(main())
