#!/usr/bin/env python3
"""Writes the crash of reports/ips/HogeApp.ips as other reporters lay it out, and into containers.

The forms are those that the reporters' documentation or public sources state (CrashRead.docc, Formats): nothing here was
taken from a report of theirs. Only what a form can hold is in it.

    make-reporters.py SAMPLES
"""
import base64
import gzip
import hashlib
import io
import json
import os
import sys
import tarfile

os.chdir(sys.argv[1])
os.makedirs("reporters", exist_ok=True)
os.makedirs("containers", exist_ok=True)

whole = open("reports/ips/HogeApp.ips", encoding="utf-8").read()
body = json.loads(whole.split("\n", 1)[1])
crash = open("reports/text/HogeApp.crash", encoding="utf-8").read()
images = [i for i in body["usedImages"] if i.get("name")]
app = images[0]
crashed = body["threads"][body["faultingThread"]]


def of(frame):
    image = body["usedImages"][frame["imageIndex"]]
    return image, image["base"] + frame["imageOffset"]


def save(path, document):
    with open("reporters/" + path, "w", encoding="utf-8") as file:
        file.write(json.dumps(document, indent=1, ensure_ascii=False) + "\n")


# --- Bugsnag: Error Reporting API --------------------------------------------------------------------

def bugsnag_frames(thread):
    frames = []
    for index, frame in enumerate(thread["frames"]):
        image, address = of(frame)
        frames.append({
            "frameAddress": hex(address), "machoLoadAddress": hex(image["base"]), "machoFile": image.get("path", "?"),
            "machoUUID": image["uuid"].upper(), "method": frame.get("symbol", hex(address)), "isPC": index == 0})
    return frames


save("bugsnag.json", {
    "apiKey": "00000000000000000000000000000000", "payloadVersion": "4.0",
    "notifier": {"name": "iOS Bugsnag Notifier", "version": "6.30.0"},
    "events": [{
        "severity": "error", "unhandled": True, "severityReason": {"type": "signal"},
        "exceptions": [{"errorClass": "EXC_BREAKPOINT", "message": "", "type": "cocoa",
                        "stacktrace": bugsnag_frames(crashed)}],
        "threads": [{"id": str(i), "name": t.get("name", ""), "type": "cocoa",
                     "errorReportingThread": t is crashed, "stacktrace": bugsnag_frames(t)}
                    for i, t in enumerate(body["threads"])],
        "app": {"id": "com.example.HogeApp", "name": "HogeApp", "version": "1.0", "bundleVersion": "1"},
        "device": {"model": "iPhone15,2", "osName": "iOS", "osVersion": "18.1", "time": "2025-01-01T00:00:12Z"}}]})

# --- measure.sh ---------------------------------------------------------------------------------------


def measure_frames(thread):
    frames = []
    for index, frame in enumerate(thread["frames"]):
        image, address = of(frame)
        frames.append({
            "binary_name": image["name"], "binary_address": hex(address), "offset": frame["imageOffset"],
            "frame_index": index, "symbol_address": hex(image["base"]), "in_app": image is app})
    return frames


save("measure.json", {"events": [{
    "id": "00000000-0000-4000-8000-000000000001", "type": "exception", "timestamp": "2025-01-01T00:00:12Z",
    "attribute": {"app_unique_id": "com.example.HogeApp", "app_version": "1.0", "app_build": "1",
                  "device_model": "iPhone15,2", "os_name": "ios", "os_version": "18.1"},
    "exception": {
        "handled": False,
        "exceptions": [{"type": "SIGTRAP", "message": "", "signal": "SIGTRAP", "frames": measure_frames(crashed)}],
        "threads": [{"name": f"Thread {i}", "sequence": i, "frames": measure_frames(t)}
                    for i, t in enumerate(body["threads"]) if t is not crashed],
        "binary_images": [{"start_address": hex(i["base"]), "end_address": hex(i["base"] + i["size"] - 1),
                           "arch": i["arch"], "uuid": i["uuid"], "name": i["name"], "path": i.get("path", "")}
                          for i in images]}}]})

# --- Firebase Crashlytics: its API's events, whose addresses count from the image ------------------------


def crashlytics_frames(thread):
    return [{"symbol": f.get("symbol", ""), "library": of(f)[0]["name"], "address": str(f["imageOffset"]),
             "offset": str(f.get("symbolLocation", 0)), "blamed": i == 0} for i, f in enumerate(thread["frames"])]


