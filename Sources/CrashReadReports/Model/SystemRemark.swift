/// A note of the system about the process or the device, besides the crash.
public struct SystemRemark: Sendable, Hashable {
  /// Its subject, as a heading of text reports: `Kernel Triage`.
  public var heading: String
  /// The note, in one line.
  public var text: String

  /// A note under a heading.
  public init(heading: String, text: String) {
    self.heading = heading
    self.text = text
  }
}

extension SystemRemark {
  static let kernelTriage = "Kernel Triage"
  static let externalModification = "External Modification Summary"
  package static let signatures = "Application Specific Signatures"
  static let role = "Role"
  static let dataProtection = "Data Protection"
  static let thermalPressure = "Thermal Pressure"
  static let fault = "os_fault"
  /// What the reporter noted about its own work.
  static let notes = "Notes"
  /// How the kernel validated the program's signature (`CS_VALIDATION_CATEGORY_…`, osfmk/kern/cs_blobs.h).
  static let validationCategory = "Code Signing Validation Category"
  /// The app on whose behalf the process ran, if it is another: the privacy system asks for that app's descriptions.
  static let responsible = "Responsible"
  /// Text beside pasted frames, written by a person or printed by another program.
  package static let surroundings = "Text around it"

  /// The maximum number of notes: the kernel repeats its own dozens of times.
  static let maximumCount = 64
}

extension CrashReport {
  /// Adds a note, unless it is there already.
  mutating func addRemark(_ heading: String, _ text: String?) {
    guard let text, !text.isEmpty, systemRemarks.count < SystemRemark.maximumCount else { return }
    let remark = SystemRemark(heading: heading, text: text)
    if !systemRemarks.contains(remark) { systemRemarks.append(remark) }
  }

  /// Adds the reporter's note that the program counter isn't the first frame's, or that the app ran from a translocated
  /// copy; its other notes are about what it could not read.
  mutating func addReporterNote(_ text: String) {
    let isCounter = ["PC", "RIP", "EIP"].contains {
      text.hasPrefix($0 + " register does not match crashing frame (")
    }
    if isCounter || text == "Translocated Process" { addRemark(SystemRemark.notes, text) }
  }

  /// Adds the responsible process, `Terminal [123]`, unless it is the process itself.
  mutating func addResponsible(_ process: String?) {
    guard let process, !process.hasPrefix((header.process ?? "") + " ["), process != header.process else {
      return
    }
    addRemark(SystemRemark.responsible, process)
  }
}
