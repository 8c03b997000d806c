#!/usr/bin/env python3
"""Makes inputs of a few kilobytes that ask for gigabytes or hours, and reads each under limits on memory and time.

    attacks.py make DIRECTORY           writes a report, and a debug file where one is needed, for each attack
    attacks.py run DIRECTORY CRASHREAD [NAME…]
                                        reads them, or some, with `ulimit -v` and `ulimit -t`, and prints a table
    attacks.py batch DIRECTORY CRASHREAD [NAME…]
                                        gives each to a batch, whose own limits hold

A report that isn't printed, or a process that ends by a signal, is a failure.
"""
import gzip
import lzma
import os
import resource
import struct
import subprocess
import sys
import time
import zlib

ATTACKS = {}
UUID = bytes(range(1, 21))


def attack(function):
    ATTACKS[function.__name__] = function
    return function


def command(*words):
    """What an attack is read by, instead of the main job."""
    def mark(function):
        function.command = words
        return attack(function)
    return mark


# --- reports


def report(symbol="f", count=1, image_id=UUID.hex(), offsets=None):
    lines = ["Process: App [1]", "Code Type: X86-64", "Exception Type: EXC_CRASH (SIGABRT)", "Crashed Thread: 0", "",
             "Thread 0 Crashed:"]
    for number, offset in enumerate(offsets or range(0x1010, 0x1010 + count)):
        lines.append("%d App 0x%016x %s + 4" % (number, 0x100000000 + offset, symbol))
    lines += ["", "Binary Images:", "0x100000000 - 0x1ffffffff App x86_64 <%s> /tmp/App" % image_id]
    return "\n".join(lines) + "\n"


# --- ELF


def section(name, data, kind=1, flags=0):
    return (name, data, kind, flags)


def elf(sections, machine=62):
    """A 64-bit ELF file whose code is at 0x1000...0xffffff."""
    note = struct.pack("<III", 4, len(UUID), 3) + b"GNU\0" + UUID
    sections = [section(".note.gnu.build-id", note, 7)] + sections + [section(".shstrtab", b"", 3)]
    names = b"\0"
    starts = []
    for entry in sections:
        starts.append(len(names))
        names += entry[0].encode() + b"\0"
    sections[-1] = section(".shstrtab", names, 3)
    segment = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, 0x1000000, 0x1000000, 4096)
    body = segment
    headers = bytes(64)
    for start, (_, data, kind, flags) in zip(starts, sections):
        headers += struct.pack("<IIQQQQIIQQ", start, kind, flags, 0, 64 + len(body), len(data), 0, 0, 1, 0)
        body += data
    body += bytes(-len(body) % 8)
    head = b"\x7fELF\2\1\1" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 2, machine, 1, 0, 64, 64 + len(body), 0, 64, 56, 1, 64, len(sections) + 1, len(sections))
    return head + body + headers


def zlib_section(name, data):
    return section(name, struct.pack("<IIQQ", 1, 0, len(data), 1) + zlib.compress(data, 9), 1, 0x800)


def zstd_section(name, size):
    """Zeros, as RLE blocks of 128 KB."""
    blocks = b""
    left = size
    while left > 0:
        count = min(left, 1 << 17)
        left -= count
        blocks += struct.pack("<I", count << 3 | 2 | (left == 0))[:3] + b"\0"
    frame = struct.pack("<I", 0xfd2fb528) + b"\xa0" + struct.pack("<I", size) + blocks
    return section(name, struct.pack("<IIQQ", 2, 0, size, 1) + frame, 1, 0x800)


def uleb(value):
    out = b""
    while True:
        byte, value = value & 0x7f, value >> 7
        out += bytes([byte | (0x80 if value else 0)])
        if not value:
            return out


def unit(entries, version=4):
    body = struct.pack("<HIB", version, 0, 8) + entries
    return struct.pack("<I", len(body)) + body


def line_table(rows, address=0x1000):
    header = bytes([1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0]) + b"a.c\0\0\0\0\0"
    program = b"\0\x09\2" + struct.pack("<Q", address) + b"\1" * rows + b"\2" + uleb(0xffff00) + b"\0\1\1"
    body = struct.pack("<HI", 4, len(header)) + header + program
    return struct.pack("<I", len(body)) + body


