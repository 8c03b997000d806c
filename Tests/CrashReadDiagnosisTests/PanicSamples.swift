import CrashReadCore
import CrashReadReports

private func panic(_ message: String, _ lines: String...) -> SampleReport {
  var sample = SampleReport("").message(message).kind(.panic)
  sample.report.applicationSpecificInformation = ["panic(cpu 0 caller 0x1): \(message)"] + lines
  return sample
}

private func boot(_ faults: String) -> SampleReport {
  SampleReport().says("Reset count: 1", "Boot failure count: 0", "Boot faults: \(faults)").kind(.other)
}

/// Panics and resets: what stopped the system, as stated by the kernel and by firmware.
let panicSamples = watchdogPanics + powerPanics + memoryPanics + hardwarePanics + softwarePanics + rarePanics

private let rarePanics = [
  RuleSample(
    "panic-by-watchdogd", "Watchdog: a system service or the whole user space did not answer",
    SampleReport("").kind(.panic).says(
      "Panicked task 0xfffffe27356e0e38: 373 pages, 4 threads: pid 350: watchdogd")),
  RuleSample("panic-extension", "no luck", foreignPanic("no luck")),
  RuleSample(
    "panic-extension-trap", "CPU trap in the kernel: page fault",
    foreignPanic("Kernel trap at 0xffffff801629f1e7, type 14=page fault, registers:")),
  RuleSample(
    "panic-zfs", "A check of OpenZFS failed: 0 == tide_hold(os, &db) (0 == 5)",
    panic("VERIFY3(0 == tide_hold(os, &db)) failed (0 == 5)")),
  RuleSample(
    "panic-missing-sensors", "Sensors do not answer: Mic2",
    panic(
      "userspace watchdog timeout: no successful checkins from thermalmonitord in 180 seconds",
      "Missing sensor(s): Mic2")),
  RuleSample(
    "panic-storage-firmware",
    "The storage controller's firmware panicked: assert failed: [7418]:command timeout",
    panic("ANS2 Recoverable Panic - assert failed: [7418]:command timeout")),
  RuleSample(
    "panic-internal-bus", "A chip on an internal bus did not answer",
    panic("i2c1::_checkBusStatus: I2C bus hung, SDA low")),
  RuleSample(
    "panic-dtrace-breakpoint", "A D script stopped the system: its breakpoint() at moon:::BEGIN",
    panic("Debugger called: <dtrace: breakpoint action at probe moon:::BEGIN (ecb ffffff96e9f88920)>")),
  RuleSample(
    "panic-undefined-instruction", "The CPU refused an instruction of the kernel (d51eff3f)",
    panic("Undefined kernel instruction: pc=0xfffffe003f3433a8 instr=d51eff3f")),
  RuleSample(
    "panic-guest-context", "The kernel failed while it ran a virtual machine: host abort",
    panic("Unexpected host abort from guest context at pc 0xfffffe004d663e00, lr 0x69e64")),
  RuleSample(
    "panic-code-address", "The kernel went to an address where no code can be",
    panic("PC alignment exception from kernel. at pc 0xffffffe0c1b3a0f2, lr 0xfffffff02305a3b4")),
  RuleSample(
    "panic-network",
    "The kernel's networking found a packet or a socket in an impossible state (interface en5)",
    panic(
      "Failed mbuf validity check: mbuf 0xffffff8751a07100 len -9 type 1 flags 0x2 data 0xffffff8751a071be "
        + "rcvif en5 ifflags 0x8863")),
  RuleSample(
    "panic-network", "The kernel's networking found a packet or a socket in an impossible state",
    panic("tcp_lock: so=0xfffffe257117a6f0 NO PCB! @tcp_subr.c:3285")),
  RuleSample(
    "panic-vm-hole", "The kernel was told to free memory that isn't mapped",
    panic("vm_map_delete(0xffffff80276,0xffffff812dc85000,0xffffff812e028000): hole after 0xffffff8031a91300")
  ),
  RuleSample(
    "panic-thunderbolt-power", "The Thunderbolt controller did not come back to life",
    panic("UPSB(MacBookPro14,1): thunderbolt power on failed 0xffffffff")),
  RuleSample(
    "panic-bridge-saw-macos", "The T2 chip noticed that macOS panicked", panic("macOS panic detected")),
  RuleSample(
    "panic-bounds-safety", "A bounds check in the kernel failed",
    panic(
      "Bounds safety trap at pc 0xfffffe004ef54794, lr 0xfffffe004ef54440 (saved state: 0xfffffebc5a1c7370)")),
  RuleSample(
    "panic-kernel-stack", "The kernel's stack was used up",
    panic("Invalid kernel stack pointer (probable overflow). at pc 0xfffffff007b0d1a8, lr 0xfffffff007b0d0fc")
  ),
  RuleSample(
    "panic-kernel-stack-damaged", "A kernel stack was overwritten",
    panic("Kernel stack memory corruption detected")),
  RuleSample(
    "panic-kernel-break", "A check compiled into the kernel or an extension failed (brk 0x0800)",
    panic("Break 0x0800 instruction exception from kernel. Panic (by design) at pc 0xfffffe0007b0d1a8")),
  RuleSample(
    "panic-reference-count", "A reference count in the kernel went wrong: underflow",
    panic("os_refcnt: underflow (rc=0xfffffe1234)")),
  RuleSample(
    "panic-device-memory", "A device accessed memory that was not mapped for it: apcie1 (write 0xad8000)",
    panic(
      "dart-apcie1 (0xfffffe20064a0000): DART(DART) error: SID 1 PTE invalid exception on write of DVA 0xad8000 "
        + "(TTBR 0 SEG 0 PTE 0x2b6) ERROR_STATUS 0x81000404")),
  RuleSample(
    "panic-framework-message", "memory is not wired",
    SampleReport("").message("memory is not wired").kind(.panic)
      .says(
        "panic(cpu 0 caller 0x1): \"memory is not wired\"@/b/xnu/iokit/Kernel/IOMemoryDescriptor.cpp:2337")),
  RuleSample(
    "panic-driver-message", "_setRate:410 Unknown sample rate on DAC",
    SampleReport("").message("_setRate:410 Unknown sample rate on DAC").kind(.panic)
      .says("panic(cpu 0 caller 0x1): \"_setRate:410 Unknown sample rate on DAC\" @AppleMoonAudio.cpp:410")),
  RuleSample(
    "panic-pcie-link", "The link to a device on PCIe failed: 3:wlan",
    panic("apcie[3:wlan]::handleErrorInterrupt: link down")),
  RuleSample(
    "panic-slow-register", "A device's register answered too slowly (120000000 ns)",
    panic("Read from IO virtual addr 0xfffffe1000 took 120000000 ns, result: 0x0 (start: 1, end: 2)")),
  RuleSample(
    "panic-preemption", "Code in the kernel kept a CPU from switching threads for too long",
    panic("preemption disable timeout exceeded: 2000 >= 1000 mt ticks (start: 1, now: 2001)")),
  RuleSample(
    "panic-unknown-platform", "The kernel found no driver for this machine: MOON",
    panic("Unable to find driver for this platform: \"MOON\".")),
  RuleSample(
    "panic-launchd-not-started", "launchd, the first process, could not be started: errno 88",
    panic("Process 1 exec of /sbin/launchd failed, errno 88")),
  RuleSample(
    "panic-baseband", "The modem (baseband) failed",
    panic("AppleMoonPCIe: radioOnGated: baseband radio on sequence failed")),
  RuleSample(
    "panic-zone-grow", "Kernel memory exhausted: zone kalloc.1024 could not grow beyond 100535 elements",
    panic("zalloc: \"kalloc.1024\" (100535 elements) retry fail 3, kfree_nop_count: 0")),
  RuleSample(
    "panic-sleep-firmware", "Sleep or wake failed in the firmware (EFI)",
    panic("Sleep Wake failure in EFI")),
  RuleSample(
    "panic-cpu-unresponsive", "Watchdog: a CPU core stopped responding",
    panic("NMIPI for unresponsive processor: TLB flush timeout, TLB state:0x1")),
  RuleSample(
    "panic-lock-timeout", "A lock in the kernel was not released in time",
    panic("NMIPI for spinlock acquisition timeout, spinlock: 0xffffff99c1, spinlock owner: 0xffffff9029")),
]

