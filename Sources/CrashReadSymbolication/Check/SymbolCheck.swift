package import CrashReadCore
internal import CrashReadDebugInfo
package import CrashReadReports
internal import CrashReadSystem

/// The result of checking a report's debug files: which images of the app have theirs, and why others don't.
package struct SymbolCheck: Sendable {
  /// The report.
  package var report: CrashReport
  /// Whether the report lists images. Without a list it is unknown which debug files it needs.
  package var hasImages: Bool
  /// The app's images that have frames, in the report's order.
  package var images: [ImageCheck]
  /// The number of the app's listed images without frames.
  package var idleImageCount: Int
  /// The number of the system's images with frames.
  package var systemImageCount: Int
  /// The number of those with a debug file.
  package var foundSystemImageCount: Int
  /// The system's images with unnamed frames, with the number of those; most frames first.
  package var namelessSystemImages: [(image: BinaryImage, frameCount: Int)]
  /// The number of binaries found in the paths searched.
  package var candidateCount: Int

  /// Whether every image of the app with frames has its debug file, if the report lists images.
  package var isComplete: Bool { hasImages && images.allSatisfy(\.isFound) }
}

/// One image of the app, and the files that might be its debug file.
package struct ImageCheck: Sendable {
  /// Its index in the report's images.
  package var index: Int
  /// The image.
  package var image: BinaryImage
  /// The number of the report's frames in it.
  package var frameCount: Int
  /// The number of those that were resolved with debug information.
  package var resolvedFrameCount: Int
  /// The files examined: those with the identity first, then those with the name.
  package var files: [CheckedFile]
  /// The number of further files with the name, which aren't listed.
  package var furtherFileCount: Int
  /// Whether its debug file was found.
  package var isFound: Bool
  /// What to do next; nil when nothing is missing.
  package var step: Step?
  /// The most likely origin of the program, and so of its debug file.
  package var origin: Origin

  /// What to do next; raw values are those of the JSON output.
  package enum Step: String, Sendable, Hashable {
    /// No available file is of this program: find the debug file.
    case findDebugFile
    /// The available files are of other builds: find that of this build.
    case findThisBuild
    /// The available files are for other CPUs: find that for this one.
    case findArchitecture
    /// Only the stripped program is available: find its separate debug information.
    case findSeparateFile
    /// The dSYM is empty: build the next version with debug information.
    case buildWithDebugInfo
    /// The program is a stub: find the `.debug.dylib` that contains the code.
    case findDebugDylib
    /// The right file is damaged: copy it again.
    case copyAgain
    /// The report states no identity: find a file by its name.
    case findByName
  }

  /// Where a program came from; raw values are those of the JSON output.
  package enum Origin: String, Sendable, Hashable {
    /// A release archive: App Store, TestFlight, a signed download.
    case archive
    /// Run by Xcode or SwiftPM on the build machine.
    case localBuild
    /// An ELF program.
    case elf
  }
}

/// A candidate for an image's debug file, and what it is.
package struct CheckedFile: Sendable, Hashable {
  /// What it is; raw values are those of the JSON output.
  package enum Verdict: String, Sendable, Hashable {
    /// It has the image's identity, and debug information.
    case match
    /// The report states no identity, and the name matches: a guess.
    case unproven
    /// It is the right program in another build.
    case otherBuild
    /// It has another identity and another name, and belongs to no other image.
    case otherProgram
    /// It has the right name, but only slices for other CPUs.
    case otherArchitecture
    /// It has the image's identity, but no debug information.
    case stripped
    /// It is an empty dSYM with the image's identity.
    case emptyDSYM
    /// It is the stub of a debug build, which only loads the app's code.
    case debugDylibStub
    /// It can't be read.
    case damaged
  }

  /// The file's path.
  package var path: String
  /// What it is.
  package var verdict: Verdict
  /// Its identity; nil when it has none or several, or can't be read.
  package var id: ImageID?
  /// Its CPUs; for a matching file only that of the image.
  package var architectures: [Architecture]
  /// The version and build stated by the dSYM bundle, as in `1.2 (34)`; nil when there is none.
  package var version: String?
  /// Why it can't be used, in words; nil when the verdict explains it.
  package var message: String?
}

/// The version and build of the program of a dSYM bundle, as in `1.2 (34)`: `dsymutil` copies them from the program's
/// Info.plist. Nil outside of a bundle, and when the bundle states none.
func bundleVersion(of binary: String) -> String? {
  guard let end = binary.firstRange(of: ".dSYM/Contents/Resources/DWARF/") else { return nil }
  let path = binary[..<end.lowerBound] + ".dSYM/Contents/Info.plist"
  guard let bytes = try? readFile(String(path), limit: 1 << 20) else { return nil }
  let text = String(decoding: bytes, as: UTF8.self)
  let version = value(of: "CFBundleShortVersionString", in: text)
  let build = value(of: "CFBundleVersion", in: text)
  // `dsymutil` also writes this for a program without an Info.plist, where it means nothing.
  if version == "1.0", build == "1" { return nil }
  let words = [version, build.map { version == nil ? $0 : "(\($0))" }].compactMap { $0 }
  return words.isEmpty ? nil : words.joined(separator: " ")
}

/// The contents of the `<string>` element that follows a key in a property list; nil when there is none.
private func value(of key: String, in text: String) -> String? {
  guard let name = text.firstRange(of: "<key>\(key)</key>") else { return nil }
  let rest = text[name.upperBound...].drop(while: \.isWhitespace)
  guard rest.hasPrefix("<string>"), let end = rest.firstRange(of: "</string>") else { return nil }
  let value = rest[..<end.lowerBound].dropFirst("<string>".count)
  return value.isEmpty ? nil : String(value)
}
