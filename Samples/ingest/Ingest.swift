import CrashRead
import Foundation

/// What a bug tracker would start from: uploads in, rows and groups out. Where rows are stored is the tracker's business.
///
///     swift run Ingest SYMBOLS UPLOAD...
@main
struct Ingest {
  /// Uploads that are read at the same time.
  static let concurrentUploads = 4

  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let symbols = arguments.first, arguments.count > 1 else {
      FileHandle.standardError.write(Data("usage: Ingest SYMBOLS UPLOAD...\n".utf8))
      exit(2)
    }
    // One reader for the life of the service: it opens each debug file once, and any number of tasks may share it.
    let reader = try CrashReader(symbols: [symbols])
    var uploads = arguments.dropFirst().makeIterator()
    var groups = CrashGroups()

    await withTaskGroup(of: Upload.self) { tasks in
      for _ in 0..<concurrentUploads {
        if let path = uploads.next() { tasks.addTask { Upload(path, reader) } }
      }
      for await upload in tasks {
        upload.store()
        for occurrence in upload.occurrences { groups.add(occurrence) }
        if upload.problem != nil { groups.addUnread() }
        if let path = uploads.next() { tasks.addTask { Upload(path, reader) } }
      }
    }
    print("\n" + groups.rendered(as: .text), terminator: "")
  }
}

/// One file that somebody sent; it can hold any number of reports, or none.
struct Upload: Sendable {
  var path: String
  /// One for each report.
  var occurrences: [CrashOccurrence] = []
  /// Why nothing could be read; nil when something could.
  var problem: String?

  init(_ path: String, _ reader: CrashReader) {
    self.path = path
    do {
      occurrences = try reader.analyze(contentsOf: path).map { CrashOccurrence($0) }
    } catch {
      problem = "\(error)"
    }
  }

  /// Stands for the tracker's database: a row for each report.
  func store() {
    if let problem { print("rejected\t\(path)\t\(problem)") }
    for occurrence in occurrences {
      let columns = [
        path, occurrence.app, occurrence.version, occurrence.signature, occurrence.location, occurrence.title,
      ]
      print("stored\t" + columns.map { $0 ?? "" }.joined(separator: "\t"))
    }
  }
}
