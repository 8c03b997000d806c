// Compiled only for libFuzzer, which has `main` and calls these two functions: see `run.sh`.
import Foundation

private let target: FuzzTarget = {
  let name = ProcessInfo.processInfo.environment["CRASHREAD_FUZZ"] ?? ""
  guard let target = FuzzTarget.named(name) else {
    fatalError("CRASHREAD_FUZZ must be one of: " + FuzzTarget.all.map(\.name).joined(separator: " "))
  }
  return target
}()

nonisolated(unsafe) private let read: ([UInt8]) -> Void = {
  do { return try target.reader() } catch { fatalError("no reader: \(error)") }
}()

/// Writes the seeds to the directory in `CRASHREAD_FUZZ_SEEDS`, before libFuzzer looks into it.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutableRawPointer, _ arguments: UnsafeMutableRawPointer) -> CInt {
  guard let directory = ProcessInfo.processInfo.environment["CRASHREAD_FUZZ_SEEDS"] else { return 0 }
  do {
    for (index, seed) in try target.seeds().enumerated() {
      try Data(seed).write(to: URL(filePath: directory).appending(path: "seed-\(index)"))
    }
  } catch {
    fatalError("seeds can't be written: \(error)")
  }
  return 0
}

/// Reads one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  unsafe read(Array(UnsafeBufferPointer(start: bytes, count: count)))
  return 0
}
