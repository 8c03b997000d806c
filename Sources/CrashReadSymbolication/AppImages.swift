internal import CrashReadCore
internal import CrashReadReports

/// Tells the app's own images from the system's and from runtimes, by what the report says of them.
struct AppImages {
  private let bundle: String?
  private let process: String?
  private let isPanic: Bool
  private let isSimulated: Bool

  init(_ report: CrashReport) {
    bundle = report.header.path.flatMap { enclosingBundle($0) }
    process = report.header.process
    isPanic = report.kind == .panic
    isSimulated = report.header.path?.holds("/CoreSimulator/") ?? false
  }

  /// Whether an image is the app's own. An image without a path is when it has the process's name.
  func contains(_ image: BinaryImage) -> Bool {
    let name = image.name ?? ""
    guard !isRuntime(fileName(image.path ?? name)), !name.hasPrefix("com.apple.") else { return false }
    if isKernel(image), !isPanic { return false }
    // Most images are the system's, so that what costs more is asked about few.
    return (image.isMarkedAsApp || isOutsideSystem(image)) && !isSimulators(image)
  }

  private func isOutsideSystem(_ image: BinaryImage) -> Bool {
    guard let path = image.path, path.utf8.contains(UInt8(ascii: "/")) else {
      return (image.name ?? "") == process
    }
    if let bundle, path.hasPrefix(bundle) { return true }
    return !systemFolders.contains { path.hasPrefix($0) }
  }

  /// Whether an image is a library of the simulator: reports of its processes mark those as the app's, too.
  private func isSimulators(_ image: BinaryImage) -> Bool {
    guard let path = image.path else { return false }
    // Some hide where that is: the simulator's system is a volume of its own.
    return path.holds("/RuntimeRoot/") || isSimulated && path.hasPrefix("/Volumes/VOLUME/*/")
  }
}

/// The bundle that holds an executable, with a slash at the end: of `/x/A.app/PlugIns/B.appex/B` it is `/x/A.app/`.
private func enclosingBundle(_ path: String) -> String? {
  let components = path.split(separator: "/", omittingEmptySubsequences: false)
  guard let end = components.firstIndex(where: { $0.hasSuffix(".app") }) else { return nil }
  return components[...end].joined(separator: "/") + "/"
}

/// The kernel and its extensions lie in the upper half of the address space; nobody's app does.
private func isKernel(_ image: BinaryImage) -> Bool { image.start.rawValue >> 63 == 1 }

/// Language runtimes that apps carry with them.
private func isRuntime(_ file: Substring) -> Bool {
  file.begins(with: "libswift") || file.begins(with: "libc++") || file.begins(with: "libstdc++")
    || file.begins(with: "libclang_rt.") || file == "libFoundation.so" || file == "libdispatch.so"
}

private let systemFolders = [
  "/System/", "/usr/lib", "/usr/libexec/", "/usr/bin/", "/bin/", "/sbin/", "/usr/sbin/", "/lib/", "/lib64/",
  "/Library/Apple/", "/Applications/Xcode", "/Developer/", "/private/preboot/", "/private/var/db/", "[vdso]",
]
