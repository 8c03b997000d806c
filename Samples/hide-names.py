#!/usr/bin/env python3
"""Hides names in LLVM's text form as Apple's bitcode compiler did: each becomes __hidden#N_, and line N of a map.

    hide-names.py INPUT.ll OUTPUT.ll MAP
"""
import re
import sys

# Names that other files use, and those of the language, stay.
KEPT = {"main", "puts", "char", "int", ""}


def main(source, target, names_file):
    names = []

    def hidden(name):
        if name in KEPT:
            return name
        if name not in names:
            names.append(name)
        return f"__hidden#{names.index(name)}_"

    def described(match):
        return f'{match[1]}: "{hidden(match[2])}"'

    def symbol(match):
        name = hidden(match[1])
        return f'@"{name}"' if name != match[1] else match[0]

    with open(source) as file:
        text = file.read()
    text = re.sub(r'\b(name|linkageName|filename|directory|identifier): "([^"]*)"', described, text)
    defined = {name for name in re.findall(r"^define .*?@(\w+)\(", text, re.M)}
    text = re.sub(r"@(" + "|".join(sorted(defined)) + r")\b", symbol, text)
    with open(target, "w") as file:
        file.write(text)
    with open(names_file, "w") as file:
        file.write("BCSymbolMap Version: 2.0\n" + "".join(name + "\n" for name in names))


main(*sys.argv[1:])