private let watchdogPanics = [
  RuleSample(
    "panic-service-timeout", "Watchdog: moond did not check in for 120 seconds",
    panic("userspace watchdog timeout: no successful checkins from moond in 120 seconds")),
  RuleSample(
    "panic-service-timeout", "Watchdog: moond did not check in",
    panic(
      "userspace watchdog timeout: no successful checkins from moond (3 induced crashes) in 120 seconds")),
  RuleSample(
    "panic-service-timeout", "Watchdog: moond did not check in",
    panic("userspace watchdog timeout: no successful checkins from moond since wake")),
  RuleSample(
    "panic-service-timeout", "Watchdog: remoted did not check in",
    panic("userspace watchdog timeout: remoted connection watchdog expired, no updates from remoted")),
  RuleSample(
    "panic-shutdown-stuck", "Watchdog: the shutdown was stuck for 301 seconds",
    panic(
      "watchdog timeout: no checkins from watchdogd in 301 seconds (8 total checkins since monitoring last "
        + "enabled), shutdown in progress")),
  RuleSample(
    "panic-unmount-stuck",
    "Watchdog: the shutdown was stuck for 130 seconds while file systems were unmounted",
    panic(
      "watchdog timeout: no checkins from watchdogd in 130 seconds (7 total checkins since monitoring last "
        + "enabled), shutdown in progress, vfs shutdown in progress, last vfs completion time: 122 seconds ago"
    )),
  RuleSample(
    "panic-fault-unanswered", "The kernel could not answer a page fault of a guest program",
    panic("vm_fault() KERN_FAILURE from guest fault on state 0xfffffe60f0318000")),
  RuleSample(
    "panic-processor-table",
    "The firmware's list of processors doesn't agree with the processors found",
    panic("x86_validate_topology() 8 threads but 9 registered from MADT")),
  RuleSample(
    "panic-trap-frames", "CPU trap in the kernel",
    SampleReport().kind(.panic).crashed(system("panic"), system("kernel_trap"), system("trap_from_kernel"))),
  RuleSample(
    "panic-intel-link", "The T2 chip lost its link to the Intel side",
    panic("void AppleEmbeddedPCIeUpLinkMgmt::_functionInterruptAction(int): Completion timeout seen!")),
  RuleSample(
    "panic-launchd-killed", "Something killed launchd, the first process (CS_KILLED)",
    panic("unexpected SIGKILL of launchd (CS_KILLED) with reason -- namespace 3 code 0x4 description none")),
  RuleSample(
    "panic-registry-busy", "Many services wait to be removed from the I/O Registry (5249)",
    panic(
      "busy timeout[0], (60s): multiple entries holding the registry busy, IOKit termination queue depth 5249: 'MoonUserClient' (1,2001), 'MoonUserClient' (1,2001)"
    )),
  RuleSample(
    "panic-driver-removal", "The removal of a device did not end within 60 s: IOMoonClient",
    panic("busy timeout[0], (60s): 'IOMoonClient' (1,1812001)")),
  RuleSample(
    "panic-driver-daemon", "A driver's extension was not loaded in time: kernelmanagerd did not answer",
    panic("IOKit Daemon (kernelmanagerd) stall[1], (60s): 'MoonHub' (1e,22000001)")),
  RuleSample(
    "panic-driver-busy", "A driver stayed busy for 60 s: 'pci11c1,5901' (1e,4020001)",
    panic("busy timeout[0], (60s): 'pci11c1,5901' (1e,4020001)")),
  RuleSample(
    "panic-tag-check", "The kernel used memory through a pointer with the wrong tag",
    panic("Kernel tag check fault (expected tagged address: 0xf3fffe2b417854a8) at pc 0xfffffe004e9e34d8")),
  RuleSample(
    "panic-missing-driver", "A driver that the system can't start without was not found",
    panic("cannot find IOMoonAccelerator")),
  RuleSample(
    "panic-zone-empty", "Kernel memory exhausted: zone kernel map entries is empty",
    panic("zalloc: zone \"kernel map entries\" empty.")),
  RuleSample(
    "panic-zone-corrupt", "Kernel memory corrupted",
    panic("a freed zone element has been modified in zone: kalloc.1024")),
  RuleSample(
    "panic-page-tables", "Page tables in an impossible state",
    panic("Possible memory corruption: pmap_pv_remove(0xffffff8000a88f88,0xffffff9ca110b000): empty hash")),
  RuleSample(
    "panic-security-monitor", "The security monitor beside the kernel stopped",
    panic("[TXM/SK] Unhandled synchronous exception taken from GL0/GL1 at pc 0xfffffff044429f60")),
  RuleSample(
    "panic-watchdog-unserved", "Watchdog: the system no longer reset its watchdog timer",
    panic("WDT timeout")),
  RuleSample(
    "panic-watchdogd-never", "Watchdog: watchdogd never started after the boot (600 seconds)",
    panic("watchdog timeout: no checkins from watchdogd since boot (600 seconds ago)")),
  RuleSample(
    "panic-hardware-monitor", "The chip's error monitor reported SEP: INACCESSIBLE SEP REGISTERS",
    panic("SEP monitor error: INACCESSIBLE SEP REGISTERS")),
  RuleSample(
    "panic-watchdogd", "Watchdog: no sign of life from user space (no checkins from watchdogd in 90 seconds)",
    panic(
      "watchdog timeout: no checkins from watchdogd in 90 seconds (48 total checkins since monitoring last "
        + "enabled)")),
  RuleSample(
    "panic-cpu-unresponsive", "Watchdog: a CPU core, CPU 1, stopped responding",
    panic("WDT timeout: CPU 1 failed to respond")),
  RuleSample(
    "panic-cpu-unresponsive", "Watchdog: a CPU core stopped responding",
    panic("IPI timeout, unresponsive CPU bitmap: 0x1, NMIPI acks: 0x0")),
  RuleSample(
    "panic-hardware-watchdog", "The hardware watchdog reset the system",
    panic("SOCD report detected: (AP watchdog expired)")),
  RuleSample(
    "user-forced-restart", "Not a crash: the device was restarted with its buttons",
    boot("btn_rst force_off")),
  RuleSample(
    "restart-by-watchdog", "The hardware watchdog restarted the device", boot("rst wdog,reset_in1")),
  RuleSample(
    "restart-undervoltage", "The device restarted because its supply voltage dropped",
    boot("uv,vdd_boost_uvlo")),
  RuleSample("restart-noted", "The device was reset: sgpio", boot("sgpio")),
  RuleSample(
    "panic-soc-report", "The chip was reset: iBoot panic", panic("SOCD report detected: (iBoot panic)")),
  RuleSample(
    "panic-intel-catastrophic", "The Intel CPU reported a catastrophic error to the T2 chip (CATERR)",
    panic("x86 CPU CATERR detected")),
  RuleSample(
    "panic-intel-watchdog", "macOS stopped answering the T2 chip", panic("macOS watchdog detected")),
  RuleSample(
    "panic-intel-reset", "The Intel side was reset; the T2 chip noticed", panic("x86 global reset detected")),
]

