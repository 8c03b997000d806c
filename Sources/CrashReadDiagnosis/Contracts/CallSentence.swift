internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadSymbolication

/// Which API stopped the program, and which function of the app called it.
struct StoppingCall {
  /// The API's frame; nil when the app's own code stopped the program, or no name tells.
  var raisedBy: FrameReference?
  /// The API's function.
  var raiser: String?

  /// Looks for the first function below the machinery, up to the app's own code.
  init(_ backtrace: (reference: BacktraceReference, frames: [ResolvedFrame])?, knowledge: Knowledge) {
    guard let backtrace else { return }
    for (index, frame) in backtrace.frames.prefix(Self.mostFrames).enumerated() {
      let names = frame.functionNames
      if names.contains(where: { knowledge.isMachinery($0) || knowledge.isThunk($0) }) { continue }
      guard let name = names.first, !frame.isInApp else { return }
      raisedBy = FrameReference(backtrace.reference, index)
      raiser = name
      return
    }
  }

  /// Deeper than this no API stops a program.
  private static let mostFrames = 64
}

extension Texts {
  /// `-[UITableView endUpdates] raised it, called from CartViewController.remove(_:) (Cart.swift:88).`; empty when no API
  /// is known.
  func sentence(_ call: StoppingCall, _ stop: ProgramStop?, in diagnosis: Diagnosis) -> String {
    guard let raiser = call.raiser, let template = calls[stop == .exception ? "raised" : "stopped"] else {
      return ""
    }
    var values = ["raiser": raiser]
    if let blamed = diagnosis.blamed, let raisedBy = call.raisedBy, blamed.backtrace == raisedBy.backtrace,
      blamed.frame > raisedBy.frame
    {
      values["caller"] = diagnosis.blamedName ?? diagnosis.frame(blamed)?.placeInImage
      if let place = diagnosis.blamedLocation, let line = place.line {
        values["place"] = "\(place.fileName):\(line)"
      }
    }
    return template.filled(with: values)
  }
}

extension ResolvedFrame {
  /// `Shop + 0x1a2c`; nil when no image is known.
  fileprivate var placeInImage: String? {
    guard let image = captured.imageName, let offset = captured.imageOffset else { return captured.imageName }
    return "\(image) + \(hexadecimal(offset.rawValue))"
  }
}