save("crashlytics.json", {"events": [{
    "name": "projects/1/apps/1:1:ios:a/events/1", "eventId": "1", "eventTime": "2025-01-01T00:00:12Z",
    "bundleOrPackage": "com.example.HogeApp",
    "issue": {"id": "1", "title": "Fuga.swift - Fuga.init(json:)", "errorType": "FATAL"},
    "version": {"displayVersion": "1.0", "buildVersion": "1"}, "device": {"model": "iPhone15,2"},
    "operatingSystem": {"displayVersion": "18.1"},
    "exceptions": [],
    "threads": [{"crashed": t is crashed, "blamed": t is crashed, "signal": "SIGTRAP" if t is crashed else "", "title": "Crashed: com.apple.main-thread"
                 if t is crashed else "Thread", "frames": crashlytics_frames(t)} for t in body["threads"]]}]})

# --- Datadog: error event of RUM, with stacks as Apple's lines -----------------------------------------


def lines(thread):
    text = ""
    for index, frame in enumerate(thread["frames"]):
        image, address = of(frame)
        text += f"{index:<4}{image['name']:<36}0x{address:016x} 0x{image['base']:x} + {frame['imageOffset']}\n"
    return text


save("datadog.json", {
    "type": "error", "date": 1735689612000, "service": "com.example.HogeApp", "version": "1.0", "build_version": "1",
    "device": {"type": "mobile", "model": "iPhone15,2"}, "os": {"name": "iOS", "version": "18.1"},
    "error": {
        "message": "Trace/BPT trap", "type": "SIGTRAP (#5)", "source": "source", "source_type": "ios", "is_crash": True,
        "stack": lines(crashed),
        "threads": [{"name": f"Thread {i}", "crashed": t is crashed, "stack": lines(t)}
                    for i, t in enumerate(body["threads"])],
        "binary_images": [{"uuid": i["uuid"], "name": i["name"], "is_system": i is not app, "arch": i["arch"],
                           "load_address": hex(i["base"]), "max_address": hex(i["base"] + i["size"] - 1)}
                          for i in images],
        "meta": {"code_type": "ARM-64", "process": "HogeApp [4242]", "incident_identifier": "0"}}})

# --- New Relic: what its agent posts ----------------------------------------------------------------------


def newrelic_stack(thread):
    return [{"instructionPointer": str(of(f)[1]),
             "symbolInfo": {"symbolStartAddr": str(of(f)[1] - f["symbolLocation"]), "symbolName": f["symbol"]}
             if "symbol" in f else {}} for f in thread["frames"]]


save("newrelic.json", {
    "protocolVersion": 1.0, "platform": "iOS", "uuid": "00000000-0000-4000-8000-000000000002", "timestamp": 1735689612,
    "appInfo": {"appName": "HogeApp", "appVersion": "1.0", "appBuild": "1", "bundleId": "com.example.HogeApp",
                "processName": "HogeApp", "processId": 4242},
    "deviceInfo": {"osVersion": "18.1", "modelNumber": "iPhone15,2", "architecture": "arm64"},
    "exception": {"name": "SIGTRAP", "cause": "Trace/BPT trap",
                  "signalInfo": {"signalName": "SIGTRAP", "signalCode": "#0", "faultAddress": "0"}},
    "threads": [{"crashed": t is crashed, "threadNumber": i, "threadId": str(t.get("id", i)), "stack": newrelic_stack(t)}
                for i, t in enumerate(body["threads"])],
    "libraries": [{"baseAddress": str(i["base"]), "imageSize": i["size"], "imageName": i.get("path", i["name"]),
                   "imageUuid": i["uuid"], "codeType": {"arch": "arm64", "typeEncoding": "MACH"}} for i in images]})

# --- Embrace: a log record that carries KSCrash's report; SentryCrash's reports are of the same form ---------

kscrash = {
    "report": {"id": "0", "process_name": "HogeApp", "timestamp": 1735689612, "type": "standard", "version": "3.5.0"},
    "system": {"CFBundleIdentifier": "com.example.HogeApp", "CFBundleShortVersionString": "1.0", "CFBundleVersion": "1",
               "machine": "iPhone15,2", "system_name": "iOS", "system_version": "18.1", "os_version": "22B83"},
    "crash": {
        "error": {"type": "mach", "mach": {"exception": 6, "exception_name": "EXC_BREAKPOINT", "code": 1, "subcode": 0},
                  "signal": {"signal": 5, "name": "SIGTRAP"}},
        "threads": [{"index": i, "crashed": t is crashed, "backtrace": {"contents": [
            {"instruction_addr": of(f)[1], "object_addr": of(f)[0]["base"], "object_name": of(f)[0]["name"]}
            for f in t["frames"]]}} for i, t in enumerate(body["threads"])]},
    "binary_images": [{"image_addr": i["base"], "image_size": i["size"], "uuid": i["uuid"].upper(),
                       "name": i.get("path", i["name"]), "cpu_type": 16777228, "cpu_subtype": 0} for i in images]}
