internal import CCrashReadElfutils
internal import CrashReadCore

/// Reads the variables of the functions at an address: for each function those in scope.
struct VariableScan {
  private let address: LinkedAddress
  private let context: VariableContext
  private let architecture: Architecture?
  private var evaluator: LocationEvaluator
  private let usesTags: Bool

  /// The maximum number of variables of a function; real functions have dozens.
  private static let maximumVariables = 256
  private static let maximumEntries = 20_000

  init(
    _ unit: DwarfUnit, at address: LinkedAddress, _ context: VariableContext,
    architecture: Architecture?
  ) {
    self.address = address
    self.context = context
    self.architecture = architecture
    usesTags = !unit.manglesNames
    evaluator = LocationEvaluator(
      registers: DwarfRegisters(context.registers, architecture: architecture),
      addressSize: unit.header.encoding.addressSize, slide: context.slide)
  }

  /// The variables of each function of a chain, from the innermost call to the real function.
  mutating func variables(of chain: [DwarfEntry]) -> [[Variable]] {
    if let function = chain.last {
      evaluator.frameBase = evaluated(function.location(DW_AT_frame_base, at: address))
    }
    return chain.map { variables(in: $0) }
  }

  /// The variables of a function, parameters first, then those of outer scopes before those of inner ones.
  private func variables(in function: DwarfEntry) -> [Variable] {
    var variables: [Variable] = []
    var scopes = [function]
    var visited = 0
    while let scope = scopes.popLast() {
      var next = scope.firstChild
      while let entry = next, visited < Self.maximumEntries, variables.count < Self.maximumVariables {
        visited += 1
        switch entry.tag {
        case DW_TAG_formal_parameter, DW_TAG_variable:
          if let variable = variable(entry) { variables.append(variable) }
        case DW_TAG_lexical_block, DW_TAG_try_block, DW_TAG_catch_block, DW_TAG_with_stmt:
          if entry.holds(address.rawValue) { scopes.append(entry) }
        default: break
        }
        next = entry.nextSibling.flatMap { $0.offset > entry.offset ? $0 : nil }
      }
    }
    return visible(variables)
  }

  /// Removes variables that are shadowed in an inner scope.
  private func visible(_ variables: [Variable]) -> [Variable] {
    var names: Set<String> = []
    return variables.reversed().filter { names.insert($0.name).inserted }.reversed()
  }

  private func variable(_ entry: DwarfEntry) -> Variable? {
    guard !entry.has(DW_AT_declaration), let name = entry.inherited({ $0.string(DW_AT_name) }) else {
      return nil
    }
    let type = entry.inherited { $0.reference(DW_AT_type) }
    var types = newTypes()
    var variable = Variable(
      name: name, type: types.spelling(of: type), isParameter: entry.tag == DW_TAG_formal_parameter)
    let line = entry.inherited { $0.number(DW_AT_decl_line) }
    variable.line = line.flatMap { $0 > 0 ? Int(exactly: $0) : nil }
    variable.value = value(of: entry, type)
    if case .known(_, let pointer?) = variable.value {
      variable.faultMembers = faultMembers(name, pointer, type)
    }
    return variable
  }

  // MARK: Values

  private func value(of entry: DwarfEntry, _ type: DwarfEntry?) -> VariableValue {
    var location = evaluated(entry.location(DW_AT_location, at: address))
    if location == .nowhere, let constant = entry.inherited({ $0.constant }) { location = .bytes(constant) }
    switch location {
    case .nowhere: return .optimizedOut
    case .notAvailable: return .notAvailable
    case .memory(let address):
      if let pointer = address.flatMap({ context.pointers[$0] }) {
        return known(littleEndian(pointer, size: 8), type)
      }
      return .inMemory(address.map { RuntimeAddress($0) })
    case .bytes(let bytes): return known(bytes, type)
    }
  }

  private func known(_ bytes: [UInt8], _ type: DwarfEntry?) -> VariableValue {
    var text = ValueText(types: newTypes(), architecture: architecture)
    guard let printed = text.printed(bytes, as: type) else { return .notAvailable }
    return .known(printed.text, pointer: printed.pointer)
  }

  private func evaluated(_ location: LocationDescription) -> EvaluatedLocation {
    switch location {
    case .missing, .notHere: .nowhere
    case .unreadable: .notAvailable
    case .operations(let operations): evaluator.evaluate(operations)
    }
  }

