import CrashRead
import CrashReadDiagnosis
import CrashReadVerdict
import Testing

@Suite("The crashing test")
struct CrashingTestTests {
  /// Names of a stack, innermost first, as Swift 6.3's backtraces have them.
  private func test(_ functions: [String], image: String?) -> TestName? {
    var report = CrashReport(format: .swiftText)
    var thread = ThreadRecord(index: 0)
    thread.isCrashed = true
    thread.frames = functions.map { name in
      var frame = Frame(kind: .returnAddress, address: nil)
      frame.reportedSymbol = name
      frame.imageName = image
      return frame
    }
    report.threads = [thread]
    report.crashedThread = 0
    let symbolicated = SymbolicatedReport(
      report: report, threads: [thread.frames.map(ResolvedFrame.init)], lastExceptionBacktrace: [], images: []
    )
    return KnowledgeBase(language: .english).diagnose(symbolicated).crashingTest
  }

  private func expect(_ functions: [String], _ suite: String?, _ name: String?, image: String? = nil) {
    let test = test(functions, image: image)
    #expect(test?.name == name)
    #expect(test?.suite == suite)
  }

  @Test func ofSwiftTesting() {
    expect(
      [
        "half(_:)", "freestanding macro expansion #1 of expect in module DemoTests file T.swift line 5",
        "HalfTests.ofEmpty()",
        "static HalfTests.$s9DemoTests04HalfB0V7ofEmpty4TestfMp_16a16bfa4f364961bafMu_@Sendable ()",
        "closure #1 in closure #1 in static Runner._runTestCase(_:within:context:)",
      ], "HalfTests", "ofEmpty")
    expect(
      [
        "half(_:)", "closure #1 in freeTest()",
        "$s9DemoTests8freeTest0D0fMp_7__localfMu_ #1 @Sendable (_:) in $s9DemoTests8freeTest0D0fMp_16f95cfMu_",
        "closure #1 in closure #1 in static Runner._runTestCase(_:within:context:)",
      ], nil, "freeTest")
  }

  @Test func ofXCTest() {
    expect(
      [
        "half(_:)", "implicit closure #1 in OldTests.testHalf()", "XCTAssertEqual<A>(_:_:_:file:line:)",
        "OldTests.testHalf()", "implicit closure #2 in variable initialization of static OldTests.__allTests",
      ], "OldTests", "testHalf", image: "libXCTest.so")
    expect(
      ["-[Shop item]", "-[ShopTests testItem]", "__invoking___", "-[XCTestCase invokeTest]"], "ShopTests",
      "testItem")
  }

  @Test func ofGoogleTest() {
    expect(
      ["half(int)", "HalfTest_ofEmpty_Test::TestBody()", "testing::Test::Run()"], "HalfTest", "ofEmpty")
    expect(["half(int)", "demo::HalfTest_ofEmpty_Test::TestBody()", "main"], "HalfTest", "ofEmpty")
  }

  @Test func isNoneWithoutAFramework() {
    expect(["Shop.testDrive()", "main"], nil, nil)
    expect(["half(_:)", "Helper.testing()", "XCTestCase.run()"], nil, nil)
    expect(["testHalf()", "XCTestCase.run()"], nil, nil)
    expect([], nil, nil)
  }
}