private let powerPanics = [
  RuleSample(
    "panic-power-transition",
    "Sleep took longer than 180 seconds; suspected driver: com.example.iokit.MoonFamily",
    panic(
      "Sleep transition timed out after 180 seconds while calling power state change callbacks. "
        + "Suspected bundle: com.example.iokit.MoonFamily. Thread 0x12ee.")),
  RuleSample(
    "panic-cpu-not-halted", "Sleep: a CPU core, CPU 8, did not stop within 180 seconds",
    panic(
      "Sleep transition timed out after 180 seconds while halting all non-boot CPUs: tCPU 8 (0) [0x0] ")),
  RuleSample(
    "panic-power-transition", "Wake took longer than 180 seconds",
    panic("Wake transition timed out after 180 seconds while calling power state callbacks. Thread 0x1f.")),
  RuleSample(
    "panic-power-transition", "Wake took longer than 180 seconds",
    panic("Wake transition timed out after 180 seconds while entering darkwake on way to sleep")),
  RuleSample(
    "panic-driver-power", "Driver MoonDriver did not change its power state in time",
    panic("MoonDriver::setPowerState(0x1 : 0x2, 0 -> 1) timed out after 45316 ms")),
  RuleSample(
    "panic-sleep-wake", "The Mac hung while going to sleep or waking", panic("Sleep/Wake hang detected")),
  RuleSample("panic-too-hot", "The chip was too hot", panic("AppleSocHot: Hot Hot Hot")),
]

