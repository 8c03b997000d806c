package import CrashReadCore

/// The format a report was read from; raw values are those of the JSON output.
public enum ReportFormat: String, Sendable, Hashable, CaseIterable {
  /// Apple's text report, alone or after a one-line JSON header.
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
  /// The console output of an uncaught NSException: `*** First throw call stack`.
  case nsException
  /// The output of `callStackSymbols` or `backtrace_symbols`.
  case callStackSymbols
  /// The Swift runtime's crash log as text.
  case swiftText
  /// The Swift runtime's crash log as JSON.
  case swiftJSON
  /// A crash that Xcode recorded in words, in a result bundle without a report of it.
  case xcresult
  /// A Bugsnag event, or a payload of several.
  case bugsnagJSON
  /// An exception of measure.sh.
  case measureJSON
  /// A Firebase Crashlytics event, from its API or its BigQuery export.
  case crashlyticsJSON
  /// An error from Datadog's real user monitoring.
  case datadogJSON
  /// A crash as posted by New Relic's agent for iOS.
  case newRelicJSON
  /// Diagnostic logs of App Store Connect's API.
  case appStoreConnect
  /// JSON of an unknown writer, read by its structure.
  case otherJSON
}

/// Why bytes can't be read as a report.
///
/// All other problems of a report become notes in it.
public enum ReportError: Error, Sendable, Hashable {
  /// There are no bytes, or only blanks.
  case empty
  /// Nothing in the bytes looks like a report.
  case unrecognised
  /// The bytes are a crash report, but not of an Apple system.
  case otherSystem(String)
}

extension CrashReport {
  /// Reads all reports in some bytes, in input order.
  ///
  /// Damage doesn't matter as long as anything can be recognised: each report's `notes` say what can't be used.
  /// - Returns: At least one report.
  /// - Throws: `ReportError` when there is nothing to read.
  package static func parse(_ bytes: [UInt8], limits: Limits = Limits()) throws(ReportError) -> [CrashReport]
  {
    try parse(ReportText(bytes), limits: limits)
  }

  /// Reads all reports in a text, in its order; the first one's notes include repairs.
  /// - Returns: At least one report.
  /// - Throws: `ReportError` when there is nothing to read.
  package static func parse(_ text: ReportText, limits: Limits) throws(ReportError) -> [CrashReport] {
    guard text.bytes.contains(where: { !$0.isWhitespace && $0 != 0 }) else { throw .empty }
    var reports = ReportReader.reports(in: text.bytes, limits: limits)
    if reports.allSatisfy(\.mayBeOfAnySystem), let system = OtherSystem(text.bytes[...]) {
      throw .otherSystem(system.rawValue)
    }
    guard !reports.isEmpty else { throw .unrecognised }
    reports[0].notes = text.notes + reports[0].notes
    for index in reports.indices { reports[index].truncate(to: limits) }
    return reports
  }

  /// Reads the first report in some bytes.
  /// - Throws: `ReportError` when there is nothing to read.
  package init(parsing bytes: [UInt8]) throws(ReportError) {
    guard let first = try Self.parse(bytes).first else { throw .unrecognised }
    self = first
  }
}
