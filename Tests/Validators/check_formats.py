#!/usr/bin/env python3
"""Checks what crashread writes with other people's validators.

Usage: check_formats.py CRASHREAD [SCHEMAS]

SCHEMAS holds sarif-schema-2.1.0.json, JUnit.xsd and sentry-event.schema.json. A validator, a schema or a browser that is absent is named as
skipped; with --strict a skipped check is a failure, too. Python's packages: see requirements.txt beside this file.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LANGUAGES = ["en", "ja"]
problems = []
skipped = set()


def problem(text):
    problems.append(text)
    print("FAILED", text)


def package(name):
    """A Python package; None, and a remark, when it isn't installed."""
    try:
        return __import__(name)
    except ImportError:
        skipped.add(f"Python's {name} is not installed")
        return None


def program(name):
    path = shutil.which(name)
    if not path:
        skipped.add(f"the program {name} is not installed")
    return path


def schema(folder, name):
    path = pathlib.Path(folder, name) if folder else None
    if not path or not path.exists():
        skipped.add(f"the schema {name} is absent")
        return None
    return path


def write_all(crashread, reports, language, folder):
    """One run that writes the reports in every form to check; returns the files by form."""
    files = {
        "sarif": folder / f"{language}.sarif",
        "junit": folder / f"{language}.xml",
        "gitlab": folder / f"{language}.gitlab.json",
        "sentry": folder / f"{language}.sentry.ndjson",
        "html": folder / f"{language}.html",
    }
    outputs = [f"--output={form}={path}" for form, path in files.items()]
    command = [crashread, "--blame", "--lang", language, "--source-root", "Samples/sources", *outputs]
    run = subprocess.run([*command, *reports, "Samples/symbols"], cwd=ROOT, capture_output=True, text=True)
    if run.returncode not in (0, 1) or not all(path.exists() for path in files.values()):
        sys.exit(f"crashread ended with {run.returncode}: {run.stderr}")
    files["summary"] = folder / f"{language}.summary.html"
    command = [crashread, "batch", "--lang", language, "--summary=html", "Samples/reports", "--symbols=Samples/symbols"]
    files["summary"].write_bytes(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)
    old = folder / f"{language}.old.ndjson"
    subprocess.run([crashread, "batch", "Samples/reports/text", "-o", old], cwd=ROOT, check=True, capture_output=True)
    files["comparison"] = folder / f"{language}.comparison.html"
    files["comparison"].write_bytes(
        subprocess.run([*command, "--against", old], cwd=ROOT, check=True, capture_output=True).stdout)
    return files


def json_validator(schemas, name):
    """What checks documents against a JSON schema; nothing where the package or the schema is missing."""
    jsonschema = package("jsonschema")
    file = schema(schemas, name)
    if not jsonschema or not file:
        return None
    rules = json.loads(file.read_text())
    return jsonschema.validators.validator_for(rules)(rules)


def check_sarif(path, schemas):
    validator = json_validator(schemas, "sarif-schema-2.1.0.json")
    if not validator:
        return
    document = json.loads(path.read_text())
    for error in validator.iter_errors(document):
        problem(f"{path.name}: {error.json_path}: {error.message[:200]}")
    for result in document["runs"][0]["results"]:
        if result["level"] == "error" and "signature" in result and not result.get("partialFingerprints"):
            problem(f"{path.name}: a result without fingerprint")


def check_sentry(path, schemas):
    """Each line is an event; the identity is a UUID without dashes, which the schema calls one with any."""
    validator = json_validator(schemas, "sentry-event.schema.json")
    if not validator:
        return
    lines = path.read_text().splitlines()
    for number, line in enumerate(lines, 1):
        event = json.loads(line)
        for error in validator.iter_errors(event):
            problem(f"{path.name}:{number}: {error.json_path}: {error.message[:200]}")
        if not re.fullmatch("[0-9a-f]{32}", event["event_id"]) or not event["fingerprint"][0]:
            problem(f"{path.name}:{number}: identity or fingerprint is wrong")
    if not lines:
        problem(f"{path.name}: no events")


def check_junit(path, schemas):
    xmllint = program("xmllint")
    file = schema(schemas, "JUnit.xsd")
    if not xmllint or not file:
        return
    run = subprocess.run([xmllint, "--noout", "--schema", file, path], capture_output=True, text=True)
    if run.returncode != 0:
        problem(f"{path.name}: {run.stderr[:500]}")


