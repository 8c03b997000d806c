internal import CrashReadCore
internal import CrashReadSystem
internal import Glibc

/// Names that Apple took out of apps built with bitcode (Xcode 7 to 13): `__hidden#123_` stands for line 123 of a file that
/// only the developer has, `UUID.bcsymbolmap`.
///
/// The format isn't documented; LLVM's dsymutil read it in this way (llvm/tools/dsymutil/SymbolMap.cpp), until it was taken
/// out there.
final class HiddenNames {
  private let debugFile: String
  private let id: ImageID?
  /// nil until a hidden name is met.
  private var map: SymbolMap??
  private(set) var missing: [MissingPart] = []

  init(of debugFile: String, _ id: ImageID?) {
    self.debugFile = debugFile
    self.id = id
  }

  /// The true name; nil when it is hidden and no map tells it.
  func revealed(_ name: String) -> String? {
    guard let number = hiddenNumber(name[...]) else { return name }
    return openMap()?.name(number)
  }

  /// The true path, of which any component may be hidden; nil when no map tells one of them.
  func revealed(path: String) -> String? {
    guard path.utf8.contains(UInt8(ascii: "#")) else { return path }
    var result: String?
    for component in path.split(separator: "/", omittingEmptySubsequences: false) {
      guard let number = hiddenNumber(component) else {
        result = (result.map { $0 + "/" } ?? "") + component
        continue
      }
      guard let name = openMap()?.name(number) else { return nil }
      // Compilers join a directory and a file; where both are hidden, they could not see that the file's path was absolute.
      result = name.hasPrefix("/") ? name : (result.map { $0 + "/" } ?? "") + name
    }
    return result
  }

  /// The symbol's true name, without the underscore of Mach-O; nil where it stays hidden.
  func revealed(symbol frame: SourceFrame) -> SourceFrame? {
    guard frame.isHidden else { return frame }
    var frame = revealed(frame)
    guard let name = frame.name.linkage else { return nil }
    // C++ and older Swift begin with an underscore of their own.
    let isC = name.hasPrefix("_") && !["_Z", "_T", "_R"].contains { name.hasPrefix($0) }
    if isC { frame.name = FunctionName(linkage: String(name.dropFirst()), source: nil) }
    return frame
  }

  /// The same functions by their true names, and without places nobody can tell.
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

  /// A variable by its true name and type; nil where a part of it stays hidden.
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
    let opened = missing.firstUsable(of: places, beside: debugFile, for: .symbolMap) {
      (path) throws(DebugFileError) in
      let bytes = try DebugFileError.wrap { () throws(SystemError) in
        try readFile(path, limit: SymbolMap.largestSize)
      }
      return try SymbolMap(bytes)
    }
    map = .some(opened)
    return opened
  }
}

// MARK: - Where the map is

extension HiddenNames {
  /// Beside the dSYM, and where Xcode's archives keep it.
  private var places: [String] {
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

  /// Identities that the map may go by: that of the program as the developer's linker made it, which Apple's compiler
  /// replaced and a property list in the bundle keeps; and the present one.
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
  /// Asked of every frame: a file's own name comes last in its path, and a hidden one ends with an underscore.
  fileprivate var isHidden: Bool {
    name.linkage.map(isHiddenName) ?? false || name.source.map(isHiddenName) ?? false
      || location?.file.utf8.last == UInt8(ascii: "_")
  }
}

private func isHiddenName(_ name: some StringProtocol) -> Bool { name.utf8.starts(with: "__hidden#".utf8) }

extension DwarfHandle {
  /// Whether hidden names are among the strings of the file. The corresponding C function is `memchr`.
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

/// A file `UUID.bcsymbolmap`: the names that `HiddenNames` are numbers of.
struct SymbolMap {
  /// In bytes. Real ones have some megabytes.
  static let largestSize = 256 << 20

  private let bytes: [UInt8]
  /// Where each name begins.
  private let starts: [Int]

  /// Reads a version line and a name a line.
  /// - Throws: `DebugFileError` when the version is none known here.
  init(_ bytes: [UInt8]) throws(DebugFileError) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let head = String(decoding: lines.first ?? [], as: UTF8.self).prefix { $0 != "\r" }
    guard head == "BCSymbolMap Version: 2.0" || head == "BCSymbolMap Version: 1.0" else {
      throw .unsupported("a symbol map that begins '\(head.prefix(40))'")
    }
    self.bytes = bytes
    starts = lines.dropFirst().map(\.startIndex)
  }

  /// The name of a number; nil when there is none.
  func name(_ number: Int) -> String? {
    guard starts.indices.contains(number) else { return nil }
    let line = bytes[starts[number]...].prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    // 1 stands in front of names that the linker takes as they are: methods of Objective-C.
    let name = String(decoding: line.first == 1 ? line.dropFirst() : line, as: UTF8.self)
    return name.isEmpty ? nil : name
  }
}
