internal import Glibc
internal import Synchronization

/// Keeps the process alive when a debug file is truncated, or its disk fails, while it is mapped.
///
/// Accessing a page beyond the end of its file raises SIGBUS. With the guard installed, such pages of this module's own
/// mappings read as zeros instead, and answers based on them are withdrawn: see `DebugFile.failure`.
package enum MappingGuard {
  /// Installs a SIGBUS handler for the whole process, on top of the existing one.
  ///
  /// A program that uses the library decides about its own signals, so nothing is installed without this call. A SIGBUS
  /// outside of these mappings is passed on to the previous handler, or terminates the process. The C function is
  /// `sigaction`.
  package static func install() {
    _ = unsafe MappingTable.slots  // initialised here, since a handler may not allocate
    var current = sigaction()
    guard unsafe sigaction(SIGBUS, nil, &current) == 0 else { return }
    let handler = unsafe unsafeBitCast(current.__sigaction_handler.sa_sigaction, to: UInt.self)
    guard unsafe handler != unsafeBitCast(handleBusError as Handler, to: UInt.self) else { return }
    unsafe previousAction.pointee = current
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_sigaction = handleBusError
    action.sa_flags = SA_SIGINFO | SA_ONSTACK
    unsafe sigaction(SIGBUS, &action, nil)
  }

  private typealias Handler =
    @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void
}

/// The previous action for SIGBUS. Allocated, since a global variable of this type has no room for its tail padding,
/// which is copied as well (Swift 6.3).
nonisolated(unsafe) private let previousAction: UnsafeMutablePointer<sigaction> = {
  let action = UnsafeMutablePointer<sigaction>.allocate(capacity: 1)
  unsafe action.initialize(to: sigaction())
  return unsafe action
}()

/// Only what is async-signal-safe: loads and stores of atomics, and the system calls `mmap`, `sigaction` and `raise`.
private func handleBusError(
  _ signal: Int32, _ info: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?
) {
  let code = errno
  let address = unsafe UInt(bitPattern: info?.pointee._sifields._sigfault.si_addr)
  let isFault = unsafe (info?.pointee.si_code ?? 0) > 0  // raised by the kernel, not sent by a process
  // The faulting instruction is retried over zeros. Any other SIGBUS goes to the previous handler.
  if !isFault || !MappingTable.coverWithZeros(address) {
    unsafe sigaction(SIGBUS, previousAction, nil)
    raise(signal)
  }
  errno = code
}

/// The mappings of this process that a SIGBUS handler may replace.
enum MappingTable {
  /// A mapping; free where `start` is 0.
  struct Slot: ~Copyable {
    let start = Atomic<UInt>(0)
    let end = Atomic<UInt>(0)
    let isTruncated = Atomic<Bool>(false)
  }

  /// The maximum number of guarded mappings; a report needs dozens of debug files.
  private static let count = 4096
  /// Marks a slot being claimed: no mapping starts that low.
  private static let claimed: UInt = 1

  /// A free slot is all zeros, so that the memory of those that are never used isn't touched.
  nonisolated(unsafe) static let slots: UnsafeMutablePointer<Slot> = {
    guard let slots = unsafe calloc(count, MemoryLayout<Slot>.stride) else { fatalError("out of memory") }
    return unsafe slots.bindMemory(to: Slot.self, capacity: count)
  }()

  /// Registers a mapping.
  /// - Returns: Its slot; nil when all are taken.
  static func add(_ bytes: UnsafeMutableRawBufferPointer) -> Int? {
    let start = UInt(bitPattern: bytes.baseAddress)
    let slots = unsafe slots
    for index in 0..<count {
      let isFree = unsafe slots[index].start.compareExchange(
        expected: 0, desired: claimed, ordering: .acquiringAndReleasing
      ).exchanged
      guard isFree else { continue }
      unsafe slots[index].isTruncated.store(false, ordering: .relaxed)
      unsafe slots[index].end.store(start + UInt(bytes.count), ordering: .relaxed)
      unsafe slots[index].start.store(start, ordering: .releasing)
      return index
    }
    return nil
  }

  /// Unregisters a mapping, before it is unmapped.
  static func remove(_ slot: Int) { unsafe slots[slot].start.store(0, ordering: .releasing) }

  /// Whether pages of a mapping were missing when they were accessed.
  static func isTruncated(_ slot: Int) -> Bool { unsafe slots[slot].isTruncated.load(ordering: .acquiring) }

  /// Replaces a mapping by zeros from the page of an address to its end.
  /// - Returns: Whether the address is in a mapping.
  fileprivate static func coverWithZeros(_ address: UInt) -> Bool {
    let slots = unsafe slots
    for index in 0..<count {
      let start = unsafe slots[index].start.load(ordering: .acquiring)
      let end = unsafe slots[index].end.load(ordering: .relaxed)
      guard start > claimed, start <= address, address < end else { continue }
      unsafe slots[index].isTruncated.store(true, ordering: .releasing)
      let page = address & ~(pageSize - 1)
      let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED
      let zeros = unsafe mmap(
        UnsafeMutableRawPointer(bitPattern: page), Int(end - page), PROT_READ | PROT_WRITE, flags, -1, 0)
      return unsafe zeros != MAP_FAILED
    }
    return false
  }

  /// The smallest page size of Linux; the kernel rounds the end of a mapping up itself.
  private static let pageSize: UInt = 4096
}