def check_gitlab(path):
    """The table of fields in GitLab's documentation of the Code Quality report format."""
    severities = {"info", "minor", "major", "critical", "blocker"}
    for entry in json.loads(path.read_text()):
        texts = [entry.get(name) for name in ("description", "check_name", "fingerprint")]
        texts.append(entry.get("location", {}).get("path"))
        if not all(isinstance(text, str) and text for text in texts):
            problem(f"{path.name}: a field is missing in {entry}")
        begin = entry.get("location", {}).get("lines", {}).get("begin")
        if not isinstance(begin, int) or begin < 1 or entry.get("severity") not in severities:
            problem(f"{path.name}: line or severity is wrong in {entry}")
        if entry["location"]["path"].startswith("./"):
            problem(f"{path.name}: a path with ./ in front")


def check_html(path):
    text = path.read_text()
    html5lib = package("html5lib")
    if html5lib:
        parser = html5lib.HTMLParser(strict=False)
        parser.parse(text)
        for position, code, _ in parser.errors:
            problem(f"{path.name}: {position}: {code}")
    tidy = program("tidy")
    if tidy:
        # It doesn't know of headings in summaries, which HTML allows.
        run = subprocess.run([tidy, "-errors", "-quiet", path], capture_output=True, text=True)
        for line in run.stderr.splitlines():
            if "Error:" in line:
                problem(f"{path.name}: {line}")
    check_by_hand(path.name, text)
    check_accessibility(path, text)


def check_by_hand(name, text):
    levels = [int(level) for level in re.findall(r"<h([1-6])", text)]
    if any(after > before + 1 for before, after in zip([0] + levels, levels)):
        problem(f"{name}: a heading skips a level: {levels}")
    for needed in ['<html lang="', "<main>", "<title>", 'class="skip"', 'name="viewport"', "default-src 'none'"]:
        if needed not in text:
            problem(f"{name}: {needed} is missing")
    for forbidden in ["<script", "<img", "<iframe", "<link", "<[^>]* style=", "<[^>]* on[a-z]+=\"", '(href|src)="[^#]']:
        if re.search(forbidden, re.sub(r'(aria-label|content)="[^"]*"', "", text)):
            problem(f"{name}: {forbidden} is in it")
    ids = re.findall(r' id="([^"]*)"', text)
    if len(ids) != len(set(ids)):
        problem(f"{name}: an id stands twice")
    for target in re.findall(r'href="#([^"]*)"', text):
        if target not in ids:
            problem(f"{name}: a link leads to #{target}, which isn't there")


def check_accessibility(path, text):
    """Runs axe-core in the browser on the page with everything unfolded, light and dark."""
    axe_package = package("axe_core_python")
    chromium = program("chromium")
    if not axe_package or not chromium:
        return
    axe = pathlib.Path(axe_package.__path__[0], "axe.min.js").read_text()
    runner = """
      axe.run(document, {resultTypes: ['violations']}).then(function (found) {
        document.body.setAttribute('data-axe', JSON.stringify({passes: found.passes.length,
          violations: found.violations.map(v => v.id + ': ' + v.nodes[0].html.slice(0, 200))}));
      });"""
    unfolded = re.sub(r"<meta http-equiv[^>]*>", "", text).replace("<details", "<details open")
    page = path.with_suffix(".axe.html")
    page.write_text(unfolded.replace("</body>", f"<script>{axe}</script><script>{runner}</script></body>"))
    for scheme in (1, 0):
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000", "--dump-dom"]
        flags.append(f"--blink-settings=preferredColorScheme={scheme}")
        run = subprocess.run([chromium, *flags, page.as_uri()], capture_output=True, text=True, timeout=120)
        found = re.search(r'data-axe="([^"]*)"', run.stdout)
        if not found:
            problem(f"{path.name}: axe gave no answer")
            continue
        answer = json.loads(found[1].replace("&quot;", '"').replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
        if answer["passes"] < 10:
            problem(f"{path.name}: axe passed only {answer['passes']} rules")
        for violation in answer["violations"]:
            problem(f"{path.name}: axe: {violation}")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("crashread", type=pathlib.Path)
    arguments.add_argument("schemas", nargs="?")
    arguments.add_argument("--strict", action="store_true")
    options = arguments.parse_args()
    reports = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "Samples/reports").rglob("*") if path.is_file())
    with tempfile.TemporaryDirectory() as folder:
        for language in LANGUAGES:
            files = write_all(options.crashread.resolve(), reports, language, pathlib.Path(folder))
            check_sarif(files["sarif"], options.schemas)
            check_junit(files["junit"], options.schemas)
            check_sentry(files["sentry"], options.schemas)
            check_gitlab(files["gitlab"])
            check_html(files["html"])
            check_html(files["summary"])
            check_html(files["comparison"])
    for text in sorted(skipped):
        print("skipped:", text)
    print(f"{len(reports)} reports in {len(LANGUAGES)} languages: {len(problems)} problems, {len(skipped)} skipped")
    sys.exit(1 if problems or options.strict and skipped else 0)


main()
