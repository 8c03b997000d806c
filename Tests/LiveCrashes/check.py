#!/usr/bin/env python3
"""Crashes a small package in the five shapes that tests have, under XCTest and Swift Testing, and asks crashread ci where.

    Tests/LiveCrashes/check.py .build/debug/crashread

Each test is run by `crashread ci swift test` as GitHub Actions does it, and by itself, and its log is then read as on GitHub, on GitLab and in a terminal; one is run live on GitLab and in a terminal, too. What must be right: the file,
the line, the name of the test and of the process.
"""
import json, os, pathlib, pty, re, shutil, subprocess, sys, tempfile, time

LIBRARY, XCTEST, TESTING = "Sources/Shop/Cart.swift", "Tests/ShopTests/CartTests.swift", "Tests/ShopTests/CartSuite.swift"
# The place of the crash. Of a bad pointer in an autoclosure of XCTest's no frame has a line: the test's first one counts.
SHAPES = {
    "CartTests.testPlain": (LIBRARY, 5), "CartSuite.plain": (LIBRARY, 5),
    "CartTests.testAssertion": (XCTEST, 12), "CartSuite.assertion": (TESTING, 12),
    "CartTests.testAsync": (LIBRARY, 5), "CartSuite.async": (LIBRARY, 5),
    "CartTests.testUnwrap": (XCTEST, 23), "CartSuite.unwrap": (TESTING, 23),
    "CartTests.testBadPointer": (XCTEST, 26), "CartSuite.badPointer": (TESTING, 28),
}
PROCESS = "shopPackageTests.xctest"
MACHINE = {"GITHUB_ACTIONS", "GITHUB_WORKSPACE", "GITHUB_STEP_SUMMARY", "GITLAB_CI", "CI_PROJECT_DIR", "SWIFT_BACKTRACE"}
failures = []


def environment(**variables):
    kept = {name: value for name, value in os.environ.items() if name not in MACHINE}
    return {**kept, "CRASHREAD_CACHE": "off", "LANG": "C", **variables}


def run(command, package, **variables):
    return subprocess.run(command, cwd=package, env=environment(**variables), capture_output=True, text=True)


def in_terminal(command, package):
    """What a command writes into a terminal, and its status."""
    chunks = []
    def read(descriptor):
        chunks.append(os.read(descriptor, 1 << 16))
        return b""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(package)
        os.execvpe(command[0], command, environment(TERM="xterm-256color", COLUMNS="100"))
    while True:
        try:
            if not read(terminal) and not chunks[-1]:
                break
        except OSError:
            break
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return b"".join(chunks).decode(errors="replace"), status


def check(what, holds, said):
    if not holds:
        failures.append(what)
        print(f"wrong: {what}\n  {said}")


def check_github(name, text, where):
    file, line = SHAPES[name]
    found = [line for line in text.splitlines() if line.startswith("::error")]
    said = found[0][:300] if found else text[-2000:]
    check(f"{where} {name}: one annotation", len(found) == 1, said)
    check(f"{where} {name}: the place", f"file={file},line={line}," in said, said)
    check(f"{where} {name}: the test and the process", f"title={PROCESS} crashed in the test {name}::" in said.replace("ShopTests.", ""), said)


def check_gitlab(name, package, where):
    file, line = SHAPES[name]
    report = json.loads((package / "gl-code-quality-report.json").read_text())
    check(f"{where} {name}: one entry", len(report) == 1, report)
    place = report[0]["location"] if report else {}
    check(f"{where} {name}: the place", place == {"path": file, "lines": {"begin": line}}, place)
    check(f"{where} {name}: the test", report and name in report[0]["description"], report)


def check_text(name, text, where):
    file, line = SHAPES[name]
    plain = re.sub(r"\x1b(\[[0-9;?]*[a-zA-Z]|\]8;[^\x1b]*\x1b\\)", "", text)
    joined = re.sub(r"\s+", " ", plain)
    check(f"{where} {name}: the place", re.search(rf"at {re.escape(file)}:{line}\b", joined), plain[-2000:])
    check(f"{where} {name}: the test", re.search(rf"crashed in the test (ShopTests\.)?{re.escape(name)}\b", joined), plain[-2000:])


def without_swift_test(name):
    """The command that `swift test` runs for a test."""
    program = ".build/debug/shopPackageTests.xctest"
    if name.startswith("CartTests"):
        return [program, "ShopTests." + name.replace(".", "/")]
    return [program, "--testing-library", "swift-testing", "--filter", "ShopTests." + name]


def check_shapes(crashread, package):
    test = ["swift", "test", "--skip-build", "--filter"]
    for name in SHAPES:
        command = test + ["ShopTests." + name]
        live = run([crashread, "ci"] + command, package, GITHUB_ACTIONS="true", GITHUB_WORKSPACE=str(package))
        check(f"live {name}: the status is the command's", live.returncode == 1, live.returncode)
        check_github(name, live.stdout, "live")
        log = run(without_swift_test(name), package, SWIFT_BACKTRACE="enable=yes,color=no,interactive=no")
        (package / "log.txt").write_text(log.stdout + log.stderr)
        ci = [crashread, "ci", "--log", "log.txt"]
        check_github(name, run(ci, package, GITHUB_ACTIONS="true", GITHUB_WORKSPACE=str(package)).stdout, "log")
        run(ci, package, GITLAB_CI="true", CI_PROJECT_DIR=str(package))
        check_gitlab(name, package, "log")
        check_text(name, run(ci, package).stdout, "log")
    name = "CartTests.testAssertion"
    command = [crashread, "ci"] + test + ["ShopTests." + name]
    run(command, package, GITLAB_CI="true", CI_PROJECT_DIR=str(package))
    check_gitlab(name, package, "live")
    text, status = in_terminal(command, package)
    check_text(name, text, "terminal")
    check("terminal: the status is the command's", status == 1, status)


def main():
    crashread = str(pathlib.Path(sys.argv[1]).resolve())
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        package = pathlib.Path(folder).resolve() / "shop"
        shutil.copytree(pathlib.Path(__file__).parent / "Package", package)
        built = run(["swift", "build", "--build-tests", "--disable-sandbox"], package)
        if built.returncode != 0:
            sys.exit(built.stdout + built.stderr)
        check_shapes(crashread, package)
    print(f"{len(SHAPES)} crashes, {len(failures)} wrong answers, {time.monotonic() - start:.0f} s")
    sys.exit(1 if failures else 0)


main()
