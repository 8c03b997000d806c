import CrashReadCore
import CrashReadReports
import Testing

@testable import CrashReadSymbolication

@Suite("The app's own images")
struct AppImagesTests {
  struct Example: Sendable, CustomTestStringConvertible {
    var process = "/private/var/containers/Bundle/Application/1A2B/Hoge.app/Hoge"
    var path: String?
    var name: String?
    var isMarked = false
    var start: UInt64 = 0x1_0000_0000
    var isApp: Bool
    var testDescription: String { "\(path ?? name ?? "nothing") in \(process)" }
  }

  @Test(arguments: [
    Example(path: "/private/var/containers/Bundle/Application/1A2B/Hoge.app/Hoge", isApp: true),
    Example(
      path: "/private/var/containers/Bundle/Application/1A2B/Hoge.app/Frameworks/Kit.framework/Kit",
      isApp: true),
    Example(
      path: "/private/var/containers/Bundle/Application/1A2B/Hoge.app/Frameworks/libswiftCore.dylib",
      isApp: false),
    Example(
      path:
        "/private/var/containers/Bundle/Application/1A2B/Hoge.app/Frameworks/libclang_rt.asan_ios_dynamic.dylib",
      isApp: false),
    Example(path: "/private/var/containers/Bundle/Application/1A2B/Hoge.app/PlugIns/W.appex/W", isApp: true),
    Example(
      process: "/Applications/Hoge.app/Contents/PlugIns/W.appex/Contents/MacOS/W",
      path: "/Applications/Hoge.app/Contents/Frameworks/Kit.framework/Versions/A/Kit", isApp: true),
    Example(path: "/usr/lib/libobjc.A.dylib", isApp: false),
    Example(path: "/System/Library/Frameworks/UIKit.framework/UIKit", isApp: false),
    Example(
      process: "/System/Applications/Calculator.app/Contents/MacOS/Calculator",
      path: "/System/Applications/Calculator.app/Contents/MacOS/Calculator", isApp: true),
    Example(
      process: "/System/Applications/Calculator.app/Contents/MacOS/Calculator",
      path: "/System/Library/Frameworks/AppKit.framework/AppKit", isApp: false),
    Example(
      path: "/Library/Developer/CoreSimulator/Volumes/x/RuntimeRoot/usr/lib/libobjc.A.dylib", isApp: false),
    Example(
      path:
        "/Applications/Xcode.app/Contents/Developer/Platforms/iPhoneSimulator.platform/Developer/SDKs/"
        + "iPhoneSimulator.sdk/usr/lib/libobjc.A.dylib",
      isApp: false),
    Example(
      process: "/Users/USER/Library/Developer/CoreSimulator/Devices/1/data/Hoge.app/Hoge",
      path: "/Volumes/VOLUME/*/UIKitCore.framework/UIKitCore", isApp: false),
    Example(
      process: "/Users/USER/Library/Developer/CoreSimulator/Devices/1/data/Hoge.app/Hoge",
      path: "/Users/USER/Library/Developer/CoreSimulator/Devices/1/data/Hoge.app/Hoge.debug.dylib",
      isApp: true),
    Example(process: "/Volumes/VOLUME/*/Hoge", path: "/Volumes/VOLUME/*/Hoge", isApp: true),
    Example(process: "/opt/tools/hoge", path: "/opt/tools/hoge", isApp: true),
    Example(name: "_hoge.cpython-311-darwin.so", start: 0x2_ee7e_0000, isApp: true),
    Example(process: "/usr/bin/hoge", path: "/usr/bin/hoge", isApp: false),
    Example(process: "/opt/tools/hoge", path: "/lib/x86_64-linux-gnu/libc.so.6", isApp: false),
    Example(path: "[vdso]", isApp: false),
    Example(name: "Hoge", isApp: true), Example(name: "Other", isApp: true), Example(isApp: false),
    Example(name: "UIKitCore", isApp: false), Example(name: "libsystem_kernel.dylib", isApp: false),
    Example(name: "Other", start: 0x1_b234_0000, isApp: false), Example(name: "???", isApp: false),
    Example(name: "com.apple.CoreFoundation", isMarked: true, isApp: false),
    Example(path: "/usr/lib/mine.dylib", isMarked: true, isApp: true),
  ])
  func isApp(_ example: Example) {
    var report = CrashReport(format: .appleText)
    report.header.path = example.process
    report.header.process = example.process.split(separator: "/").last.map(String.init)
    report.header.codeType = "ARM-64"
    var image = BinaryImage(start: RuntimeAddress(example.start))
    image.path = example.path
    image.name = example.name
    image.isMarkedAsApp = example.isMarked
    #expect(AppImages(report).contains(image) == example.isApp)
  }

