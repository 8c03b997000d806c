/// How large the parts of a value are: elements of lists and bytes of texts, by the names of the properties that lead
/// there.
package struct ModelSizes {
  /// The largest of all locations with the same names; a list of lists is one name longer, `[]`.
  package private(set) var sizes: [String: Int] = [:]
  /// Properties that hold nothing anywhere, so that what can grow below them is unknown, with their types.
  package private(set) var unseen: [String: String] = [:]
  private var seen: Set<String> = []

  /// Nothing yet.
  package init() {}

  /// Adds a value and all it holds.
  package mutating func add(_ value: Any, at path: String = "") {
    // An optional text is a `String` to `as`, too.
    if let text = value as? String, Mirror(reflecting: value).displayStyle != .optional {
      grow(path, text.utf8.count)
    } else {
      addParts(of: value, at: path)
    }
  }

  private mutating func grow(_ path: String, _ size: Int) { sizes[path] = max(sizes[path] ?? 0, size) }

  private mutating func addParts(of value: Any, at path: String) {
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional:
      if let content = mirror.children.first {
        seen.insert(path)
        unseen[path] = nil
        add(content.value, at: path)
      } else if !seen.contains(path) {
        unseen[path] = "\(mirror.subjectType)"
      }
    case .collection, .set, .dictionary:
      grow(path, mirror.children.count)
      for child in mirror.children { add(child.value, at: path + "[]") }
    case .struct, .class, .tuple:
      for child in mirror.children { add(child.value, at: path + "." + (child.label ?? "")) }
    default: break
    }
  }
}