private let memoryPanics = [
  RuleSample(
    "panic-zone-exhausted", "Kernel memory exhausted: zone moon.64 grew to 20G",
    panic(
      "zalloc[3]: zone map exhausted while allocating from zone [tide.16], likely due to memory leak in zone "
        + "[moon.64] (20G, 21157968 elements allocated)")),
  RuleSample(
    "panic-zone-corrupt", "Kernel memory corrupted",
    panic("[moon.64]: element modified after free (off:8, val:0x0000000000000001, sz:64, ptr:0x1)")),
  RuleSample(
    "panic-page-tables", "Page tables in an impossible state", panic("pmap_enter: page already mapped")),
  RuleSample(
    "panic-pointer-authentication", "Pointer authentication failed in the kernel (IA key)",
    panic(
      "Break 0xC470 instruction exception from kernel. Ptrauth failure with IA key resulted in 0x1. at pc 0x1"
    )),
  RuleSample(
    "panic-data-abort", "Invalid memory access in the kernel",
    panic("Kernel data abort. at pc 0xfffffff007d5e1e0, lr 0xfffffff007d5e1d0 (saved state: 0x1)")),
  RuleSample(
    "panic-unaligned-access", "Misaligned memory access in the kernel",
    panic("Unaligned kernel data abort. at pc 0xfffffe0026aed514, lr 0xfffffe0026aed5d8 (saved state: 0x1)")),
  RuleSample(
    "panic-double-fault", "Double fault in the kernel: its stack had probably overflowed",
    panic("Double fault at 0xffffff7f91dc1dd4, registers:")),
  RuleSample(
    "panic-kernel-trap", "CPU trap in the kernel: page fault",
    panic("Kernel trap at 0xffffff7f9f0dcd2e, type 14=page fault, registers:")),
]

/// What a CPU wrote down of its errors.
private func checked(_ banks: String...) -> SampleReport {
  var sample = panic("Machine-check capabilities: 0x0000000001000c17")
  sample.report.applicationSpecificInformation += banks
  return sample
}

