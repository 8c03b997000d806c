package import CrashReadCore

/// The layout a report was read from; raw values are those of the JSON output.
public enum ReportFormat: String, Sendable, Hashable, CaseIterable {
  /// Apple's text report, alone or behind a one-line JSON header.
  case appleText
  /// Apple's two JSON documents in one file.
  case ips
  /// A one-line JSON header and a text body.
  case ipsText
  /// MetricKit's diagnostic payload, or one diagnostic of it.
  case metricKit
  /// `sample`: one process's threads as call trees.
  case sample
  /// `spindump`, and the hang and resource reports written like it.
  case spindump
  /// `leaks`.
  case leaks
  /// A kernel panic.
  case panic
  /// KSCrash's JSON, and that of its forks.
  case ksCrashJSON
  /// PLCrashReporter's binary form.
  case plCrash
  /// A Sentry event.
  case sentryJSON
  /// AddressSanitizer, ThreadSanitizer, UndefinedBehaviorSanitizer.
  case sanitizer
  /// What an uncaught NSException writes to the console: `*** First throw call stack`.
  case nsException
  /// A list that `callStackSymbols` or `backtrace_symbols` made.
  case callStackSymbols
  /// The Swift runtime's crash log as text.
  case swiftText
  /// The Swift runtime's crash log as JSON.
  case swiftJSON
  /// A crash that Xcode recorded in words, in a result bundle without a report of it.
  case xcresult
  /// A Bugsnag event, or a payload of them.
  case bugsnagJSON
  /// An exception of measure.sh.
  case measureJSON
  /// An event of Firebase Crashlytics, as its API or its BigQuery export has it.
  case crashlyticsJSON
  /// An error of Datadog's real user monitoring.
  case datadogJSON
  /// What New Relic's agent for iOS posts of a crash.
  case newRelicJSON
  /// Diagnostic logs of App Store Connect's API.
  case appStoreConnect
  /// JSON of an unknown writer, read by its shape.
  case otherJSON
}

/// Why bytes can't be read as a report.
///
/// Everything else that is wrong with a report becomes a note in it.
public enum ReportError: Error, Sendable, Hashable {
  /// There are no bytes, or only blanks.
  case empty
  /// Nothing in the bytes looks like a report.
  case unrecognised
}

extension CrashReport {
  /// Reads all reports that bytes hold, in the input's order.
  ///
  /// Damage doesn't matter as long as anything can be recognised: what can't be used is told in each report's `notes`.
  /// - Returns: at least one report.
  /// - Throws: `ReportError`, when there is nothing to read.
  package static func parse(_ bytes: [UInt8], limits: Limits = Limits()) throws(ReportError) -> [CrashReport]
  {
    try parse(ReportText(bytes), limits: limits)
  }

  /// Reads all reports that a text holds, in the text's order; the first one's notes tell of repairs, too.
  /// - Returns: at least one report.
  /// - Throws: `ReportError`, when there is nothing to read.
  package static func parse(
    _ text: ReportText, limits: Limits = Limits()
  ) throws(ReportError) -> [CrashReport] {
    guard text.bytes.contains(where: { !$0.isWhitespace && $0 != 0 }) else { throw .empty }
    var reports = ReportReader.reports(in: text.bytes, limits: limits)
    guard !reports.isEmpty else { throw .unrecognised }
    reports[0].notes = text.notes + reports[0].notes
    for index in reports.indices { reports[index].cut(to: limits) }
    return reports
  }

  /// Reads the first report that bytes hold.
  /// - Throws: `ReportError`, when there is nothing to read.
  package init(parsing bytes: [UInt8]) throws(ReportError) {
    guard let first = try Self.parse(bytes).first else { throw .unrecognised }
    self = first
  }
}
