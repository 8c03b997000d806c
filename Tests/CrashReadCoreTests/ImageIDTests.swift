import CrashReadCore
import Testing

private let uuid = "11CE3F57-6264-3E8D-8A89-86894D83B974"
private let buildID = "3ca7f1c08d2be8a9102f7c5e6b9d4411aabbccdd"

@Suite("Image identities")
struct ImageIDTests {
  @Test(
    "are read in every notation and printed in Apple's",
    arguments: [
      uuid, "11ce3f57-6264-3e8d-8a89-86894d83b974", "11CE3F5762643E8D8A8986894D83B974",
      "<11ce3f5762643e8d8a8986894d83b974>", "<11CE3F57-6264-3E8D-8A89-86894D83B974>",
    ])
  func spellings(_ text: String) throws {
    let id = try #require(ImageID(parsing: text))
    #expect(id.bytes.count == 16)
    #expect(id.description == uuid)
  }

  @Test(
    "of other lengths print as lower-case digits",
    arguments: [
      (buildID, buildID), ("AB", "ab"), ("0a", "0a"),
      (String(repeating: "f", count: 128), String(repeating: "f", count: 128)),
    ])
  func otherLengths(_ text: String, _ printed: String) {
    #expect(ImageID(parsing: text)?.description == printed)
  }

  @Test(
    "are nil for malformed, empty and overlong text and for zeros",
    arguments: [
      "", "-", "<>", "1", "11CE3F57-6264-3E8D-8A89-86894D83B97", "00000000-0000-0000-0000-000000000000", "00",
      "11CE3F57_6264_3E8D_8A89_86894D83B974", "0x11", "１１", "g0", " 11", String(repeating: "f", count: 130),
    ])
  func noIdentity(_ text: String) {
    #expect(ImageID(parsing: text) == nil)
  }

  @Test func bytesAreBounded() {
    #expect(ImageID(bytes: []) == nil)
    #expect(ImageID(bytes: [UInt8](repeating: 0, count: 20)) == nil)
    #expect(ImageID(bytes: [UInt8](repeating: 1, count: 65)) == nil)
    #expect(ImageID(bytes: [UInt8](repeating: 1, count: 64))?.bytes.count == 64)
  }

  struct Naming: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var file: String
    var reported: String
    var isNamed: Bool
  }

  @Test(
    "in a report name the file with that UUID or build-id",
    arguments: [
      Naming(testDescription: "the same UUID", file: uuid, reported: uuid, isNamed: true),
      Naming(
        testDescription: "another UUID", file: uuid, reported: "21CE3F57-6264-3E8D-8A89-86894D83B974",
        isNamed: false),
      Naming(testDescription: "the same build-id", file: buildID, reported: buildID, isNamed: true),
      Naming(
        testDescription: "the first 16 bytes of a build-id", file: buildID,
        reported: "3ca7f1c08d2be8a9102f7c5e6b9d4411", isNamed: true),
      Naming(
        testDescription: "the first 16 bytes of a build-id in GUID order", file: buildID,
        reported: "c0f1a73c-2b8d-a9e8-102f-7c5e6b9d4411", isNamed: true),
      Naming(
        testDescription: "a UUID in GUID order", file: uuid, reported: "573FCE11-6462-8D3E-8A89-86894D83B974",
        isNamed: false),
      Naming(
        testDescription: "a shorter start of a build-id", file: buildID, reported: "3ca7f1c08d2be8a9",
        isNamed: false),
      Naming(
        testDescription: "a build-id that begins with the file's UUID",
        file: "3ca7f1c08d2be8a9102f7c5e6b9d4411",
        reported: buildID, isNamed: false),
      Naming(
        testDescription: "the last 16 bytes of a build-id", file: buildID,
        reported: "8d2be8a9102f7c5e6b9d4411aabbccdd", isNamed: false),
    ])
  func naming(_ example: Naming) throws {
    let file = try #require(ImageID(parsing: example.file))
    let reported = try #require(ImageID(parsing: example.reported))
    #expect(file.isNamed(by: reported) == example.isNamed)
  }
}