private let hardwarePanics = [
  RuleSample(
    "panic-machine-check", "Hardware error: machine check",
    panic("Machine Check at 0x00000000, registers:")),
  RuleSample(
    "panic-machine-check-memory", "Hardware error: the CPU's memory controller found one, on channel 3",
    checked("IA32_MC12_STATUS(0x431): 0x880334c600800093", "IA32_MC7_STATUS(0x41d): 0xfe0332c000010093")),
  RuleSample(
    "panic-machine-check-memory", "Hardware error: the CPU's memory controller found one",
    checked("IA32_MC7_STATUS=0xBE0000000001009F")),
  RuleSample(
    "panic-machine-check-cache", "Hardware error: the CPU found one in its cache of level 2",
    checked("IA32_MC6_STATUS(0x419): 0xbe00000000300152")),
  RuleSample(
    "panic-machine-check-translation", "Hardware error: the CPU found one in its address translation (TLB)",
    checked("IA32_MC1_STATUS=0xBE00000000001010")),
  RuleSample(
    "panic-machine-check-timer", "Hardware error: the CPU waited in vain for an answer (internal timer)",
    checked("IA32_MC3_STATUS=0xBE00000000800400")),
  RuleSample(
    "panic-machine-check-bus", "Hardware error: the CPU found one on its bus or interconnect",
    checked("IA32_MC4_STATUS=0xBE00000000000E0B")),
  RuleSample(
    "panic-machine-check-inside", "Hardware error: the CPU found one inside itself",
    checked("IA32_MC0_STATUS=0xBE00000000000005")),
  RuleSample(
    "panic-machine-check", "Hardware error: machine check", checked("IA32_MC0_STATUS=0x3E00000000000005")),
  RuleSample(
    "panic-bus-error", "Hardware reported an error on the memory bus",
    panic("Kernel SError -- ESR: 0xbe000000, at pc 0x1")),
  RuleSample(
    "panic-coprocessor-silent", "The coprocessor ACIO0 did not respond",
    panic("RTBuddy(ACIO0)::_moon No response received in 20s")),
  RuleSample(
    "panic-coprocessor", "Firmware of the coprocessor AOP panicked: no pulse on tide",
    panic("AOP PANIC - no pulse on tide")),
  RuleSample(
    "panic-gpu-memory", "The GPU's driver lost count of its memory",
    panic("completeMemory() prepare count underflow")),
  RuleSample(
    "panic-zone-corrupt", "Kernel memory corrupted",
    panic("Zone cache element was used after free! Element 0xffffffe0033ac810 was corrupted at beginning")),
  RuleSample(
    "panic-graphics", "Graphics panic: read error of the chip", panic("GPU Panic: read error of the chip")),
  RuleSample(
    "panic-storage", "The storage controller failed: Fatal error occurred. CSTS=0x3",
    panic("nvme: Fatal error occurred. CSTS=0x3")),
]

private let softwarePanics = [
  RuleSample(
    "panic-file-system", "The file system stopped on an inconsistency",
    panic("apfs_moon: tree node is missing")),
  RuleSample(
    "panic-launchd-ended", "launchd, the first process, ended: SIGNAL, code 0x6",
    panic("initproc exited -- exit reason namespace 2 subcode 0x6 description: none")),
  RuleSample(
    "panic-assertion", "A check in the kernel failed: tide->height > 0",
    panic("assertion failed: tide->height > 0, file: /src/tide.c, line: 48")),
  RuleSample(
    "panic-lock-timeout", "A lock in the kernel was not released in time",
    panic("Spinlock acquisition timed out: lock=0x1, lock owner thread=0x2")),
]

private func ended(_ reason: String) -> SampleReport {
  SampleReport().termination("JETSAM", nil, reason).kind(.jetsam)
}

private func killed(_ namespace: String?, _ code: UInt64, _ details: String? = nil) -> SampleReport {
  let sample = SampleReport("EXC_CRASH", "SIGKILL", codes: 0, 0)
  guard let details else { return sample.termination(namespace, code) }
  return sample.termination(namespace, code, details: details)
}

/// Processes that the system terminated: for memory, by a watchdog, or for a violation.
let endedSamples = jetsamEnds + watchdogEnds + codeEnds

private let jetsamEnds = [
  RuleSample(
    "jetsam-highwater", "Above its own high-water limit while memory was short (highwater)",
    ended("highwater")),
  RuleSample("jetsam-vnodes", "The system had too many files open (vnode-limit)", ended("vnode-limit")),
  RuleSample(
    "jetsam-thrashing", "Memory was being compressed or read again without end (thrashing)",
    ended("vm-compressor-thrashing")),
  RuleSample(
    "jetsam-compressor-full", "The memory compressor was full (vm-compressor-space-shortage)",
    ended("vm-compressor-space-shortage")),
  RuleSample("jetsam-shortage", "The system ran out of free memory", ended("vm-pageshortage")),
  RuleSample(
    "jetsam-zone-map", "The kernel's own memory was nearly exhausted (zone-map-exhaustion)",
    ended("zone-map-exhaustion")),
  RuleSample(
    "jetsam-disk-space", "The disk was too full for the system to go on (disk-space-shortage)",
    ended("disk-space-shortage")),
  RuleSample("jetsam-idle", "Not a crash: an idle process was ended (idle exit)", ended("idle-exit")),
]

