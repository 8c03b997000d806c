// swift-tools-version: 6.2
import PackageDescription

/// A program of somebody else's that uses the library by path: see `run.sh`.
let package = Package(
  name: "client",
  dependencies: [.package(name: "crashread", path: "../..")],
  targets: [
    // Words that the client uses too: the library must not stand in their way.
    .target(name: "Rendering"),
    .executableTarget(
      name: "Client", dependencies: [.product(name: "CrashRead", package: "crashread"), "Rendering"]),
  ],
  swiftLanguageModes: [.v6]
)
