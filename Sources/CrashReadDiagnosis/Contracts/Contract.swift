internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// A precondition of an API, and how a report shows that the API stopped the program because it was violated: one entry
/// of `contracts.json`, whose texts have the same id.
struct Contract: Sendable {
  /// The name of the contract and its texts. It must not change, since it is part of the JSON output.
  var id: String
  /// The library that the API belongs to, such as `UIKit`.
  var family: String
  /// The ways in which a violation shows; one of them suffices.
  var alternatives: [Alternative]
  /// A link to the documentation or the source of the precondition.
  var source: String
  /// Whether no function on the stack is the place: the code that asked for memory last isn't what used it up.
  var isPlaceless = false
  /// Whether it is about what the main thread did instead of answering.
  var isAboutHangs: Bool { alternatives.contains { $0.stops == [.hang] } }
  /// Whether the API is a framework's of the system, whose code is never in the app's image.
  var isOfSystemFramework: Bool {
    isSystemLibrary(family.filter { $0 != " " }) || family.hasPrefix("AV") || family == "URLSession"
  }
  /// Whether it is about a program of Apple's, whose own functions are the place then.
  var isOfApple: Bool { alternatives.contains(where: \.isOfApple) }

  /// One way in which a violation shows: all of these conditions must hold.
  struct Alternative: Sendable {
    /// Texts of the report: reason, message, application specific information.
    var texts: [TextPattern] = []
    /// The API's function, between the machinery that stopped the program and the app's own code.
    var frames: [TextPattern] = []
    /// A function further out on the stack.
    var callers: [TextPattern] = []
    /// The image of the innermost frame outside the runtimes; an image of the system if no function has a name.
    var images: [String] = []
    /// The name of the queue or thread; it suffices alone if nothing else shows whose code was running.
    var queues: [TextPattern] = []
    /// Whether no place in source may be stated of the function: with one, the name isn't just the nearest exported one.
    var isUnplaced = false
    /// Whether the thread must not be the program's first one.
    var isOffMain = false
    /// Whether the thread must not be known to be the main thread, since the API stops the program only on others.
    var isNeverMain = false
    /// Whether another framework of the system must have called the API: what it used then is the framework's, not the
    /// app's.
    var isWithinFramework = false
    /// Whether the program must be one of Apple's, with no other code on the stack.
    var isOfApple = false
    /// Whether the message is logged by a program that goes on: where something stopped it, that is another matter.
    var isOnlyLogged = false
    /// Whether the thread is part of the evidence.
    var dependsOnThread: Bool { !queues.isEmpty || isOffMain }
    /// The exception's name.
    var exceptionNames: [String] = []
    /// How the program was stopped; empty for any way on purpose.
    var stops: [ProgramStop] = []
    /// The maximum confidence; nil if only the kind of evidence limits it.
    var limit: Confidence?

    /// The confidence: a message comes from the API itself; a function on the stack only shows that the API was
    /// running; an image is a guess.
    var confidence: Confidence {
      let own: Confidence = !texts.isEmpty ? .certain : !frames.isEmpty || isOfApple ? .likely : .hint
      return [own, limit ?? own].min { $0.rank < $1.rank } ?? own
    }

    /// The rank of its kind of evidence: the best match is the one with the highest rank.
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
  /// The allocator detected a damaged heap, and stopped it.
  case heap
  /// It accessed memory that isn't mapped, or that it has no permission for.
  case fault
  /// The system ended it.
  case kill
  /// It did not answer in time: the watchdog ended it for that, or somebody recorded what it was doing.
  case hang
}

extension Confidence {
  /// The rank; a higher one is more certain.
  var rank: Int {
    switch self {
    case .hint: 0
    case .likely: 1
    case .certain: 2
    }
  }
}

extension Contract {
  /// Reads a contract. One with an unknown condition is left out completely, since it would match too much without it.
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
      source: link, isPlaceless: source["placeless"].isTrue)
  }
}

extension Contract.Alternative {
  fileprivate init?(_ source: JSONValue, _ id: String, problems: inout [String]) {
    let before = problems.count
    func patterns(_ value: JSONValue) -> [TextPattern] {
      TextPattern.all(value, in: "contracts.json: \(id)", problems: &problems)
    }
    for (name, value) in source.members {
      let words = value.elements.compactMap(\.string)
      switch name {
      case "text": texts = patterns(value)
      case "frame": frames = patterns(value)
      case "caller": callers = patterns(value)
      case "queue": queues = patterns(value)
      case "image": images = words
      case "unplaced": isUnplaced = value.isTrue
      case "offMain": isOffMain = value.isTrue
      case "neverMain": isNeverMain = value.isTrue
      case "withinFramework": isWithinFramework = value.isTrue
      case "ofApple": isOfApple = value.isTrue
      case "logged": isOnlyLogged = value.isTrue
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
    if texts.isEmpty, frames.isEmpty, images.isEmpty, queues.isEmpty, !isOfApple {
      problems.append("contracts.json: \(id): nothing to look for")
    }
    if problems.count > before { return nil }
  }
}
