internal import CrashReadCore

/// The layout of a reporter's JSON: the paths of its members. Frames and images are recognised by their members' names,
/// which differ little (`JSONFrames`).
struct ReporterForm {
  let format: ReportFormat
  /// Paths that all of its documents have, and those of no other reporter.
  let marks: [String]
  /// The path of the list of events; nil when a document is a single event.
  var events: String?
  /// Paths of the exception: an object, or a list of which the first element is used.
  var exceptions: [String] = []
  var threads: [String] = []
  var images: [String] = []
  /// Paths of members that state that the program continued.
  var handled: [String] = []
  /// Paths of members that state that it did not.
  var unhandled: [String] = []
  /// The path of a member that is `NON_FATAL` if the program continued.
  var severity: String?
  /// Paths of the event's title, if the exception states nothing of an error that the program survived.
  var title: [String] = []
  /// The path of the system's name, if it is separate from its version.
  var systemName: String?
  var header: [(field: any WritableKeyPath<ReportHeader, String?> & Sendable, paths: [String])] = []

  /// The first form that a document has; nil for none.
  init?(of document: JSONValue) {
    let found = Self.all.first { form in form.events(in: document).contains(where: form.fits) }
    guard let found else { return nil }
    self = found
  }

  /// The events of a document.
  func events(in document: JSONValue) -> [JSONValue] {
    guard let events, case let list = document.at(events).elements, !list.isEmpty else { return [document] }
    return list
  }

  private func fits(_ event: JSONValue) -> Bool { marks.allSatisfy { !event.at($0).isNull } }
}

extension JSONValue {
  /// The value at a path of names, such as `app.version`; of a list, the first element.
  func at(_ path: String) -> JSONValue {
    path.split(separator: ".").reduce(self) { value, name in
      (value.isObject ? value : value.elements.first ?? .null)[String(name)]
    }
  }

  /// The value at the first of several paths that has one.
  func at(_ paths: [String]) -> JSONValue {
    paths.lazy.map { at($0) }.first { !$0.isNull } ?? .null
  }
}

extension ReporterForm {
  private init(_ format: ReportFormat, marks: [String]) {
    self.format = format
    self.marks = marks
  }

  private static let all: [ReporterForm] = [bugsnag, bugsnagAPI, measure, crashlytics, datadog, newRelic]

  /// bugsnag.com's documentation, "Error Reporting API"; frames as bugsnag-cocoa's BugsnagStackframe writes them.
  private static let bugsnag: ReporterForm = {
    var form = ReporterForm(.bugsnagJSON, marks: ["exceptions.errorClass", "exceptions.stacktrace"])
    form.events = "events"
    form.exceptions = ["exceptions"]
    form.threads = ["threads"]
    form.unhandled = ["unhandled"]
    form.systemName = "device.osName"
    form.header = [
      (\.date, ["device.time"]), (\.process, ["app.name"]), (\.bundleID, ["app.id"]),
      (\.version, ["app.version"]),
      (\.build, ["app.bundleVersion"]), (\.hardwareModel, ["device.modelNumber", "device.model"]),
      (\.osVersion, ["device.osVersion"]),
    ]
    return form
  }()

  /// Bugsnag's Data Access API, which returns events with differently spelled names.
  private static let bugsnagAPI: ReporterForm = {
    var form = ReporterForm(.bugsnagJSON, marks: ["exceptions.error_class", "exceptions.stacktrace"])
    form.exceptions = ["exceptions"]
    form.threads = ["threads"]
    form.unhandled = ["unhandled"]
    form.systemName = "device.os_name"
    form.header = [
      (\.incident, ["id"]), (\.date, ["received_at"]), (\.bundleID, ["app.id"]), (\.version, ["app.version"]),
      (\.build, ["app.bundle_version"]), (\.hardwareModel, ["device.model_number", "device.model"]),
      (\.osVersion, ["device.os_version"]),
    ]
    return form
  }()

