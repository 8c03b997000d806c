#!/usr/bin/env python3
"""Composes dyld shared caches from Mach-O libraries that clang and ld64.lld make, one of each form of the format.

    compose.py DIRECTORY    writes DIRECTORY/FORM/dyld_shared_cache_ARCH… and DIRECTORY/FORM/truth.tsv

The truth has a line for each probe: UUID, distance from the image's start, and the function's name or `-` for none. It comes
from the linker's own map file and from where this script puts an image, not from any reader of such files.

The format is that of dyld's include/mach-o/dyld_cache_format.h: each release of Apple's systems adds fields at the end of
the header, which ends where the mappings begin.
"""
import random
import re
import shutil
import struct
import subprocess
import sys
import uuid
from pathlib import Path

LINKERS = ["ld64.lld-19", "ld64.lld"]
PAGE = 0x4000
LIBRARIES, FUNCTIONS = 6, 240


def tool(names):
    return next((path for path in map(shutil.which, names) if path), None) or sys.exit(f"missing: {names[0]}")


class Library:
    """A library as the linker made it: its bytes, and every function's address and name."""

    def __init__(self, number, arch, folder, chosen):
        self.path = f"/System/Library/Frameworks/Made{number}.framework/Made{number}"
        self.is_64bit = not arch.endswith("_32")
        system = ("macos", "13") if self.is_64bit else ("watchos", "9")
        source, target = folder / f"{arch}{number}.s", f"{arch}-apple-" + "".join(system)
        lines = [".text"]
        self.exported = set()
        for index in range(FUNCTIONS):
            name = f"_made{number}_{'exported' if index % 3 == 0 else 'local'}_{index}"
            if index % 3 == 0:
                lines.append(f".globl {name}")
                self.exported.add(name)
            lines += [".p2align 2", f"{name}:"] + ["nop"] * chosen.randrange(3, 40) + ["ret"]
        lines.append(".subsections_via_symbols")
        source.write_text("\n".join(lines) + "\n")
        made, linked, map_file = source.with_suffix(".o"), source.with_suffix(".dylib"), source.with_suffix(".map")
        subprocess.run([tool(["clang"]), "-target", target, "-c", source, "-o", made], check=True)
        subprocess.run(
            [tool(LINKERS), "-dylib", "-arch", arch, "-platform_version", *system, system[1], "-install_name",
             self.path, "-map", map_file, "-o", linked, made], check=True)
        self.bytes = bytearray(linked.read_bytes())
        rows = re.findall(r"(?m)^0x([0-9A-F]+)\s+0x([0-9A-F]+)\s+\[\s*\d+\]\s+(_made\S+)$", map_file.read_text())
        self.functions = sorted((int(address, 16), int(size, 16), name) for address, size, name in rows)
        assert len(self.functions) == FUNCTIONS, map_file
        self.uuid = uuid.uuid5(uuid.NAMESPACE_URL, f"{arch}{number}").bytes

    def commands(self):
        place = 32 if self.is_64bit else 28
        for _ in range(struct.unpack_from("<I", self.bytes, 16)[0]):
            kind, size = struct.unpack_from("<II", self.bytes, place)
            yield kind, place
            place += size

    @property
    def word(self):
        """The struct code of an address."""
        return "<Q" if self.is_64bit else "<I"

    def segment(self, kind, place):
        """The name of a segment, and where the command says its address, its size and its place in the file."""
        if kind != (0x19 if self.is_64bit else 0x1):
            return None, 0, 0, 0
        name = bytes(self.bytes[place + 8:place + 24]).rstrip(b"\0")
        return name, *(place + 24 + struct.calcsize(self.word) * index for index in range(3))


class Form:
    """One form of the format."""

    def __init__(self, name, arch, header, split=None, symbols=None, text_list=True, cpu=None, letters=None):
        self.name, self.arch, self.header = name, arch, header
        self.cpu = cpu  # its number, where the header has it
        self.letters = letters or arch  # what the magic number calls it
        self.split = split  # None, or the suffix of each further file
        self.symbols = symbols  # "inside" or "file"; nil for none
        self.text_list = text_list


FORMS = [
    Form("2013", "arm64", 0x68, symbols="inside", text_list=False),
    Form("2016", "arm64", 0x98, symbols="inside"),
    Form("2019", "x86_64", 0x138),
    Form("2021", "arm64", 0x1c8, split=[".1", ".2"], symbols="file"),
    Form("2022", "arm64e", 0x1e0, split=[".01", ".02.dylddata"], symbols="file"),
    Form("2024", "arm64_32", 0x200, split=[".01", ".02"], symbols="file"),
    Form("2025", "x86_64", 0x208, split=[".01", ".02.dyldlinkedit"], symbols="file"),
    Form("2026", "arm64e_x1", 0x238, split=[".01", ".02.dylddata", ".03.dyldreadonly", ".04.dyldlinkedit"],
         symbols="file", cpu=(0x100000c, 0x8000000c), letters="arm64ex1"),
    Form("watch", "arm64_32", 0x138, symbols="inside"),
]


def aligned(data):
    return data + bytes(-len(data) % PAGE)