save("embrace.json", {"resource": {"app_bundle_id": "com.example.HogeApp"}, "type": "logs", "data": {"logs": [{
    "severity_text": "FATAL", "body": "", "attributes": [
        {"key": "emb.type", "value": "sys.ios.crash"}, {"key": "emb.provider", "value": "kscrash"},
        {"key": "emb.payload", "value": json.dumps(kscrash)}]}]}})
again = {"report": {"id": "1", "type": "minimal", "process_name": "HogeApp"},
         "crash": {"error": {"type": "signal", "signal": {"signal": 11, "name": "SIGSEGV"}},
                   "crashed_thread": {"index": 0, "crashed": True, "backtrace": {"contents": []}}},
         "recrash_report": kscrash}
save("sentrycrash-recrash.json", again)

# --- App Store Connect: logs of a diagnostic signature -------------------------------------------------------


def nested(frames):
    root = []
    for frame in reversed(frames):
        image, address = of(frame)
        node = {"address": hex(address), "binaryName": image["name"], "binaryUUID": image["uuid"].upper(),
                "offsetIntoBinaryTextSegment": str(frame["imageOffset"]), "sampleCount": 10, "subFrames": root,
                "symbolName": frame.get("symbol", "???"), "isBlameFrame": image is app}
        root = [node]
    return root


save("app-store-connect.json", {"productData": [{
    "signatureId": "0",
    "diagnosticInsights": [{"insightsCategory": "SlowWork", "insightsString": "Work on the main thread.",
                            "insightsURL": ""}],
    "diagnosticLogs": [{
        "diagnosticMetaData": {"bundleId": "com.example.HogeApp", "event": "hang", "osVersion": "iPhone OS 18.1 (22B83)",
                               "appVersion": "1.0", "buildVersion": "1", "deviceType": "iPhone15,2",
                               "platformArchitecture": "arm64", "eventDetail": "Hang of 2.1 s"},
        "callStackTree": [{"callStackPerThread": True,
                           "callStacks": [{"callStackRootFrames": nested(crashed["frames"][::-1])}]}]}]}],
    "version": "1.0"})

# --- none of them: a program's own JSON ------------------------------------------------------------------------

save("unknown.json", {"what": "crash", "stack": {"calls": [
    {"pc": hex(of(f)[1]), "module": of(f)[0]["name"]} for f in crashed["frames"]]},
    "modules": [{"name": i["name"], "uuid": i["uuid"], "base_address": hex(i["base"]), "size": i["size"]}
                for i in images]})

# --- a result bundle: one crash with its report attached to a test, one in Xcode's words --------------------------

bundle = "containers/HogeApp.xcresult"
os.makedirs(bundle + "/Data", exist_ok=True)


def keep(data, references=()):
    name = "0~" + base64.urlsafe_b64encode(hashlib.sha512(data).digest()).decode()
    refs = bytes([len(references)])
    for reference in references:
        refs += b"\x41\x00" + base64.urlsafe_b64decode(reference[2:])
    for part, content in (("data", data), ("refs", refs)):
        with open(f"{bundle}/Data/{part}.{name}", "wb") as file:
            file.write(content)
    return name


def sized(text):
    return f"{len(text.encode())}:{text}"


def made(kind, **members):
    return f"[S{sized(kind)}" + "".join(f"K{sized(n)}{v}" for n, v in sorted(members.items())) + "]"


def value(text, kind="String"):
    return f"[S{sized(kind)}K2:_vV{sized(str(text))}]"


def several(*elements):
    return "[T[K2:_nV5:Array]" + "".join(elements) + "]"


def reference(name):
    return made("Reference", id=value(name))


def stored(text, *references):
    return keep(text.encode(), references)


report = keep(whole.encode())
listed = keep(json.dumps([{"type": 1, "name": "HogeApp-2025-01-01-090012.ips"}]).encode(), [report])
retired = keep(json.dumps([{"type": 2, "name": "DiagnosticReports"}]).encode(), [listed])
other = keep(whole.replace("HogeApp", "Elder").replace("2025-01-01", "2024-12-24").encode())
diagnostics = keep(json.dumps([{"type": 2, "name": "simctl_diagnostics"}, {"type": 1, "name": "Elder.ips"}]).encode(),
                   [retired, other])
attachment = made("ActionTestAttachment", name=value("Crash log"), filename=value("HogeApp-2025-01-01-090012.ips"),
                  payloadRef=reference(report), uniformTypeIdentifier=value("com.apple.crashreport"))
