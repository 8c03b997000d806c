import Shop
import XCTest

final class CartTests: XCTestCase {
  func testPlain() {
    let cart = Cart(items: [])
    _ = cart.item(3)
  }

  func testAssertion() {
    let name: String? = CartTests.missing
    XCTAssertTrue(name!.isEmpty)
  }

  func testAsync() async throws {
    try await Task.sleep(nanoseconds: 1000)
    let cart = Cart(items: [1])
    _ = cart.item(4)
  }

  func testUnwrap() {
    let name: String? = CartTests.missing
    print(name!)
  }

  func testBadPointer() {
    let pointer = UnsafePointer<Int>(bitPattern: 0x10)!
    XCTAssertEqual(pointer.pointee, 4)
  }

  static var missing: String? { CommandLine.arguments.count > 1000 ? "x" : nil }
}
