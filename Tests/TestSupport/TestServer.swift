import Foundation
import FoundationNetworking
import Synchronization

/// A TCP port on which nothing is listening.
package func freePort() throws -> UInt16 { try LoopbackSocket().port }

/// A socket on a free port of this machine alone.
private final class LoopbackSocket: Sendable {
  let number: Int32
  let port: UInt16

  init() throws {
    number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let number = number
    let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(number, $0, size) == 0 ? getsockname(number, $0, &size) : -1
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard result == 0 else { throw CocoaError(.fileReadUnknown) }
  }

  deinit { close(number) }
}

/// An HTTP server on this machine with the responses that a test defines.
package final class TestServer: Sendable {
  package enum Answer: Sendable, Equatable {
    case notFound
    case file([UInt8])
    /// The connection is accepted, and nothing comes.
    case silence
    /// The connection is closed in the middle of a file.
    case half
    /// A byte at long intervals, of a file that would take days.
    case dripping
  }

  private let socket: LoopbackSocket
  private let log = Mutex<[String]>([])

  package var url: String { "http://127.0.0.1:\(socket.port)" }
  /// The requested paths so far.
  package var requests: [String] { log.withLock { $0 } }

  package init(answer: @escaping @Sendable (String) -> Answer) throws {
    socket = try LoopbackSocket()
    listen(socket.number, 16)
    Thread.detachNewThread { [weak self, number = socket.number] in
      while true {
        let connection = accept(number, nil, nil)
        guard connection >= 0 else { return }
        self?.serve(connection, answer)
      }
    }
  }

  deinit { shutdown(socket.number, Int32(SHUT_RDWR)) }

  private func serve(_ connection: Int32, _ answer: @Sendable (String) -> Answer) {
    var request: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while request.count < 65_536, !request.contains([13, 10, 13, 10]) {
      let count = unsafe recv(connection, &chunk, chunk.count, 0)
      guard count > 0 else { break }
      request += chunk[..<count]
    }
    let path = String(decoding: request, as: UTF8.self).split(separator: " ").dropFirst().first ?? ""
    log.withLock { $0.append(String(path)) }
    switch answer(String(path)) {
    case .notFound:
      send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", connection)
    case .file(let bytes):
      send("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\nConnection: close\r\n\r\n", connection)
      send(bytes, connection)
    case .half:
      send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\nConnection: close\r\n\r\n", connection)
      send([UInt8](repeating: 0x7f, count: 200_000), connection)
      Thread.sleep(forTimeInterval: 1.5)
    case .silence: return  // stays open until the process ends
    case .dripping:
      send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\nConnection: close\r\n\r\n", connection)
      Thread.detachNewThread {
        while self.send([0x7f], connection) { Thread.sleep(forTimeInterval: 0.2) }
        close(connection)
      }
      return
    }
    shutdown(connection, Int32(SHUT_WR))
    close(connection)
  }

  private func send(_ text: String, _ connection: Int32) { send(Array(text.utf8), connection) }

  @discardableResult
  private func send(_ bytes: [UInt8], _ connection: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Foundation.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

/// Debian's debuginfod over a directory, with its own database; it ends with this object.
package final class DebuginfodServer {
  package let url: String
  private let process = Process()

  package init(of symbols: String, in directory: TemporaryDirectory) throws {
    let port = try freePort()
    url = "http://127.0.0.1:\(port)"
    process.executableURL = installedProgram("debuginfod")
    process.arguments = ["-F", "-d", directory.path("debuginfod.sqlite"), "-p", "\(port)", symbols]
    var environment = ProcessInfo.processInfo.environment
    environment["DEBUGINFOD_URLS"] = nil  // it would ask these in its turn
    environment["DEBUGINFOD_CACHE_PATH"] = directory.path("server-cache")
    environment["HOME"] = directory.url.path
    process.environment = environment
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.start()
  }

  deinit {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Waits until it has indexed a build-id.
  package func waitFor(_ id: String) throws {
    let file = URL(string: "\(url)/buildid/\(id)/debuginfo")
    for _ in 0..<3000 {
      guard process.isRunning else { break }
      if let file, (try? Data(contentsOf: file)) != nil { return }
      Thread.sleep(forTimeInterval: 0.1)
    }
    throw CocoaError(.fileReadUnknown)
  }
}
