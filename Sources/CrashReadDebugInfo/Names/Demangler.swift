internal import CCrashReadDemangle
internal import CrashReadCore
internal import CrashReadSystem
internal import Glibc
internal import Synchronization

/// The readable form of a linkage name: Swift's, Rust's, or C++'s; nil when it is none of them.
///
/// A Swift name gets the short form of Swift's own backtraces, `Fuga.init(json:)`: without modules and signature. The
/// runtime supports the manglings of Swift 4 and later. The older `_TF…` gives nil, and so does a name that expands to
/// megabytes of text or has more than 32 KB. The C functions are `_swift_backtrace_demangle` and `__cxa_demangle`; for
/// Rust see `RustDemangler`.
package func demangle(_ name: String) -> String? {
  // Most names of a report aren't mangled, and this function is called several times for each frame.
  guard name.utf8.count <= maximumNameLength, let mangling = Mangling(name.utf8.span) else { return nil }
  if let known = demangledNames.withLock({ $0[name] }) { return known }
  let text =
    name.utf8.count <= shortName
    ? readMangled(name, mangling)
    : onThread(stack: stackForLongNames) { readMangled(name, mangling) } ?? nil
  demangledNames.withLock { $0.add(name, text) }
  return text
}

/// Recently demangled names: all reports of a batch have the same functions of the system and of an app on their
/// stacks.
private let demangledNames = Mutex(DemangledNames())

private struct DemangledNames {
  private var texts: [String: String?] = [:]
  private var size = 0

  /// The maximum size of linkage names and readable names together, in bytes of UTF-8.
  private static let maximumSize = 4 << 20

  /// The cached result for a name: nil if it isn't cached, `.some(nil)` if the name has no readable form.
  subscript(name: String) -> String?? { texts[name] }

  mutating func add(_ name: String, _ text: String?) {
    let added = name.utf8.count + (text?.utf8.count ?? 0)
    if size + added > Self.maximumSize { self = DemangledNames() }
    size += added
    texts[name] = .some(text)
  }
}

/// The maximum length of a name, in bytes, that is demangled on any thread's stack. Demanglers recurse at most once per
/// byte of the name, and a level of the runtime's printer, which stops after 768 levels, takes up to 1.4 KB of stack.
private let shortName = 128
/// The maximum length of a name, in bytes. SwiftUI's view types produce names of several kilobytes.
private let maximumNameLength = 32_768
/// The stack size for longer names. The runtime's parser nests deeper than the printer, at 200 bytes per level: both
/// together need less than half of this.
private let stackForLongNames = 16 << 20

private func readMangled(_ name: String, _ mangling: Mangling) -> String? {
  let bare = mangling.isMachO ? String(name.dropFirst()) : name
  switch mangling.language {
  case .swift: return demangleSwift(bare)
  case .rust: return RustDemangler.demangle(bare)
  case .rustAsCxx: return RustDemangler.demangle(cxxForm: name)
  case .cxxOrRust: return RustDemangler.demangle(bare) ?? demangleCxx(bare)
  }
}

/// The kind of mangling, recognised by the first bytes of a linkage name.
private struct Mangling: Sendable {
  enum Language: Sendable {
    case swift, rust, rustAsCxx, cxxOrRust

    init?(_ name: Span<UInt8>) {
      if name.begins(with: "$") || name.begins(with: "_T") {
        self = .swift
      } else if name.begins(with: "_R") {
        self = .rust
      } else if name.begins(with: "_Z") {
        self = .cxxOrRust
      } else if RustDemangler.pathLength(ofCxxForm: name) != nil {
        self = .rustAsCxx
      } else {
        return nil
      }
    }
  }

  let language: Language
  /// Whether the name has the underscore that Mach-O puts before every C name, and debug info doesn't.
  let isMachO: Bool

  init?(_ name: Span<UInt8>) {
    if let language = Language(name) {
      (self.language, isMachO) = (language, false)
    } else if name.begins(with: "_"), let language = Language(name.extracting(1...)) {
      (self.language, isMachO) = (language, true)
    } else {
      return nil
    }
  }
}

/// The maximum size of a name that is shown; `ByteView` truncates others at the same size.
private let maximumTextLength = 65_536

private func demangleSwift(_ name: String) -> String? {
  // Real names are far below both limits; see `SwiftNameGrowth`.
  guard SwiftNameGrowth.bound(name) < 0x1000_0000, !name.utf8.contains(0) else { return nil }
  let result = unsafe name.withCString { unsafe _swift_backtrace_demangle($0, name.utf8.count, nil, nil) }
  guard let text = unsafe takeCString(result), text != name, text.utf8.count <= maximumTextLength else {
    return nil
  }
  return text
}

private func demangleCxx(_ name: String) -> String? {
  // libstdc++ rejects names of more than 1,024 bytes.
  guard name.utf8.count <= 1024, CxxNameGrowth.bound(name) < 0x10_0000 else { return nil }
  var status: Int32 = 0
  let result = unsafe name.withCString { unsafe __cxa_demangle($0, nil, nil, &status) }
  guard let text = unsafe takeCString(result), text.utf8.count <= maximumTextLength else { return nil }
  return text
}

/// Copies a malloc'd string and frees it; nil for a null pointer.
private func takeCString(_ pointer: UnsafeMutablePointer<CChar>?) -> String? {
  guard let pointer = unsafe pointer else { return nil }
  defer { unsafe free(pointer) }
  return unsafe String(cString: pointer)
}
