#!/usr/bin/env python3
"""Which families of contracts a collection of reports meets, and whether what they say of labelled reports is true.

usage: families.py CRASHREAD CONTRACTS.json CORPUS SYMBOLS TRUTH.tsv

CONTRACTS.json is Sources/CrashReadDiagnosis/Knowledge/contracts.json, TRUTH.tsv as for score.py. Prints a table in
Markdown, a family a row: its contracts, their sources, the reports that one of them explains, those of these with a label,
and of how many of these the verdict is right and nothing it says false; then what isn't.
"""
import collections
import csv
import json
import os
import sys

import score


def main():
    crashread, contracts, corpus, symbols, truth = sys.argv[1:6]
    with open(contracts, encoding="utf-8") as file:
        contracts = json.load(file)
    with open(truth, encoding="utf-8") as file:
        labels = {row["file"]: row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)}
    families = {contract["id"]: contract["family"] for contract in contracts}
    known, sources = collections.Counter(families.values()), collections.defaultdict(set)
    for contract in contracts:
        sources[contract["family"]].add(contract["source"])
    reports, labelled, right = (collections.Counter() for _ in range(3))
    doubtful = []
    for directory, _, names in sorted(os.walk(corpus)):
        for name in sorted(names):
            path = os.path.join(directory, name)
            found = score.documents(crashread, path, symbols)
            met = {document["diagnosis"].get("contract") for document in found} - {None}
            row = labels.get(os.path.relpath(path, corpus))
            for contract in sorted(met):
                family = families[contract]
                reports[family] += 1
                if not row:
                    continue
                is_right, _, _, _, false = score.judge(row, found)
                labelled[family] += 1
                right[family] += is_right and not false
                if not is_right or false:
                    doubtful.append(f"{row['file']}: {contract}")
    print("| family | contracts | sources | reports | labelled | right |\n| --- | ---: | ---: | ---: | ---: | ---: |")
    for family, count in sorted(known.items(), key=lambda item: (-reports[item[0]], -item[1], item[0])):
        print(f"| {family} | {count} | {len(sources[family])} | {reports[family]} | {labelled[family]} | {right[family]} |")
    totals = [sum(counter.values()) for counter in (reports, labelled, right)]
    every = len({contract["source"] for contract in contracts})
    print(f"| all {len(known)} | {len(contracts)} | {every} | {totals[0]} | {totals[1]} | {totals[2]} |")
    for line in doubtful:
        print(f"- {line}")


if __name__ == "__main__":
    main()
