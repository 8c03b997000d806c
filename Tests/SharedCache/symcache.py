#!/usr/bin/env python3
"""Compares look-ups in SymCaches, of each version of the format, with those of Sentry's symbolic.

symcache.py CRASHREAD DEBUG_FILE...    needs PyPI's symbolic, which writes version 9; 8 and 7 are derived from that
"""
import json
import posixpath
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from symbolic.debuginfo import Archive

HEAD = 80
NONE = 0xFFFFFFFF


def aligned(offset):
    return (offset + 7) & ~7


def tables(data):
    counts = struct.unpack_from("<4I", data, 44)
    offset, parts = HEAD, []
    for count, size in zip(counts, (24, 16, 16, 4)):
        parts.append(data[offset:offset + count * size])
        offset = aligned(offset + count * size)
    strings = struct.unpack_from("<I", data, 60)[0]
    return parts, data[offset:offset + strings]


def text(strings, offset):
    length = shift = 0
    while True:
        byte = strings[offset]
        offset += 1
        length |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return strings[offset:offset + length]


def older(data, version):
    """The same SymCache as version 8 or 7: shorter entries of files, and lengths of strings in four bytes."""
    (files, functions, locations, ranges), strings = tables(data)
    known, table = {}, bytearray()

    def moved(offset):
        if version == 8 or offset == NONE:
            return offset
        if offset not in known:
            value = text(strings, offset)
            known[offset] = len(table)
            table.extend(struct.pack("<I", len(value)) + value)
        return known[offset]

    files = b"".join(
        struct.pack("<3I", *map(moved, struct.unpack_from("<3I", files, start))) for start in range(0, len(files), 24))
    functions = b"".join(
        struct.pack("<4I", moved(name), NONE, entry, language)
        for name, _, entry, language in struct.iter_unpack("<4I", functions))
    strings = strings if version == 8 else bytes(table)
    result = bytearray(data[:HEAD])
    struct.pack_into("<I", result, 4, version)
    struct.pack_into("<I", result, 60, len(strings))
    for part in (files, functions, locations, ranges, strings):
        result.extend(part)
        result.extend(bytes(aligned(len(result)) - len(result)))
    return bytes(result)


def expected(cache, address):
    """symbolic's answer, innermost first; empty where no function has a file."""
    chain = [(line.symbol, line.full_path and posixpath.normpath(line.full_path), line.line or None) for line in cache.lookup(address)]
    return chain if any(path for _, path, _ in chain) else [(name, None, None) for name, _, _ in chain[-1:]]


def found(program, path, addresses):
    run = subprocess.run(
        [program, "lookup", "--cache=off", "-f", "json", path], input="\n".join(f"{a:x}" for a in addresses),
        capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr)
    # symbolic resolves `..` in paths, which DWARF and crashread don't.
    return [
        [(frame.get("linkageName") or frame.get("function"),
          frame.get("file") and posixpath.normpath(frame["file"]), frame.get("line"))
         for frame in answer["locations"]]
        for answer in json.loads(run.stdout)]


def main():
    program, *paths = sys.argv[1:]
    wrong = compared = 0
    with tempfile.TemporaryDirectory() as directory:
        for path in paths:
            for thing in Archive.open(path).iter_objects():
                cache = thing.make_symcache()
                file = Path(directory) / "a.symcache"
                with open(file, "wb") as stream:
                    cache.dump_into(stream)
                data = file.read_bytes()
                starts = [start for start, in struct.iter_unpack("<I", tables(data)[0][3])]
                generator = random.Random(7)
                addresses = sorted(generator.sample(starts, min(3000, len(starts))))
                addresses += [address + 1 for address in addresses]
                answers = [expected(cache, address) for address in addresses]
                for version in (9, 8, 7):
                    file.write_bytes(data if version == 9 else older(data, version))
                    for address, right, ours in zip(addresses, answers, found(program, file, addresses)):
                        compared += 1
                        if right != ours:
                            wrong += 1
                            if wrong <= 5:
                                print(f"{path} version {version} {address:#x}: {right} expected, {ours} found")
    print(f"{compared} look-ups compared, {wrong} different")
    sys.exit(1 if wrong or not compared else 0)


if __name__ == "__main__":
    main()
