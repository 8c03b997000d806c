internal import CrashRead

/// Revisions of the Model Context Protocol (modelcontextprotocol.io/specification), the oldest first.
enum ProtocolVersion: String, CaseIterable {
  case november2024 = "2024-11-05"
  case march2025 = "2025-03-26"
  case june2025 = "2025-06-18"
  case november2025 = "2025-11-25"
  /// Without a handshake: each request says which revision it is of.
  case july2026 = "2026-07-28"

  /// The last that begins with `initialize`.
  static let lastWithHandshake = november2025

  /// Whether several messages can stand in an array: one revision had that.
  var hasBatches: Bool { self == .march2025 }

  /// What `initialize` answers: the client's revision where it is known, else the newest it can be answered in.
  static func negotiated(_ asked: String?) -> ProtocolVersion {
    guard let asked, let version = ProtocolVersion(rawValue: asked), version != .july2026 else {
      return lastWithHandshake
    }
    return version
  }

  /// Where a request of a revision without a handshake says so.
  static let metaKey = "io.modelcontextprotocol/protocolVersion"
}
