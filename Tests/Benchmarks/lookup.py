#!/usr/bin/env python3
"""Times crashread's look-up beside the peers this machine has, in one run.

    swift build -c release && python3 Tests/Benchmarks/lookup.py [--units 200] [--runs 7] [--sizes 1,30,1000] [FILE…]

The debug file is one it makes itself, or each of the Mach-O and ELF files named: with several, and many sizes, the
output is a table of how the cost grows. Every tool starts anew for each measurement and gets the same addresses; runs of
different tools take turns, so that a busy machine disturbs all of them alike. Printed are medians of wall time, their
ratio to llvm-symbolizer's, and the greatest peak of memory.
"""
import argparse
import os
import random
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
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


def read_mach_o(path):
    """The UUID, the linked base, and the code of a thin 64-bit Mach-O file: address and size of its first code section."""
    with open(path, "rb") as file:
        header = file.read(1 << 20)
    count, position = struct.unpack_from("<I", header, 16)[0], 32
    uuid, base, code = None, 0, None
    for _ in range(count):
        command, size = struct.unpack_from("<II", header, position)
        if command == 0x1B:
            uuid = header[position + 8:position + 24].hex()
        if command == 0x19 and header[position + 8:position + 24].rstrip(b"\0") == b"__TEXT":
            base = struct.unpack_from("<Q", header, position + 24)[0]
            sections = struct.unpack_from("<I", header, position + 64)[0]
            for section in range(position + 72, position + 72 + 80 * sections, 80):
                if header[section:section + 16].rstrip(b"\0") == b"__text":
                    code = struct.unpack_from("<QQ", header, section + 32)
        position += size
    return uuid, base, code


def code_range(path):
    """Address and size of the code section: Mach-O's by its headers, ELF's as readelf prints it."""
    with open(path, "rb") as file:
        if file.read(4) == b"\xcf\xfa\xed\xfe":
            return read_mach_o(path)[2]
    listing = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
    fields = next(line.split("]", 1)[1].split() for line in listing.splitlines() if " .text " in line)
    return int(fields[2], 16), int(fields[4], 16)


def code_addresses(path, count):
    """Random addresses of the code section, the same in every run."""
    start, size = code_range(path)
    generator = random.Random(1)
    return [hex(start + generator.randrange(size) // 4 * 4) for _ in range(count)]


def tools(library, crashread):
    """Command lines that read addresses on standard input."""
    rows = [
        ("crashread", [crashread, "lookup", library, "--addresses", "-", "--format", "tsv"]),
        ("llvm-symbolizer", ["llvm-symbolizer", "--obj=" + library, "--inlines"]),
        ("eu-addr2line", ["eu-addr2line", "-i", "-f", "-e", library]),
        ("addr2line", ["addr2line", "-i", "-f", "-e", library]),
    ]
    return [(name, command) for name, command in rows if shutil.which(command[0])]


def measure(commands, runs, limit=60):
    """Median seconds and greatest MiB of each command: name, arguments, text for standard input."""
    found = {name: [] for name, _, _ in commands}
    with tempfile.TemporaryFile("w+") as input:
        for _ in range(runs):
            for name, command, text in commands:
                if name not in found:
                    continue
                input.seek(0)
                input.truncate()
                input.write(text)
                input.flush()
                input.seek(0)
                begin = time.perf_counter()
                process = subprocess.Popen(
                    command, stdin=input, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                timer = threading.Timer(limit, process.kill)
                timer.start()
                _, status, usage = os.wait4(process.pid, 0)
                timer.cancel()
                process.returncode = os.waitstatus_to_exitcode(status)
                if process.returncode < 0:
                    del found[name]  # too slow to wait for again
                    continue
                found[name].append((time.perf_counter() - begin, usage.ru_maxrss / 1024))
    return {
        name: (statistics.median(time for time, _ in values), max(memory for _, memory in values))
        for name, values in found.items()
    }


def show(title, medians, reference="llvm-symbolizer"):
    for name, (seconds, memory) in medians.items():
        ratio = f"{seconds / medians[reference][0]:6.2f} x" if reference in medians else ""
        print(f"{title}  {name:<18}{seconds * 1000:9.1f} ms {ratio} {memory:7.0f} MiB", flush=True)


def release_build():
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    path = os.environ.get("CRASHREAD", os.path.join(root, ".build", "release", "crashread"))
    if not os.path.exists(path):
        sys.exit("build first: swift build -c release")
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--units", type=int, default=200)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--sizes", default="1,30,1000,10000")
    parser.add_argument("--only", default="", help="names of tools, separated by commas")
    parser.add_argument("files", nargs="*", metavar="FILE")
    options = parser.parse_args()
    crashread = release_build()
    only = options.only.split(",") if options.only else None
    with tempfile.TemporaryDirectory() as folder:
        for path in options.files or [make_debug_file(folder, options.units)]:
            print(f"{os.path.basename(path)}, {os.path.getsize(path) / 1e6:.0f} MB, medians of {options.runs} runs")
            for size in map(int, options.sizes.split(",")):
                text = "\n".join(code_addresses(path, size)) + "\n"
                commands = [(n, c, text) for n, c in tools(path, crashread) if not only or n in only]
                show(f"{size:>7} addresses", measure(commands, options.runs))


if __name__ == "__main__":
    main()