  /// An excerpt without header and images, with frames of the system's core, of another library and of the
  /// main program.
  private func excerpt(
    core: UInt64, _ name: String, at address: UInt64, mainAddress: UInt64
  ) -> (AppImages, Frame) {
    var system = Frame(kind: .returnAddress, address: RuntimeAddress(core))
    (system.imageName, system.reportedFile) = ("CoreFoundation", "NSException.m")
    var frame = Frame(kind: .returnAddress, address: RuntimeAddress(address))
    frame.imageName = name
    var report = CrashReport(format: .appleText)
    report.threads = [ThreadRecord(index: 0)]
    var main = Frame(kind: .returnAddress, address: RuntimeAddress(mainAddress))
    main.imageName = "Shop"
    report.threads[0].frames = [system, frame, main]
    return (AppImages(report), frame)
  }

  @Test(arguments: [
    (0x1_a000_0000 as UInt64, "Kit", 0x1_0240_0000 as UInt64, true),
    (0x1_a000_0000, "Kit", 0x1_b000_0000, false),
    (0x7ff8_1b00_0000, "Kit", 0x1_0a00_0000, true), (0x7ff8_1b00_0000, "Kit", 0x7ff8_1c00_0000, false),
    (0x1_0240_0000, "Kit", 0x1_b000_0000, true), (0x1_0240_0000, "CarPlay", 0x1_b000_0000, false),
  ])
  func isAppInAnExcerpt(_ core: UInt64, _ name: String, _ address: UInt64, _ isApp: Bool) {
    let (images, frame) = excerpt(core: core, name, at: address, mainAddress: 0x1_0000_4000)
    #expect(images.contains(frame) == isApp)
  }

  @Test func shiftedAddressesOfAnExcerptTellNothing() {
    let (images, frame) = excerpt(core: 0x3_0c86_8370, "Kit", at: 0x2_037c_f558, mainAddress: 0x2_037c_0000)
    #expect(images.contains(frame))
  }
}

@Suite("Image maps")
struct ImageMapTests {
  private func image(_ start: UInt64, _ end: UInt64?, name: String? = "A") -> BinaryImage {
    var image = BinaryImage(start: RuntimeAddress(start))
    image.end = end.map { RuntimeAddress($0) }
    image.name = name
    return image
  }

  private func index(_ address: UInt64, _ images: [BinaryImage]) -> Int? {
    ImageMap(images).image(containing: RuntimeAddress(address))
  }

  @Test func endsAreInclusive() {
    let images = [image(0x2000, 0x2fff), image(0x1000, 0x1fff)]
    #expect(index(0xfff, images) == nil)
    #expect(index(0x1000, images) == 1)
    #expect(index(0x1fff, images) == 1)
    #expect(index(0x2000, images) == 0)
    #expect(index(0x2fff, images) == 0)
    #expect(index(0x3000, images) == nil)
  }

  @Test func lastStartingImageWins() {
    let images = [image(0x1000, 0x9fff), image(0x3000, 0x4fff), image(0x4000, 0x4fff)]
    #expect(index(0x2fff, images) == 0)
    #expect(index(0x3000, images) == 1)
    #expect(index(0x4800, images) == 2)
    #expect(index(0x5000, images) == 0)
  }

  @Test func openImageExtendsToTheNext() {
    let images = [image(0x1000, nil), image(0x2000, 0x2fff), image(0x5000, nil)]
    #expect(index(0x1fff, images) == 0)
    #expect(index(0x2800, images) == 1)
    #expect(index(0x3000, images) == nil)
    #expect(index(.max, images) == 2)
  }

  @Test func entryForUnknownCodeContainsNothing() {
    #expect(index(0x1234, [image(0, .max, name: nil)]) == nil)
    #expect(index(0x1234, [image(0, .max)]) == 0)
    #expect(index(0x1234, []) == nil)
  }
}
