"""Many different reports made of a few: other addresses, other times, and for some of them other builds."""
import json
import random
import re
import uuid

HEX = re.compile(rb"0x[0-9a-fA-F]{6,16}")
DASHED = re.compile(rb"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
IMAGE = re.compile(rb"^\s*(0x[0-9a-fA-F]+)\s+-\s+(0x[0-9a-fA-F]+)\s", re.MULTILINE)
INCIDENT = re.compile(rb'(Incident Identifier:\s*|"incident(?:_id)?"\s*:\s*")([0-9A-Fa-f-]{36})')


class Template:
    """A report, and how to make others of it."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            self.bytes = file.read()
        self.ranges = [(int(start, 16), int(end, 16)) for start, end in IMAGE.findall(self.bytes)]

    def copy(self, seed, identities=None):
        """Another report of the same crash.

        All images are moved by the same distance, and identities replaced as told. The result differs from any with
        another seed.
        """
        choose = random.Random(seed)
        slide = choose.randrange(0, 1 << 14) << 14
        text = INCIDENT.sub(lambda found: found[1] + str(uuid.UUID(int=choose.getrandbits(128))).upper().encode(), self.bytes)
        if self.ranges:
            text = HEX.sub(lambda found: self.moved(found[0], slide), text)
        elif text.lstrip().startswith(b"{"):
            text = moved_json(text, slide)
        for old, new in (identities or {}).items():
            for form in (str, lambda value: str(value).upper(), lambda value: value.hex, lambda value: value.hex.upper()):
                text = text.replace(form(old).encode(), form(new).encode())
        return text

    def moved(self, number, slide):
        value = int(number, 16)
        if not any(start <= value <= end for start, end in self.ranges):
            return number
        return b"0x%0*x" % (len(number) - 2, value + slide)

    def identities(self):
        """Every UUID that is an image's."""
        return {uuid.UUID(found.decode()) for found in DASHED.findall(self.bytes)} | {
            uuid.UUID(found.decode()) for found in re.findall(rb"<([0-9a-fA-F]{32})>", self.bytes)}


def moved_json(text, slide):
    """An .ips file with its images elsewhere; what isn't one stays as it is."""
    header, _, body = text.partition(b"\n")
    try:
        report = json.loads(body)
        for image in report["usedImages"]:
            image["base"] += slide
    except (ValueError, KeyError, TypeError):
        return text
    return header + b"\n" + json.dumps(report, indent=2).encode()
