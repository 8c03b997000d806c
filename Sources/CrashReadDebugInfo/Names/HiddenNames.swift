internal import CrashReadCore
internal import CrashReadSystem
internal import Glibc

/// Names that Apple removed from apps built with bitcode (Xcode 7 to 13): `__hidden#123_` stands for line 123 of
/// `UUID.bcsymbolmap`, a file that only the developer has.
///
/// The format is undocumented; this follows LLVM's dsymutil before it dropped support
/// (llvm/tools/dsymutil/SymbolMap.cpp).
final class HiddenNames {
  private let debugFile: String
  private let id: ImageID?
  /// The map; nil until a hidden name is found.
  private var map: SymbolMap??
  private(set) var missing: [MissingPart] = []

  init(of debugFile: String, _ id: ImageID?) {
    self.debugFile = debugFile
    self.id = id
  }

  /// The original name; nil when it is hidden and no map has it.
  func revealed(_ name: String) -> String? {
    guard let number = hiddenNumber(name[...]) else { return name }
    return openMap()?.name(number)
  }

  /// The original path, of which any component may be hidden; nil when no map has one of them.
  func revealed(path: String) -> String? {
    guard path.utf8.contains(UInt8(ascii: "#")) else { return path }
    var result: String?
    for component in path.split(separator: "/", omittingEmptySubsequences: false) {
      guard let number = hiddenNumber(component) else {
        result = (result.map { $0 + "/" } ?? "") + component
        continue
      }
      guard let name = openMap()?.name(number) else { return nil }
      // Compilers join a directory and a file. If both were hidden, they couldn't see that the file's path was
      // absolute.
      result = name.hasPrefix("/") ? name : (result.map { $0 + "/" } ?? "") + name
    }
    return result
  }

  /// The symbol with its original name, without Mach-O's underscore; nil if it stays hidden.
  func revealed(symbol frame: SourceFrame) -> SourceFrame? {
    guard frame.isHidden else { return frame }
    var frame = revealed(frame)
    guard let name = frame.name.linkage else { return nil }
    // Mangled C++ and older Swift names begin with an underscore of their own.
    let isC = name.hasPrefix("_") && !["_Z", "_T", "_R"].contains { name.hasPrefix($0) }
    if isC { frame.name = FunctionName(linkage: String(name.dropFirst()), source: nil) }
    return frame
  }

  /// The functions with their original names, and without locations that stay hidden.
  func revealed(_ frames: [SourceFrame]) -> [SourceFrame] {
    frames.contains(where: \.isHidden) ? frames.map(revealed) : frames
  }

  private func revealed(_ frame: SourceFrame) -> SourceFrame {
    var frame = frame
    let linkage = frame.name.linkage.flatMap { revealed($0) }
    let source = frame.name.source.flatMap { revealed($0) }
    frame.name = linkage ?? source == nil ? .unknown : FunctionName(linkage: linkage, source: source)
    if let location = frame.location {
      frame.location = revealed(path: location.file).map {
        SourceLocation(file: $0, line: location.line, column: location.column)
      }
    }
    return frame
  }

  /// The variable with its original name and type; nil if a part of it stays hidden.
  func revealed(_ variable: Variable) -> Variable? {
    var variable = variable
    guard let name = revealed(variable.name), let type = revealed(words: variable.type) else { return nil }
    variable.name = name
    variable.type = type
    variable.faultMembers.removeAll { ($0.expression + $0.type).utf8.contains(UInt8(ascii: "#")) }
    return variable
  }

  private func revealed(words: String) -> String? {
    guard words.utf8.contains(UInt8(ascii: "#")) else { return words }
    let known = words.split(separator: " ").map { revealed(String($0)) }
    return known.contains(nil) ? nil : known.compactMap { $0 }.joined(separator: " ")
  }

  private func openMap() -> SymbolMap? {
    if let map { return map }
    let opened = missing.firstUsable(of: candidates, beside: debugFile, for: .symbolMap) {
      (path) throws(DebugFileError) in
      let bytes = try DebugFileError.wrap { () throws(SystemError) in
        try readFile(path, limit: SymbolMap.maximumSize)
      }
      return try SymbolMap(bytes)
    }
    map = .some(opened)
    return opened
  }
}

// MARK: - Finding the map