# compile_unit: low_pc addr, high_pc data4, stmt_list sec_offset | ranges sec_offset | name string
ABBREVIATIONS = b"\1\x11\1\x11\1\x12\6\x10\x17\0\0" b"\2\x2e\0\x55\x17\3\x08\0\0" b"\3\x2e\1\x11\1\x12\6\3\x0e\0\0" \
    b"\4\x1d\1\x31\x13\x11\1\x12\6\0\0" b"\5\x0b\1\x11\1\x12\6\0\0" b"\6\x0b\0\x55\x17\0\0\0"


def units(count, children=lambda index: b"", table=lambda index: 0):
    out = b""
    for index in range(count):
        low = 0x1000 + 0x100 * index
        out += unit(b"\1" + struct.pack("<QII", low, 0x100, table(index)) + children(index) + b"\0")
    return out


# --- attacks: each gives a report, and a debug file or None


@attack
def cxx_doubled_name():
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    name = "_Z1f1xFvS_S_E" + "".join("FvS%s_S%s_E" % (digits[level], digits[level]) for level in range(30))
    return report(name, 20), None


@attack
def cxx_doubled_arguments():
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    name = "_Z1fIXadL_Z1gvEEEvP1aI1xE"
    for level in range(1, 33):
        name += "P1aIJS%s_S%s_EE" % (digits[level], digits[level])
    return report(name, 20), None


@attack
def swift_deep_name():
    return report("$s1a1byy" + "y" * 21000 + "Si" + "c" * 21000 + "F", 3), None


@attack
def swift_deep_metatypes():
    return report("$s1a1bV" + "m" * 65000, 3), None


@attack
def rust_deep_name():
    return report("_RINvC1a1b" + "T" * 20000 + "l" + "E" * 20000 + "E", 3), None


@attack
def shared_line_table():
    children = units(16)
    sections = [section(".debug_abbrev", ABBREVIATIONS), section(".debug_info", children),
                zlib_section(".debug_line", line_table(16 << 20))]
    return report(offsets=[0x1010 + 0x100 * index for index in range(16)]), elf(sections)


@attack
def nested_line_tables():
    table = b"".join(line_table(0) for _ in range(16))
    size = len(line_table(0))
    tables = bytearray(table + line_table(16 << 20))
    for index in range(16):  # each one ends where the last one ends
        struct.pack_into("<I", tables, index * size, len(tables) - index * size - 4)
    sections = [section(".debug_abbrev", ABBREVIATIONS),
                section(".debug_info", units(16, table=lambda index: index * size)),
                zlib_section(".debug_line", bytes(tables))]
    return report(offsets=[0x1010 + 0x100 * index for index in range(16)]), elf(sections)


@attack
def shared_ranges():
    ranges = struct.pack("<QQ", 0x1000, 0xfffff0) * (3 << 20) + bytes(16)
    sections = [section(".debug_abbrev", ABBREVIATIONS),
                section(".debug_info", units(16, lambda index: (b"\2" + struct.pack("<I", 0) + b"f\0") * 20)),
                zlib_section(".debug_ranges", ranges)]
    return report(offsets=[0x1010 + 0x100 * index for index in range(16)]), elf(sections)


@attack
def many_scopes():
    scope = b"\6" + struct.pack("<I", 0)
    body = b"\3" + struct.pack("<QII", 0x1000, 0x100, 0) + scope * (12 << 20) + b"\0"
    sections = [section(".debug_abbrev", ABBREVIATIONS), zlib_section(".debug_info", units(1, lambda index: body)),
                section(".debug_ranges", struct.pack("<QQ", 0x1000, 0x1100) + bytes(16)),
                section(".debug_str", b"f\0")]
    return report(), elf(sections)


@attack
def unknown_zstd_sections():
    sections = [section(".debug_abbrev", ABBREVIATIONS), section(".debug_info", units(1))]
    sections += [zstd_section(".debug_x%02d" % index, 64 << 20) for index in range(63)]
    return report(), elf(sections)


@attack
def known_zstd_sections():
    names = "info abbrev line str loc ranges rnglists loclists addr str_offsets line_str types aranges macro frame"
    return report(), elf([zstd_section(".debug_" + name, 64 << 20) for name in names.split()])


