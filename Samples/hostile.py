#!/usr/bin/env python3
"""Writes a report in which every text that an attacker could choose means something to whatever shows it: escape
sequences for terminals, commands for CI runners, tags for browsers, marks of Markdown, XML and JSON.

    hostile.py REPORTS
"""
import json
import os
import sys

REPORTS = sys.argv[1]
EVIL = [
    "\x1b]0;title\x07\x1b[2J\x9b31m",
    "\n::error file=forged.swift,line=1::forged\r\n##[error]forged",
    "</script><script>alert(1)</script><img src=x onerror=alert(1)>",
    "\"' onmouseover='alert(1)\" ]]> <![CDATA[ --> <!-- &lt;&#10;",
    "| cell | ```` `code` ~~~ # @team **bold** [link](javascript:alert(1))",
    "\u202eesrever\u2066\u200f \u2028line\u2029",
    "$(touch /tmp/forged); `touch /tmp/forged` %0A::error::forged",
    "\\u001b\\n\\\"",
]


def evil(number):
    return EVIL[number % len(EVIL)]


with open(os.path.join(REPORTS, "ips/HogeApp.ips")) as f:
    header, body = f.read().split("\n", 1)
header, body = json.loads(header), json.loads(body)

header["app_name"] = header["name"] = body["procName"] = evil(0) + evil(2)
header["app_version"] = evil(1)
body["bundleInfo"] = {"CFBundleShortVersionString": evil(1), "CFBundleVersion": evil(4),
                      "CFBundleIdentifier": evil(3)}
body["modelCode"], body["procPath"], body["incident"] = evil(5), "/" + evil(3), evil(2)
body["exception"]["subtype"] = evil(3)
body["asi"] = {evil(2): [evil(number) for number in range(len(EVIL))]}
body["termination"] = {"namespace": evil(4), "code": 1, "indicator": evil(2), "byProc": evil(5), "details": EVIL}
for number, image in enumerate(body["usedImages"]):
    image.update(name=evil(number), path="/" + evil(number + 1), uuid="00000000-0000-0000-0000-%012x" % number)
for number, thread in enumerate(body["threads"]):
    thread["name"], thread["queue"] = evil(number), evil(number + 1)
    for index, frame in enumerate(thread["frames"]):
        frame.update(symbol=evil(index), symbolLocation=index, sourceFile="../" + evil(index + 2), sourceLine=index + 1)

with open(os.path.join(REPORTS, "other/hostile.ips"), "w") as f:
    f.write(json.dumps(header, ensure_ascii=False) + "\n" + json.dumps(body, ensure_ascii=False, indent=1) + "\n")
