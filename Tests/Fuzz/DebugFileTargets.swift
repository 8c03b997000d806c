import CCrashReadElfutils
import CrashReadCore
import CrashReadSystem
import Foundation
import TestSupport

@testable import CrashReadDebugInfo

let debugFileTargets = [
  // Headers that no tool writes: the first byte selects the magic number in front of the others.
  FuzzTarget(
    name: "headers", seeds: headerSeeds,
    reader: {
      let file = MemoryFile()
      return { bytes in
        guard let choice = bytes.first else { return }
        file.write(magics[Int(choice) % magics.count] + bytes.dropFirst())
        for slice in (try? BinarySlice.all(in: file.path)) ?? [] {
          let isBinary = [.elf, .machO].contains(slice.layout)
          let own = [slice.linkedBase] + [0x1000, 0x1005].map { LinkedAddress($0) }
          lookUp(isBinary ? slice.codeRanges.prefix(2).map(\.lowerBound) : own, in: slice, of: file.path)
          if !isBinary { _ = (try? DebugFile(path: file.path, slice: slice))?.functions }
        }
      }
    }),

  // Partly damaged debug files: the facade, libdw, and the readers of units, lines, ranges, variables.
  FuzzTarget(
    name: "debug", seeds: { editSeeds(count: debugFilePaths.count) },
    reader: {
      let originals = try debugFilePaths.map { try OriginalFile(path: $0) }
      let file = MemoryFile()
      return { input in
        guard input.count >= 2 else { return }
        let original = originals[Int(input[0]) % originals.count]
        file.write(original.edits.apply(input[2...], to: original.bytes))
        for slice in (try? BinarySlice.all(in: file.path)) ?? [] {
          lookUp(original.addresses(Int(input[1])), in: slice, of: file.path)
          // Reads the whole file.
          if input[1] % 4 == 0 { buildCache(of: slice, file.path) }
        }
      }
    }),

  // Caches with valid checksums and wrong contents.
  FuzzTarget(
    name: "cache", seeds: { editSeeds(count: 3) },
    reader: {
      let caches = try debugFilePaths.filter { $0.hasSuffix("App") || $0.hasSuffix("causes.debug") }
        .map { try OriginalCache(path: $0) }
      let file = MemoryFile()
      return { input in
        guard input.count >= 2 else { return }
        caches[Int(input[0]) % caches.count].lookUp(Int(input[1]), edits: input[2...], file)
      }
    }),
]

/// The debug files of the samples, and those of the directory in `CRASHREAD_FUZZ_FILES`.
private let debugFilePaths: [String] = {
  let own = Samples.symbols.map { Repository.root.appending(path: $0).path }
  guard let more = ProcessInfo.processInfo.environment["CRASHREAD_FUZZ_FILES"] else { return own }
  let names = (try? FileManager.default.subpathsOfDirectory(atPath: more)) ?? []
  return own + names.sorted().map { more + "/" + $0 }.filter(isBinary)
}()

/// For each file an input that leaves it unchanged, and one that changes a byte.
private func editSeeds(count: Int) -> [[UInt8]] {
  (0..<UInt8(clamping: count)).flatMap { [[$0, 0], [$0, 1] + [UInt8](repeating: $0, count: 8)] }
}

/// A valid debug file.
private struct OriginalFile {
  let bytes: [UInt8]
  let edits: FileEdits
  private let starts: [LinkedAddress]

  init(path: String) throws {
    let bytes = Array(try Data(contentsOf: URL(filePath: path)))
    self.bytes = bytes
    let slices = try BinarySlice.all(in: path)
    edits = FileEdits(regions: try slices.flatMap { try regions(of: $0, path, bytes.count) })
    starts = slices.flatMap { slice in
      slice.codeRanges.flatMap { range in
        let size = range.upperBound.rawValue - range.lowerBound.rawValue
        return (0..<64).compactMap { range.lowerBound.advanced(by: ImageOffset(size / 64 * $0)) }
      }
    }
  }

  /// Eight addresses of the code, other ones for each number.
  func addresses(_ number: Int) -> [LinkedAddress] {
    guard !starts.isEmpty else { return [] }
    return (0..<8).map { starts[(number + $0 * (starts.count / 8 + 1)) % starts.count] }
  }
}

/// The headers and the sections that have bytes.
private func regions(of slice: BinarySlice, _ path: String, _ size: Int) throws -> [Range<Int>] {
  var regions = [slice.fileOffset..<min(size, slice.fileOffset + 1024)]
  if slice.layout == .elf {
    let handle = try DwarfHandle(try MappedFile(path: path), slice: slice)
    unsafe forEachSection(of: handle.elf) { _, header, _ in
      let start = Int(header.sh_offset)
      if header.sh_type != 8, header.sh_size > 0 { regions.append(start..<start + Int(header.sh_size)) }
    }
    // The section headers are at the end.
    regions.append(max(0, size - 64 * regions.count)..<size)
  } else {
    regions += slice.sections.filter { $0.size > 0 }.map { $0.fileOffset..<$0.fileOffset + $0.size }
    if let symbols = slice.symbols, symbols.symbolCount > 0 {
      regions.append(symbols.symbolsOffset..<symbols.stringsOffset + symbols.stringsSize)
    }
  }
  return regions.filter { !$0.isEmpty && $0.upperBound <= size }
}

private let context = VariableContext(
  registers: Dictionary(
    uniqueKeysWithValues: (["rax", "rbp", "rsp", "rdi", "rsi", "rip", "sp", "fp", "lr", "pc"]
      + (0...28).map { "x\($0)" }).map { ($0, 0x1_0000) }),
  slide: 0x1000, faultAddress: 0x1_0008)

private func lookUp(_ addresses: [LinkedAddress], in slice: BinarySlice, of path: String) {
  guard let file = try? DebugFile(path: path, slice: slice) else { return }
  for frame in file.frames(at: addresses).joined() { _ = frame.function }
  for address in addresses {
    _ = file.variables(at: address, in: context)
    _ = file.symbol(at: address)
  }
  _ = file.missingParts
}

private func buildCache(of slice: BinarySlice, _ path: String) {
  let headSize = slice.layout == .machO ? ElfFacade.headSize : 0
  guard let file = try? MappedFile(path: path, headSize: headSize),
    let handle = try? DwarfHandle(file, slice: slice)
  else { return }
  _ = CacheBuilder.build(handle, slice, path: path)
}
