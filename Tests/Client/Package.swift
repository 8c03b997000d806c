// swift-tools-version: 6.2
import PackageDescription

/// A third-party program that uses the library by path: see `run.sh`.
let package = Package(
  name: "client",
  dependencies: [.package(name: "crashread", path: "../..")],
  targets: [
    // Names that the client uses, too: those of the library must not conflict with them.
    .target(name: "Rendering"),
    .executableTarget(
      name: "Client", dependencies: [.product(name: "CrashRead", package: "crashread"), "Rendering"]),
  ],
  swiftLanguageModes: [.v6]
)