private let watchdogEnds = [
  RuleSample(
    "watchdog-exit", "Watchdog: did not quit within 5.0 s after being asked to (0x8badf00d)",
    killed("FRONTBOARD", 0x8bad_f00d, "[app<org.example.tides>:7] Failed to terminate gracefully after 5.0s")),
  RuleSample(
    "watchdog-launch", "Watchdog: launch not finished within 19.97 seconds (0x8badf00d)",
    killed(
      "FRONTBOARD", 0x8bad_f00d,
      "scene-create watchdog transgression: app<org.example.tides>:7 exhausted real (wall clock) time allowance "
        + "of 19.97 seconds")),
  RuleSample(
    "watchdog-launch-computed", "Watchdog: the launch used up its 3.37 seconds of CPU time (0x8badf00d)",
    killed(
      "FRONTBOARD", 0x8bad_f00d,
      "scene-create watchdog transgression: app<org.example.tides>:7 exhausted CPU time allowance of 3.37 seconds"
    )),
  RuleSample(
    "watchdog-scene", "Watchdog: scene update not finished within 10.00 seconds (0x8badf00d)",
    killed(
      "FRONTBOARD", 0x8bad_f00d,
      "scene-update watchdog transgression: app<org.example.tides>:7 exhausted real (wall clock) time allowance "
        + "of 10.00 seconds")),
  RuleSample(
    "watchdog-provision", "Watchdog: process-launch took more than its 20s allowance",
    SampleReport().says(
      "Provision violated for watchdog process-launch: <FBSProcessResourceProvision: 0x283be3480; allowance: <; "
        + "FBSProcessResourceAllowance; type: realTime; timeValue: 20s>; violated: YES>")),
  RuleSample(
    "watchdog-background", "Watchdog: background work was not ended in time (0x8badf00d)",
    killed("RUNNINGBOARD", 0x8bad_f00d)),
  RuleSample(
    "assertions-logged", "The app held a background assertion for longer than permitted: Called by Moon",
    SampleReport().says(
      "<BKProcessAssertion: 0x15531750> identifier: Called by Moon process: Moon[183] permittedBackgroundDuration: 180.000000 reason: finishTask owner pid:183"
    )),
  RuleSample(
    "assertions-beyond-time", "Background work took longer than the system permits: Moonrise (7)",
    killed("10", 0x8bad_f00d).says(
      "<BKProcessAssertion: 0x12dd> id: 78-79 name: Moonrise (7) process: <BKNewProcess: 0x12de; com.example.moon> "
        + "permittedBackgroundDuration: 30.000000 reason: backgroundContentFetching owner pid:78")),
  RuleSample(
    "service-check-in", "Watchdog: moond did not check in",
    killed(
      "WATCHDOG", 1,
      "(1 monitored services unresponsive): checkin with service: moond (0 induced crashes) returned not alive"
    )),
]

private let codeEnds = [
  RuleSample(
    "code-signing-task-port",
    "Killed by the system: control of another process without the right to it", killed("CODESIGNING", 3)),
  RuleSample("port-space", "Killed: the process held too many Mach ports", killed("PORT_SPACE", 1)),
  RuleSample("sandbox-killed", "Killed by the sandbox: a forbidden operation", killed("SANDBOX", 1)),
  RuleSample(
    "pointer-authentication-killed",
    "Killed: a pointer's signature did not match (pointer authentication)", killed("PAC_EXCEPTION", 1)),
  RuleSample(
    "endpoint-security-blocked", "Not started: a security product blocked the program",
    killed("ENDPOINTSECURITY", 1)),
  RuleSample("endpoint-security-killed", "Killed by Endpoint Security", killed("ENDPOINTSECURITY", 2)),
  RuleSample(
    "service-check-in-unnamed", "Watchdog: the service did not check in",
    SampleReport("EXC_CRASH", "SIGKILL", codes: 0, 0)
      .termination("WATCHDOG", 1, "monitoring timed out for service")),
  RuleSample(
    "killed-too-hot", "Killed: the device was too hot (0xc00010ff)", killed("SPRINGBOARD", 0xc000_10ff)),
  RuleSample(
    "killed-voip-resumed", "Killed: a VoIP app was resumed too often (0xbad22222)",
    SampleReport("00000020", codes: 0xbad2_2222)),
  RuleSample(
    "killed-cache-deletion", "Not a crash: ended so that its caches could be deleted (0xbaddd15c)",
    killed("RUNNINGBOARD", 0xbadd_d15c)),
  RuleSample(
    "killed-drew-while-locked", "Killed: drew to the screen while the device was locked (0x2bad45ec)",
    killed("SPRINGBOARD", 0x2bad_45ec)),
  RuleSample(
    "killed-call-not-reported", "Killed: a PushKit call was not reported to CallKit (0xbaadca11)",
    killed("RUNNINGBOARD", 0xbaad_ca11)),
  RuleSample(
    "killed-background-time", "Killed: background work not finished in time (0x2182bad2)",
    killed("RUNNINGBOARD", 0x2182_bad2)),
  RuleSample(
    "killed-watch-background", "Killed: background task of a watch app over its limit (0xc51bad01)",
    killed("CAROUSEL", 0xc51b_ad01)),
  RuleSample(
    "killed-watch-task-time", "Watchdog: Background App Refresh took more than 15.00 seconds",
    SampleReport("EXC_CRASH", "SIGKILL", codes: 0, 0).termination(
      "CAROUSEL", nil,
      "Background App Refresh watchdog transgression. Exhausted wall time allowance of 15.00 seconds.")),
  RuleSample(
    "killed-assertions", "Killed: too many process assertions were held (0xd00d2bad)",
    killed("RUNNINGBOARD", 0xd00d_2bad)),
  RuleSample(
    "endpoint-security-deadline", "Killed: Endpoint Security client missed a deadline",
    killed(
      "ENDPOINTSECURITY", 2,
      "EndpointSecurity client terminated because it failed to respond to a message before its deadline")),
  RuleSample(
    "exit-request-ignored", "Killed: did not exit in time after being asked to (SIGTERM_TIMEOUT)",
    SampleReport("EXC_CRASH", "SIGKILL", codes: 0, 0)
      .termination("LIBXPC", 2, "XPC_EXIT_REASON_SIGTERM_TIMEOUT")),
  RuleSample(
    "launch-constraint", "Killed: launch constraint violated", killed("CODESIGNING", 4)),
  RuleSample(
    "exec-bad-macho", "The kernel could not load the program: its Mach-O file is not valid",
    killed("EXEC", 1)),
  RuleSample(
    "exec-policy", "The system's security policy refused to start the program", killed("EXEC", 8)),
  RuleSample("exec-decryption", "The system could not decrypt the program", killed("EXEC", 10)),
  RuleSample("exec-platform", "The program is built for another platform", killed("EXEC", 14)),
  RuleSample(
    "exec-failed", "The kernel could not start the program: machine thread", killed("EXEC", 18)),
]

