internal import CrashRead

/// `crashread symbols`: which binaries debug files hold, and their caches.
struct SymbolsJob {
  let options: Options

  init(_ options: Options) { self.options = options }

  func run(on console: inout Console) -> ExitStatus {
    let caches = cacheDirectory(options, console.environment)
    let store = SymbolStore(searching: options.operands, caches: caches)
    for problem in store.problems { console.error(problem.message, file: problem.path) }
    var status = store.problems.isEmpty ? ExitStatus.success : .failure
    let candidates = store.candidates.filter { $0.slice.fits(options) }
    if options.makesCaches, !makeCaches(of: candidates, in: caches, &console) { status = .failure }
    let rows = candidates.map { ($0, caches?.hasCache(of: $0.path, $0.slice) == true) }
    let isWritten = writeResult(to: &console, options) { format, _, write in
      write(
        format == .json
          ? sliceJSON(rows) : rows.map { plainText(sliceLine($0, isCached: $1)) + "\n" }.joined())
    }
    return isWritten ? status : .failure
  }

  private func makeCaches(
    of candidates: [SymbolStore.Candidate], in caches: CacheDirectory?, _ console: inout Console
  ) -> Bool {
    guard let caches else {
      console.error("--index needs a directory for caches, and there is none; give one by --cache")
      return false
    }
    var isComplete = true
    for candidate in candidates where candidate.slice.hasDWARF {
      do throws(DebugFileError) {
        _ = try caches.makeCache(of: candidate.path, candidate.slice)
      } catch {
        console.error("no cache made in \(caches.path): \(error.description)", file: candidate.shownPath)
        isComplete = false
      }
    }
    return isComplete
  }
}

extension BinarySlice {
  /// Whether it is of the CPU and has the identity asked for.
  func fits(_ options: Options) -> Bool {
    options.architecture.map { $0 == architecture } ?? true
      && options.uuid.map { id?.isNamed(by: $0) == true } ?? true
  }
}
