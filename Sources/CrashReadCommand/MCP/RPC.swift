internal import CrashRead
internal import CrashReadRendering

/// A JSON-RPC 2.0 message from a client.
struct RPCRequest {
  var id: RPCIdentity?
  var method: String
  var params: JSONValue
}

/// The identifier of a request: a text or a whole number, as JSON.
struct RPCIdentity: Equatable {
  let literal: String

  static let null = RPCIdentity(literal: "null")

  private init(literal: String) { self.literal = literal }

  /// Nil for a value that isn't a valid identifier.
  init?(_ value: JSONValue) {
    if let text = value.anyText {
      var writer = JSONWriter(isOneLine: true)
      writer.string(text)
      literal = writer.text
    } else if let number = value.number {
      literal = String(number)
    } else {
      return nil
    }
  }
}

/// Why a request failed; the codes are those of JSON-RPC and of the protocol.
struct RPCError: Error {
  var code: Int
  var message: String
  /// Further members of the error.
  var data: (@Sendable (inout JSONWriter) -> Void)?

  static let parse = RPCError(code: -32700, message: "the message is not JSON")
  static let invalidRequest = RPCError(code: -32600, message: "not a request of JSON-RPC 2.0")
  static let tooLong = RPCError(code: -32600, message: "the message is too long")
  static func unknownMethod(_ name: String) -> RPCError {
    RPCError(code: -32601, message: "unknown method \(name.prefix(100))")
  }
  static func invalidParams(_ message: String) -> RPCError { RPCError(code: -32602, message: message) }
  static func unsupportedVersion(_ version: String) -> RPCError {
    RPCError(code: -32022, message: "the protocol version is not supported") { json in
      json.strings("supported", ProtocolVersion.allCases.map(\.rawValue))
      json.field("requested", version)
    }
  }
}

extension RPCRequest {
  /// Parses a message.
  /// - Throws: `RPCError` for invalid ones. Responses are invalid, too: the server sends no requests.
  init(_ message: JSONValue) throws(RPCError) {
    guard message.isObject, message["jsonrpc"].string == "2.0", let method = message["method"].anyText else {
      throw .invalidRequest
    }
    let isNotification = !message.members.contains { $0.name == "id" }
    let id = RPCIdentity(message["id"])
    guard isNotification || id != nil else { throw .invalidRequest }
    (self.id, self.method, params) = (id, method, message["params"])
  }
}

/// A response on one line, without the newline.
func rpcAnswer(_ id: RPCIdentity, _ result: Result<String, RPCError>) -> String {
  var writer = JSONWriter(isOneLine: true)
  writer.object { json in
    json.field("jsonrpc", "2.0")
    json.value(id.literal, "id")
    switch result {
    case .success(let document): json.value(document, "result")
    case .failure(let error):
      json.object("error") { json in
        json.field("code", error.code)
        json.field("message", error.message)
        if let data = error.data { json.object("data") { data(&$0) } }
      }
    }
  }
  return writer.text
}

/// Revisions of the Model Context Protocol (modelcontextprotocol.io/specification), the oldest first.
enum ProtocolVersion: String, CaseIterable {
  case november2024 = "2024-11-05"
  case march2025 = "2025-03-26"
  case june2025 = "2025-06-18"
  case november2025 = "2025-11-25"
  /// Without a handshake: each request states its revision.
  case july2026 = "2026-07-28"

  /// The last revision that begins with `initialize`.
  static let lastWithHandshake = november2025

  /// Whether messages can be sent in an array: only one revision had that.
  var hasBatches: Bool { self == .march2025 }

  /// The revision that `initialize` returns: the client's if it is supported, otherwise the newest with a handshake.
  static func negotiated(_ asked: String?) -> ProtocolVersion {
    guard let asked, let version = ProtocolVersion(rawValue: asked), version != .july2026 else {
      return lastWithHandshake
    }
    return version
  }

  /// The member in which a request without a handshake states its revision.
  static let metaKey = "io.modelcontextprotocol/protocolVersion"
}
