internal import CrashReadReports
internal import CrashReadVerdict

/// A precondition of an API, and how a report shows that the API stopped the program because it was violated: one
/// entry of `contracts.json`, whose texts have the same id.
struct Contract: Sendable {
  /// Names the contract and its texts; stable, since the JSON output shows it.
  var id: String
  /// The library that the API belongs to, such as `UIKit`.
  var family: String
  /// How a violation shows; one of these is enough.
  var alternatives: [Alternative]
  /// A link to what documents or shows it.
  var source: String

  /// One way in which a violation shows: all of these conditions must hold.
  struct Alternative: Sendable {
    /// Texts of the report: reason, message, application specific information.
    var texts: [TextPattern] = []
    /// The API's function, between the machinery that stopped the program and the app's own code.
    var frames: [TextPattern] = []
    /// A function further out.
    var callers: [TextPattern] = []
    /// The image of the innermost frame outside the runtimes; one of the system's where nothing has a name.
    var images: [String] = []
    /// The name of the queue or thread; sufficient alone if nothing else shows whose code ran.
    var queues: [TextPattern] = []
    /// Whether the thread must be another than the program's first.
    var isOffMain = false
    /// Whether the thread must not be known to be the main one: only on others the API stops the program for this.
    var isNeverMain = false
    /// Whether the thread is part of the evidence.
    var tellsThread: Bool { !queues.isEmpty || isOffMain }
    /// The exception's name.
    var exceptionNames: [String] = []
    /// How the program was stopped; empty for any way on purpose.
    var stops: [ProgramStop] = []
    /// The maximum confidence; nil if only the kind of evidence limits it.
    var limit: Confidence?

    /// A message comes from the API itself; a function on the stack only shows that the API was running; an image is a guess.
    var confidence: Confidence {
      let own: Confidence = !texts.isEmpty ? .certain : !frames.isEmpty ? .likely : .hint
      return [own, limit ?? own].min { $0.rank < $1.rank } ?? own
    }

    /// Kinds of evidence in their order: the best match is that of the highest.
    var rank: Int { !texts.isEmpty ? 2 : !frames.isEmpty ? 1 : 0 }
  }
}

/// How a program was stopped; raw values are those of `contracts.json`.
enum ProgramStop: String, Sendable, CaseIterable {
  /// An exception was not caught.
  case exception
  /// It ran an instruction that stops it on purpose.
  case trap
  /// It called `abort()`.
  case abort
  /// The allocator found its heap damaged, and stopped it.
  case heap
  /// It accessed memory that isn't mapped, or that it has no permission for.
  case fault
  /// The system ended it.
  case kill
}

extension Confidence {
  /// Higher is surer.
  var rank: Int {
    switch self {
    case .hint: 0
    case .likely: 1
    case .certain: 2
    }
  }
}

extension Contract {
  /// Reads a contract; one with an unknown condition is left out as a whole, since without it it would match too much.
  init?(_ source: JSONValue, problems: inout [String]) {
    guard let id = source["id"].string, let link = source["source"].string else {
      problems.append("contracts.json: a contract without an id or a source")
      return nil
    }
    let alternatives = source["when"].elements.map { Alternative($0, id, problems: &problems) }
    guard !alternatives.isEmpty, !alternatives.contains(where: { $0 == nil }) else {
      problems.append("contracts.json: \(id)")
      return nil
    }
    self.init(
      id: id, family: source["family"].string ?? "", alternatives: alternatives.compactMap(\.self),
      source: link)
  }
}

extension Contract.Alternative {
  fileprivate init?(_ source: JSONValue, _ id: String, problems: inout [String]) {
    let before = problems.count
    for (name, value) in source.members {
      let words = value.elements.compactMap(\.string)
      switch name {
      case "text": texts = readPatterns(value, in: id, problems: &problems)
      case "frame": frames = readPatterns(value, in: id, problems: &problems)
      case "caller": callers = readPatterns(value, in: id, problems: &problems)
      case "queue": queues = readPatterns(value, in: id, problems: &problems)
      case "image": images = words
      case "offMain": isOffMain = value.isTrue
      case "neverMain": isNeverMain = value.isTrue
      case "exceptionName": exceptionNames = words
      case "stop":
        stops = words.compactMap(ProgramStop.init(rawValue:))
        if stops.count != words.count { problems.append("contracts.json: \(id): unknown stop") }
      case "confidence":
        limit = value.string.flatMap(Confidence.init(rawValue:))
        if limit == nil { problems.append("contracts.json: \(id): unknown confidence") }
      default: problems.append("contracts.json: \(id): \(name) is no condition")
      }
    }
    if texts.isEmpty, frames.isEmpty, images.isEmpty, queues.isEmpty {
      problems.append("contracts.json: \(id): nothing to look for")
    }
    if problems.count > before { return nil }
  }
}

private func readPatterns(_ source: JSONValue, in id: String, problems: inout [String]) -> [TextPattern] {
  source.elements.compactMap { element in
    let pattern = element.string.flatMap { TextPattern($0) }
    if pattern == nil { problems.append("contracts.json: \(id): \(element.string ?? "") is no pattern") }
    return pattern
  }
}