  private func newTypes() -> TypeReader {
    TypeReader(usesTags: usesTags, addressSize: evaluator.addressSize)
  }

  // MARK: The fault address

  /// The members of a pointer's target at the fault address.
  private func faultMembers(_ name: String, _ pointer: UInt64, _ type: DwarfEntry?) -> [FaultMember] {
    guard let fault = context.faultAddress else { return [] }
    var types = newTypes()
    guard let target = types.pointee(of: type, name: name), let size = types.size(of: target.type) else {
      return []
    }
    let address = masked(fault, size: evaluator.addressSize)
    let offset = masked(address &- pointer, size: evaluator.addressSize)
    guard offset < size else { return [] }
    let spelling = types.spelling(of: target.type)
    var search = MemberSearch(types: newTypes())
    let found = search.members(of: target.type, at: offset)
    return found.map { member in
      FaultMember(
        expression: target.expression(member.path), offset: offset, type: spelling,
        isExact: member.isExact && found.count == 1)
    }
  }
}

/// A pointer's target, and its spelling in the source.
struct Pointee {
  var type: DwarfEntry
  /// The target itself: `*count`.
  fileprivate var whole: String
  /// The prefix for its members: `node->`.
  fileprivate var prefix: String

  fileprivate func expression(_ path: String) -> String {
    if path.isEmpty { return whole }
    return path.hasPrefix("[") ? (whole.hasPrefix("*") ? "(\(whole))" : whole) + path : prefix + path
  }
}

extension TypeReader {
  /// The target type of a pointer variable; nil when it isn't a pointer, or the type is unknown.
  mutating func pointee(of type: DwarfEntry?, name: String) -> Pointee? {
    guard let entry = resolved(type) else { return nil }
    switch entry.tag {
    case DW_TAG_pointer_type:
      return resolved(entry.reference(DW_AT_type)).map {
        Pointee(type: $0, whole: "*" + name, prefix: name + "->")
      }
    case DW_TAG_reference_type, DW_TAG_rvalue_reference_type:
      return resolved(entry.reference(DW_AT_type)).map {
        Pointee(type: $0, whole: name, prefix: name + ".")
      }
    case DW_TAG_structure_type:
      guard entry.swiftName.flatMap({ SwiftScalar(mangled: $0) }) == .pointer else { return nil }
      return swiftArgument(of: entry).flatMap { resolved($0) }.map {
        Pointee(type: $0, whole: name + ".pointee", prefix: name + ".pointee.")
      }
    default: return nil
    }
  }

  /// The only generic argument of a Swift type.
  private mutating func swiftArgument(of type: DwarfEntry) -> DwarfEntry? {
    let content = type.string(DW_AT_name) == nil ? type.swiftContent ?? type : type
    let arguments = children(of: content, limit: 4).filter { $0.tag == DW_TAG_template_type_parameter }
    return arguments.count == 1 ? arguments[0].reference(DW_AT_type) : nil
  }
}

extension DwarfEntry {
  /// The first answer of an entry and the entries it is an instance of; nil when none of them has one.
  func inherited<Answer>(_ ask: (DwarfEntry) -> Answer?) -> Answer? {
    var entry = self
    // Real chains have two or three references; those of a damaged file may form a cycle.
    for _ in 0..<16 {
      if let answer = ask(entry) { return answer }
      guard let next = entry.reference(DW_AT_abstract_origin) ?? entry.reference(DW_AT_specification) else {
        return nil
      }
      entry = next
    }
    return nil
  }

  /// The bytes of `DW_AT_const_value`, little-endian. The corresponding C functions are `dwarf_formudata` and
  /// `dwarf_formblock`.
  fileprivate var constant: [UInt8]? {
    if let number = number(DW_AT_const_value) { return littleEndian(number, size: 8) }
    var attribute = unsafe Dwarf_Attribute()
    var block = unsafe Dwarf_Block()
    guard unsafe with({ unsafe dwarf_attr($0, UInt32(DW_AT_const_value), &attribute) }) != nil,
      unsafe dwarf_formblock(&attribute, &block) == 0
    else { return nil }
    return unsafe copiedBytes(block)
  }
}

extension DwarfUnit {
  /// The variables of the functions at an address, the innermost function first.
  func variables(
    at address: LinkedAddress, in context: VariableContext, _ architecture: Architecture?
  ) -> [[Variable]] {
    var scan = VariableScan(self, at: address, context, architecture: architecture)
    return scan.variables(of: entries(at: address))
  }
}
