package import CrashReadCore
package import CrashReadSystem
internal import Synchronization

/// A server's answer to a request for an identity.
package enum ServerAnswer: Sendable, Hashable {
  /// The path of a copy of the file.
  case file(String)
  /// The server doesn't have the file.
  case unknown
  /// There is no answer, for this reason.
  case failed(String)
}

/// Time limits for servers in seconds, unless debuginfod's variables say otherwise.
enum ServerTimes {
  /// Until the first byte of the answer.
  static let silence = secondsVariable("DEBUGINFOD_TIMEOUT") ?? 30
  /// Until the last byte: enough for a gigabyte at 30 Mbit/s.
  static let download = secondsVariable("DEBUGINFOD_MAXTIME") ?? 300

  /// A variable's number of seconds; nil when it isn't a whole number.
  private static func secondsVariable(_ name: String) -> Int? {
    variable(name).flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
  }
}

/// Debug files from symbol servers, cached, or kept as long as this object exists.
package final class ServedFiles: Sendable {
  private let servers: [SymbolServer]
  private let caches: CacheDirectory?
  private let limit: Int
  /// The directory for files that aren't cached.
  private let scratch = Mutex<ScratchDirectory?>(nil)

  /// Asks servers in order.
  /// - Parameters:
  ///   - servers: The servers.
  ///   - caches: The cache directory; nil to keep files as long as this object.
  ///   - limit: The maximum size of a file in bytes.
  package init(_ servers: [SymbolServer], caches: CacheDirectory?, limit: Int) {
    (self.servers, self.caches, self.limit) = (servers, caches, limit)
  }

  /// Requests the debug file of an image, and checks its identity.
  /// - Throws: `MissingLibrary` when libcurl is missing.
  package func ask(_ id: ImageID, name: String) throws(MissingLibrary) -> ServerAnswer {
    var failure: String?
    for address in servers.flatMap({ $0.addresses(of: id, name: name) }) {
      switch try file(at: address, id) {
      case .file(let path): return .file(path)
      case .failed(let reason): failure = failure ?? reason
      case .unknown: break
      }
    }
    return failure.map { .failed($0) } ?? .unknown
  }

  private func file(at address: String, _ id: ImageID) throws(MissingLibrary) -> ServerAnswer {
    let name = keptName("served", of: address) + CacheDirectory.suffix
    if let kept = caches?.servedFile(name), Self.holds(kept, id) { return .file(kept) }
    let downloader = try Downloader.shared.get()
    do throws(SystemError) {
      let workspace = try workspace()
      let path = workspace.path + "/" + name
      switch downloader.load(address, to: path, limit: limit) {
      case .absent: return .unknown
      case .failed(let reason):
        removeFile(path)
        return .failed(reason)
      case .loaded: break
      }
      guard Self.holds(path, id) else {
        removeFile(path)
        return .failed("the file from the server isn't the debug file of this build")
      }
      return .file(try caches?.keep(path, as: name) ?? path)
    } catch {
      return .failed(error.description)
    }
  }

  /// A directory for incomplete downloads.
  private func workspace() throws(SystemError) -> ScratchDirectory {
    try scratch.withLock { (scratch) throws(SystemError) -> ScratchDirectory in
      if let made = scratch { return made }
      if let caches { try makeDirectories(caches.path) }
      let made = try ScratchDirectory(in: caches?.path ?? temporaryDirectory)
      scratch = made
      return made
    }
  }

  private static func holds(_ path: String, _ id: ImageID) -> Bool {
    let slices = (try? BinarySlice.all(in: path)) ?? []
    return slices.contains { $0.id?.isNamed(by: id) == true }
  }
}

extension CacheDirectory {
  /// The path of a cached download; nil when there is none.
  fileprivate func servedFile(_ name: String) -> String? {
    guard let directory = try? OwnedDescriptor(directory: path),
      let file = try? directory.open(name, .reading), file.isOwn(.file)
    else { return nil }
    // The modification time is that of the last use.
    file.markUsed()
    return path + "/" + name
  }

  /// Moves a file from the same file system into the cache.
  /// - Returns: Its new path; nil when there is no room for it.
  fileprivate func keep(_ file: String, as name: String) throws(SystemError) -> String? {
    let directory = try OwnedDescriptor(directory: path)
    let lock = try directory.open(Self.lockName, .creating)
    guard lock.tryLock(),
      removeOldest(in: directory, toMakeRoomFor: Int(clamping: try FileStatus(file).size)) != nil,
      renameFile(file, to: path + "/" + name)
    else { return nil }
    return path + "/" + name
  }
}
