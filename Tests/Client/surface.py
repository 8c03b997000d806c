#!/usr/bin/env python3
"""Compares what `import CrashRead` shows with surface.txt, from the symbol graphs that .ci/docs has made.

    Tests/Client/surface.py [GRAPHS]    CRASHREAD_RECORD=1 writes surface.txt anew, and fails
"""
import json
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
graphs = Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parent.parent / ".build/public-graphs")
lines, total = [], 0
for path in sorted(graphs.glob("CrashRead*.symbols.json")):
    # Members that the compiler makes itself, such as `!=`, are nobody's declarations.
    symbols = [
        symbol
        for symbol in json.loads(path.read_text())["symbols"]
        if "::SYNTHESIZED::" not in symbol["identifier"]["precise"] and "location" in symbol
    ]
    total += len(symbols)
    for symbol in symbols:
        kind, name = symbol["kind"]["identifier"].removeprefix("swift."), ".".join(symbol["pathComponents"])
        outer = len(symbol["pathComponents"]) == 1
        # Of a type of the model its name is enough; verbs are told one by one.
        if outer or kind in ("method", "type.method", "init", "func", "subscript"):
            lines.append(f"{path.name.split('.')[0].split('@')[0]}: {kind} {name}")
text = "\n".join(sorted(set(lines))) + "\n"
expected = HERE / "surface.txt"
if os.environ.get("CRASHREAD_RECORD"):
    expected.write_text(text)
if not expected.exists() or expected.read_text() != text or os.environ.get("CRASHREAD_RECORD"):
    print(text, f"surface: {total} public declarations; differs from surface.txt, or was recorded", sep="")
    sys.exit(1)
print(f"surface: as expected, {total} public declarations")
