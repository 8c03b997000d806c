internal import CrashReadCore
internal import CrashReadReports
internal import CrashReadSymbolication

struct EnglishSymbolCheckLabels: SymbolCheckLabels {
  let unknownProcess = "Unknown process"

  func headline(_ program: String, found: Int, wanted: Int) -> String {
    if wanted == 0 { return "\(program): no frame is in an image of the app, so no debug file is needed" }
    if wanted == 1 { return "\(program): its debug file is \(found == 1 ? "available" : "missing")" }
    return "\(program): \(found) of \(wanted) debug files are available"
  }

  func noImages(_ program: String) -> String {
    "\(program): the report has no list of images (Binary Images), so the debug files it needs are unknown"
  }

  let found = "Found"
  let missing = "Missing"
  let wanted = "Wanted"
  let seen = "Seen"
  let next = "Next"

  func frames(_ count: Int, _ resolved: Int) -> String {
    let frames = count == 1 ? "1 frame" : "\(count) frames"
    return resolved == 0 ? frames : "\(frames), \(resolved) with debug information"
  }

  let noIdentity = "an identity that the report doesn't state"

  func nothing(among count: Int) -> String {
    switch count {
    case 0: "no debug file at all"
    case 1: "1 binary, which has neither the identity nor the name"
    default: "\(count) binaries, none with the identity or the name"
    }
  }

  func furtherFiles(_ count: Int) -> String { count == 1 ? "and 1 more file" : "and \(count) more files" }

  func verdict(_ verdict: CheckedFile.Verdict) -> String {
    switch verdict {
    case .match: "match"
    case .unproven: "the name matches, but nothing proves it"
    case .otherBuild: "another build"
    case .otherProgram: "another identity and another name"
    case .otherArchitecture: "another architecture"
    case .stripped: "the right build, but stripped of debug information"
    case .emptyDSYM: "the right build, but an empty dSYM"
    case .debugDylibStub: "the stub of a debug build, without the app's code"
    case .damaged: "damaged"
    }
  }

  func version(_ version: String) -> String { "of version \(version)" }

  func idleImages(_ count: Int) -> String {
    count == 1
      ? "1 more image of the app needs no debug file: no frame is in it."
      : "\(count) more images of the app need no debug file: no frame is in them."
  }

  func systemNames(_ images: String, system: String?) -> String {
    let system = system.map { "of \($0)" } ?? "of that system"
    return """
      Frames of the system without names: \(images). Names come from the dyld shared cache \(system), from Xcode's "iOS DeviceSupport" folder \
      for it, from a pack ('crashread symbols pack') or from a symbol memory (--symbol-memory).
      """
  }

  func systemImages(_ count: Int, found: Int) -> String {
    let images =
      count == 1
      ? "1 image of the system has frames, but needs no debug file"
      : "\(count) images of the system have frames, but need no debug file"
    return found == 0 ? images + "." : "\(images); \(found) \(found == 1 ? "has" : "have") one available."
  }
}

// MARK: - Advice

extension EnglishSymbolCheckLabels {
  func advice(_ step: ImageCheck.Step, _ image: ImageCheck, _ program: ReportHeader) -> [Hint] {
    let file = WantedFile(image, program)
    switch step {
    case .findDebugFile: return usualFolders(file)
    case .findThisBuild:
      return ["Every build has its own debug file, even if the source is the same."] + usualFolders(file)
    case .findArchitecture:
      let hint = file.isForSimulator ? "" : " A simulator build doesn't match a report from a device."
      return ["The report needs a build for \(file.architecture).\(hint)"] + usualFolders(file)
    case .findSeparateFile:
      return ["It provides function names, but no lines. The missing file was made by the same build."]
        + usualFolders(file)
    case .buildWithDebugInfo:
      return [
        """
        This build's lines are lost: it was compiled without debug information, or its object files were \
        gone when the dSYM was made. For the next build set Generate Debug Symbols to Yes and Debug Information Format \
        to DWARF with dSYM File.
        """
      ]
    case .findDebugDylib: return debugDylib(file)
    case .copyAgain:
      return ["Copy or download this file again; it is incomplete or modified."] + usualFolders(file)
    case .findByName:
      return ["Give the debug file of \(file.name), under this name. Its lines will be marked as a guess."]
    }
  }

  private func debugDylib(_ file: WantedFile) -> [Hint] {
    let name = file.isDebugDylib ? file.name : file.name + ".debug.dylib"
    return [
      """
      Xcode links debug builds in two parts: the code is in \(name), and the program only loads it. Give \(name), from \
      the app's folder in Build/Products of its DerivedData, or the dSYM of that build, if it has a file of this name.
      """
    ]
  }

  private func usualFolders(_ file: WantedFile) -> [Hint] {
    if file.isDebugDylib { return debugDylib(file) + spotlight(file) }
    return switch file.origin {
    case .archive: archive(file)
    case .localBuild:
      [
        """
        It was run where it was built: give \(file.bundle).dSYM, or all of Build/Products, from its folder in \
        ~/Library/Developer/Xcode/DerivedData (.build for a Swift package), unless it was built again since. Debug builds \
        have a dSYM only when Debug Information Format says so.
        """
      ] + spotlight(file)
    case .elf:
      ["Give the program as it was before it was stripped, or its .debug file."]
        + (file.buildIDPath.map { ["The package with the debug symbols installs it as", .verbatim($0)] } ?? [])
    }
  }

  private func archive(_ file: WantedFile) -> [Hint] {
    let vendor = file.isFramework ? " The dSYM of a prebuilt framework comes from its vendor." : ""
    return [
      """
      Give \(file.bundle).dSYM from the archive of \(file.program): in Xcode's Organizer choose Archives, then Show in \
      Finder, then Show Package Contents; it is in dSYMs. Or give the whole .xcarchive that CI keeps.\(vendor)
      """
    ] + spotlight(file) + [
      """
      Builds with bitcode (up to Xcode 13) were recompiled by Apple: take dSYMs from App Store Connect, in the build's \
      metadata.
      """
    ]
  }

  private func spotlight(_ file: WantedFile) -> [Hint] {
    file.spotlightCommand.map { ["On a Mac, Spotlight finds it:", .verbatim($0)] } ?? []
  }
}