def compose(form, libraries, folder):
    folder.mkdir(parents=True)
    base = {"x86_64": 0x7ff800000000, "arm64_32": 0x1a000000}.get(form.arch, 0x180000000)
    count = 1 + len(form.split or [])
    text_files = [bytearray() for _ in range(count)]
    # Which file holds the code of a library; the last one has the tables of all where the cache is split.
    owners = [number % (count - 1) if count > 1 else 0 for number in range(len(libraries))]
    header_room = PAGE * 2
    text_files[0] += bytes(header_room)
    places = []
    for library, owner in zip(libraries, owners):
        places.append(len(text_files[owner]))
        text_files[owner] += aligned(bytes(text_size(library)))
    starts, address = [], base
    for text in text_files:
        starts.append(address)
        address += max(len(text), PAGE) + 0x100000
    link_edit, link_edit_address = bytearray(bytes(16)), address
    truth, local_tables = [], []
    link_file = count - 1
    # Tables follow the code in the same file, so that places count from the file's start.
    link_offset = len(text_files[link_file]) if text_files[link_file] else PAGE
    for library, owner, place in zip(libraries, owners, places):
        at = starts[owner] + place
        truth += probes(library)
        image, locals_ = moved(library, at, place, link_edit, link_edit_address, link_offset, form.symbols is not None)
        text_files[owner][place:place + len(image)] = image
        local_tables.append((at, place, locals_))
    write(form, folder, libraries, owners, places, starts, text_files, link_edit, link_edit_address, link_offset, base, local_tables)
    (folder / "truth.tsv").write_text("".join("\t".join(row) + "\n" for row in truth))


def text_size(library):
    for kind, place in library.commands():
        name, _, size, _ = library.segment(kind, place)
        if name == b"__TEXT":
            return struct.unpack_from(library.word, library.bytes, size)[0]


def is_lost(name):
    """Functions that keep no name, only the place where they begin."""
    return "local" in name and name.endswith("1")


