public import CrashReadCore
public import CrashReadReports

/// What the debug files at hand are to a report: which images of the app have theirs, and why others haven't.
public struct SymbolCheck: Sendable {
  /// The report.
  public var report: CrashReport
  /// Whether the report lists images at all; without the list nothing tells which debug files it wants.
  public var hasImages: Bool
  /// The app's images in which frames lie, in the report's order.
  public var images: [ImageCheck]
  /// How many further images of the app the report lists; no frame lies in them.
  public var idleImageCount: Int
  /// How many images of the system hold frames.
  public var systemImageCount: Int
  /// How many of these have a debug file.
  public var foundSystemImageCount: Int
  /// How many binaries were seen in the places searched.
  public var candidateCount: Int

  /// Whether every image of the app in which frames lie has its debug file, as far as the report lists images.
  public var isComplete: Bool { hasImages && images.allSatisfy(\.isFound) }
}

/// One image of the app, and the files that might be its debug file.
public struct ImageCheck: Sendable {
  /// Its position in the report's images.
  public var index: Int
  /// The image.
  public var image: BinaryImage
  /// How many frames of the report lie in it.
  public var frameCount: Int
  /// How many of these have been resolved by debug information.
  public var resolvedFrameCount: Int
  /// Files looked at: those with the identity first, then those with the name.
  public var files: [CheckedFile]
  /// How many more files with the name there are that aren't listed.
  public var furtherFileCount: Int
  /// Whether nothing is missing.
  public var isFound: Bool
  /// What to do; nil when nothing is missing.
  public var step: Step?
  /// Where the program most likely came from, and so its debug file.
  public var origin: Origin

  /// What to do next; raw values are those of the JSON output.
  public enum Step: String, Sendable, Hashable {
    /// No file at hand is of this program: find the debug file.
    case findDebugFile
    /// Those at hand are of other builds: find that of this build.
    case findThisBuild
    /// Those at hand are for other CPUs: find that for this one.
    case findArchitecture
    /// The stripped program is at hand: find what was stripped.
    case findSeparateFile
    /// A dSYM is at hand in which there is nothing: build the next one with debug information.
    case buildWithDebugInfo
    /// The program is a stub: find the `.debug.dylib` that holds the code.
    case findDebugDylib
    /// The right file is damaged: copy it again.
    case copyAgain
    /// The report states no identity: find a file by its name.
    case findByName
  }

  /// Where a program came from; raw values are those of the JSON output.
  public enum Origin: String, Sendable, Hashable {
    /// An archive made for release: App Store, TestFlight, a signed download.
    case archive
    /// Run by Xcode or SwiftPM where it was built.
    case localBuild
    /// An ELF program.
    case elf
  }
}

/// A file that might be an image's debug file, and what it is.
public struct CheckedFile: Sendable, Hashable {
  /// What it is; raw values are those of the JSON output.
  public enum Verdict: String, Sendable, Hashable {
    /// Its identity is the image's, and it has debug information.
    case match
    /// The report states no identity, and this goes by the name: a guess.
    case unproven
    /// It is the right program, and of another build.
    case otherBuild
    /// It has another identity and another name, and belongs to no other image.
    case otherProgram
    /// It has the right name, and is for other CPUs alone.
    case otherArchitecture
    /// Its identity is the image's, and it has no debug information.
    case stripped
    /// It is a dSYM with the image's identity, and there is nothing in it.
    case emptyDSYM
    /// It is the part of a debug build that only loads the app's code.
    case debugDylibStub
    /// It can't be read.
    case damaged
  }

  /// The file's path.
  public var path: String
  /// What it is.
  public var verdict: Verdict
  /// The identity it has; nil when it has none or several, or can't be read.
  public var id: ImageID?
  /// The CPUs it is for: of a file that matches, that of the image.
  public var architectures: [Architecture]
  /// Version and build that the dSYM bundle states, as in `1.2 (34)`; nil when it states none.
  public var version: String?
  /// Why it can't be used, in words; nil when the verdict says all.
  public var message: String?
}
