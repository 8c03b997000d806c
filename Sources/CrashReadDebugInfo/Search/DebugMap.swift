internal import CrashReadCore

/// The object files of a Mach-O program, as its linker recorded them: the debugger symbols of `mach-o/stab.h`.
///
/// Apple's linkers leave the debug information in the object files, and `dsymutil` collects it in a dSYM by means of
/// these symbols. If it wasn't run, only the object files have lines.
struct DebugMap {
  /// An object file.
  struct Object {
    /// The path that the linker used; `libShelf.a(shelf.o)` is a member of an archive.
    var path: String
    /// Its modification time in seconds since 1970; 0 if the linker omitted it.
    var time: UInt64
    /// Its functions, as indices into `functions`.
    var functions: Range<Int>
  }

  /// A function of the program.
  struct Function {
    /// The symbol's name.
    var symbol: String
    var address: UInt64
    /// The size in bytes.
    var size: UInt64
    /// An index into `objects`.
    var object: Int
  }

  private(set) var objects: [Object] = []
  private(set) var functions: [Function] = []
  private var ranges = RangeTable()

  /// Reads `N_OSO` and `N_FUN`. Empty when there are none, as in a stripped program.
  init(_ file: ByteView, _ table: MachOSymbolTable) {
    let names = table.strings(in: file)
    var begun: MachOSymbol?
    table.forEachSymbol(in: file) { symbol in
      switch symbol.type {
      case 0x66:  // N_OSO
        objects.append(
          Object(
            path: names.string(at: symbol.name), time: symbol.value,
            functions: functions.endIndex..<functions.endIndex))
      // N_FUN with a name: the start of a function
      case 0x24 where symbol.name > 0 && names.byte(at: symbol.name) != 0:
        begun = symbol
      case 0x24:  // N_FUN without a name: its size
        if let begun { append(begun, names, size: symbol.value) }
        begun = nil
      default: break
      }
    }
    for (index, function) in functions.enumerated() {
      let (end, overflow) = function.address.addingReportingOverflow(function.size)
      if !overflow { ranges.append(low: function.address, high: end, value: UInt64(index)) }
    }
    ranges.sort()
  }

  private mutating func append(_ symbol: MachOSymbol, _ names: ByteView, size: UInt64) {
    guard let object = objects.indices.last else { return }
    functions.append(
      Function(symbol: names.string(at: symbol.name), address: symbol.value, size: size, object: object))
    objects[object].functions = objects[object].functions.lowerBound..<functions.endIndex
  }

  /// The function that contains an address; nil when none is recorded there.
  func function(at address: LinkedAddress) -> Function? {
    ranges.find(address.rawValue).map { functions[Int($0.value)] }
  }
}
