internal import CrashReadReports
internal import CrashReadVerdict

extension EvidenceSource {
  /// The location in the document of crashread-json(5), as a JSON pointer (RFC 6901); nil when the document lacks it.
  func pointer(in report: CrashReport) -> String? {
    switch self {
    case .field(let field): field.pointer
    case .frame(let frame): frame.pointer
    case .register(let thread, let name):
      // The document has registers of that thread only.
      thread == report.crashedThread ? "/registers/" + escaped(name) : nil
    case .code(let thread): "/threads/\(thread)/instruction"
    case .image(let index): "/images/\(index)"
    case .variable(let frame, let location, let index):
      frame.pointer + "/locations/\(location)/variables/\(index)"
    case .memberOffset(let index): "/diagnosis/member/candidates/\(index)/offset"
    }
  }

  private func escaped(_ key: String) -> String {
    key.replacing("~", with: "~0").replacing("/", with: "~1")
  }
}

extension FrameReference {
  fileprivate var pointer: String {
    switch backtrace {
    case .thread(let index): "/threads/\(index)/frames/\(frame)"
    case .lastException: "/lastExceptionBacktrace/frames/\(frame)"
    case .applicationSpecific(let index): "/applicationSpecificBacktraces/\(index)/frames/\(frame)"
    }
  }
}

extension ReportField {
  fileprivate var pointer: String {
    switch self {
    case .kind: "/report/kind"
    case .codeType: "/report/codeType"
    case .exceptionType: "/exception"
    case .exceptionCodes: "/exception/codes"
    case .exceptionCodesText: "/exception/codesText"
    case .exceptionSubtype: "/exception/subtype"
    case .exceptionMessage: "/exception/message"
    case .exceptionNote: "/exception/note"
    case .uncaughtException: "/uncaughtException"
    case .termination: "/termination"
    case .terminationDetail(let index): "/termination/details/\(index)"
    case .applicationSpecificInformation(let index): "/applicationSpecificInformation/\(index)"
    case .allocation: "/diagnosis/allocation"
    case .vmRegionInfo: "/vmRegionInfo"
    case .systemRemark(let index): "/systemRemarks/\(index)"
    case .threadCount: "/threads"
    case .queue(let thread): "/threads/\(thread)"
    case .lastExceptionBacktraceCount: "/lastExceptionBacktrace/frames"
    }
  }
}