/// Findings besides the verdict.
let endFindings = panicFindings + extensionFindings + coprocessorFindings + checkFindings + cpuFindings

private let panicFindings = [
  FindingSample(
    "panic-dependencies", "org.example.Moon depends on org.example.Tide, com.apple.iokit.IOPCIFamily.",
    panic("no luck", "Dependencies of org.example.Moon: org.example.Tide, com.apple.iokit.IOPCIFamily")),
  FindingSample(
    "panic-memory-exhausted", "Memory had run out: the compressor or the swap space was at its limit.",
    panic(
      "watchdog timeout: no checkins from watchdogd in 90 seconds",
      "Compressor Info: 27% of compressed pages limit (OK) and 100% of segments limit (BAD) with 9 swapfiles")
  ),
  FindingSample(
    "panic-cores-silent",
    "At least one CPU did not stop when the kernel asked all of them to: it was running with interrupts off, "
      + "or had stopped.",
    panic("WDT timeout: CPU 1 failed to respond", "Debugger synchronization timed out; waited 240000 ns")),
  FindingSample(
    "panic-logd-writing",
    "The queue of logd that stood still writes the log to disk, so storage most likely didn't answer in time: a disk "
      + "that is full, failing or overloaded with writes, or its driver.",
    panic(
      "userspace watchdog timeout: no successful checkins from logd in 120 seconds",
      "service returned not alive with context : unresponsive dispatch queue(s): com.apple.firehose.io-wl")),
  FindingSample(
    "panic-remoted-device",
    "remoted is the service for the chip beside the CPU (T2, or bridgeOS) and for attached devices; on Macs with a T2 "
      + "that chip didn't answer. Its firmware, not an app, is the first suspect: look for a BridgeOS report of the "
      + "same time, and restore the firmware if it comes back.",
    panic("userspace watchdog timeout: no successful checkins from remoted since wake")),
  FindingSample(
    "panic-service-context", "The service itself reported: not connected.",
    panic(
      "userspace watchdog timeout: no successful checkins from moond since wake",
      "service returned not alive with context : is_alive_func returned unhealthy : not connected")),
  FindingSample(
    "panic-missing-sensor",
    "Sensors are missing: Tide1. A part of the hardware is defective or not connected.",
    panic("userspace watchdog timeout: no successful checkins from moond", "Missing sensor(s): Tide1")),
  FindingSample(
    "panic-macos-side", "By the report's own account macOS caused the panic, not the T2 chip's own system.",
    panic("x86 CPU CATERR detected", "Caused by: macos")),
  FindingSample(
    "panic-bridge-side",
    "By the report's own account the T2 chip's own system (bridgeOS) caused the panic, not macOS.",
    panic("no luck", "Caused by: bridgeos")),
]

/// A panic whose thread went through extensions.
private var extensionPanic: SampleReport { foreignPanic("no luck") }

