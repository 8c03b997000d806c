import CrashReadCore
import CrashReadSystem
import Testing

@Suite("A library opened at run time")
struct RuntimeLibraryTests {
  @Test func findsFunctions() throws {
    let library = try RuntimeLibrary("libm.so.6", package: "libc6")
    let cosine = try library.function("cos", (@convention(c) (Double) -> Double).self)
    #expect(cosine(0) == 1)
  }

  @Test func namesThePackageOfAMissingOne() throws {
    let error = try #require(throws: MissingLibrary.self) {
      try RuntimeLibrary("libnowhere.so.1", package: "libnowhere1")
    }
    #expect(error.description.hasPrefix("needs libnowhere.so.1 (Debian package libnowhere1): "))
    #expect(error.reason.contains("No such file"))
  }

  @Test func namesAMissingFunction() throws {
    let library = try RuntimeLibrary("libm.so.6", package: "libc6")
    let error = try #require(throws: MissingLibrary.self) {
      try library.function("no_such_function", (@convention(c) () -> Void).self)
    }
    #expect(error.reason.contains("no_such_function"))
  }
}
