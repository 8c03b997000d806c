internal import CrashReadVerdict

/// Writes events for Sentry: one per line, or in an envelope that can be posted as it is
/// (develop.sentry.dev/sdk/data-model/event-payloads, …/envelopes).
package struct SentryRenderer: Renderer {
  private let isEnvelope: Bool

  /// A renderer of events.
  package init(isEnvelope: Bool) { self.isEnvelope = isEnvelope }

  /// Writes one event.
  package mutating func render(_ analysis: ReportAnalysis, into output: inout String) {
    let event = SentryEventWriter(analysis)
    let payload = event.text
    if isEnvelope {
      output += #"{"event_id":"\#(event.identity)"}"# + "\n"
      output += #"{"type":"event","content_type":"application/json","length":\#(payload.utf8.count)}"# + "\n"
    }
    output += payload + "\n"
  }
}
