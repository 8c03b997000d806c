import CrashReadCore
import Testing

@Suite("Addresses")
struct AddressTests {
  @Test(
    "an offset is the distance from the start",
    arguments: [
      (0x1000, 0x1000, 0), (0x1234, 0x1000, 0x234), (.max, 0, .max), (.max, .max, 0),
    ] as [(UInt64, UInt64, UInt64)])
  func offset(_ address: UInt64, _ start: UInt64, _ offset: UInt64) {
    #expect(RuntimeAddress(address).offset(from: RuntimeAddress(start)) == ImageOffset(offset))
  }

  @Test("there is no offset below the start", arguments: [(0xfff, 0x1000), (0, .max)] as [(UInt64, UInt64)])
  func belowTheStart(_ address: UInt64, _ start: UInt64) {
    #expect(RuntimeAddress(address).offset(from: RuntimeAddress(start)) == nil)
  }

  @Test(
    "a sum that fits is the address",
    arguments: [
      (0x1_0000_0000, 0x4dd4, 0x1_0000_4dd4), (.max - 1, 1, .max), (0, .max, .max), (.max, 0, .max),
    ] as [(UInt64, UInt64, UInt64)])
  func sum(_ start: UInt64, _ offset: UInt64, _ sum: UInt64) {
    #expect(RuntimeAddress(start).advanced(by: ImageOffset(offset)) == RuntimeAddress(sum))
    #expect(LinkedAddress(start).advanced(by: ImageOffset(offset)) == LinkedAddress(sum))
  }

  @Test(
    "a sum of more than 64 bits is nil", arguments: [(.max, 1), (1 << 63, 1 << 63)] as [(UInt64, UInt64)])
  func overflow(_ start: UInt64, _ offset: UInt64) {
    #expect(RuntimeAddress(start).advanced(by: ImageOffset(offset)) == nil)
    #expect(LinkedAddress(start).advanced(by: ImageOffset(offset)) == nil)
  }

  @Test("print as hexadecimal without padding, and order as unsigned numbers")
  func printing() {
    #expect(LinkedAddress(0x1000_ABCD).description == "0x1000abcd")
    #expect(ImageOffset(0).description == "0x0")
    #expect(RuntimeAddress(1) < RuntimeAddress(1 << 63))
  }
}
