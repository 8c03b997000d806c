// swift-tools-version: 6.2
import PackageDescription

/// What every target is compiled with. Warnings become errors in `.ci/run` only, so that a newer compiler's new
/// warning can't break somebody's build.
let settings: [SwiftSetting] =
  (Context.environment["CRASHREAD_STRICT"] != nil ? [.treatAllWarnings(as: .error)] : []) + [
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]

/// Each arrow of the data flow is one module, and a module imports only what stands before it here:
/// the system → bytes → report → matched images → resolved frames → diagnosis → text.
let modules = [
  "CrashReadSystem", "CrashReadCore", "CrashReadReports", "CrashReadDebugInfo", "CrashReadInstructions",
  "CrashReadSymbolication", "CrashReadVerdict", "CrashReadDiagnosis",
  "CrashReadRendering", "CrashRead", "CrashReadBatch",
]

/// What a module may import; all of them for nil.
///
/// The indirect ones are named too: without that an incremental build can leave a module as it was when the layout of a
/// type two modules away has changed, and the program crashes. Modules that need nothing of each other aren't, so that
/// they compile side by side: parsers and DWARF, how a verdict is found and how it is shown.
func dependencies(of name: String?) -> [Target.Dependency] {
  let known =
    switch name {
    case "CrashReadSystem", "CrashReadCore": [String]()
    case "CrashReadReports": ["CrashReadCore"]
    case "CrashReadDebugInfo": ["CrashReadSystem", "CrashReadCore"]
    // It uses nothing of the last one: behind it there is a core without work.
    case "CrashReadInstructions": ["CrashReadSystem", "CrashReadCore", "CrashReadDebugInfo"]
    case "CrashReadRendering": modules.prefix { $0 != name }.filter { $0 != "CrashReadDiagnosis" }
    default: Array(modules.prefix { $0 != name })
    }
  return known.map { .byName(name: $0) }
}

func module(
  _ name: String, systemLibraries: [Target.Dependency] = [], exclude: [String] = [],
  resources: [Resource] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies(of: name) + systemLibraries, exclude: exclude,
    resources: resources,
    swiftSettings: settings)
}

func tests(_ name: String, exclude: [String] = []) -> Target {
  let tested: [Target.Dependency] = name == "CrashReadCommand" ? ["CrashReadCommand"] : []
  return .testTarget(
    name: name + "Tests", dependencies: dependencies(of: nil) + tested + ["TestSupport"], exclude: exclude,
    swiftSettings: settings)
}

let package = Package(
  name: "crashread",
  products: [
    .executable(name: "crashread", targets: ["CrashReadCommand"]),
    .library(name: "CrashRead", targets: ["CrashRead"]),
    .library(name: "CrashReadBatch", targets: ["CrashReadBatch"]),
    .plugin(name: "CrashReadTestPlugin", targets: ["CrashReadTestPlugin"]),
  ],
  targets: [
    .systemLibrary(name: "CCrashReadElfutils", providers: [.apt(["libdw-dev"])]),
    .systemLibrary(name: "CCrashReadDemangle"),
    .systemLibrary(name: "CCrashReadLinux"),
    // The knowledge of CrashReadDiagnosis, built into the program.
    .target(name: "CCrashReadKnowledge"),

    module("CrashReadSystem", systemLibraries: ["CCrashReadLinux"]),
    module("CrashReadCore", systemLibraries: ["CCrashReadLinux"]),
    module("CrashReadInstructions"),
    module("CrashReadReports"),
    module(
      "CrashReadDebugInfo", systemLibraries: ["CCrashReadElfutils", "CCrashReadDemangle", "CCrashReadLinux"]),
    module("CrashReadSymbolication"),
    module("CrashReadVerdict"),
    module("CrashReadDiagnosis", systemLibraries: ["CCrashReadKnowledge"], exclude: ["Knowledge"]),
    module("CrashReadRendering", resources: [.embedInCode("HTML/page.css")]),
    module("CrashRead"),
    module("CrashReadBatch"),
    // With the Swift libraries linked in, the program starts in two thirds of the time, and runs where there is no Swift.
    .executableTarget(
      name: "CrashReadCommand", dependencies: dependencies(of: nil), swiftSettings: settings,
      linkerSettings: [.unsafeFlags(["-static-stdlib"], .when(configuration: .release))]),

    .plugin(
      name: "CrashReadTestPlugin",
      capability: .command(
        intent: .custom(
          verb: "crashread-test", description: "Run the tests, and say where and why a process crashed")),
      path: "Sources/CrashReadTestPlugin"),

    // Examples, built along so that they stay true.
    .executableTarget(
      name: "Ingest", dependencies: dependencies(of: nil), path: "Samples/ingest", swiftSettings: settings),
    .executableTarget(
      name: "Intake", dependencies: dependencies(of: nil), path: "Samples/intake", swiftSettings: settings),

    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
    .target(
      name: "Growth", dependencies: dependencies(of: nil) + ["TestSupport"], path: "Tests/Growth/Dimensions",
      exclude: ["Seeds"], swiftSettings: settings),
    .executableTarget(
      name: "GrowthCount", dependencies: dependencies(of: nil) + ["Growth"], path: "Tests/Growth/Count",
      swiftSettings: settings),
    tests("CrashReadCore"),
    tests("CrashReadInstructions"),
    tests("CrashReadReports"),
    tests("CrashReadDebugInfo"),
    tests("CrashReadSymbolication"),
    tests("CrashReadDiagnosis", exclude: ["Contracts", "Pastes"]),
    tests("CrashReadRendering"),
    tests("CrashReadBatch"),
    tests("CrashReadCommand"),
    .testTarget(
      name: "GrowthTests", dependencies: dependencies(of: nil) + ["Growth", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "FuzzTests",
      dependencies: dependencies(of: nil) + ["CCrashReadElfutils", "CrashReadCommand", "TestSupport"],
      path: "Tests/Fuzz",
      exclude: ["Driver.swift", "run.sh"], swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)

// libFuzzer instead of the tests: see Tests/Fuzz/run.sh. Its library has `main`, so nothing else may.
if Context.environment["CRASHREAD_FUZZ"] != nil {
  package.products = []
  package.targets.removeAll { $0.type == .test || $0.name == "CrashReadCommand" }
  package.targets += [
    .target(
      name: "CrashReadCommand", dependencies: dependencies(of: nil),
      swiftSettings: settings + [.define("FUZZING")]),
    .executableTarget(
      name: "crashread-fuzz",
      dependencies: dependencies(of: nil) + ["CCrashReadElfutils", "CrashReadCommand", "TestSupport"],
      path: "Tests/Fuzz", exclude: ["FuzzTests.swift", "RandomMutation.swift", "run.sh"],
      swiftSettings: settings),
  ]
}
