internal import Synchronization

/// The name of a function. All frames in a function share one object, so that the name is demangled once and only on
/// demand: of thousands of look-ups few are shown.
final class FunctionName: Sendable {
  /// The linkage name; nil when unknown.
  let linkage: String?
  /// The name in the source, without enclosing scopes; nil when unknown.
  let source: String?
  /// The readable name; nil until first used.
  private let cached: Mutex<String??>

  init(linkage: String?, source: String?) {
    self.linkage = linkage
    self.source = source
    cached = Mutex(nil)
  }

  /// A name that is readable already.
  init(linkage: String?, readable: String?) {
    self.linkage = linkage
    source = readable
    cached = Mutex(.some(readable))
  }

  /// The name is unknown.
  static let unknown = FunctionName(linkage: nil, readable: nil)

  var isUnknown: Bool { linkage == nil && source == nil }

  /// The size of both names in bytes, as they are in the file.
  var size: Int { (linkage?.utf8.count ?? 0) + (source?.utf8.count ?? 0) }

  /// The demangled linkage name, otherwise the source name; nil when there is neither.
  var readable: String? {
    cached.withLock { cached in
      if let known = cached { return known }
      let name = linkage.flatMap(demangle) ?? source ?? linkage
      cached = .some(name)
      return name
    }
  }
}

extension FunctionName: Hashable {
  static func == (left: FunctionName, right: FunctionName) -> Bool {
    left === right || left.linkage == right.linkage && left.readable == right.readable
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(linkage)
    hasher.combine(readable)
  }
}