  /// github.com/measure-sh/measure, MeasureSDK: Exception, ExceptionDetail, StackFrame, BinaryImage; attributes of an event.
  private static let measure: ReporterForm = {
    var form = ReporterForm(.measureJSON, marks: ["exception.exceptions", "exception.binary_images"])
    form.events = "events"
    form.exceptions = ["exception.exceptions"]
    form.threads = ["exception.threads"]
    form.images = ["exception.binary_images"]
    form.handled = ["exception.handled"]
    form.systemName = "attribute.os_name"
    form.header = [
      (\.incident, ["id"]), (\.date, ["timestamp"]), (\.bundleID, ["attribute.app_unique_id"]),
      (\.version, ["attribute.app_version"]), (\.build, ["attribute.app_build"]),
      (\.hardwareModel, ["attribute.device_model"]), (\.osVersion, ["attribute.os_version"]),
    ]
    return form
  }()

  /// firebase.google.com's reference, "Firebase Crashlytics API": `Event`.
  private static let crashlytics: ReporterForm = {
    var form = ReporterForm(.crashlyticsJSON, marks: ["issue.id", "threads.frames"])
    form.events = "events"
    form.exceptions = ["exceptions", "errors"]
    form.severity = "issue.errorType"
    form.title = ["issue.title", "issue.subtitle"]
    form.threads = ["threads"]
    form.systemName = "operatingSystem.os"
    form.header = [
      (\.incident, ["eventId", "name"]), (\.date, ["eventTime"]),
      (\.bundleID, ["bundleOrPackage"]), (\.version, ["version.displayVersion"]),
      (\.build, ["version.buildVersion"]), (\.hardwareModel, ["device.model"]),
      (\.osVersion, ["operatingSystem.displayName", "operatingSystem.displayVersion"]),
    ]
    return form
  }()

  /// github.com/DataDog/rum-events-format, schemas/rum/error-schema.json.
  private static let datadog: ReporterForm = {
    var form = ReporterForm(.datadogJSON, marks: ["error.stack", "error.source_type"])
    form.exceptions = ["error"]
    form.threads = ["error.threads"]
    form.images = ["error.binary_images"]
    form.unhandled = ["error.is_crash"]
    form.systemName = "os.name"
    form.header = [
      (\.incident, ["error.meta.incident_identifier", "error.id"]), (\.date, ["date"]),
      (\.process, ["error.meta.process"]), (\.path, ["error.meta.path"]),
      (\.codeType, ["error.meta.code_type"]),
      (\.parentProcess, ["error.meta.parent_process"]), (\.bundleID, ["service"]), (\.version, ["version"]),
      (\.build, ["build_version"]), (\.hardwareModel, ["device.model", "device.name"]),
      (\.osVersion, ["os.version_full", "os.version"]),
    ]
    return form
  }()

  /// github.com/newrelic/newrelic-ios-agent, NRMACrashReport: what the agent posts.
  private static let newRelic: ReporterForm = {
    var form = ReporterForm(
      .newRelicJSON, marks: ["protocolVersion", "appInfo", "libraries", "threads.stack"])
    form.exceptions = ["exception"]
    form.threads = ["threads"]
    form.images = ["libraries"]
    form.systemName = "platform"
    form.header = [
      (\.incident, ["uuid"]), (\.date, ["timestamp"]),
      (\.process, ["appInfo.processName", "appInfo.appName"]),
      (\.path, ["appInfo.processPath"]), (\.bundleID, ["appInfo.bundleId"]),
      (\.version, ["appInfo.appVersion"]),
      (\.build, ["appInfo.appBuild"]), (\.parentProcess, ["appInfo.parentProcess"]),
      (\.hardwareModel, ["deviceInfo.modelNumber"]), (\.osVersion, ["deviceInfo.osVersion"]),
    ]
    return form
  }()
}

/// An object's members by name, regardless of spelling: `frameAddress` and `frame_address` are the same.
struct JSONFields {
  private var values: [String: JSONValue] = [:]

  /// The maximum number of members; in larger objects the names have other meanings.
  private static let maximumMembers = 64

  init(_ object: JSONValue) {
    for (name, value) in object.members.prefix(Self.maximumMembers) where !value.isNull {
      let plain = String(name.lowercased().filter { $0.isLetter || $0.isNumber })
      if values[plain] == nil { values[plain] = value }
    }
  }

  /// The first member with one of these names.
  subscript(names: [String]) -> JSONValue { names.lazy.compactMap { values[$0] }.first ?? .null }

  /// An address; nil for zero, which writers use for unknown.
  func address(_ names: [String]) -> UInt64? { self[names].bits.flatMap { $0 == 0 ? nil : $0 } }
}
