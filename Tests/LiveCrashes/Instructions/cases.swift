// swift-format-ignore-file: NeverForceUnwrap
// Functions of Swift that crash, each with a known cause. They need only Embedded Swift.

final class Node {
  var value = 7
  var items: UnsafeMutablePointer<Int>
  init(_ items: UnsafeMutablePointer<Int>) { self.items = items }
}

struct Pair {
  var first: Int
  var second: UnsafePointer<Int>
}

/// A value that is unknown to the compiler.
nonisolated(unsafe) var unknown = 0
nonisolated(unsafe) var sink = 0
nonisolated(unsafe) var table: UnsafePointer<Int> = pointer(0x48)

func pointer<T>(_ address: UInt) -> UnsafePointer<T> { UnsafePointer(bitPattern: address)! }
func mutable<T>(_ address: UInt) -> UnsafeMutablePointer<T> { UnsafeMutablePointer(bitPattern: address)! }

// MARK: - Memory

@inline(never) func argumentRead(_ place: UnsafePointer<Int>) -> Int { place.pointee &+ 1 }
@inline(never) func argumentWrite(_ place: UnsafeMutablePointer<Int>, _ value: Int) { place.pointee = value }
@inline(never) func element(_ values: UnsafePointer<Int>, _ index: Int) -> Int { values[index] }
@inline(never) func byte(_ bytes: UnsafePointer<UInt8>, _ index: Int) -> Int { Int(bytes[index]) }
@inline(never) func memberRead(_ node: Node) -> Int { node.items.pointee &+ 1 }
@inline(never) func memberWrite(_ node: Node, _ value: Int) { node.items.pointee = value }
@inline(never) func structMember(_ pair: UnsafePointer<Pair>) -> Int { pair.pointee.second.pointee &+ 1 }
@inline(never) func globalRead() -> Int { table.pointee &+ 1 }
@inline(never) func found(_ key: Int) -> UnsafePointer<Int> { pointer(UInt(bitPattern: key &+ 0x50)) }
@inline(never) func resultRead(_ key: Int) -> Int { found(key).pointee &+ 1 }
@inline(never) func floating(_ values: UnsafePointer<Double>) -> Double { values[2] * 2 }

// MARK: - Traps

@inline(never) func sum(_ a: Int, _ b: Int) -> Int { a + b }
@inline(never) func difference(_ a: UInt, _ b: UInt) -> UInt { a - b }
@inline(never) func product(_ a: Int32, _ b: Int32) -> Int32 { a * b }
@inline(never) func smallSum(_ a: UInt8, _ b: UInt8) -> UInt8 { a + b }
@inline(never) func quotient(_ a: Int, _ b: Int) -> Int { a / b }
@inline(never) func negated(_ a: Int) -> Int { -a }
@inline(never) func narrowed(_ a: Int) -> Int8 { Int8(a) }
@inline(never) func unsigned(_ a: Int) -> UInt { UInt(a) }
@inline(never) func unwrapped(_ node: Node?) -> Int { node!.value }
@inline(never) func unwrappedPointer(_ place: UnsafePointer<Int>?) -> Int { place!.pointee }
@inline(never) func elementOf(_ values: [Int], _ index: Int) -> Int { values[index] }
@inline(never) func part(_ values: [Int], _ from: Int) -> Int { values[from...].count }
@inline(never) func range(_ from: Int, _ to: Int) -> Int { (from..<to).count &+ sink }
@inline(never) func demanded(_ a: Int) -> Int { precondition(a > 10); return a }
@inline(never) func total(_ values: UnsafeBufferPointer<Int>) -> Int { values.reduce(0, +) }

/// Each case by its number, in the order of `names`.
@_cdecl("run_swift") public func run(_ number: Int) {
  let node = Node(mutable(0x28 &+ UInt(unknown)))
  switch number {
  case 0: sink = argumentRead(pointer(0x10 &+ UInt(unknown)))
  case 1: argumentWrite(mutable(0x18 &+ UInt(unknown)), 4)
  case 2: sink = element(pointer(0x20 &+ UInt(unknown)), 5)
  case 3: sink = byte(pointer(0x20 &+ UInt(unknown)), 7)
  case 4: sink = memberRead(node)
  case 5: memberWrite(node, 4)
  case 6:
    var pair = Pair(first: 1, second: pointer(0x38 &+ UInt(unknown)))
    sink = withUnsafePointer(to: &pair, structMember)
  case 7: sink = globalRead()
  case 8: sink = resultRead(unknown)
  case 9: sink = Int(floating(pointer(0x60 &+ UInt(unknown))))
  case 10: sink = sum(.max &- unknown, 1)
  case 11: sink = Int(difference(UInt(unknown), 1))
  case 12: sink = Int(product(.max &- Int32(unknown), 2))
  case 13: sink = Int(smallSum(255 &- UInt8(unknown), 1))
  case 14: sink = quotient(1, unknown)
  case 15: sink = negated(.min &+ unknown)
  case 16: sink = Int(narrowed(300 &+ unknown))
  case 17: sink = Int(unsigned(-1 &- unknown))
  case 18: sink = unwrapped(unknown == 0 ? nil : node)
  case 19: sink = unwrappedPointer(UnsafePointer(bitPattern: unknown))
  case 20: sink = elementOf([1, 2, unknown], 3 &+ unknown)
  case 21: sink = part([1, 2, unknown], 4 &+ unknown)
  case 22: sink = range(3 &+ unknown, 2)
  case 23: sink = demanded(unknown)
  default:
    let values = [Int.max, 1 &+ unknown]
    sink = values.withUnsafeBufferPointer(total)
  }
}
