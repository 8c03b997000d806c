import CrashReadReports
import TestSupport

/// A report of a small invented app, in the layout of iOS 17.
let iOSReport = """
  Incident Identifier: 0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0
  Hardware Model:      iPhone14,5
  Process:             Tide Table [812]
  Path:                /private/var/containers/Bundle/Application/A/Tide Table.app/Tide Table
  Identifier:          org.example.tides
  Version:             2.5 (118)
  Code Type:           ARM-64 (Native)
  Parent Process:      launchd [1]

  Date/Time:           2024-03-01 09:15:00.1234 +0900
  Launch Time:         2024-03-01 09:14:58.0001 +0900
  OS Version:          iPhone OS 17.2 (21C62)
  Report Version:      104

  Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
  Exception Subtype: KERN_INVALID_ADDRESS at 0x0000000000000010
  Exception Codes: 0x0000000000000001, 0x0000000000000010
  VM Region Info: 0x10 is not in any region.  Bytes before following region: 4294967280
        REGION TYPE                 START - END      [ VSIZE] PRT/MAX SHRMOD  REGION DETAIL
        UNUSED SPACE AT START
  --->  
        __TEXT                   104000000-104008000 [   32K] r-x/r-x SM=COW  /var/Tide Table
  Termination Reason: SIGNAL 11 Segmentation fault: 11
  Terminating Process: exc handler [812]

  Triggered by Thread:  1

  Application Specific Information:
  high water: 3.2 m
  Thread 0 Crashed: is only text here

  abort() called

  Last Exception Backtrace:
  0   CoreFoundation                \t       0x190000010 __exceptionPreprocess + 16
  1   Tide Table                    \t       0x104001234 0x104000000 + 4660

  Thread 0 name:   Dispatch queue: com.apple.main-thread
  Thread 0:
  0   libsystem_kernel.dylib        \t       0x1a0000100 mach_msg2_trap + 8
  1   Tide Table                    \t       0x104002000 0x104000000 + 8192

  Thread 1 name:  moon phase  Dispatch queue: org.example.moon
  Thread 1 Crashed:
  0   Tide Table                    \t       0x104003000 Moon.phase(_:) + 24 (Moon.swift:7) [inlined]
  1   Tide Table                    \t       0x104003000 0x104000000 + 12288
  2   ???                           \t       0x000000010 0 + 16

  Thread 1 crashed with ARM Thread State (64-bit):
      x0: 0x0000000000000000   x1: 0x0000000000000001
      fp: 0x000000016f000000   lr: 0x0000000104002ff0
      sp: 0x000000016efffff0   pc: 0x0000000104003000 cpsr: 0x60001000
     far: 0x0000000000000010  esr: 0x92000006 (Data Abort) byte read Translation fault

  Binary Images:
         0x104000000 -        0x104007fff Tide Table arm64  <00112233445566778899aabbccddeeff> /var/Tide Table
         0x190000000 -        0x19000ffff CoreFoundation arm64e  <ffeeddccbbaa99887766554433221100> /System/CoreFoundation
         0x1a0000000 -        0x1a0000fff libsystem_kernel.dylib arm64e  <0102030405060708090a0b0c0d0e0f10> /usr/lib/k.dylib

  EOF
  """