@attack
def long_inlined_names():
    """Each of 1,000 calls inlined at one address has a name of 64 KB."""
    name = b"n" * 65000 + b"\0"
    function = b"\3" + struct.pack("<QII", 0x1000, 0x100, 0)
    target = 11 + 1 + 16
    chain = (b"\4" + struct.pack("<I", target) + struct.pack("<QI", 0x1000, 0x100)) * 1000 + b"\0" * 1000
    sections = [section(".debug_abbrev", ABBREVIATIONS),
                section(".debug_info", units(1, lambda index: function + chain + b"\0")),
                section(".debug_str", name)]
    return report(offsets=[0x1010 + index for index in range(200)]), elf(sections)


@attack
def many_reports():
    return '{"incident_id":1}\n' * 800_000, None


@attack
def many_diagnostics():
    return '{"crashDiagnostics":[' + "{}," * 4_000_000 + "{}]}", None


@attack
def many_text_reports():
    return "Process: A [1]\nException Type: EXC_CRASH\n\n" * 300_000, None


# --- reports that cost more than their size


HEADER = "Process: App [1]\nOS Version: macOS 14.2 (23C64)\nException Type: EXC_CRASH (SIGABRT)\n"
TRACE = HEADER + "Crashed Thread: 0\n\nThread 0 Crashed:\n"


@command("--source-root=.", "--format=json", "--all-threads")
def long_source_path():
    frame = '{"imageOffset":16,"imageIndex":0,"symbol":"f","sourceFile":"%s","sourceLine":3}' % ("a/" * 20_000 + "x.c")
    return ips("[%s]" % frame, '[{"base":4096,"size":4096,"name":"App"}]'), None


@attack
def long_image_path():
    image = '{"base":4096,"size":4096,"name":"App","uuid":"00112233-4455-6677-8899-AABBCCDDEEFF","path":"/tmp%s/a"}'
    return ips('[{"imageOffset":16,"imageIndex":0}]', "[%s]" % (image % ("/a.app" * 100_000))), None


def ips(frames, images):
    return ('{"bug_type":"309","name":"App"}\n{"procName":"App","exception":{"type":"EXC_CRASH","signal":"SIGABRT"},'
            '"faultingThread":0,"threads":[{"triggered":true,"frames":%s}],"usedImages":%s}' % (frames, images))


@attack
def termination_lines():
    return HEADER + "Termination Reason: SIGNAL 11\n" + "x\n" * 500_000, None


@attack
def second_codes():
    return HEADER + "Codes: x\n" + "Code[1]: 1\n" * 100_000, None


@attack
def sanitizers_in_a_line():
    return HEADER + "x " + "Sanitizer" * 100_000, None


@attack
def runtime_errors_in_a_line():
    return HEADER + ": runtime error: " * 60_000, None


@attack
def brackets_in_a_tree():
    return "Analysis of sampling A\nCall graph:\n    1 Thread_1\n      1 " + "[" * 1_000_000 + "]", None


@attack
def deep_tree():
    return ("Data Source: Stackshots\nCommand: A\n\nHeaviest stack for the target process:\n"
            + "  1  f + 1 (A + 1) [0x1]\n" * 80_000), None


@attack
def images_and_frames():
    frames = "".join("%d a%d 0x%x f + 16\n" % (n, n, 0x100000010 + (n << 16)) for n in range(50_000))
    images = "".join("0x%x - 0x%x a%d\n" % (0x100000000 + (n << 16), 0x10000ffff + (n << 16), n) for n in range(50_000))
    return HEADER + "\nThread 0 Crashed:\n" + frames + "\nBinary Images:\n" + images, None


@attack
def documents_in_vain():
    return '{"kind":"crashReport","a":[\n' * 150_000 + HEADER, None


@command("ci", "--log")
def log_of_tests():
    lines = ["Test Case 'A.test%d' started.\n" % n for n in range(60_000)]
    lines += ["Test Case 'A.test%d' passed (0.1 seconds).\n" % n for n in reversed(range(60_000))]
    return "".join(lines) + TRACE + "0 App 0x0000000100001010 f + 16\n", None


# --- personal data


@command("anonymize")
def homes_in_homes():
    return TRACE + "0 App 0x0000000100001010 f + 16\n\nx " + "/Users/a" * 125_000, None