def probes(library):
    rows = []
    for address, size, name in library.functions:
        for distance in (0, size // 2 & ~3, size - 1):
            shown = "-" if is_lost(name) else name[1:]
            rows.append((uuid.UUID(bytes=library.uuid).hex, f"{address + distance:x}", shown))
    return rows


def moved(library, at, place, link_edit, link_edit_address, link_offset, takes_locals):
    """The library's code at its new address, its tables appended to those of all; and its symbols that nothing exports."""
    data = bytearray(library.bytes[:text_size(library)])
    base, locals_ = 0, []

    def append(offset, size):
        start = len(link_edit)
        link_edit.extend(library.bytes[offset:offset + size])
        link_edit.extend(bytes(-len(link_edit) % 8))
        return link_offset + start

    for kind, command in library.commands():
        name, address_at, _, offset_at = library.segment(kind, command)
        if name == b"__TEXT":
            struct.pack_into(library.word, data, address_at, at + base)
            struct.pack_into(library.word, data, offset_at, place)
        elif name == b"__LINKEDIT":
            struct.pack_into(library.word, data, address_at, link_edit_address)
            struct.pack_into(library.word, data, offset_at, link_offset)
        elif kind == 0x1b:
            data[command + 8:command + 24] = library.uuid
        elif kind == 0x2:
            symbols, number, strings, size = struct.unpack_from("<IIII", library.bytes, command + 8)
            kept = bytearray()
            for index in range(number):
                width = 16 if library.is_64bit else 12
                entry = bytearray(library.bytes[symbols + width * index:symbols + width * (index + 1)])
                name_at, entry_type = struct.unpack_from("<IB", entry)
                end = library.bytes.index(b"\0", strings + name_at)
                name = library.bytes[strings + name_at:end].decode()
                struct.pack_into(library.word, entry, 8, struct.unpack_from(library.word, entry, 8)[0] + at)
                if is_lost(name):
                    continue
                if takes_locals and name not in library.exported and name.startswith("_made"):
                    locals_.append((name, bytes(entry)))
                else:
                    kept += entry
            start = len(link_edit)
            link_edit.extend(kept + bytes(-len(kept) % 8))
            struct.pack_into("<IIII", data, command + 8, link_offset + start, len(kept) // width, append(strings, size), size)
        elif kind in (0x22, 0x80000022):
            offset, size = struct.unpack_from("<II", library.bytes, command + 40)
            struct.pack_into("<I", data, command + 40, append(offset, size))
        elif kind in (0x80000033, 0x26):
            offset, size = struct.unpack_from("<II", library.bytes, command + 8)
            struct.pack_into("<I", data, command + 8, append(offset, size))
    return data, locals_


def local_symbols(tables, base, is_wide):
    """`dyld_cache_local_symbols_info` and what it leads to."""
    entries, symbols, names, first = bytearray(), bytearray(), bytearray(b"\0"), 0
    for at, place, locals_ in tables:
        for name, entry in locals_:
            entry = bytearray(entry)
            struct.pack_into("<I", entry, 0, len(names))
            names += name.encode() + b"\0"
            symbols += entry
        entries += struct.pack("<QII" if is_wide else "<III", at - base if is_wide else place, first, len(locals_))
        first += len(locals_)
    size = 24
    head = struct.pack(
        "<IIIIII", size, first, size + len(symbols), len(names), size + len(symbols) + len(names), len(tables))
    return head + symbols + names + entries


def header(form, mappings, fields):
    """The header, as long as the form has it, and the mappings behind it."""
    data = bytearray(form.header)
    data[:16] = b"dyld_v1" + form.letters.encode().rjust(8) + b"\0"
    if form.cpu:
        fields = fields + [(0x228, "<II", *form.cpu)]
    struct.pack_into("<II", data, 0x10, form.header, len(mappings))
    for offset, layout, *values in fields:
        if offset + struct.calcsize(layout) <= form.header:
            struct.pack_into(layout, data, offset, *values)
    for address, size, offset in mappings:
        data += struct.pack("<QQQII", address, size, offset, 5, 5)
    return data


def write(form, folder, libraries, owners, places, starts, texts, link_edit, link_edit_address, link_offset, base, tables):
    name = f"dyld_shared_cache_{form.arch}"
    suffixes = [""] + (form.split or [])
    ids = [uuid.uuid5(uuid.NAMESPACE_URL, form.name + suffix).bytes for suffix in suffixes]
    symbol_id = uuid.uuid5(uuid.NAMESPACE_URL, form.name + ".symbols").bytes
    last = len(texts) - 1
    texts[last] = texts[last] or bytearray(PAGE)
    bodies = []
    for number, text in enumerate(texts):
        mappings = [(starts[number], len(text), 0)]
        body = bytearray(text)
        if number == last:
            mappings.append((link_edit_address, len(link_edit), link_offset))
            body += link_edit
        bodies.append((mappings, body))
    # Lists stand behind the header and the mappings of the first file.
    lists_at = form.header + 32 * 4
    strings, texts_list, images_list = bytearray(), bytearray(), bytearray()
    strings_at = lists_at + 64 * len(libraries) + 56 * len(suffixes)
    for library, owner, place in zip(libraries, owners, places):
        at, path_at = starts[owner] + place, strings_at + len(strings)
        strings += library.path.encode() + b"\0"
        texts_list += library.uuid + struct.pack("<QII", at, text_size(library), path_at)
        images_list += struct.pack("<QQQII", at, 0, 0, path_at, 0)
    has_names = form.header > 0x1c8
    subcaches = b"".join(
        ids[number] + struct.pack("<Q", starts[number] - base) + (suffix.encode().ljust(32, b"\0") if has_names else b"")
        for number, suffix in enumerate(suffixes) if number)
    images_at, subcaches_at = lists_at + len(texts_list), lists_at + len(texts_list) + len(images_list)
    local = local_symbols(tables, base, form.header >= 0x1a0)
    mappings, body = bodies[0]
    local_at = len(body) if form.symbols == "inside" else 0
    fields = [
        (0x48, "<QQ", local_at, len(local) if local_at else 0), (0x58, "16s", ids[0]),
        (0x88, "<QQ", lists_at if form.text_list else 0, len(libraries) if form.text_list else 0),
        (0x188, "<II", subcaches_at, len(suffixes) - 1), (0x190, "16s", symbol_id if form.symbols == "file" else bytes(16)),
        (0x1c0, "<II", images_at, len(libraries)), (0x1c8, "<I", 2),
    ]
    if form.header < 0x1c8:
        fields.append((0x18, "<II", images_at, len(libraries)))
    head = header(form, mappings, fields).ljust(lists_at, b"\0") + texts_list + images_list + subcaches
    head = head.ljust(strings_at, b"\0") + strings
    assert len(head) < PAGE * 2
    body[:len(head)] = head
    (folder / name).write_bytes(body + (local if local_at else b""))
    for number, suffix in enumerate(suffixes):
        if number:
            mappings, body = bodies[number]
            head = header(form, mappings, [(0x58, "16s", ids[number])])
            # The first library of such a file is put where its header is; it has room before its code.
            (folder / (name + suffix)).write_bytes(shifted(head, mappings, body, form, ids[number]))
    if form.symbols == "file":
        head = header(form, [(0, PAGE, 0)], [(0x48, "<QQ", PAGE, len(local)), (0x58, "16s", symbol_id)])
        (folder / (name + ".symbols")).write_bytes(head.ljust(PAGE, b"\0") + local)


def shifted(head, mappings, body, form, identity):
    """A further file: its header has a page of its own in front of what it maps."""
    mappings = [(address, size, offset + PAGE) for address, size, offset in mappings]
    return header(form, mappings, [(0x58, "16s", identity)]).ljust(PAGE, b"\0") + body


def main():
    folder = Path(sys.argv[1])
    sources = folder / "sources"
    sources.mkdir(parents=True, exist_ok=True)
    chosen = random.Random(23)
    libraries = {}
    for form in FORMS:
        if form.arch not in libraries:
            libraries[form.arch] = [
                Library(number, "arm64" if form.arch.startswith("arm64e") else form.arch, sources, chosen) for number in range(LIBRARIES)]
        compose(form, libraries[form.arch], folder / form.name)


main()