/// The same crash as .ips.
let ipsReport = """
  {"app_name":"Tide Table","timestamp":"2024-03-01 09:15:01.00 +0900","bug_type":"309","os_version":"iPhone OS 17.2 (21C62)","incident_id":"0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0"}
  {
    "pid": 812, "procName": "Tide Table", "translated": false, "cpuType": "ARM-64", "modelCode": "iPhone14,5",
    "procPath": "/private/var/containers/Bundle/Application/A/Tide Table.app/Tide Table",
    "captureTime": "2024-03-01 09:15:00.1234 +0900", "procLaunch": "2024-03-01 09:14:58.0001 +0900",
    "incident": "0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0", "parentProc": "launchd", "parentPid": 1,
    "osVersion": {"train": "iPhone OS 17.2", "build": "21C62"},
    "bundleInfo": {"CFBundleShortVersionString": "2.5", "CFBundleVersion": "118", "CFBundleIdentifier": "org.example.tides"},
    "exception": {"codes": "0x0000000000000001, 0x0000000000000010", "rawCodes": [1, 16], "type": "EXC_BAD_ACCESS",
      "signal": "SIGSEGV", "subtype": "KERN_INVALID_ADDRESS at 0x0000000000000010"},
    "termination": {"namespace": "SIGNAL", "code": 11, "indicator": "Segmentation fault: 11", "byProc": "exc handler", "byPid": 812},
    "asi": {"TideTable": ["high water: 3.2 m", "Thread 0 Crashed: is only text here"], "libsystem_c.dylib": ["abort() called"]},
    "lastExceptionBacktrace": [
      {"imageOffset": 16, "imageIndex": 1, "symbol": "__exceptionPreprocess", "symbolLocation": 16},
      {"imageOffset": 4660, "imageIndex": 0}],
    "faultingThread": 1,
    "threads": [
      {"id": 7001, "queue": "com.apple.main-thread", "frames": [
        {"imageOffset": 256, "imageIndex": 2, "symbol": "mach_msg2_trap", "symbolLocation": 8},
        {"imageOffset": 8192, "imageIndex": 0}]},
      {"id": 7002, "triggered": true, "name": "moon phase", "queue": "org.example.moon", "frames": [
        {"imageOffset": 12288, "imageIndex": 0, "symbol": "Moon.phase(_:)", "symbolLocation": 24, "inline": true, "sourceFile": "Moon.swift", "sourceLine": 7},
        {"imageOffset": 12288, "imageIndex": 0},
        {"imageOffset": 16, "imageIndex": 3}],
       "threadState": {"x": [{"value": 0}, {"value": 1}], "flavor": "ARM_THREAD_STATE64",
         "fp": {"value": 6157238272}, "lr": {"value": 4362088432}, "sp": {"value": 6157238256},
         "pc": {"value": 4362088448, "matchesCrashFrame": 1}, "cpsr": {"value": 1610616832},
         "far": {"value": 16}, "esr": {"value": 2449473542, "description": "(Data Abort) byte read Translation fault"}}}],
    "usedImages": [
      {"source": "P", "arch": "arm64", "base": 4362076160, "size": 32768, "uuid": "00112233-4455-6677-8899-aabbccddeeff", "path": "/var/Tide Table", "name": "Tide Table"},
      {"source": "P", "arch": "arm64e", "base": 6710886400, "size": 65536, "uuid": "ffeeddcc-bbaa-9988-7766-554433221100", "path": "/System/CoreFoundation", "name": "CoreFoundation"},
      {"source": "P", "arch": "arm64e", "base": 6979321856, "size": 4096, "uuid": "01020304-0506-0708-090a-0b0c0d0e0f10", "path": "/usr/lib/k.dylib", "name": "libsystem_kernel.dylib"},
      {"size": 0, "source": "A", "base": 0, "uuid": "00000000-0000-0000-0000-000000000000"}],
    "vmRegionInfo": "0x10 is not in any region.  Bytes before following region: 4294967280"
  }
  """

/// The first report of a text.
func parse(_ text: String) throws -> CrashReport { try CrashReport(parsing: Array(text.utf8)) }

/// All reports of a text.
func parseAll(_ text: String) throws -> [CrashReport] { try CrashReport.parse(Array(text.utf8)) }

/// Whether a text that a quadratic reader would read for minutes is read in seconds.
func isReadQuickly(_ text: String) -> Bool {
  processorTime { _ = try? parseAll(text) } < .seconds(isSanitized ? 100 : 5)
}

/// The one frame that a line of a backtrace gives; nil when the line is no frame.
func frame(_ line: String, images: String = "") throws -> Frame? {
  let text = "Exception Type: EXC_CRASH\n\nThread 0 Crashed:\n\(line)\n\nBinary Images:\n\(images)\n"
  return try parse(text).threads.first?.frames.first
}

/// The image that a line of "Binary Images" gives.
func image(_ line: String) throws -> BinaryImage? {
  try parse("Exception Type: EXC_CRASH\n\nBinary Images:\n\(line)\n").images.first
}
