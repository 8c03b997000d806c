internal import CCrashReadDemangle
internal import CrashReadCore
internal import Glibc

/// A linker's name as a person writes it: Swift's, Rust's, then C++'s; nil when it is none of them.
///
/// A Swift name gets the short form of Swift's own backtraces, `Fuga.init(json:)`: no modules and no signature.
/// The runtime reads the manglings of Swift 4 and later. The older `_TF…` gives nil, and so does a name that
/// stands for megabytes of text. The C functions are `_swift_backtrace_demangle` and `__cxa_demangle`; for Rust see
/// `RustDemangler`.
public func demangle(_ name: String) -> String? {
  // Mach-O puts an underscore in front of every C name; debug info doesn't.
  let isMachO = ["__Z", "_$", "__T", "__R"].contains { name.hasPrefix($0) }
  let bare = isMachO ? name.dropFirst() : name[...]
  if bare.begins(with: "$") || bare.begins(with: "_T") { return demangleSwift(String(bare)) }
  if bare.begins(with: "_R") { return RustDemangler.demangle(String(bare)) }
  if bare.begins(with: "_Z") { return RustDemangler.demangle(String(bare)) ?? demangleCxx(String(bare)) }
  return nil
}

private func demangleSwift(_ name: String) -> String? {
  // Real names stay far below both limits; see `SwiftNameGrowth`.
  guard SwiftNameGrowth.bound(name) < 0x1000_0000, !name.utf8.contains(0) else { return nil }
  let result = unsafe name.withCString { unsafe _swift_backtrace_demangle($0, name.utf8.count, nil, nil) }
  guard let text = unsafe takeCString(result), text != name, text.utf8.count <= 65_536 else { return nil }
  return text
}

private func demangleCxx(_ name: String) -> String? {
  var status: Int32 = 0
  let result = unsafe name.withCString { unsafe __cxa_demangle($0, nil, nil, &status) }
  return unsafe takeCString(result)
}

/// Copies a malloc'd string and frees it; nil for a null pointer.
private func takeCString(_ pointer: UnsafeMutablePointer<CChar>?) -> String? {
  guard let pointer = unsafe pointer else { return nil }
  defer { unsafe free(pointer) }
  return unsafe String(cString: pointer)
}
