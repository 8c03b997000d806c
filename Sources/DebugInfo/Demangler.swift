internal import CDemangle
internal import Glibc

/// A linker's name as a person writes it: Swift's, then C++'s; nil when it is neither.
///
/// The corresponding C functions are `swift_demangle` and `__cxa_demangle`.
public func demangle(_ name: String) -> String? {
  // Mach-O puts an underscore in front of every C name; debug info doesn't.
  let bare =
    name.hasPrefix("__Z") || name.hasPrefix("_$") || name.hasPrefix("__T") ? name.dropFirst() : name[...]
  if bare.hasPrefix("$") || bare.hasPrefix("_T") { return demangleSwift(String(bare)) }
  if bare.hasPrefix("_Z") { return demangleCxx(String(bare)) }
  return nil
}

private func demangleSwift(_ name: String) -> String? {
  let result = unsafe name.withCString { unsafe swift_demangle($0, name.utf8.count, nil, nil, 0) }
  // What it can't read, such as names from before Swift 4, comes back as it was.
  return unsafe takeCString(result).flatMap { $0 == name ? nil : $0 }
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
