import Foundation

/// The JSON output, as far as tests look at it.
struct Document: Decodable {
  struct Diagnosis: Decodable {
    var rule: String?
    var title: String
    var confidence: String
    var blamed: Blamed?
    var member: Member?
  }

  struct Member: Decodable {
    var text: String
    var confidence: String
    var evidence: [Evidence]
  }

  struct Evidence: Decodable {
    var source: String?
    var label: String
    var quote: String
  }

  struct Blamed: Decodable {
    var thread: Int?
    var applicationSpecificBacktrace: Int?
    var frame: Int
    var location: Int?
  }

  struct Thread: Decodable {
    var crashed: Bool
    var frames: [Frame]
  }

  struct Backtrace: Decodable {
    var frames: [Frame]
  }

  struct Frame: Decodable {
    var index: Int
    var address: String?
    var image: String?
    var imageIndex: Int?
    var imageOffset: Int?
    var foldedNames: [String]?
    var inApp: Bool
    var resolution: String
    var reason: String?
    var guess: Bool
    var recovered: Bool?
    var locations: [Location]
  }

  struct Location: Decodable {
    var function: String?
    var linkageName: String?
    var file: String?
    var line: Int?
    var inlined: Bool
    var variables: [Variable]?

    /// The file's name and the line, 0 where there is none.
    var place: String {
      "\(file?.split(separator: "/").last.map(String.init) ?? "??"):\(line ?? 0)"
    }
  }

  struct Variable: Decodable {
    var name: String
    var type: String
    var parameter: Bool
    var status: String
    var value: String?
    var address: String?
  }

  struct Image: Decodable {
    var name: String?
    var id: String?
    var status: String
    var guess: Bool?
  }

  var input: String
  var signature: String?
  var diagnosis: Diagnosis
  var threads: [Thread]
  var lastExceptionBacktrace: Backtrace?
  var applicationSpecificBacktraces: [Backtrace]?
  var images: [Image]

  init(_ json: String) throws {
    self = try JSONDecoder().decode(Document.self, from: Data(json.utf8))
  }

  /// The documents of several reports, which are in an array.
  static func all(_ json: String) throws -> [Document] {
    try JSONDecoder().decode([Document].self, from: Data(json.utf8))
  }

  /// The function and line to look at first; nil when there is none.
  var blamedLocation: Location? {
    guard let blamed = diagnosis.blamed, let location = blamed.location else { return nil }
    let alone = blamed.applicationSpecificBacktrace.flatMap { applicationSpecificBacktraces?[$0] }
    let frames = blamed.thread.map { threads[$0].frames } ?? (alone ?? lastExceptionBacktrace)?.frames
    return frames?[blamed.frame].locations[location]
  }

  /// The frames of the thread that crashed.
  var crashedFrames: [Frame] { threads.first(where: \.crashed)?.frames ?? [] }
}
