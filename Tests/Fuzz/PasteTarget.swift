@testable import CrashReadReports

/// Lines made from the parts by which the forms of pasted text are recognised: each byte is one part, so that parts
/// occur in orders that no tool prints.
let pasteTarget = FuzzTarget(
  name: "paste",
  seeds: {
    let pieces = Array(UInt8(1)..<UInt8(pastePieces.count))
    return [pieces, pieces.reversed(), pieces.flatMap { [$0, 0] }, [0, 1, 2, 0, 3]]
  },
  reader: {
    let pieces = pastePieces.map { Array($0.utf8) }
    return { bytes in
      let lines = bytes.prefix(200).flatMap { pieces[Int($0) % pieces.count] }
      _ = try? CrashReport.parse(lines + Array("\nEXC_BAD_ACCESS (code=1, address=0x0)\n".utf8))
    }
  })

private let pastePieces = [
  "\n",
  "a", "b.c", "Foo", "libx.dylib", " in ", " [Line 5]", " (In app)", " (Not in app)", "(", ")", "[", "]",
  "::h", "0x104", "0x", " + 12", " +0x1f0 ", "!", "`", "frame #1: ", "#0 ", "12# ", "at ", "at F.swift:3:4",
  " at ", ":", "\"", "\t", "  ", "→ ", " -> ", "-[A b]", "+[", "thread #3, queue = 'q', ", "* ",
  "stop reason = ", "Thread 1: ", "EXC_BAD_ACCESS", " (code=1, address=0x0)", "(code=",
  "uncaught exception 'X'", ", reason: 'Y'", "Name: ", " Reason: ", "xception", "NSRangeException: ",
  "FAULT: ", "; {", "**", "_\\_", "> ", ".go:157", "/usr/x", "runtime.f(0x1)", "{", "}", "\"threads\":[",
  "\"frames\":[{", "\"imageOffset\":", "1", "}]", "Fatal Exception: ", "Crashed: q", "(Missing UUID 0000)",
  "# ", "KERN_INVALID_ADDRESS", " at 0x10", "SIGSEGV", "signal ", "dyld: ", "Symbol not found: ",
  "Crash address: 0x1", "|", " | ", "\\_", "&lt;", "<b>", "</b>", "…", "“", "”", "Exception Name: ",
  "Exception Reason: ", "Last Exception:", "Thread 0 Crashed:", "0  ", "1  ", "Binary Images:", " - ",
  "(null) in ", " ()", "(package:", "closure", "kfun:", "<unknown>", ".swift:12", " (package", " [opt]",
  " // ", "$s", "external modification", "External Modification Summary:", "Kernel Triage:",
  "Application Specific Signatures:", "Thread 0 instruction stream:", "5f f3 [41] 0f", "Fatal error",
  "Swift runtime failure: x", "14:22:01.123 ", "2026-01-01 10:00:00 +0000 ",
  "*** *** *** ***", "build_id: '", "isolate_dso_base: ", "os: ios arch: arm64 comp: yes",
  "pid: 1, tid: 2, name ", "#00 abs ",
  "104 virt ",
  "process ", "Moon[12]", " caught burning CPU", " caught waking the CPU", " exceeded mem limit: ",
  "Coalition ", "killing_specific_process pid 12 [", "xited due to SIGSEGV | sent by ", "exc handler[12]",
  "Service e", "termination reported by launchd (", "2, 11, 11)", "<RBSProcessExitStatus| domain:",
  "code:", "default\t12", "Observed wakeups rate", "Problematic frame:", "siginfo: ", "si_addr: 0x1",
  ") at pc=0x1", "J 12 C2 a.b(I)I", "Received signal 11. Backtrace:", "0x104, f() -> () at /a:12",
  "failed assertion `", "'-[AGX", " - Line 0", "rosetta error: ", " <- ", "+ ", " ← ",
  "VM_ALLOCATE 1-2 [ 5K]", "App hanging for at least ", "=0x1", "Crashed queue: a.b", "Faulting thread: ",
  ", reason: '", "reason: '", "] critical: ", "Got a ", " [/usr/x]", "Crashed: ", "Thread 1#0",
  "[signal SIGSEGV: ", " pc=0x1", "Attempted to dereference ", " with EXC_BAD_ACCESS", "    @ 0x104d4b6a4 ",
  "*** SIGSEGV (@0x18) received by PID 1", "PC: @ 0x1 ", "- `JSC::f`", "1. `a::b`", " (offset 16)", " × 14+",
  " x14",
  "Jul 15 16:51:29 a Moon[2] <Error>: ", "ReportCrash[2] ", "info: [IOS_SYSLOG_ROW ] ", " - (TH_STATE_",
  "rc: -9",
]
