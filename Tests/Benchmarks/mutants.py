#!/usr/bin/env python3
"""Reads real reports with thousands of damaged debug files in one batch, and says what became of the others.

    swift build -c release && python3 Tests/Benchmarks/mutants.py [--count 2000] [--corpus DIR] [--symbols DIR]

Each damaged file is a debug file with an identity of its own and some bytes changed, and each has a report of its own; good
reports with good debug files stand between them. Printed is how many results arrived, how many workers died over which
files, and whether any result of the good ones is another than without the damaged files.
"""
import argparse
import collections
import json
import os
import random
import subprocess
import tempfile
import time
import uuid

from batch import files_below
from lookup import release_build
from report_copies import Template


def used(crashread, report, symbols):
    """The identities of the debug files that a report's frames are looked up in."""
    run = subprocess.run([crashread, "--format=json", "--symbols", symbols, report], capture_output=True)
    try:
        images = json.loads(run.stdout)["images"]
    except (ValueError, KeyError, TypeError):
        return set()
    return {uuid.UUID(image["id"]) for image in images if image.get("status") == "matched" and len(image["id"]) == 36}


def pairs(crashread, corpus, symbols):
    """Reports, each with a debug file that it uses: of Mach-O files, whose UUID stands in them once."""
    debug_files = []
    for path in files_below(symbols):
        with open(path, "rb") as file:
            data = file.read()
        if data[:4] in (b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe"):
            debug_files.append(data)
    for path in files_below(corpus):
        template = Template(path)
        for identity in used(crashread, path, symbols) & template.identities():
            for data in debug_files:
                if data.count(identity.bytes) == 1:
                    yield template, identity, data


def mutant(data, identity, new, choose):
    """The file with another identity, and damage behind its headers."""
    head = 4096
    start = data.find(identity.bytes)
    changed = bytearray(data)
    for _ in range(choose.choice((1, 2, 4, 16, 256))):
        place = choose.randrange(head, len(changed))
        changed[place] = choose.choice((0, 0xff, 0x80, choose.randrange(256)))
    if choose.random() < 0.1:
        del changed[choose.randrange(head, len(changed)):]
    changed[start:start + 16] = new.bytes
    return bytes(changed)


def run(crashread, reports, symbols, arguments):
    start = time.monotonic()
    places = [word for place in symbols for word in ("--symbols", place)]
    result = subprocess.run([crashread, "batch", reports, *places, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    documents = [json.loads(line) for line in result.stdout.splitlines()]
    return documents, result.stdout.splitlines(), result.stderr.decode(errors="replace"), time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    samples = os.path.join(os.path.dirname(__file__), "..", "..", "Samples")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--corpus", default=os.path.join(samples, "reports"))
    parser.add_argument("--symbols", default=os.path.join(samples, "symbols"))
    options, arguments = parser.parse_known_args()
    crashread = release_build()
    os.environ["CRASHREAD_CACHE"] = "off"
    choose = random.Random(options.seed)
    found = list(pairs(crashread, options.corpus, options.symbols))
    print(f"{len(found)} pairs of a report and its debug file")
    with tempfile.TemporaryDirectory() as folder:
        reports, damaged = os.path.join(folder, "reports"), os.path.join(folder, "damaged")
        os.makedirs(reports)
        os.makedirs(damaged)
        for number in range(options.count):
            template, identity, data = found[number % len(found)]
            new = uuid.UUID(int=choose.getrandbits(128))
            with open(os.path.join(damaged, f"{number:05}"), "wb") as file:
                file.write(mutant(data, identity, new, choose))
            with open(os.path.join(reports, f"{number:05}-damaged"), "wb") as file:
                file.write(template.copy(number, {identity: new}))
            if number % 4 == 0:
                with open(os.path.join(reports, f"{number:05}-good"), "wb") as file:
                    file.write(template.copy(number))
        before, lines_before, _, _ = run(crashread, reports, [options.symbols], arguments)
        after, lines, messages, seconds = run(crashread, reports, [options.symbols, damaged], arguments)
        good = {line for line in lines_before if json.loads(line)["input"].endswith("-good")}
        changed = good - set(lines)
        status = collections.Counter(
            image["status"] for document in after if document["input"].endswith("-damaged")
            for image in document.get("images", []) if any(damaged in attempt["path"] for attempt in image["attempts"]))
        print(f"{len(after)} of {len(before)} results in {seconds:.1f} s, {sum('error' in d for d in after)} of them errors; "
              f"{len(changed)} of {len(good)} good ones changed")
        print("damaged files:", dict(status))
        for line in messages.splitlines():
            if "worker" in line:
                print(line.replace(folder, ""))


if __name__ == "__main__":
    main()