private func foreignPanic(_ message: String) -> SampleReport {
  var sample = panic(message, "Panicked task 0x1: 9 pages, 2 threads: pid 7: Tides")
  sample.report.header.process = "Tides"
  for (index, name) in ["kernel", "com.apple.iokit.IOPCIFamily", "org.example.Moon"].enumerated() {
    var image = BinaryImage(start: RuntimeAddress(UInt64(index + 1) << 20))
    image.name = name
    sample.report.images.append(image)
  }
  return sample
}

private let extensionFindings = [
  FindingSample(
    "panic-loaded-extensions",
    "Loaded extensions that aren't Apple's: org.example.moon. If panics recur, see whether they stop without them, "
      + "whatever is in the backtrace.",
    panic("no luck", "Loaded extensions of other makers: org.example.moon")),
  FindingSample(
    "panic-extensions",
    "Extensions in the backtrace: com.apple.iokit.IOPCIFamily, org.example.Moon.",
    extensionPanic),
  FindingSample(
    "panic-foreign-extension",
    "Extensions of other makers than Apple are in the backtrace: org.example.Moon. They are the first suspects.",
    extensionPanic),
  FindingSample(
    "panic-null-offset",
    "The address was 0x58, close to zero: the code used a member of a null pointer.",
    panic("Kernel data abort. at pc 0x1", "pc: 0x1 cpsr: 0x2  esr: 0x96000006  far: 0x0000000000000058")),
  FindingSample(
    "panic-process",
    "The process running on that CPU was Tides. What it asked of the kernel may have set the panic off; no "
      + "process can be at fault alone.", extensionPanic),
]

private let coprocessorFindings = [
  ("aop", "AOP is the always-on processor, which reads motion sensors, proximity and microphones.", "AOP"),
  ("ans", "ANS is the controller of the built-in storage.", "ANS2"),
  ("sep", "SEP is the Secure Enclave, which keeps keys and biometric data.", "SEP"),
  ("dcp", "DCP drives the displays.", "DCPEXT0"),
  ("smc", "SMC manages power, charging, temperature and fans.", "SMC"),
  ("pmp", "PMP manages the power of the chip.", "PMP"),
  ("mtp", "MTP handles touch, trackpad and keyboard.", "MTP"),
  ("sio", "SIO moves data to and from audio and serial devices.", "SIO"),
  ("isp", "ISP processes the cameras' images.", "ISP"),
  ("ane", "ANE is the Neural Engine.", "ANE0"),
  ("gfx", "GFX is the firmware of the GPU.", "GFX"),
  ("acio", "ACIO is the controller of Thunderbolt and USB4.", "ACIO0"),
].map { id, text, name in FindingSample("coprocessor-\(id)", text, panic("\(name) PANIC - no luck")) }

private let checkFindings = [
  FindingSample(
    "exception-swallowed",
    "The function's name is a note of the system's: another thread caught an exception before and dropped it. That "
      + "exception may be the cause, and the log has it.",
    SampleReport("EXC_CRASH", "SIGABRT").crashed(system("SOME_OTHER_THREAD_SWALLOWED_AT_LEAST_ONE_EXCEPTION"))
  ),
  FindingSample(
    "panic-user-memory",
    "The address belongs to a process, and the code touched it directly: the CPU forbids that to the kernel (SMAP, "
      + "SMEP). An extension must use copyin and copyout for a process's memory.",
    panic(
      "Kernel trap at 0xffffff7fa264c9d4, type 14=page fault, registers:",
      "Fault CR2: 0x000000010fbbf690, Error code: 0x0000000000000001, Fault CPU: 0x3 SMAP fault, PL: 0")),
  FindingSample(
    "panic-bounds-check",
    "Codes from 0x5500 to 0x55ff are the compiler's checks for bounds and undefined behaviour: an index, a size or "
      + "the result of an arithmetic operation was out of range.",
    panic("Break 0x5519 instruction exception from kernel. Panic (by design) at pc 0xfffffe0019851b80")),
]

private let cpuFindings = [
  FindingSample(
    "watchdog-waited",
    "The app used only 0.004 s of CPU time in all that time, of 8.780 s on the whole device: it waited, or was "
      + "not given a CPU, rather than computed.",
    killed("FRONTBOARD", 0x8bad_f00d, "[app<a>:7] Failed to terminate gracefully after 5.0s")
      .says(
        "Elapsed total CPU time (seconds): 8.780 (user 7.250, system 1.530), 24% CPU",
        "Elapsed application CPU time (seconds): 0.004, 0% CPU")),
  FindingSample(
    "watchdog-computed", "The app used 9.5 s of CPU time in that time: it was busy, not blocked.",
    killed("FRONTBOARD", 0x8bad_f00d, "[app<a>:7] Failed to terminate gracefully after 10.0s")
      .says("Elapsed application CPU time (seconds): 9.5, 83% CPU")),
]
