/// Writes Sentry's SymCaches as symbolic's `raw.rs` describes them. Shares no code with what reads them.
package struct SymCacheBuilder {
  package struct Location {
    package var file: UInt32
    package var line: UInt32
    package var function: UInt32
    /// The location that it is inlined into.
    package var caller: UInt32

    package init(file: UInt32 = .max, line: UInt32 = 0, function: UInt32, caller: UInt32 = .max) {
      (self.file, self.line, self.function, self.caller) = (file, line, function, caller)
    }

    /// The end of code.
    package static let none = Location(file: .max, line: .max, function: .max, caller: .max)
  }

  package var version: UInt32
  /// Compilation directory, directory and name.
  package var files: [[String?]] = []
  package var functions: [(name: String, entry: UInt32)] = []
  /// Locations of callers, which have no range.
  package var callers: [Location] = []
  package var ranges: [(start: UInt32, location: Location)] = []

  package init(version: UInt32) { self.version = version }

  package func file() -> [UInt8] {
    var strings = ByteBuilder()
    func string(_ text: String?) -> UInt32 {
      guard let text else { return .max }
      defer {
        if version == 7 {
          strings.append(UInt32(text.utf8.count))
        } else {
          strings.append(UInt8(text.utf8.count))
        }
        strings.append(contentsOf: Array(text.utf8))
      }
      return UInt32(strings.count)
    }
    let rest = version == 9 ? [UInt32](repeating: .max, count: 3) : []
    let tables: [[UInt32]] = [
      files.flatMap { $0.map { string($0) } + rest },
      functions.flatMap { [string($0.name), .max, $0.entry, 0] },
      (callers + ranges.map(\.location)).flatMap { [$0.file, $0.line, $0.function, $0.caller] },
      ranges.map(\.start),
    ]
    var file = ByteBuilder()
    file.append("SYMC", length: 4)
    file.append(version)
    file.append(contentsOf: Array(1...16) + [UInt8](repeating: 0, count: 16))
    let counts = [files.count, functions.count, callers.count + ranges.count, ranges.count, strings.count]
    for number in [401] + counts { file.append(UInt32(number)) }
    file.pad(to: 80)
    for table in tables {
      for number in table { file.append(number) }
      file.pad(to: (file.count + 7) & ~7)
    }
    file.append(contentsOf: strings.bytes)
    return file.bytes
  }

  /// A file with a function, a call inlined into it, and a function without a line.
  package static func example(version: UInt32) -> SymCacheBuilder {
    var cache = SymCacheBuilder(version: version)
    cache.files = [["/src", "App", "a.swift"], ["/src", "/usr/include", "v.h"], [nil, nil, "b.c"]]
    cache.functions = [("_Z3runP4Cart", 0x1000), ("_ZN4Cart5totalEv", .max), ("start", 0x1100)]
    cache.callers = [Location(file: 0, line: 7, function: 0)]
    cache.ranges = [
      (0x1000, Location(file: 0, line: 5, function: 0)),
      (0x1010, Location(file: 1, line: 40, function: 1, caller: 0)),
      (0x1020, Location(file: 2, line: 0, function: 0)), (0x1030, .none), (0x1100, Location(function: 2)),
    ]
    return cache
  }
}
