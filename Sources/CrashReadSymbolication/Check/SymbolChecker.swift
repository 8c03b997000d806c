internal import CrashReadCore
internal import CrashReadDebugInfo
package import CrashReadReports

extension Symbolicator {
  /// Determines for each image of the app whether its debug file is available, and if not, which related files are.
  package func check(_ report: CrashReport) -> SymbolCheck {
    SymbolChecker(symbolicate(report), store).check
  }
}

private struct SymbolChecker {
  private let resolved: SymbolicatedReport
  private let store: SymbolStore
  private let matcher: ImageMatcher
  /// For each image, the number of its frames, and of those resolved with debug information.
  private var frames: [Int]
  private var resolvedFrames: [Int]
  private var isApp: [Bool]
  private var namelessFrames: [Int]
  private let frameCount: Int

  /// The maximum number of files of one name that are examined.
  private static let maximumFiles = 16
  private static let maximumOthers = 3

  private var report: CrashReport { resolved.report }

  init(_ resolved: SymbolicatedReport, _ store: SymbolStore) {
    self.resolved = resolved
    self.store = store
    matcher = ImageMatcher(store: store, allowsMismatch: false)
    let images = resolved.report.images
    let appImages = AppImages(resolved.report)
    frames = images.map { _ in 0 }
    resolvedFrames = frames
    namelessFrames = frames
    isApp = images.map { appImages.contains($0) }
    let backtraces =
      resolved.threads + resolved.callTrees + resolved.applicationSpecificBacktraces
      + [resolved.lastExceptionBacktrace]
    frameCount = backtraces.joined().count
    for frame in backtraces.joined() {
      guard let image = frame.image else { continue }
      frames[image] += 1
      if frame.resolution == .debugInfo { resolvedFrames[image] += 1 }
      if frame.isInApp { isApp[image] = true }
      if frame.isNameless { namelessFrames[image] += 1 }
    }
  }

  var check: SymbolCheck {
    let used = report.images.indices.filter { frames[$0] > 0 }
    let system = used.filter { !isApp[$0] }
    return SymbolCheck(
      report: report, hasImages: !report.images.isEmpty || frameCount == 0,
      images: used.filter { isApp[$0] }.map(check),
      idleImageCount: report.images.indices.count { isApp[$0] && frames[$0] == 0 },
      systemImageCount: system.count,
      foundSystemImageCount: system.count { resolved.images[$0].status == .matched },
      namelessSystemImages: nameless(among: system), candidateCount: store.candidates.count)
  }

  private func nameless(among images: [Int]) -> [(image: BinaryImage, frameCount: Int)] {
    images.filter { namelessFrames[$0] > 0 }.sorted { namelessFrames[$0] > namelessFrames[$1] }
      .map { (report.images[$0], namelessFrames[$0]) }
  }

  private func check(_ index: Int) -> ImageCheck {
    let image = report.images[index]
    var files = image.id.map { identified(by: $0, image, index) } ?? []
    let similar = similar(to: image, besides: Set(files.map(\.path))) + damaged(like: image)
    let room = max(1, Self.maximumFiles - files.count)
    files += similar.prefix(room)
    let isFound = isFound(files, image, resolved.images[index])
    return ImageCheck(
      index: index, image: image, frameCount: frames[index], resolvedFrameCount: resolvedFrames[index],
      files: files, furtherFileCount: max(0, similar.count - room), isFound: isFound,
      step: isFound ? nil : step(files, image), origin: origin(of: image))
  }

  private func isFound(_ files: [CheckedFile], _ image: BinaryImage, _ match: ImageMatch) -> Bool {
    if image.id == nil { return match.status == .matched }
    // For a stub there is nothing more to find: the code is in an image of its own.
    return files.contains {
      $0.verdict == .match || $0.verdict == .debugDylibStub && hasDebugDylib(image)
    }
  }

  private func hasDebugDylib(_ stub: BinaryImage) -> Bool {
    report.images.contains { $0.fileName == stub.fileName + debugDylibEnding }
  }

  // MARK: Files

  private func identified(by id: ImageID, _ image: BinaryImage, _ index: Int) -> [CheckedFile] {
    matcher.identified(by: id, image).prefix(Self.maximumFiles).map { candidate in
      var file = CheckedFile(candidate, .match)
      switch store.open(candidate) {
      case .failure(let error):
        if case .wrongChecksum = error { file.verdict = .otherBuild } else { file.verdict = .damaged }
        file.message = error.description
      case .success:
        let hasLines = resolved.images[index].debugFile == candidate.shownPath && resolvedFrames[index] > 0
        file.verdict = candidate.slice.detail != .names || hasLines ? .match : candidate.verdictWithoutDWARF
      }
      return file
    }
  }

