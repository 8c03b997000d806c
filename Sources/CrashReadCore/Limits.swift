/// How much one input may ask for. What goes beyond is left out and said, so that no file costs more than so much.
///
/// The defaults are several times what real reports and debug files have.
public struct Limits: Sendable, Hashable {
  /// One of the limits; raw values are what the command line calls them.
  package enum Name: String, Sendable, Hashable, CaseIterable {
    case reportSize = "report-size"
    case reports
    case threads, frames, images
    case jsonDepth = "json-depth"
    case inlineDepth = "inline-depth"
    case unitSize = "unit-size"
    case archiveSize = "archive-size"
  }

  /// Bytes of a report file; a larger one is an error. 128 MiB: a spindump of 50 MB is a large one, and a report of
  /// nothing but frames takes up to 18 times its size in memory.
  public var reportSize = 128 << 20
  /// Reports of one input. One may have a dozen bytes, and takes thousands in memory and in the output.
  public var reports = 10_000
  /// Threads of one report; the crashed one is always among them.
  public var threads = 10_000
  /// Frames of one backtrace, the innermost first: what the deepest recursion on an 8 MiB stack has.
  public var frames = 200_000
  /// Images of one report.
  public var images = 50_000
  /// Arrays and objects inside one another in a JSON report, whose rest is left out. More than 1,100 are too many for a
  /// thread's stack, and count as 1,100.
  ///
  /// Most reports need about ten. MetricKit nests each call in the one before, two a frame, and a backtrace has at most
  /// 512 frames.
  public var jsonDepth = 1100
  /// Functions inlined into one another at one address; the innermost are left out.
  public var inlineDepth = 1000
  /// Bytes of `.debug_info` that one compilation unit may have; a larger one has no functions. An entry (DIE) takes at
  /// least one, so it bounds how many a look-up visits. 1 GiB.
  public var unitSize = 1 << 30
  /// Bytes that an archive of debug files may expand to, with the archives inside it. 16 GiB.
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
