import CrashReadCore
import Testing

@testable import CrashReadReports

@Suite struct ManagedStackTests {
  private struct Call: Equatable {
    var function: String?
    var file: String?
    var line: Int?
  }

  private func calls(_ lines: String...) -> [[Call]] {
    ManagedStack.backtraces(in: lines.joined(separator: "\n")).map { frames in
      frames.map { Call(function: $0.reportedSymbol, file: $0.reportedFile, line: $0.reportedLine) }
    }
  }

  @Test func net() {
    let found = calls(
      "System.Exception: No tides.",
      "  at Tides.Table.Load (System.String name) [0x00007] in /src/Table.cs:115 ",
      "  at Tides.Page+<Open>d__3.MoveNext () <0x1b14 + 0x00054> in <filename unknown>:0 ",
      "  --- End of inner exception stack trace ---",
      "  at Tides.Main.Run() in /src/Main.cs:line 7", "  at System.Threading.Thread.Start(Object state)")
    #expect(
      found == [
        [
          Call(function: "Tides.Table.Load", file: "/src/Table.cs", line: 115),
          Call(function: "Tides.Page+<Open>d__3.MoveNext"),
        ],
        [
          Call(function: "Tides.Main.Run", file: "/src/Main.cs", line: 7),
          Call(function: "System.Threading.Thread.Start"),
        ],
      ])
  }

  @Test func javaScript() {
    let found = calls(
      "TypeError: undefined is not an object, stack:", "value@12:939",
      "onPress@http://host:8081/a.bundle?x=1:12:34",
      "    at load (/src/tides.js:1:2)", "    at async Promise.all (index 0)", "    at /src/main.js:3:4",
      "    at run (address at main.jsbundle:1:23)")
    #expect(
      found == [
        [
          Call(function: "value", line: 12),
          Call(function: "onPress", file: "http://host:8081/a.bundle?x=1", line: 12),
          Call(function: "load", file: "/src/tides.js", line: 1),
        ],
        [
          Call(function: "<anonymous>", file: "/src/main.js", line: 3),
          Call(function: "run", file: "main.jsbundle", line: 1),
        ],
      ])
  }

  @Test func javaAndDart() {
    #expect(
      calls("    at org.tides.Table.load(Table.kt:12)", "    at java.lang.Thread.run(Unknown Source)") == [
        [
          Call(function: "org.tides.Table.load", file: "Table.kt", line: 12),
          Call(function: "java.lang.Thread.run"),
        ]
      ])
    #expect(
      calls(
        "#0      main.<anonymous closure> (package:tides/main.dart:10:5)", "<asynchronous suspension>",
        "#1      _run (dart:async/zone.dart:1390:13)") == [
          [
            Call(function: "main.<anonymous closure>", file: "package:tides/main.dart", line: 10),
            Call(function: "_run", file: "dart:async/zone.dart", line: 1390),
          ]
        ])
  }

  @Test func netCompiledAheadOfTime() {
    #expect(
      calls("   at Shop.Cart.Total() + 0x2c", "   at Shop.Page.Click(Object) + 0x14 in /a/Page.cs:line 7")
        == [
          [
            Call(function: "Shop.Cart.Total"),
            Call(function: "Shop.Page.Click", file: "/a/Page.cs", line: 7),
          ]
        ])
  }

  @Test(
    "What a console says of an exception that nothing caught: Flutter's, and .NET's with and without names")
  func consoles() throws {
    func report(_ text: String) throws -> CrashReport {
      try #require(CrashReport.parse(Array(text.utf8)).first)
    }
    let flutter = try report(
      """
      [ERROR:flutter/runtime/dart_vm_initializer.cc(41)] Unhandled Exception: Null check operator used on a null value
      #0      Cart.total (package:shop/cart.dart:42:15)
      #1      _CartPageState.build.<anonymous closure> (package:shop/cart_page.dart:17:30)

      """)
    #expect(flutter.threads.isEmpty)
    #expect(
      flutter.applicationSpecificBacktraces.first?.map(\.reportedSymbol) == [
        "Cart.total", "_CartPageState.build.<anonymous closure>",
      ])
    #expect(flutter.applicationSpecificBacktraces.first?.first?.reportedLine == 42)
    #expect(
      flutter.applicationSpecificInformation.first
        == "Unhandled Exception: Null check operator used on a null value")
    let net = try report(
      """
      Unhandled Exception: System.InvalidOperationException: Sequence contains no elements
         at Shop.Cart.First() + 0x2c
         at Shop!<BaseAddress>+0x1a2b3c

      """)
    let frames = try #require(net.applicationSpecificBacktraces.first)
    #expect(frames.map(\.reportedSymbol) == ["Shop.Cart.First", "<BaseAddress>+0x1a2b3c"])
    #expect(frames.last?.imageName == "Shop" && frames.last?.imageOffset?.rawValue == 0x1a2b3c)
  }

  @Test(
    "Lines that resemble frames aren't frames",
    arguments: [
      "at most 3 (three) of them", "mail me@1:2", "a@b.example", "#1 Tides (best)", "at ", "@", "#", "at (",
      "at x()",
      "meet at Tides.Harbor (noon)", "*** -[A b]: index 3 beyond bounds [0 .. 2]",
    ])
  func others(_ line: String) { #expect(calls(line).isEmpty, "\(line)") }

  @Test("The stack of a reason becomes a backtrace of the report, once")
  func report() throws {
    let event = """
      {"event_id": "a", "exception": {"values": [{"type": "E", "value": "no tides\\n  at Tides.A.B () in /a.cs:3",
      "mechanism": {"type": "nsexception", "handled": false}}]}}
      """
    let report = try #require(try CrashReport.parse(Array(event.utf8)).first)
    #expect(report.applicationSpecificBacktraces.map { $0.map(\.reportedSymbol) } == [["Tides.A.B"]])
    #expect(report.applicationSpecificBacktraces.first?.first?.isManaged == true)
  }

  @Test("Endless text gives a bounded number of frames")
  func limit() {
    let text = String(repeating: "at A.b(A.kt:1)\n", count: 40_000)
    #expect(ManagedStack.backtraces(in: text).map(\.count) == [512])
  }
}
