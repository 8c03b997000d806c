package import CrashReadCore
package import CrashReadSystem
internal import Synchronization

/// What servers say to an identity.
package enum ServerAnswer: Sendable, Hashable {
  /// The path of a copy of the file.
  case file(String)
  /// They have none.
  case unknown
  /// No answer, and why.
  case failed(String)
}

/// How long servers are waited for, in seconds, unless the variables of debuginfod say otherwise.
enum ServerTimes {
  /// Until something comes.
  static let silence = secondsVariable("DEBUGINFOD_TIMEOUT") ?? 30
  /// Until all has come: a gigabyte, over a line of 30 Mbit/s.
  static let download = secondsVariable("DEBUGINFOD_MAXTIME") ?? 300

  /// A variable's whole number of seconds; nil when it isn't set to one.
  private static func secondsVariable(_ name: String) -> Int? {
    variable(name).flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
  }
}

/// Debug files that symbol servers have sent: kept among the caches, or as long as this object lives.
package final class ServedFiles: Sendable {
  private let servers: [SymbolServer]
  private let caches: CacheDirectory?
  private let limit: Int
  /// Where files go that are not kept.
  private let scratch = Mutex<ScratchDirectory?>(nil)

  /// Asks servers in their order.
  /// - Parameters:
  ///   - servers: The servers.
  ///   - caches: Where files are kept; nil for as long as this object lives.
  ///   - limit: Bytes of a file.
  package init(_ servers: [SymbolServer], caches: CacheDirectory?, limit: Int) {
    (self.servers, self.caches, self.limit) = (servers, caches, limit)
  }

  /// Asks for the debug file of an image, and sees to it that what comes has its identity.
  /// - Throws: `MissingLibrary` when libcurl isn't there.
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
        return .failed("what the server sent is no debug file of this build")
      }
      return .file(try caches?.keep(path, as: name) ?? path)
    } catch {
      return .failed(error.description)
    }
  }

  /// A directory for files on their way here.
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
  /// The path of a file that a server has sent before; nil when there is none.
  fileprivate func servedFile(_ name: String) -> String? {
    guard let directory = try? OwnedDescriptor(directory: path),
      let file = try? directory.open(name, .reading), file.isOwn(.file)
    else { return nil }
    // The time of change says when it was last used.
    file.markUsed()
    return path + "/" + name
  }

  /// Takes over a file that lies on the same file system.
  /// - Returns: Where it is now; nil when there is no room for it.
  fileprivate func keep(_ file: String, as name: String) throws(SystemError) -> String? {
    let directory = try OwnedDescriptor(directory: path)
    let lock = try directory.open(Self.lockName, .making)
    guard lock.tryLock(),
      removeOldest(in: directory, toMakeRoomFor: Int(clamping: try FileStatus(file).size)) != nil,
      renameFile(file, to: path + "/" + name)
    else { return nil }
    return path + "/" + name
  }
}
