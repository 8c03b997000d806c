internal import CrashReadCore

/// JSON of an unknown writer that contains frames with addresses: read by its structure, and marked as such.
enum UnknownJSON {
  private static let maximumDepth = 12
  private static let maximumLists = 1000

  /// Reads the backtraces of a document; nil when none of them is unambiguous.
  static func report(in document: JSONValue) -> CrashReport? {
    guard document.isObject else { return nil }
    var search = Search()
    search.visit(document, inside: .null, depth: 0)
    guard search.hasImages, !search.threads.isEmpty else { return nil }
    var frames = JSONFrames(images: .array(search.images))
    var report = CrashReport(format: .otherJSON)
    report.threads = search.threads.enumerated().map { index, owner in
      var thread = frames.thread(owner.thread, index: index)
      thread.frames = frames.frames(owner.frames)
      for number in thread.frames.indices { thread.frames[number].number = number }
      return thread
    }
    if report.threads.count == 1 { report.threads[0].isCrashed = true }
    report.images = frames.images
    report.locateFrames()
    let message = "the JSON is of an unknown reporter; frames and images were recognised by their structure"
    report.notes = [ReportNote(line: nil, message: message)]
    return report
  }

  /// Walks a document, and collects lists of frames and of images.
  private struct Search {
    var threads: [(thread: JSONValue, frames: JSONValue)] = []
    var images: [JSONValue] = []

    /// Whether frames name their images, or a list does. Addresses without images could be anything.
    var hasImages: Bool {
      !images.isEmpty
        || threads.contains {
          $0.frames.elements.contains {
            JSONFields($0)[["machouuid", "imageuuid", "binaryuuid"]].string != nil
          }
        }
    }

    mutating func visit(_ value: JSONValue, inside owner: JSONValue, depth: Int) {
      guard depth < maximumDepth, threads.count < maximumLists else { return }
      let objects = value.elements.filter(\.isObject)
      if !objects.isEmpty, objects.allSatisfy(JSONFrames.isFrame) {
        threads.append((owner, value))
      } else if !objects.isEmpty, objects.allSatisfy(JSONFrames.isImage) {
        images += objects
      } else {
        for element in value.elements { visit(element, inside: owner, depth: depth + 1) }
        for member in value.members { visit(member.value, inside: value, depth: depth + 1) }
      }
    }
  }
}
