#!/bin/sh
# How fast reports are read: `crashread kind` beside other readers of the same bytes.
#
#   Tests/Benchmarks/parse.sh [DIRECTORY-OF-REPORTS]
#
# Repeats the .crash and the .ips files of a directory (Samples by default) up to about SIZE megabytes each, and prints
# for every program the median of RUNS runs, and how many times as long as crashread it takes. pycrashreport is measured
# when PYCRASHREPORT names a Python that has it; it takes one report a call, so that part is measured on SMALL megabytes.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
reports=${1:-$root/Samples/reports}
size=${SIZE:-100} small=${SMALL:-2} runs=${RUNS:-5}
crashread=${CRASHREAD:-$root/.build/release/crashread}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Links the files of a kind into a directory of its own, again and again, until they add up.
collect() { # KIND MEGABYTES DIRECTORY
  mkdir -p "$3"
  python3 - "$reports" "$@" <<'PYTHON'
import os, sys
root, kind, megabytes, directory = sys.argv[1:5]
def fits(path):
    with open(path, "rb") as file: text = file.read()
    head, _, body = text.partition(b"\n")
    is_json = head.startswith(b"{") and body.lstrip().startswith(b"{")
    is_text = b"Binary Images:" in text and b"Thread 0" in text and not head.startswith(b"{")
    return is_json if kind == "ips" else is_text
paths = [os.path.join(folder, name) for folder, _, names in sorted(os.walk(root)) for name in sorted(names)]
paths = [path for path in paths if os.path.getsize(path) < 1 << 20 and fits(path)]
total = count = 0
while paths and total < int(megabytes) << 20:
    for path in paths:
        os.symlink(os.path.abspath(path), os.path.join(directory, "%06d.%s" % (count, kind)))
        total += os.path.getsize(path)
        count += 1
print("%s: %d files, %.1f MB" % (kind, count, total / 1e6))
PYTHON
}

cat > "$work/load.py" <<'PYTHON'
import json, sys
for path in sys.argv[1:]:
    text = open(path, encoding="utf-8").read()
    header, body = text.split("\n", 1)
    json.loads(header)
    try: json.JSONDecoder().raw_decode(body.lstrip())
    except ValueError: pass  # a file that was cut
PYTHON
cat > "$work/fast.py" <<'PYTHON'
import orjson, sys
for path in sys.argv[1:]:
    header, body = open(path, "rb").read().split(b"\n", 1)
    orjson.loads(header)
    try: orjson.loads(body)
    except ValueError: pass  # a file that was cut
PYTHON
cat > "$work/pycrash.py" <<'PYTHON'
import sys
from pycrashreport.crash_report import get_crash_report_from_buf
failed = 0
for path in sys.argv[1:]:
    try: str(get_crash_report_from_buf(open(path, encoding="utf-8", errors="replace").read(), filename=path))
    except Exception: failed += 1
if failed: print("pycrashreport could not read %d of %d files" % (failed, len(sys.argv) - 1), file=sys.stderr)
PYTHON

# One line for each program: name, median seconds, and the ratio to the first of them.
cat > "$work/measure.py" <<'PYTHON'
import glob, os, statistics, subprocess, sys, time
runs, directory, crashread, work = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
files = sorted(glob.glob(directory + "/*"))
size = sum(os.path.getsize(path) for path in files)
programs = [("crashread kind", [crashread, "kind"]), ("wc -l", ["wc", "-l"])]
if directory.endswith("ips"): programs.append(("python3 json", ["python3", work + "/load.py"]))
if directory.endswith("ips") and subprocess.run(["python3", "-c", "import orjson"], stderr=subprocess.DEVNULL).returncode == 0:
    programs.append(("python3 orjson", ["python3", work + "/fast.py"]))
if "small" in directory and os.environ.get("PYCRASHREPORT"):
    programs.append(("pycrashreport", [os.environ["PYCRASHREPORT"], work + "/pycrash.py"]))
times = {name: [] for name, _ in programs}
for run in range(runs):
    for name, command in programs:
        # What another reader can't read makes it faster, so that is told once.
        errors = None if run == 0 and name == "pycrashreport" else subprocess.DEVNULL
        start = time.perf_counter()
        subprocess.run(command + files, stdout=subprocess.DEVNULL, stderr=errors)
        times[name].append(time.perf_counter() - start)
first = statistics.median(times[programs[0][0]])
for name, _ in programs:
    median = statistics.median(times[name])
    print("  %-15s %7.3f s  %7.1f MB/s  %6.2f x" % (name, median, size / 1e6 / median, median / first))
PYTHON

for kind in crash ips; do
  collect $kind "$size" "$work/$kind"
  python3 "$work/measure.py" "$runs" "$work/$kind" "$crashread" "$work"
  if [ -n "${PYCRASHREPORT:-}" ]; then
    collect $kind "$small" "$work/small-$kind"
    python3 "$work/measure.py" "$runs" "$work/small-$kind" "$crashread" "$work"
  fi
done
