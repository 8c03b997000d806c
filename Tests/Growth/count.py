#!/usr/bin/env python3
"""Counts the instructions that reports cost as they grow, and says where doubling one costs more than twice as much.

  Tests/Growth/count.py [SIZE [STAGES [WORDS...]]]

Each way in which each sample can grow (Tests/Growth/Dimensions) is read at SIZE, twice and four times SIZE bytes
(default 8192), and goes through STAGES (default parse; commas between several). WORDS, if there are any, must stand in
the dimension's name. valgrind counts, so that the answer is the same on any machine at any load; without it nothing is
counted and the script says so. Exit status 1 when anything grows faster than its input.

The base cost of a report cancels out: what is compared is the cost of the third quarter and fourth over that of the
second. Of work that is linear it is 2, of quadratic work 4.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

MOST = 2.3  # hash tables and lists grow in steps
# Less than so many instructions for each further byte are noise.
LEAST_PER_BYTE = 20

root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
size = int(sys.argv[1]) if len(sys.argv) > 1 else 8192
stages = sys.argv[2] if len(sys.argv) > 2 else "parse"
words = sys.argv[3:]

if not shutil.which("valgrind"):
    print("growth: skipped, valgrind is not installed")
    sys.exit(0)
subprocess.run(
    ["swift", "build", "-c", "release", "--product", "GrowthCount"], cwd=root, check=True, stdout=subprocess.DEVNULL)
with tempfile.TemporaryDirectory() as directory:
    program = os.path.join(directory, "GrowthCount")
    # valgrind can't read all of the compiler's debug info, and needs none.
    subprocess.run(["strip", "-g", "-o", program, os.path.join(root, ".build/release/GrowthCount")], check=True)
    counts_file = os.path.join(directory, "counts")
    function = "*GrowthCount7countedyyF"
    run = subprocess.run(
        ["valgrind", "--quiet", "--tool=callgrind", "--collect-atstart=no", f"--toggle-collect={function}",
         f"--dump-after={function}", f"--callgrind-out-file={counts_file}", program, str(size), stages] + words,
        cwd=root, check=True, stdout=subprocess.PIPE, text=True)
    counts = []
    dumps = sorted(
        (name for name in os.listdir(directory) if re.fullmatch(r"counts\.\d+", name)),
        key=lambda name: int(name.split(".")[1]))
    for name in dumps:
        with open(os.path.join(directory, name)) as file:
            counts += [int(line.split()[1]) for line in file if line.startswith("summary:")]

rows = [line.split("\t")[:2] for line in run.stdout.splitlines()]
if len(counts) != 3 * len(rows):
    sys.exit(f"growth: {len(counts)} counts for {len(rows)} dimensions")
bad = 0
for index, (stage, name) in enumerate(rows):
    one, two, four = counts[3 * index:3 * index + 3]
    if four - two < LEAST_PER_BYTE * 2 * size or four - two <= MOST * max(two - one, 1):
        continue
    bad += 1
    print(f"{(four - two) / max(two - one, 1):6.2f}  {(four - two) // (2 * size):9}/byte  {stage}  {name}")
print(f"growth: {len(rows)} dimensions, {bad} of them grow faster than their input")
sys.exit(1 if bad else 0)
