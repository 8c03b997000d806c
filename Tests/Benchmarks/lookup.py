#!/usr/bin/env python3
"""Times crashread's look-up beside the peers this machine has, in one run, on a debug file it makes itself.

    swift build -c release && python3 Tests/Benchmarks/lookup.py [--units 200] [--runs 7]

Every tool starts anew for each measurement and gets the same addresses; runs of different tools take turns, so that a
busy machine disturbs all of them alike. Printed are medians of wall time and their ratio to llvm-symbolizer's.
"""
import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

UNIT = """
#include <stddef.h>
namespace unit{n} {{
template <typename T, int N> struct Table {{
  T rows[N];
  __attribute__((always_inline)) const T &at(size_t i) const {{ return rows[i % N]; }}
  __attribute__((always_inline)) T sum(size_t n) const {{ T s = 0; for (size_t i = 0; i < n; i++) s += at(i); return s; }}
}};
{functions}
}}
"""
FUNCTION = """
__attribute__((always_inline)) inline long mix{f}(const Table<long, {size}> &t, long x) {{
  if (x & {bit}) return t.sum(x) * {f} + 1;
  return t.at(x) ^ (x << {shift});
}}
__attribute__((noinline)) long work{f}(const Table<long, {size}> &t, long x) {{
  long r = 0;
  for (long i = x; i > 0; i -= {f} + 1) r += mix{f}(t, i) - mix{f}(t, r & 255);
  return r;
}}
"""


def make_debug_file(folder, units, functions=60):
    """Compiles some hundred small C++ units, full of inlined calls, and links them into one library."""
    clang = shutil.which("clang++") or sys.exit("lookup.py: clang++ is needed; the Swift toolchain has one")
    objects = []
    for n in range(units):
        source = os.path.join(folder, f"unit{n}.cpp")
        with open(source, "w") as file:
            body = "".join(
                FUNCTION.format(f=f, size=8 + f, bit=1 << (f % 5), shift=f % 7 + 1) for f in range(functions))
            file.write(UNIT.format(n=n, functions=body))
        objects.append(source[:-3] + "o")
        subprocess.run([clang, "-O2", "-g", "-gdwarf-5", "-fPIC", "-c", source, "-o", objects[-1]], check=True)
    library = os.path.join(folder, "libwork.so")
    subprocess.run([clang, "-shared", "-nostdlib", "-o", library, *objects], check=True)
    return library


def code_addresses(library, count):
    """Random addresses in .text, by the section header that readelf prints."""
    listing = subprocess.run(["readelf", "-SW", library], capture_output=True, text=True, check=True).stdout
    fields = next(line.split("]", 1)[1].split() for line in listing.splitlines() if " .text " in line)
    start, size = int(fields[2], 16), int(fields[4], 16)
    generator = random.Random(1)
    return [hex(start + generator.randrange(size)) for _ in range(count)]


def tools(library, crashread):
    """Command lines that read addresses on standard input."""
    rows = [
        ("crashread", [crashread, "lookup", library, "--addresses", "-", "--format", "tsv"]),
        ("llvm-symbolizer", ["llvm-symbolizer", "--obj=" + library, "--inlines"]),
        ("eu-addr2line", ["eu-addr2line", "-i", "-f", "-e", library]),
        ("addr2line", ["addr2line", "-i", "-f", "-e", library]),
    ]
    return [(name, command) for name, command in rows if shutil.which(command[0])]


def measure(commands, addresses, runs, limit=60):
    text = "\n".join(addresses) + "\n"
    times = {name: [] for name, _ in commands}
    for _ in range(runs):
        for name, command in list(commands):
            if name not in times:
                continue
            begin = time.perf_counter()
            try:
                subprocess.run(
                    command, input=text, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=limit)
            except subprocess.TimeoutExpired:
                del times[name]  # too slow to wait for again
                continue
            times[name].append(time.perf_counter() - begin)
    return {name: statistics.median(values) for name, values in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--units", type=int, default=200)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--sizes", default="1,30,1000,10000")
    options = parser.parse_args()
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    crashread = os.path.join(root, ".build", "release", "crashread")
    if not os.path.exists(crashread):
        sys.exit("lookup.py: build first: swift build -c release")
    with tempfile.TemporaryDirectory() as folder:
        library = make_debug_file(folder, options.units)
        print(f"{options.units} units, {os.path.getsize(library) / 1e6:.0f} MB, medians of {options.runs} runs")
        for size in map(int, options.sizes.split(",")):
            medians = measure(tools(library, crashread), code_addresses(library, size), options.runs)
            reference = medians.get("llvm-symbolizer")
            for name, value in medians.items():
                ratio = f"{value / reference:8.2f} x" if reference else ""
                print(f"{size:>7} addresses  {name:<18}{value * 1000:9.1f} ms {ratio}")


if __name__ == "__main__":
    main()
