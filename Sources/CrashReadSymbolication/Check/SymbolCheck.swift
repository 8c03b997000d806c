package import CrashReadCore
package import CrashReadReports

/// What the debug files at hand are to a report: which images of the app have theirs, and why others haven't.
package struct SymbolCheck: Sendable {
  /// The report.
  package var report: CrashReport
  /// Whether the report lists images at all; without the list nothing tells which debug files it wants.
  package var hasImages: Bool
  /// The app's images in which frames lie, in the report's order.
  package var images: [ImageCheck]
  /// How many further images of the app the report lists; no frame lies in them.
  package var idleImageCount: Int
  /// How many images of the system hold frames.
  package var systemImageCount: Int
  /// How many of these have a debug file.
  package var foundSystemImageCount: Int
  /// Images of the system in which frames have no name, those with the most frames first, and how many each has.
  package var namelessSystemImages: [(image: BinaryImage, frameCount: Int)]
  /// How many binaries were seen in the places searched.
  package var candidateCount: Int

  /// Whether every image of the app in which frames lie has its debug file, as far as the report lists images.
  package var isComplete: Bool { hasImages && images.allSatisfy(\.isFound) }
}

/// One image of the app, and the files that might be its debug file.
package struct ImageCheck: Sendable {
  /// Its position in the report's images.
  package var index: Int
  /// The image.
  package var image: BinaryImage
  /// How many frames of the report lie in it.
  package var frameCount: Int
  /// How many of these have been resolved by debug information.
  package var resolvedFrameCount: Int
  /// Files looked at: those with the identity first, then those with the name.
  package var files: [CheckedFile]
  /// How many more files with the name there are that aren't listed.
  package var furtherFileCount: Int
  /// Whether nothing is missing.
  package var isFound: Bool
  /// What to do; nil when nothing is missing.
  package var step: Step?
  /// Where the program most likely came from, and so its debug file.
  package var origin: Origin

  /// What to do next; raw values are those of the JSON output.
  package enum Step: String, Sendable, Hashable {
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
  package enum Origin: String, Sendable, Hashable {
    /// An archive made for release: App Store, TestFlight, a signed download.
    case archive
    /// Run by Xcode or SwiftPM where it was built.
    case localBuild
    /// An ELF program.
    case elf
  }
}

/// A file that might be an image's debug file, and what it is.
package struct CheckedFile: Sendable, Hashable {
  /// What it is; raw values are those of the JSON output.
  package enum Verdict: String, Sendable, Hashable {
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
  package var path: String
  /// What it is.
  package var verdict: Verdict
  /// The identity it has; nil when it has none or several, or can't be read.
  package var id: ImageID?
  /// The CPUs it is for: of a file that matches, that of the image.
  package var architectures: [Architecture]
  /// Version and build that the dSYM bundle states, as in `1.2 (34)`; nil when it states none.
  package var version: String?
  /// Why it can't be used, in words; nil when the verdict says all.
  package var message: String?
}