extension HiddenNames {
  /// The possible paths of the map: beside the dSYM, and where Xcode's archives store it.
  private var candidates: [String] {
    let folder = directory(of: debugFile)
    let inBundle = "Contents/Resources/DWARF/"
    var folders = [folder]
    if folder.hasSuffix(".dSYM/" + inBundle) {
      let resources = folder.dropLast("DWARF/".utf8.count)
      let beside = directory(of: String(folder.dropLast(inBundle.utf8.count + 1)))
      folders = [beside, beside + "BCSymbolMaps/", beside + "../BCSymbolMaps/", String(resources)]
    }
    let names = ids(in: folder + "../").map { $0 + ".bcsymbolmap" }
    return folders.flatMap { folder in names.map { folder + $0 } }
  }

  /// The identities after which the map may be named: the present one, and that of the program before Apple's compiler
  /// replaced it, which a property list in the bundle records.
  private func ids(in resources: String) -> [String] {
    guard let id = id?.description else { return [] }
    let list = try? readFile(resources + id + ".plist", limit: 1 << 20)
    return [list.flatMap { originalID($0) }, id].compactMap { $0 }
  }

  /// `DBGOriginalUUID` of a property list in XML: `<key>DBGOriginalUUID</key><string>…</string>`.
  private func originalID(_ list: [UInt8]) -> String? {
    let tags = String(decoding: list, as: UTF8.self).split(separator: "<")
    guard let key = tags.firstIndex(of: "key>DBGOriginalUUID"),
      let value = tags[key...].first(where: { $0.hasPrefix("string>") })
    else { return nil }
    return ImageID(parsing: value.dropFirst("string>".utf8.count))?.description
  }
}

/// The number in `__hidden#123_`; nil for any other name.
private func hiddenNumber(_ name: Substring) -> Int? {
  guard isHiddenName(name) else { return nil }
  return Int(name.dropFirst("__hidden#".utf8.count).prefix { $0 != "_" }) ?? .max
}

extension SourceFrame {
  /// Whether its name or path is hidden. Checked for every frame: a file's own name is the last component, and a hidden
  /// one ends with an underscore.
  fileprivate var isHidden: Bool {
    name.linkage.map(isHiddenName) ?? false || name.source.map(isHiddenName) ?? false
      || location?.file.utf8.last == UInt8(ascii: "_")
  }
}

private func isHiddenName(_ name: some StringProtocol) -> Bool { name.utf8.starts(with: "__hidden#".utf8) }

extension DwarfHandle {
  /// Whether the strings of the file include hidden names. The corresponding C function is `memchr`.
  func holdsHiddenNames(_ slice: BinarySlice) -> Bool {
    [DebugSections(self).strings, slice.symbols?.strings(in: fileView)].contains { view in
      unsafe view?.withBytes { unsafe holdsHiddenNames($0) } ?? false
    }
  }

  private func holdsHiddenNames(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = unsafe bytes
    let sign = UInt8(ascii: "#")
    while let start = rest.baseAddress, let found = unsafe memchr(start, Int32(sign), rest.count) {
      let position = unsafe UnsafeRawPointer(found) - start
      let before = unsafe rest[..<position].suffix(8)
      if unsafe before.elementsEqual("__hidden".utf8) { return true }
      unsafe rest = UnsafeRawBufferPointer(rebasing: rest[(position + 1)...])
    }
    return false
  }
}

/// A file `UUID.bcsymbolmap`: the names to which the numbers in `HiddenNames` refer.
struct SymbolMap {
  /// The maximum size in bytes. Real maps have a few megabytes.
  static let maximumSize = 256 << 20

  private let bytes: [UInt8]
  /// The offset of each name.
  private let starts: [Int]

  /// Reads a version line, followed by one name per line.
  /// - Throws: `DebugFileError` when the version is unknown.
  init(_ bytes: [UInt8]) throws(DebugFileError) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let head = String(decoding: lines.first ?? [], as: UTF8.self).prefix { $0 != "\r" }
    guard head == "BCSymbolMap Version: 2.0" || head == "BCSymbolMap Version: 1.0" else {
      throw .unsupported("a symbol map that begins '\(head.prefix(40))'")
    }
    self.bytes = bytes
    starts = lines.dropFirst().map(\.startIndex)
  }

  /// The name with a number; nil when there is none.
  func name(_ number: Int) -> String? {
    guard starts.indices.contains(number) else { return nil }
    let line = bytes[starts[number]...].prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    // A byte 1 precedes names that the linker uses unchanged: methods of Objective-C.
    let name = String(decoding: line.first == 1 ? line.dropFirst() : line, as: UTF8.self)
    return name.isEmpty ? nil : name
  }
}