@command("anonymize")
def dots():
    return TRACE + "0 App 0x0000000100001010 f + 16\n\nx " + "." * 1_000_000, None


@command("anonymize")
def queries():
    return TRACE + "0 App 0x0000000100001010 f + 16\n\nx " + "=" * 1_000_000, None


@command("anonymize")
def users_in_symbols():
    return TRACE + "".join(
        "%d App 0x%x f(/Users/u%05d/x) + 16\n" % (n, 0x100001010 + n, n) for n in range(20_000)), None


# --- files of a whole system


CACHE = 0x180000000


def shared_cache(count, rest):
    """One file with a mapping and so many entries of the one image behind the list."""
    head = bytearray(0x68)
    head[:16] = b"dyld_v1   arm64e"
    struct.pack_into("<IIII", head, 0x10, 0x68, 1, 0x88, count)
    head[0x58:0x68] = UUID[:16]
    place = CACHE + 0x88 + 32 * count
    return bytes(head) + struct.pack("<QQQII", CACHE, 1 << 30, 0, 5, 5) + struct.pack(
        "<QQQII", place, 0, 0, 0, 0) * count + rest


def system_report(count=1):
    frames = "".join("%d lib 0x%x 0x%x + 4112\n" % (n, CACHE + 0x200 + n, CACHE) for n in range(count))
    return ("Process: App [1]\nCode Type: ARM-64\nException Type: EXC_CRASH (SIGABRT)\nCrashed Thread: 0\n\n"
            "Thread 0 Crashed:\n%s\nBinary Images:\n0x%x - 0x%x lib arm64e <%s> /usr/lib/lib\n" % (
                frames, CACHE, CACHE + (1 << 28), UUID[:16].hex()))


def system_image(linkedit, table):
    """A cache with one image, and one table in its __LINKEDIT."""
    def image(place):
        commands = struct.pack("<II", 0x1b, 24) + UUID[:16] + struct.pack(
            "<II16sQQQQIIII", 0x19, 72, b"__TEXT", CACHE + 0xa8, 1 << 28, 0, 0, 5, 5, 0, 0) + struct.pack(
            "<II16sQQQQIIII", 0x19, 72, b"__LINKEDIT", CACHE + place, len(linkedit), place, 0, 5, 5, 0, 0) + table(place)
        return struct.pack("<IIIIIIII", 0xfeedfacf, 0x100000c, 0, 6, 4, len(commands), 0, 0) + commands
    place = 0xa8 + len(image(0))
    return shared_cache(1, image(place) + linkedit)


@attack
def shared_load_commands():
    commands = struct.pack("<II", 0x30, 8) * 4095 + struct.pack("<II", 0x1b, 24) + UUID[:16]
    head = struct.pack("<IIIIIIII", 0xfeedfacf, 0x100000c, 0, 6, 4096, len(commands), 0, 0)
    return system_report(), shared_cache(1 << 17, head + commands)


@attack
def edges_without_end():
    nodes, edges = 2000, 255
    size = 2 + 6 * edges

    def place(offset):
        return bytes([offset & 0x7f | 0x80, offset >> 7 & 0x7f | 0x80, offset >> 14 & 0x7f | 0x80, offset >> 21])
    trie = bytearray()
    for node in range(nodes):
        trie += bytes([0, edges])
        for edge in range(edges):
            leaf = nodes * size + 3 * (node * edges + edge)
            trie += b"a\0" + place(leaf if edge else (node + 1) * size)
    trie += b"\1" * (3 * nodes * edges + (4 << 20))
    return system_report(), system_image(bytes(trie), lambda place: struct.pack("<IIII", 0x80000033, 16, place, len(trie)))


@attack
def symbols_at_one_address():
    count = 1 << 21
    table = b"\0f\0\0" + struct.pack("<IBBHQ", 1, 0xf, 1, 0, CACHE + 0x180) * count
    return system_report(20_000), system_image(
        table, lambda place: struct.pack("<IIIIII", 2, 24, place + 4, count, place, 4))


@attack
def pack_of_one_path():
    count = 1 << 17
    names = 16 + 56 * count
    entries = b"".join(
        struct.pack(">QQ", n, 7) + struct.pack("<QQQIIII", CACHE, 4096, 0, 0, names, names, 0) for n in range(count))
    return system_report(), b"crsympk1" + struct.pack("<Q", count) + entries + b"n" * (1 << 16)


