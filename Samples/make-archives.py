#!/usr/bin/env python3
"""Packs sample debug files as people hand them on: make-archives.py SYMBOLS ARCHIVES

The same files give the same bytes: names are sorted, times, owners and modes are fixed.
"""
import gzip
import io
import os
import plistlib
import sys
import tarfile
import zipfile

symbols, archives = sys.argv[1:]
time = (2025, 1, 1, 0, 0, 0)


def files(top):
    """Files below a bundle, or the file itself, by their paths from SYMBOLS on."""
    paths = [os.path.join(place, name) for place, _, names in os.walk(os.path.join(symbols, top)) for name in names]
    return sorted(os.path.relpath(path, symbols) for path in paths or [os.path.join(symbols, top)])


def read(name):
    with open(os.path.join(symbols, name), "rb") as file:
        return file.read()


def zipped(entries):
    """The bytes of a zip file with these names and contents."""
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, contents in entries:
            entry = zipfile.ZipInfo(name, time)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, contents)
    return result.getvalue()


def tarred(entries):
    """The bytes of a tar file with these names and contents, compressed by gzip."""
    result = io.BytesIO()
    with gzip.GzipFile(fileobj=result, mode="wb", mtime=0) as stream:
        with tarfile.open(fileobj=stream, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for name, contents in entries:
                entry = tarfile.TarInfo(name)
                entry.size = len(contents)
                entry.mtime = 1735689600
                archive.addfile(entry, io.BytesIO(contents))
    return result.getvalue()


def write(name, contents):
    path = os.path.join(archives, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(contents)


# What App Store Connect and CI systems hand out; the second bundle has a name that isn't ASCII.
bundles = files("HogeApp.app.dSYM") + files("アプリ.app.dSYM")
dsyms = zipped([(name, read(name)) for name in bundles])
write("dSYMs.zip", dsyms)
# An artifact of a CI run: a zip file around whatever was uploaded.
write("artifact.zip", zipped([("build/ReadMe.txt", b"Symbols of build 1\n"), ("build/dSYMs.zip", dsyms)]))
# Debug files of Linux programs.
write("debug.tar.gz", tarred([("./debug/" + name, read(name)) for name in ["c-abort.debug", "cpp-inline.debug"]]))

# What Xcode's Organizer keeps, without the app.
xcarchive = "HogeApp.xcarchive"
info = {
    "ApplicationProperties": {"CFBundleIdentifier": "com.example.HogeApp", "CFBundleShortVersionString": "1.0"},
    "ArchiveVersion": 2, "Name": "HogeApp",
}
write(f"{xcarchive}/Info.plist", plistlib.dumps(info))
for name in files("HogeApp.app.dSYM"):
    write(f"{xcarchive}/dSYMs/{name}", read(name))
