#!/usr/bin/env python3
"""How often verdicts hold: crashread's answers beside labels that people made by reading the reports.

usage: score.py CRASHREAD TRUTH.tsv CORPUS SYMBOLS [--check RIGHT BLAMED FALSE]

TRUTH.tsv has a report a line: file, what happened in words, `must` (an expression that a true title, explanation or
finding matches), `mustnot` (one that would be false), `blame` (the function or image to look at first). Prints tables in
Markdown: by confidence, format and rule. With --check the exit status is 1 when fewer than RIGHT percent are right, fewer
than BLAMED percent blamed right, more than FALSE percent say something false, or anything false is certain.
"""
import collections
import csv
import json
import os
import re
import subprocess
import sys

FLAGS = re.I | re.S


def documents(crashread, path, symbols):
    command = [crashread, "--lang", "en", "--format", "ndjson", "--cache", "off", path, symbols]
    output = subprocess.run(command, capture_output=True, timeout=300).stdout.decode("utf-8", "replace")
    read = (json.loads(line) for line in output.split("\n") if line.startswith("{"))
    return [document for document in read if document.get("diagnosis")]


def texts(diagnosis):
    """The statements, each with its confidence."""
    main = "\n".join(filter(None, [diagnosis.get("title"), diagnosis.get("explanation")]))
    yield main, diagnosis.get("confidence") or "none"
    for finding in diagnosis.get("findings") or []:
        yield finding.get("text") or "", finding.get("confidence") or "none"


def backtrace(document, blamed):
    if isinstance(blamed.get("applicationSpecificBacktrace"), int):
        return document["applicationSpecificBacktraces"][blamed["applicationSpecificBacktrace"]]["frames"]
    if blamed.get("thread") is None:
        return document["lastExceptionBacktrace"]["frames"]
    return document["threads"][blamed["thread"]]["frames"]


def blamed_text(document):
    blamed = document["diagnosis"].get("blamed")
    if not blamed:
        return ""
    frame = backtrace(document, blamed)[blamed["frame"]]
    locations = frame.get("locations") or []
    index = blamed.get("location")
    chosen = [locations[index]] if isinstance(index, int) and index < len(locations) else locations
    parts = [blamed.get("function"), frame.get("reportedSymbol"), frame.get("image"), frame.get("address")]
    for location in chosen:
        name = os.path.basename(location.get("file") or "")
        parts += [location.get("function"), location.get("linkageName"), f"{name}:{location.get('line')}"]
    parts.append(f"{frame.get('reportedFile')}:{frame.get('reportedLine')}")
    if isinstance(frame.get("imageOffset"), int):
        parts += [f"+{frame['imageOffset']}", f"+{frame['imageOffset']:#x}"]
    return " | ".join(str(part) for part in parts if part)


def judge(row, found):
    """Whether the verdict is right, its confidence and rule, whether the right frame is blamed, what is false."""
    must = re.compile(row["must"], FLAGS)

    def is_right(document):
        return must.search("\n".join(text for text, _ in texts(document["diagnosis"])))

    right = next((document for document in found if is_right(document)), None)
    chosen = right or next((document for document in found if document["diagnosis"].get("rule")), None)
    diagnosis = chosen["diagnosis"] if chosen else {}
    blame = None
    if row["blame"]:
        expression = re.compile(row["blame"], FLAGS)
        blame = any(expression.search(blamed_text(document)) for document in found)
    false = set()
    if row["mustnot"]:
        expression = re.compile(row["mustnot"], FLAGS)
        for document in found:
            false |= {sure for text, sure in texts(document["diagnosis"]) if expression.search(text)}
    rule = diagnosis.get("contract") or diagnosis.get("rule") or "none"
    return bool(right), diagnosis.get("confidence") or "none", rule, blame, false


def table(name, counts):
    print(f"\n| {name} | reports | right | |\n| --- | ---: | ---: | ---: |")
    for key, (count, right) in sorted(counts.items(), key=lambda item: (-item[1][0], item[0])):
        print(f"| {key} | {count} | {right} | {100 * right / count:.0f} % |")


def main():
    crashread, truth, corpus, symbols = sys.argv[1:5]
    limits = [float(number) for number in sys.argv[6:9]] if sys.argv[5:6] == ["--check"] else None
    with open(truth, encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    by = {name: collections.defaultdict(lambda: [0, 0]) for name in ("confidence", "format", "rule")}
    right = blamed = blames = false = certain = 0
    for row in rows:
        is_right, confidence, rule, blame, wrong = judge(row, documents(crashread, os.path.join(corpus, row["file"]), symbols))
        for name, key in (("confidence", confidence), ("format", row["file"].split("/")[0]), ("rule", rule)):
            by[name][key][0] += 1
            by[name][key][1] += is_right
        right += is_right
        blames += blame is not None
        blamed += bool(blame)
        false += bool(wrong)
        certain += "certain" in wrong
    for name, counts in by.items():
        table(name, counts)
    shares = 100 * right / len(rows), 100 * blamed / max(1, blames), 100 * false / len(rows)
    print(f"\n{right} of {len(rows)} right ({shares[0]:.1f} %), {blamed} of {blames} blamed right ({shares[1]:.1f} %), "
          f"{false} false statements ({shares[2]:.1f} %), {certain} of them certain")
    if limits and (shares[0] < limits[0] or shares[1] < limits[1] or shares[2] > limits[2] or certain):
        sys.exit(1)


if __name__ == "__main__":
    main()