@attack
def gsym_shared_lines():
    """10,000 functions with the same line table of 8 MB, whose rows are all at one address."""
    count = 10_000
    infos = 48 + 4 * count
    strings = infos + 4 * count + 4
    info = (strings + 4 + 3) & ~3
    lines = b"\1\1\1" + b"\2\0" * (4 << 20)
    head = struct.pack("<IHBBQIII", 0x4753594d, 1, 4, 16, 0x100001000, count, strings, 3) + UUID[:16] + bytes(4)
    body = struct.pack("<%dI" % count, *(16 * n for n in range(count))) + struct.pack("<I", info) * count
    body += struct.pack("<I", 0) + b"\0f\0"
    file = (head + body).ljust(info, b"\0") + struct.pack("<IIII", 16, 1, 1, len(lines)) + lines + bytes(8)
    return report(image_id=UUID[:16].hex(), offsets=[0x1008 + 16 * n for n in range(count)]), file


# --- archives, fat files, packages and supplementary files


def tar_entry(name, size, data=b"", kind=b"0"):
    """`size` is what the header says, in base 256 when it is too large for octal digits."""
    stated = b"%011o\0" % size if size < 1 << 33 else b"\x80" + size.to_bytes(11, "big")
    head = bytearray(name.encode().ljust(100, b"\0") + b"0000644\0" + b"0000000\0" * 2 + stated + b"00000000000\0"
                     + b" " * 8 + kind + bytes(100) + b"ustar\00000").ljust(512, b"\0")
    head[148:156] = b"%06o\0 " % sum(head)
    return bytes(head) + data + bytes(-len(data) % 512)


def gzip_layers(data, count):
    for _ in range(count):
        data = gzip.compress(data, 9, mtime=0)
    return data


def zeros_twice_compressed(size, head=b""):
    """As gzip in gzip, made of copies of one compressed block: gzip members may follow one another."""
    block = gzip.compress(bytes(1 << 24), 9, mtime=0)
    return gzip.compress(gzip.compress(head, mtime=0) + block * (size >> 24), 9, mtime=0)


@attack
def tar_sparse():
    """A file of 8 EB with no bytes: GNU's old format for files with holes."""
    size = 1 << 60
    head = bytearray(tar_entry("App.debug", 0, kind=b"S"))
    head[257:265] = b"ustar  \0"
    head[386:410] = b"00000000000\0" * 2
    head[483:495] = b"\x80" + size.to_bytes(11, "big")
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    return report(), bytes(head) + bytes(1024)


@attack
def tar_passed_over():
    """A directory, whose bytes nobody asked for: 64 GB of zeros, twice compressed."""
    return report(), zeros_twice_compressed(1 << 36, tar_entry("a/", 1 << 36, kind=b"5"))


@attack
def tar_long_name():
    size = 1 << 30
    return report(), zeros_twice_compressed(size, tar_entry("././@LongLink", size, kind=b"L"))


@attack
def tar_long_attributes():
    size = 1 << 30
    return report(), zeros_twice_compressed(size, tar_entry("x", size, kind=b"x"))


@attack
def ar_long_names():
    """GNU's table of names, 1 GB: libarchive holds all of it."""
    size = 1000 << 20
    head = b"!<arch>\n" + b"//".ljust(48) + b"%-10d`\n" % size
    return report(), zeros_twice_compressed(size, head)


@attack
def gzip_in_gzip():
    return report(), gzip_layers(tar_entry("App.debug", 5, b"\x7fELF\2"), 40)


@attack
def gzip_empty_members():
    return report(), gzip.compress(b"", mtime=0) * (1 << 20)


@attack
def xz_large_dictionary():
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 20}]
    data = bytearray(lzma.compress(tar_entry("App.debug", 5, b"\x7fELF\2"), filters=filters))
    # The block header's dictionary size: 4 GB. Its check sum follows.
    data[16] = 40
    data[20:24] = struct.pack("<I", zlib.crc32(bytes(data[12:20])))
    return report(), bytes(data)


