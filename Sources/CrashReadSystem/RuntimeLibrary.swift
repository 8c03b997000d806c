internal import Glibc

/// A C library that is opened on first use, and without which the program still works.
///
/// It stays open until the program ends. The C functions are `dlopen` and `dlsym`.
@safe
package struct RuntimeLibrary: @unchecked Sendable {
  /// The name that was given to `dlopen`.
  let name: String
  private let package: String
  private let handle: UnsafeMutableRawPointer

  /// Opens a library.
  /// - Parameters:
  ///   - name: Its file name with the ABI's number, such as `libarchive.so.13`; the dynamic linker finds it.
  ///   - package: The Debian package that contains it, for the error.
  /// - Throws: `MissingLibrary` when it is missing or can't be loaded.
  package init(_ name: String, package: String) throws(MissingLibrary) {
    guard let handle = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
      throw MissingLibrary(name: name, package: package, reason: linkerMessage())
    }
    self.name = name
    self.package = package
    unsafe self.handle = handle
  }

  /// Finds a function.
  /// - Parameters:
  ///   - symbol: Its name.
  ///   - type: Its type, as the library's header declares it: `(@convention(c) (Int32) -> Int32).self`. This isn't
  ///     checked.
  /// - Returns: The function, valid until the program ends.
  /// - Throws: `MissingLibrary` when the library lacks it.
  package func function<Function>(
    _ symbol: String, _ type: Function.Type = Function.self
  ) throws(MissingLibrary) -> Function {
    precondition(MemoryLayout<Function>.size == MemoryLayout<Int>.size, "no C function")
    guard let address = unsafe dlsym(handle, symbol) else {
      throw MissingLibrary(name: name, package: package, reason: linkerMessage())
    }
    return unsafe unsafeBitCast(address, to: type)
  }
}

/// Why a library that is opened at run time can't be used.
package struct MissingLibrary: Error, Hashable, CustomStringConvertible {
  package let name: String
  /// The Debian package that contains it.
  package let package: String
  /// The message of the dynamic linker.
  package let reason: String

  package var description: String { "needs \(name) (Debian package \(package)): \(reason)" }
}

/// The C function is `dlerror`.
private func linkerMessage() -> String { unsafe copiedString(dlerror()) ?? "it can't be loaded" }
