internal import CrashReadCore

/// The symbols that frames stated so far, each with its function.
///
/// One is looked up for every frame, and they exceed the CPU's nearer caches: so each is one small slot, found by a digest
/// of its image, start and name. The digest is seeded, so that no report can place its symbols in the way of others.
struct SeenSymbols {
  /// A lower bound of what is kept of a function.
  struct Bound {
    /// The last witness kept: one that doesn't precede it adds nothing.
    private let last: FunctionWitnesses.Witness
    /// The day of the earliest report.
    private let day: Int64?

    /// The bound of a function; nil while further witnesses are kept in any case.
    init?(_ known: FunctionWitnesses) {
      guard let last = known.limit else { return nil }
      (self.last, day) = (last, known.day)
    }

    /// Whether a witness changes nothing, on a day.
    func covers(_ new: FunctionWitnesses.Witness, on day: Int64?) -> Bool {
      !new.precedes(last) && (day.map { new in self.day.map { $0 <= new } ?? false } ?? true)
    }
  }

  /// A symbol, or an unused slot.
  struct Slot {
    fileprivate var digest: UInt64 = 0
    /// What was kept of the function at its last sighting.
    var bound: Bound?
    fileprivate(set) var function: Int32 = 0
  }

  private var slots = [Slot](repeating: Slot(), count: 1024)
  private(set) var count = 0
  private let seed = UInt64.random(in: 0 ... .max)

  /// The digest of a symbol of an image; `start` is relative to the image.
  func digest(image: Int, start: UInt64, name: String) -> UInt64 {
    let name = name.utf8.span
    let wordSize = MemoryLayout<UInt64>.size
    var digest = (seed ^ start).folded(with: UInt64(image) << 32 | UInt64(name.count) | 1 << 63)
    var offset = 0
    while offset + wordSize <= name.count {
      digest.mix(unsafe name.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += wordSize
    }
    var rest: UInt64 = 0
    while offset < name.count {
      rest = rest << 8 | UInt64(name[offset])
      offset += 1
    }
    digest.mix(rest)
    return max(digest, 1)
  }

  /// The position of a symbol; nil if it wasn't seen.
  func position(of digest: UInt64) -> Int? {
    let position = probe(digest)
    return slots[position].digest == 0 ? nil : position
  }

  subscript(position: Int) -> Slot {
    _read { yield slots[position] }
    _modify { yield &slots[position] }
  }

  /// Makes room for a number of further symbols, so that positions stay the same while these are added.
  mutating func reserve(_ more: Int) {
    while 2 * (count + more) > slots.count { grow() }
  }

  /// Adds a symbol that wasn't seen; there must be room.
  mutating func insert(_ digest: UInt64, function: Int) {
    slots[probe(digest)] = Slot(digest: digest, function: Int32(function))
    count += 1
  }

  /// The position of a symbol, or of the slot to put it in: the first unused one from its place on.
  private func probe(_ digest: UInt64) -> Int {
    let mask = slots.count - 1
    var position = Int(truncatingIfNeeded: digest) & mask
    while slots[position].digest != digest, slots[position].digest != 0 { position = (position + 1) & mask }
    return position
  }

  private mutating func grow() {
    let old = slots
    slots = [Slot](repeating: Slot(), count: 2 * old.count)
    for slot in old where slot.digest != 0 { slots[probe(slot.digest)] = slot }
  }
}

extension UInt64 {
  /// The two halves of the product, combined (as in wyhash).
  fileprivate func folded(with other: UInt64) -> UInt64 {
    let product = multipliedFullWidth(by: other)
    return product.high ^ product.low
  }

  fileprivate mutating func mix(_ word: UInt64) { self = (self ^ word).folded(with: 0x9e37_79b1_85eb_ca87) }
}
