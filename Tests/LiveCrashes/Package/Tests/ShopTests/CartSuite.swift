import Shop
import Testing

@Suite struct CartSuite {
  @Test func plain() {
    let cart = Cart(items: [])
    _ = cart.item(3)
  }

  @Test func assertion() {
    let name: String? = missing
    #expect(name!.isEmpty)
  }

  @Test func async() async throws {
    try await Task.sleep(nanoseconds: 1000)
    let cart = Cart(items: [1])
    _ = cart.item(4)
  }

  @Test func unwrap() {
    let name: String? = missing
    print(name!)
  }

  @Test func badPointer() {
    let pointer = UnsafePointer<Int>(bitPattern: 0x10)!
    #expect(pointer.pointee == 4)
  }
}

var missing: String? { CommandLine.arguments.count > 1000 ? "x" : nil }