picture = made("ActionTestAttachment", filename=value("screen.png"), payloadRef=reference("0~missing"),
               uniformTypeIdentifier=value("public.png"))
first = stored(made(
    "ActionTestSummary", identifier=value("FugaTests/testReload()"), name=value("testReload()"),
    testStatus=value("Failure"),
    activitySummaries=several(made("ActionTestActivitySummary", attachments=several(attachment, picture)))), report)
words = ("Crash: Ledger (77) Ledger.total(_:). libswiftCore.dylib: Ledger/Ledger.swift:12: Fatal error: Division by zero\n"
         " (#CharacterRangeLen=0)")
second = stored(made(
    "ActionTestSummary", identifier=value("LedgerTests/testTotal()"), name=value("testTotal()"),
    testStatus=value("Failure"), failureSummaries=several(made(
        "ActionTestFailureSummary", message=value(words), fileName=value("/src/Ledger/Ledger.swift"),
        lineNumber=value(12, "Int"), timestamp=value("2025-01-01T09:00:20.000+0900", "Date")))))
tests = stored(made("ActionTestPlanRunSummaries", summaries=several(made(
    "ActionTestPlanRunSummary", name=value("Debug"), testableSummaries=several(made(
        "ActionTestableSummary", targetName=value("HogeTests"), tests=several(
            made("ActionTestMetadata", summaryRef=reference(first)),
            made("ActionTestMetadata", summaryRef=reference(second)))))))), first, second)
phone = made("ActionDeviceRecord", name=value("iPhone 15"), modelCode=value("iPhone15,2"),
             operatingSystemVersionWithBuildNumber=value("18.1 (22B83)"), identifier=value("0-1"),
             platformRecord=made("ActionPlatformRecord", userDescription=value("iOS Simulator")))
root = stored(made("ActionsInvocationRecord", actions=several(made(
    "ActionRecord", startedTime=value("2025-01-01T09:00:00.000+0900", "Date"),
    endedTime=value("2025-01-01T09:01:00.000+0900", "Date"),
    runDestination=made("ActionRunDestinationRecord", targetDeviceRecord=phone),
    actionResult=made("ActionResult", testsRef=reference(tests), diagnosticsRef=reference(diagnostics))))),
    tests, diagnostics)
with open(bundle + "/Info.plist", "w", encoding="utf-8") as file:
    file.write(f"""<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0">
<dict>
\t<key>rootId</key>
\t<dict>
\t\t<key>hash</key>
\t\t<string>{root}</string>
\t</dict>
\t<key>storage</key>
\t<dict>
\t\t<key>backend</key>
\t\t<string>fileBacked2</string>
\t</dict>
</dict>
</plist>
""")

# --- what Xcode's Organizer keeps, a sysdiagnose, a mail --------------------------------------------------------

for folder in ("DistributionInfos/all/Logs", "Filters/Filter_1/Logs"):
    os.makedirs(f"containers/HogeApp.xccrashpoint/{folder}", exist_ok=True)
    with open(f"containers/HogeApp.xccrashpoint/{folder}/2025-01-01.crash", "w", encoding="utf-8") as file:
        file.write(crash)


def archive(path, files):
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w") as writer:
        for name, content in files:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            writer.addfile(entry, io.BytesIO(content))
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write(tar.getvalue())


top = "sysdiagnose_2025.01.01_09-05-00+0900_iPhone-OS_iPhone_22B83"
archive(f"containers/{top}.tar.gz", [
    (f"{top}/crashes_and_spins/HogeApp-2025-01-01-090012.ips", whole.encode()),
    (f"{top}/summaries/ps.txt", b"USER PID\nroot 1\n" * 100),
    (f"{top}/system_logs.logarchive/a.tracev3", bytes(2000))])
parts = base64.b64encode(crash.encode()).decode()
with open("containers/HogeApp.eml", "w", encoding="utf-8") as file:
    file.write("From: A Tester <tester@example.com>\nTo: dev@example.com\nDate: Wed, 01 Jan 2025 09:10:00 +0900\n"
               "Subject: crash\nMIME-Version: 1.0\nContent-Type: multipart/mixed;\n boundary=\"b1\"\n\n"
               "--b1\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n"
               "It crashed =E2=80=94 the log is attached.\n\n"
               "--b1\nContent-Type: application/octet-stream; name=\"HogeApp.crash\"\n"
               "Content-Transfer-Encoding: base64\nContent-Disposition: attachment; filename=\"HogeApp.crash\"\n\n"
               + "\n".join(parts[i:i + 76] for i in range(0, len(parts), 76)) + "\n\n--b1--\n")