  /// One entry for each file that was probably meant for the image, but doesn't have its identity.
  private func similar(to image: BinaryImage, besides known: Set<String>) -> [CheckedFile] {
    let named = store.candidates(named: image.fileName) + stubs(for: image)
    if !named.isEmpty { return entries(named, image, besides: known) { verdict($0, image) } }
    guard known.isEmpty else { return [] }
    let used = Set(resolved.images.compactMap(\.debugFile))
    let others = entries(matcher.near(image.fileName, report), image, besides: known) {
      used.contains($0[0].shownPath) ? .unproven : .otherProgram
    }
    // One or two were probably meant for it; many have nothing to do with it.
    return others.count <= Self.maximumOthers ? others : []
  }

  private func entries(
    _ candidates: [SymbolStore.Candidate], _ image: BinaryImage, besides known: Set<String>,
    _ verdict: ([SymbolStore.Candidate]) -> CheckedFile.Verdict
  ) -> [CheckedFile] {
    var order: [String] = []
    var slices: [String: [SymbolStore.Candidate]] = [:]
    for candidate in candidates where !known.contains(candidate.shownPath) {
      if slices[candidate.path] == nil { order.append(candidate.path) }
      slices[candidate.path, default: []].append(candidate)
    }
    return order.compactMap { slices[$0] }.map { slices in
      if let same = slices.first(where: { $0.slice.architecture == image.architecture }) {
        return CheckedFile(same, verdict(slices))
      }
      var file = CheckedFile(slices[0], verdict(slices))
      if slices.count > 1 { file.id = nil }
      file.architectures = slices.compactMap(\.slice.architecture)
      return file
    }
  }

  /// The verdict on a file with the image's name, considering all its slices.
  private func verdict(_ slices: [SymbolStore.Candidate], _ image: BinaryImage) -> CheckedFile.Verdict {
    guard slices.contains(where: { image.architecture == nil || $0.slice.architecture == image.architecture })
    else { return .otherArchitecture }
    if slices[0].slice.isDebugDylibStub, image.fileName.hasSuffix(debugDylibEnding) { return .debugDylibStub }
    return image.id == nil ? .unproven : .otherBuild
  }

  private func damaged(like image: BinaryImage) -> [CheckedFile] {
    store.damaged.filter { withoutDebugEnding(lastComponent($0.path)) == image.fileName }.map {
      CheckedFile(path: $0.path, verdict: .damaged, architectures: [], message: $0.message)
    }
  }

  /// For `App.debug.dylib`, the files of `App` that contain only the stub.
  private func stubs(for image: BinaryImage) -> [SymbolStore.Candidate] {
    guard image.fileName.hasSuffix(debugDylibEnding) else { return [] }
    let name = String(image.fileName.dropLast(debugDylibEnding.utf8.count))
    return store.candidates(named: name).filter(\.slice.isDebugDylibStub)
  }

  // MARK: Advice

  private func step(_ files: [CheckedFile], _ image: BinaryImage) -> ImageCheck.Step {
    if image.id == nil { return .findByName }
    switch files.first?.verdict {
    case .match, .unproven, .otherProgram, nil: return .findDebugFile
    case .stripped: return .findSeparateFile
    case .emptyDSYM: return .buildWithDebugInfo
    case .debugDylibStub: return .findDebugDylib
    case .damaged: return .copyAgain
    case .otherBuild, .otherArchitecture:
      return files.contains { $0.verdict == .otherBuild } ? .findThisBuild : .findArchitecture
    }
  }

  private func origin(of image: BinaryImage) -> ImageCheck.Origin {
    if let id = image.id, id.byteCount != 16 { return .elf }
    let buildFolders = ["/CoreSimulator/", "/DerivedData/", "/Build/Products/", "/.build/"]
    let path = image.path ?? report.header.path ?? ""
    let isLocal = buildFolders.contains { path.contains($0) } || image.fileName.hasSuffix(debugDylibEnding)
    return isLocal ? .localBuild : .archive
  }
}

private let debugDylibEnding = ".debug.dylib"

private func withoutDebugEnding(_ name: Substring) -> Substring {
  name.hasSuffix(".debug") ? name.dropLast(6) : name
}

extension CheckedFile {
  fileprivate init(_ candidate: SymbolStore.Candidate, _ verdict: Verdict) {
    path = candidate.shownPath
    self.verdict = verdict
    id = candidate.id
    architectures = candidate.slice.architecture.map { [$0] } ?? []
    version = bundleVersion(of: candidate.path)
  }
}

extension SymbolStore.Candidate {
  fileprivate var verdictWithoutDWARF: CheckedFile.Verdict {
    slice.isDebugDylibStub ? .debugDylibStub : slice.isDSYM ? .emptyDSYM : .stripped
  }
}
