internal import CrashReadCore

/// A system other than Apple's whose crash report somebody may pass on by mistake.
enum OtherSystem: String, CaseIterable {
  case android = "Android"
  case windows = "Windows"
  case linux = "Linux"

  /// Recognises a report by lines that only this system writes; nil when there are none.
  init?(_ bytes: Bytes) {
    let found = Self.allCases.first { system in
      system.signs.contains { sign in bytes.span.firstOffset(of: sign.utf8.span) != nil }
    }
    guard let found else { return nil }
    self = found
  }

  private var signs: [String] {
    switch self {
    // Tombstones (https://source.android.com/docs/core/tests/debug) and uncaught exceptions in Java's code
    // (frameworks/base/core/java/com/android/internal/os/RuntimeInit.java).
    case .android:
      [
        "\nBuild fingerprint: '", "*** *** *** *** *** *** *** ***\nBuild fingerprint",
        "AndroidRuntime: FATAL EXCEPTION",
        "com.android.internal.os.RuntimeInit", "com.android.internal.os.ZygoteInit",
        "at android.app.ActivityThread.",
        "at android.os.Handler.", "at android.os.Binder",
      ]
    // The event log, Windows Error Reporting and WinDbg
    // (https://learn.microsoft.com/windows-hardware/drivers/debugger/using-the--analyze-extension).
    case .windows:
      [
        "Faulting application name:", "Problem Event Name:", "Fault Module Name:", "> !analyze -v",
        "KEY_VALUES_STRING:",
        "Exception code: 0xc0000005", "Exception Code: c0000005", "EXCEPTION_ACCESS_VIOLATION (0xc0000005)",
        ": 0xC0000005: Access violation",
      ]
    // systemd-coredump (https://www.freedesktop.org/software/systemd/man/latest/coredumpctl.html), and what the kernel logs
    // of a fault (arch/x86/mm/fault.c).
    case .linux: [" dumped core.\n", "general protection fault ip:", "Storage: /var/lib/systemd/coredump/"]
    }
  }
}

extension CrashReport {
  /// Whether nothing in the report is specific to Apple's systems: stacks without images, and no exception.
  var mayBeOfAnySystem: Bool {
    exception?.type == nil && exception?.signal == nil && uncaughtException == nil && termination == nil
      && images.isEmpty
      && threads.allSatisfy { $0.frames.allSatisfy { $0.imageName == nil && $0.address == nil } }
  }
}