@attack
def zip_overlapping():
    """Each of 60,000 entries of the directory is the same file of 1 MB."""
    content = b"\x7fELF\2\1\1".ljust(1 << 20, b"\0")
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = deflate.compress(content) + deflate.flush()
    sizes = struct.pack("<III", zlib.crc32(content), len(packed), len(content))
    local = b"PK\3\4" + struct.pack("<HHHHH", 20, 0, 8, 0, 33) + sizes + struct.pack("<HH", 5, 0) + b"aaaaa" + packed
    directory = b"".join(
        b"PK\1\2" + struct.pack("<HHHHHH", 20, 20, 0, 8, 0, 33) + sizes
        + struct.pack("<HHHHHII", 5, 0, 0, 0, 0, 0, 0) + b"%05d" % index for index in range(60_000))
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 60_000, 60_000, len(directory), len(local), 0)
    return report(), local + directory + end


def macho(size):
    """An x86-64 debug file with a UUID, and a section of debug information that takes up the rest of the file."""
    uuid = struct.pack("<II", 0x1b, 24) + UUID[:16]
    place = struct.pack("<16s16sQQIIIIIIII", b"__debug_info", b"__DWARF", 0x2000, size, 4096, 0, 0, 0, 0, 0, 0, 0)
    text = struct.pack("<II16sQQQQIIII", 0x19, 72, b"__TEXT", 0x100000000, 0x1000000, 0, 0, 5, 5, 0, 0)
    dwarf = struct.pack("<II16sQQQQIIII", 0x19, 152, b"__DWARF", 0x101000000, size, 4096, size, 7, 3, 1, 0) + place
    commands = uuid + text + dwarf
    return struct.pack("<IIIIIIII", 0xfeedfacf, 0x1000007, 3, 10, 3, len(commands), 0, 0) + commands


@attack
def fat_overlapping():
    """Thirty slices that are the same bytes: small units without end."""
    info = unit(b"\0") * 400_000
    slice_ = macho(len(info)).ljust(4096, b"\0") + info
    entry = struct.pack(">IIIII", 0x1000007, 3, 4096, len(slice_), 12)
    return report(image_id=UUID[:16].hex()), (
        (struct.pack(">II", 0xcafebabe, 30) + entry * 30).ljust(4096, b"\0") + slice_)


@attack
def dwp_full_index():
    """10,000 skeleton units; the package's hash table has no free slot, and none of theirs."""
    count, slots = 10_000, 1 << 18
    abbreviations = b"\1\x11\0\x11\1\x12\6\xb0\x42\x08\xb1\x42\7\0\0\0"
    info = b"".join(
        unit(b"\1" + struct.pack("<QI", 0x1000 + 16 * index, 16) + b"a\0" + struct.pack("<Q", index))
        for index in range(count))
    index = struct.pack("<IIII", 2, 0, 1, slots) + struct.pack("<Q", 1 << 63) * slots + struct.pack("<I", 1) * slots
    package = elf([section(".debug_cu_index", index)])
    main = elf([section(".debug_abbrev", abbreviations), section(".debug_info", info)])
    return report(offsets=[0x1008 + 16 * index for index in range(count)]), main, {".dwp": package}


@attack
def dwz_of_itself():
    """A supplementary file that names itself as its own, and entries that are their own origin there."""
    link = section(".gnu_debugaltlink", b"dwz_of_itself.debug\0" + UUID)
    abbreviations = b"\1\x11\1\x11\1\x12\6\0\0" b"\2\x2e\0\x31\xa0\x3e\x11\1\x12\6\0\0\0"
    function = b"\2" + struct.pack("<IQI", 11 + 13, 0x1000, 0x100)
    info = unit(b"\1" + struct.pack("<QI", 0x1000, 0x100) + function + b"\0")
    return report(), elf([section(".debug_abbrev", abbreviations), section(".debug_info", info), link])


@attack
def dwz_far_names():
    """10,000 functions whose names are the same 4 MB of the supplementary file, each from another byte on."""
    count = 10_000
    abbreviations = b"\1\x11\1\x11\1\x12\6\0\0" b"\2\x2e\0\3\xa1\x3e\x11\1\x12\6\0\0\0"
    functions = b"".join(
        b"\2" + struct.pack("<IQI", index, 0x1000 + 16 * index, 16) for index in range(count))
    info = unit(b"\1" + struct.pack("<QI", 0x1000, 16 * count) + functions + b"\0")
    link = section(".gnu_debugaltlink", b"dwz_far_names.dwz\0" + UUID)
    names = elf([section(".debug_abbrev", b"\1\x11\0\0\0\0"), section(".debug_info", unit(b"\1")),
                 section(".debug_str", b"n" * (4 << 20) + b"\0")])
    main = elf([section(".debug_abbrev", abbreviations), section(".debug_info", info), link])
    return report(offsets=[0x1008 + 16 * index for index in range(count)]), main, {".dwz": names}


