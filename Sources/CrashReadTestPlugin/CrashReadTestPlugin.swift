import Foundation
import PackagePlugin

/// `swift package crashread-test [ARGUMENT]...`: the tests of a package that depends on this one, under `crashread ci`.
///
/// The arguments are those of `swift test`. Its status becomes the plugin's: an error, when it isn't 0.
@main
struct CrashReadTestPlugin: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    // `swift package` holds the build directory's lock and waits for us, so nobody else writes there meanwhile.
    process.arguments =
      ["swift", "run", "--ignore-lock", "crashread", "ci", "swift", "test", "--ignore-lock"] + arguments
    process.currentDirectoryURL = context.package.directoryURL
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus != 0 {
      throw TestFailure(status: process.terminationStatus)
    }
  }
}

struct TestFailure: Error, CustomStringConvertible {
  var status: Int32
  var description: String { "the tests ended with status \(status)" }
}
