/// Limits for a single input. What exceeds them is left out and reported, so that the cost of any file is bounded.
///
/// The defaults are several times what real reports and debug files need.
public struct Limits: Sendable, Hashable {
  /// One of the limits; raw values are their names on the command line.
  package enum Name: String, Sendable, Hashable, CaseIterable {
    case reportSize = "report-size"
    case reports
    case threads, frames, images
    case jsonDepth = "json-depth"
    case inlineDepth = "inline-depth"
    case unitSize = "unit-size"
    case archiveSize = "archive-size"
  }

  /// Bytes of a report file; a larger one is an error. 128 MiB: a spindump of 50 MB is a large one, and a report that
  /// is all frames takes up to 18 times its size in memory.
  public var reportSize = 128 << 20
  /// Reports of one input. A report may be a dozen bytes, and takes thousands in memory and in the output.
  public var reports = 10_000
  /// Threads of one report; the crashed one is always included.
  public var threads = 10_000
  /// Frames of one backtrace, innermost first. The deepest recursion on an 8 MiB stack has as many.
  public var frames = 200_000
  /// Images of one report.
  public var images = 50_000
  /// Nesting depth of JSON reports; deeper values are left out. Values above 1,100 count as 1,100, which is what a
  /// thread's stack has room for.
  ///
  /// Most reports need about ten levels. MetricKit nests each call in its caller, two levels per frame, and a backtrace
  /// has at most 512 frames.
  public var jsonDepth = 1100
  /// Functions inlined into one another at one address; the innermost are left out.
  public var inlineDepth = 1000
  /// Bytes of `.debug_info` of one compilation unit; functions of larger ones aren't found. An entry (DIE) has at least
  /// one byte, so this bounds how many entries a look-up visits. 1 GiB.
  public var unitSize = 1 << 30
  /// Bytes that an archive of debug files may expand to, including nested archives. 16 GiB.
  public var archiveSize = 16 << 30

  /// The defaults.
  public init() {}

  /// A limit by its name.
  package subscript(name: Name) -> Int {
    get { self[keyPath: Self.path(of: name)] }
    set { self[keyPath: Self.path(of: name)] = newValue }
  }

  private static func path(of name: Name) -> WritableKeyPath<Limits, Int> {
    switch name {
    case .reportSize: \.reportSize
    case .reports: \.reports
    case .threads: \.threads
    case .frames: \.frames
    case .images: \.images
    case .jsonDepth: \.jsonDepth
    case .inlineDepth: \.inlineDepth
    case .unitSize: \.unitSize
    case .archiveSize: \.archiveSize
    }
  }
}
