// swift-tools-version: 6.2
import PackageDescription

/// What every target is compiled with. Warnings become errors in `.ci/run` only, so that a newer compiler's new
/// warning can't break somebody's build.
let settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Each arrow of the data flow is one module, and a module imports only what stands above it:
/// bytes → report → matched images → resolved frames → diagnosis → text.
func module(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
  .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies + ["TestSupport"], swiftSettings: settings)
}

let package = Package(
  name: "crashread",
  products: [
    .executable(name: "crashread", targets: ["CrashReadCommand"]),
    .library(name: "CrashRead", targets: ["CrashRead"]),
  ],
  targets: [
    .systemLibrary(name: "CElfutils", providers: [.apt(["libdw-dev"])]),
    .systemLibrary(name: "CDemangle"),

    module("BinaryIdentity", []),
    module("CrashReports", ["BinaryIdentity"]),
    module("DebugInfo", ["BinaryIdentity", "CElfutils", "CDemangle"]),
    module("Symbolication", ["CrashReports", "DebugInfo"]),
    module(
      "CrashDiagnosis", ["Symbolication"],
      resources: ["rules", "codes", "en"].map { .embedInCode("Knowledge/\($0).json") }),
    module("Rendering", ["CrashDiagnosis"]),
    module("CrashRead", ["Rendering"]),
    .executableTarget(name: "CrashReadCommand", dependencies: ["CrashRead"], swiftSettings: settings),

    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
    tests("BinaryIdentityTests", ["BinaryIdentity"]),
    tests("CrashReportsTests", ["CrashReports"]),
    tests("DebugInfoTests", ["DebugInfo"]),
    tests("SymbolicationTests", ["Symbolication"]),
    tests("CrashDiagnosisTests", ["CrashDiagnosis"]),
    tests("RenderingTests", ["CrashRead"]),
    tests("CrashReadCommandTests", ["CrashReadCommand", "CrashRead"]),
  ],
  swiftLanguageModes: [.v6]
)
