internal import CrashReadCore
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// The words about the debug files of a report, one set per language.
protocol SymbolCheckLabels: Sendable {
  var unknownProcess: String { get }
  func headline(_ program: String, found: Int, wanted: Int) -> String
  /// The report has no list of images, since it is truncated.
  func noImages(_ program: String) -> String
  /// Labels in a column of their own, which is 9 columns wide.
  var found: String { get }
  var missing: String { get }
  var wanted: String { get }
  var seen: String { get }
  var next: String { get }
  func frames(_ count: Int, _ resolved: Int) -> String
  var noIdentity: String { get }
  func nothing(among count: Int) -> String
  func furtherFiles(_ count: Int) -> String
  func verdict(_ verdict: CheckedFile.Verdict) -> String
  func version(_ version: String) -> String
  func advice(_ step: ImageCheck.Step, _ image: ImageCheck, _ program: ReportHeader) -> [Hint]
  func idleImages(_ count: Int) -> String
  /// How to get names for the functions of system images.
  func systemNames(_ images: String, system: String?) -> String
  func systemImages(_ count: Int, found: Int) -> String
}

/// A part of a piece of advice.
enum Hint: ExpressibleByStringInterpolation {
  /// A paragraph.
  case text(String)
  /// A command or a path to copy, which isn't wrapped.
  case verbatim(String)

  init(stringLiteral text: String) { self = .text(text) }

  var string: String {
    switch self {
    case .text(let string), .verbatim(let string): string
    }
  }
}

/// The labels of a language.
func symbolCheckLabels(in language: Language) -> any SymbolCheckLabels {
  switch language {
  case .english: EnglishSymbolCheckLabels()
  case .japanese: JapaneseSymbolCheckLabels()
  }
}

/// The values used in texts about an image.
struct WantedFile {
  private let image: BinaryImage
  let origin: ImageCheck.Origin
  /// The program's name, with version and build if the report states them: `HogeApp 1.0 (1)`.
  let program: String
  let id: ImageID?

  init(_ check: ImageCheck, _ header: ReportHeader) {
    image = check.image
    origin = check.origin
    id = check.image.id
    let words = [header.process ?? check.image.name, header.version, header.build.map { "(\($0))" }]
    program = words.compactMap { $0 }.joined(separator: " ")
  }

  /// The file's name, if the report states it, otherwise the image's.
  var name: String { image.path?.split(separator: "/").last.map(String.init) ?? image.name ?? "?" }

  /// The name of the bundle that contains it, such as `HogeApp.app`; otherwise the file's own name.
  var bundle: String {
    let folders = image.path?.split(separator: "/").dropLast() ?? []
    let endings = [".app", ".framework", ".appex", ".xctest", ".bundle", ".xpc"]
    return folders.last { folder in endings.contains { folder.hasSuffix($0) } }.map(String.init) ?? name
  }

  /// Whether it is a framework, which may come from a third party.
  var isFramework: Bool { bundle.hasSuffix(".framework") }

  /// Whether it was built for the simulator.
  var isForSimulator: Bool { image.path?.contains("/CoreSimulator/") ?? false }

  /// Whether it is the library that contains the app's code in a debug build.
  var isDebugDylib: Bool { name.hasSuffix(".debug.dylib") }

  /// The command that finds the dSYM on a Mac; nil without an identity.
  var spotlightCommand: String? { id.map { "mdfind 'com_apple_xcode_dsym_uuids == \($0)'" } }

  /// The path at which a Linux distribution installs the debug file.
  var buildIDPath: String? {
    guard origin == .elf, let digits = id?.description, digits.utf8.count > 2 else { return nil }
    return "/usr/lib/debug/.build-id/\(digits.prefix(2))/\(digits.dropFirst(2)).debug"
  }

  var architecture: String { image.architecture?.rawValue ?? "?" }
}
