internal import CrashReadCore

/// Writes the nodes of one unit's functions and calls, each on first use.
struct NodeWriter {
  private let unit: DwarfUnit
  private let search: any FunctionSearch
  private var files: UnitFiles
  private var function: (offset: Int, tree: ScopeTree) = (0, ScopeTree())
  private var functionNode: UInt32 = 0
  /// Nodes of the function's scopes; 0 for one that isn't written yet.
  private var nodes: [UInt32] = []
  /// Indices of names, by the entry that has the name.
  private var names: [Int: UInt32] = [:]

  init(_ unit: DwarfUnit, _ search: any FunctionSearch, _ files: UnitFiles) {
    self.unit = unit
    self.search = search
    self.files = files
  }

  /// Writes a function's own node.
  mutating func begin(_ offset: Int, _ tree: ScopeTree, _ tables: inout CacheTables) {
    let name = search.name(of: offset)
    let entry = search.entryAddress(of: offset)
    functionNode = tables.appendFunction(
      name: tables.name(name), entry: entry,
      isUnnamed: name.linkage == nil && unit.manglesNames && entry != nil)
    function = (offset, tree)
    nodes.removeAll(keepingCapacity: true)
    nodes.append(contentsOf: repeatElement(0, count: tree.scopes.count))
  }

  /// The node of a scope: of a call, its own; of a block, that of the enclosing call.
  mutating func node(of scope: Int32, _ parents: [Int32], _ tables: inout CacheTables) -> UInt32 {
    var missing: [Int] = []
    var index = Int(scope)
    while index >= 0, nodes[index] == 0 {
      missing.append(index)
      index = Int(parents[index])
    }
    var node = index < 0 ? functionNode : nodes[index]
    for index in missing.reversed() {
      if function.tree.scopes[index].isCall {
        node = appendCall(function.tree.scopes[index].entry, in: node, &tables)
      }
      nodes[index] = node
    }
    return node
  }

  private mutating func appendCall(_ entry: Int, in caller: UInt32, _ tables: inout CacheTables) -> UInt32 {
    let call = search.inlinedCall(at: entry)
    let file = call.file.map { files.number(ofFile: $0, &tables) } ?? 0
    let name = name(of: call, &tables)
    return tables.appendCall(
      name: name, in: caller, file: file, line: shown(call.line), column: shown(call.column))
  }

  private mutating func name(of call: InlinedCall, _ tables: inout CacheTables) -> UInt32 {
    if let known = names[call.function] { return known }
    let number = tables.name(search.name(of: call.function))
    names[call.function] = number
    return number
  }

  /// A line or column; 0 where `SourceLines` has none.
  private func shown(_ number: UInt64?) -> UInt64 {
    number.flatMap { $0 <= UInt64(Int.max) ? $0 : nil } ?? 0
  }
}

/// The files of one unit by their indices in the cache.
struct UnitFiles {
  private let lines: SourceLines
  /// Numbers by index; nil for a file that wasn't requested yet.
  private var numbers: [UInt32?] = []

  init(_ lines: SourceLines) { self.lines = lines }

  /// The index of a file of the unit's table; 0 when there is none.
  mutating func number(ofFile index: UInt64, _ tables: inout CacheTables) -> UInt32 {
    // Tables have a few thousand files; a damaged index must not make this one huge.
    guard index < 1 << 16 else { return tables.file(lines.path(ofFile: index)) }
    let index = Int(index)
    if index >= numbers.count { numbers += repeatElement(nil, count: index + 1 - numbers.count) }
    if let known = numbers[index] { return known }
    let number = tables.file(lines.path(ofFile: UInt64(index)))
    numbers[index] = number
    return number
  }

  /// Stores a row's location in a segment.
  @inline(__always)
  mutating func add(_ row: LineProgram.Row, in segment: inout CacheSegment, _ tables: inout CacheTables) {
    segment.file = row.isEnd ? 0 : number(ofFile: UInt64(row.file), &tables)
    segment.line = segment.file == 0 ? 0 : UInt64(row.line)
    segment.column = segment.file == 0 ? 0 : UInt64(row.column)
  }
}