@attack
def wide_function():
    """A function around 200,000 short ones, and 10,000 addresses behind those, which it alone holds."""
    count = 200_000
    abbreviations = b"\1\x11\1\x11\1\x12\6\0\0" b"\2\x2e\0\x11\1\x12\6\0\0\0"
    functions = b"".join(b"\2" + struct.pack("<QI", 0x1000 + index, 1) for index in range(count))
    functions += b"\2" + struct.pack("<QI", 0x1000, 0xf00000)
    info = unit(b"\1" + struct.pack("<QI", 0x1000, 0xf00000) + functions + b"\0")
    main = elf([section(".debug_abbrev", abbreviations), section(".debug_info", info)])
    return report(offsets=[0x100000 + 16 * index for index in range(10_000)]), main


@attack
def breakpad_deep_calls():
    """16,000 calls inside one another, all of a function whose name has 64 KB."""
    head = "MODULE Linux x86_64 %s0 App\nINFO CODE_ID %s\nFILE 0 /a.c\nINLINE_ORIGIN 0 %s\nFUNC 1000 1000 0 f\n" % (
        UUID[:16].hex().upper(), UUID.hex().upper(), "n" * 65_000)
    calls = "".join("INLINE %d 1 0 0 1000 1000\n" % level for level in range(16_000))
    return report(), (head + calls + "1000 1000 1 0\n").encode()


# --- running


def make(directory):
    os.makedirs(directory, exist_ok=True)
    for name, function in ATTACKS.items():
        text, binary, *others = function()
        files = {".crash": text.encode(), ".debug": binary, **dict(*others)}
        for ending, content in files.items():
            if content:
                path = os.path.join(directory, name + (".debug" + ending if ending == ".dwp" else ending))
                with open(path, "wb") as file:
                    file.write(content)


def limit(memory, seconds):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def run(directory, crashread, *names, inBatch=False, memory=3 << 30, seconds=60):
    failures = 0
    print("%-24s %9s %9s %7s %7s %6s %8s  %s" % (
        "attack", "report", "debug", "clock", "seconds", "status", "MB", "printed"))
    for name in names or ATTACKS:
        path = os.path.join(directory, name)
        files = [path + ending for ending in (".crash", ".debug") if os.path.exists(path + ending)]
        words = list(getattr(ATTACKS[name], "command", ("--cache=off", "--format=json", "--all-threads")))
        if inBatch:
            words = ["batch", "--cache=off"] + ["--symbols=" + file for file in files[1:]]
            files = files[:1]
        start = time.time()
        output = os.path.join(directory, "output")
        with open(output, "wb") as out:
            process = subprocess.Popen(
                [crashread] + words + files, stdout=out, stderr=subprocess.PIPE,
                preexec_fn=None if inBatch else lambda: limit(memory, seconds))
            errors = process.stderr.read().decode(errors="replace").strip().split("\n")[0]
            _, status, usage = os.wait4(process.pid, 0)
        with open(output, "rb") as printed:
            text = printed.read(1 << 20)
        is_printed = b'"reports"' in text or b'"report"' in text or os.path.getsize(output) > 200
        ok = os.WIFEXITED(status) and (is_printed or "not written: " in errors)
        failures += not ok
        sizes = [os.path.getsize(path + ending) if os.path.exists(path + ending) else 0 for ending in (".crash", ".debug")]
        print("%-24s %9d %9d %7.1f %7.1f %6s %8d  %d %s %s" % (
            name, *sizes, time.time() - start, usage.ru_utime + usage.ru_stime, os.waitstatus_to_exitcode(status),
            usage.ru_maxrss // 1024, os.path.getsize(output), "" if ok else "FAILED", errors[:150]), flush=True)
    return failures


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2])
    else:
        sys.exit(run(*sys.argv[2:], inBatch=sys.argv[1] == "batch") > 0)
