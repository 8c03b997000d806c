import CrashRead
import Rendering

/// The client's own types, with names that are common in this field and in the library.
struct Format {
  var name: String
}

/// One of the library's own public names.
struct Frame {
  var depth: Int
}

struct Batch {
  var frames: [Frame]
}

/// The client's names and the library's side by side.
func page(_ analysis: ReportAnalysis, _ format: Format, _ batch: Batch) -> Page {
  let crashed: [CrashRead.Frame] = analysis.diagnosis.principalFrames.map(\.captured)
  return Page("\(format.name): \(crashed.count) frames, \(batch.frames.count) of them ours")
}
