#!/usr/bin/env python3
"""Groups the reports below a directory on Apache Spark's workers, by the same program that one machine runs.

    group_crashes.py CRASHREAD REPORTS [SYMBOLS] [--workers N] [--check]

`crashread batch --records` reads a line of JSON for each report and writes a line for each result, so that `rdd.pipe`
can run it anywhere; Spark distributes the lines, restarts what fails, and counts. With --check the groups are compared
with those of `crashread batch --summary=json` on this machine, and the exit status is 1 when they differ.

Needs `pip install pyspark` and a Java runtime. On a cluster, put crashread and the symbols where every worker sees them,
and replace `local[N]`.
"""

import argparse
import collections
import json
import pathlib
import shlex
import subprocess
import sys


def record(path):
    """One line for one report: its text, or its path where it is no text."""
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return json.dumps({"id": str(path), "path": str(path)})
    return json.dumps({"id": str(path), "report": text})


def group_of(line):
    """The app and the signature of a result; None for an input that could not be read."""
    result = json.loads(line)
    if "error" in result:
        return None
    report = result["report"]
    diagnosis = result["diagnosis"]
    signature = result.get("signature")
    event = None if signature else f"{report['kind']}: {diagnosis.get('rule') or diagnosis['title']}"
    return (report.get("bundleID") or report.get("process"), signature, event)


def groups_on_spark(command, reports, workers):
    import pyspark

    configuration = pyspark.SparkConf().setMaster(f"local[{workers}]").setAppName("crashread")
    configuration.set("spark.ui.enabled", "false")
    with pyspark.SparkContext(conf=configuration) as spark:
        spark.setLogLevel("ERROR")
        results = spark.parallelize([str(path) for path in reports], workers * 4)
        # Status 1 says that some input could not be read: its result says so too, and is no failure of the worker.
        pipe = f"sh -c {shlex.quote(command + ' || test $? -eq 1')}"
        results = results.map(lambda path: record(pathlib.Path(path))).pipe(pipe, checkCode=True)
        return collections.Counter(results.map(group_of).filter(lambda group: group is not None).countByValue())


def groups_here(crashread, reports, symbols):
    lines = "".join(record(path) + "\n" for path in reports)
    command = [crashread, "batch", "--records", "--summary=json", *symbols]
    run = subprocess.run(command, input=lines, capture_output=True, text=True)
    if run.returncode not in (0, 1):
        sys.exit(run.stderr)
    groups = collections.Counter()
    for group in json.loads(run.stdout)["groups"]:
        event = None if group.get("signature") else f"{group['kind']}: {group.get('rule') or group['title']}"
        groups[group.get("app"), group.get("signature"), event] += group["count"]
    return groups


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("crashread")
    parser.add_argument("reports", type=pathlib.Path)
    parser.add_argument("symbols", nargs="?")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()

    crashread = str(pathlib.Path(arguments.crashread).resolve())
    symbols = [f"--symbols={pathlib.Path(arguments.symbols).resolve()}"] if arguments.symbols else []
    reports = sorted(path.resolve() for path in arguments.reports.rglob("*") if path.is_file())
    command = shlex.join([crashread, "batch", "--records", "--jobs=1", *symbols])
    groups = groups_on_spark(command, reports, arguments.workers)
    for (app, signature, event), count in groups.most_common():
        print(count, app, signature or event, sep="\t")
    if arguments.check:
        here = groups_here(crashread, reports, symbols)
        if here != groups:
            sys.exit(f"Spark and one machine differ: {(here - groups) + (groups - here)}")
        print(f"{groups.total()} reports in {len(groups)} groups, the same as on one machine", file=sys.stderr)


if __name__ == "__main__":
    main()
