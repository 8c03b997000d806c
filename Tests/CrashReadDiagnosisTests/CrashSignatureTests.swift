import CrashReadCore
import CrashReadReports
import CrashReadSymbolication
import Testing

@testable import CrashReadDiagnosis
@testable import CrashReadVerdict

private let base = KnowledgeBase(language: .english)

@Suite struct CrashSignatureTests {
  @Test(
    "A function's name is reduced to what is the same in every build",
    arguments: [
      ("f()", "f"), ("Foo.bar(_:with:)", "Foo.bar"), ("static Foo.bar() -> Swift.Int", "Foo.bar"),
      ("Foo.bar.getter : Swift.Int", "Foo.bar.getter"), ("Box<A, Pair<B, C>>.get() + 12", "Box.get"),
      ("closure #1 (Swift.Int) -> () in closure #2 in Foo.bar()", "Foo.bar"), ("@objc Foo.bar()", "Foo.bar"),
      ("(3) suspend resume partial function for Foo.run() async", "Foo.run"),
      ("specialized Array.append(_:)", "Array.append"), ("-[Foo(Cat) bar:]", "-[Foo(Cat) bar:]"),
      ("__23-[Foo bar]_block_invoke_2", "-[Foo bar]"), ("ns::Box<int (*)()>::get(int) const", "ns::Box::get"),
      ("(anonymous namespace)::f(int)", "(anonymous namespace)::f"),
      ("A::(anonymous namespace)::f()", "A::(anonymous namespace)::f"),
      ("A::operator()(int)", "A::operator()"), ("A::operator<<(A)", "A::operator<<"),
      ("A::operator->()", "A::operator->"), ("static A.< infix(A, A)", "A.< infix"),
      ("__run_block_invoke.12", "run"), ("___run_block_invoke", "_run"),
      ("invocation function for block in ns::f(int)", "ns::f"),
      ("generic specialization <Swift.Int> of App.Box.get() -> A", "App.Box.get"),
      ("default argument 1 of Foo.bar(a:b:)", "Foo.bar"),
      ("Foo.(bar in _1A2B3C)(Swift.Int) -> ()", "Foo.bar"),
      ("f()::$_12::operator()(int) const", "f"), ("f()::{lambda(int)#2}::operator()(int) const", "f"),
      ("app::run::{{closure}}", "app::run::{lambda}"), ("app::run::{closure#3}", "app::run::{lambda}"),
      ("f.isra.0", "f"), ("f.constprop.1", "f"), ("f.part.0.cold", "f"), ("f.llvm.123", "f"), ("f@@V1", "f"),
      ("f$VARIANT$mp", "f"), ("f.cold.1", "f"), ("f[abi:ne200100]()", "f"), ("", ""), ("<", "<"),
      (">)(<", ">)"),
    ])
  func normalized(_ name: String, _ result: String) {
    #expect(normalizedFunction(name) == result)
  }

  @Test(
    "The module's name is left out",
    arguments: [
      ("App.Foo.bar", "App", "Foo.bar"), ("-[App.Foo bar]", "App", "-[Foo bar]"),
      ("Apples.f", "App", "Apples.f"),
      ("My_App.f", "My-App", "f"), ("App.f", "App.debug.dylib", "f"), ("App.f", nil, "App.f"), ("f", "", "f"),
    ])
  func modules(_ name: String, _ image: String?, _ result: String) {
    #expect(withoutModule(name, image) == result)
  }

  @Test func isTheSameForTheSameCrash() {
    func report(_ file: String, _ line: Int) -> SampleReport {
      SampleReport("EXC_BREAKPOINT", "SIGTRAP", codes: 1, UInt64(line)).crashed(
        system("_assertionFailure"),
        app(function("Swift runtime failure: x"), function("closure #\(line) in g()", file, line)),
        app(function("g()", file, line)), system("thunk"), app(function("f<A>(A)", file, line)),
        app(function("main", file, 1)))
    }
    let first = signature(report("/a/x.swift", 3))
    #expect(first == "v1:EXC_BREAKPOINT|g|f")
    #expect(signature(report("/b/y.swift", 9)) == first)
  }

  @Test("A device's report without inlined calls has the signature of a debug file's chain")
  func inlining() {
    let ours = SampleReport("EXC_BAD_ACCESS", "SIGSEGV").crashed(
      app(function("small()", "/a.c", 1), function("A.f()", "/a.c", 9)), app(function("main", "/a.c", 20)))
    let device = SampleReport("EXC_BAD_ACCESS", "SIGSEGV").crashed(
      reported("A.f() -> Swift.Int", inApp: true), reported("main", inApp: true))
    #expect(signature(ours) == "v1:EXC_BAD_ACCESS|A.f")
    #expect(signature(device) == signature(ours))
  }

  @Test("Two actions of a menu are two crashes, even if they were inlined into their caller")
  func actions() {
    func crash(_ frame: ResolvedFrame) -> SampleReport {
      SampleReport("EXC_CRASH", "SIGABRT").crashed(
        system("abort"), frame, system("-[NSApplication(NSResponder) sendAction:to:from:]"),
        system("NSApplicationMain"), app(function("main", "/m.swift", 1)))
    }
    for name in ["Menu.open", "Menu.close"] {
      let inlined = app(function(name + "(_:)", "/m.swift", 4), function("@objc \(name)(_:)"))
      let thunk = reported("@objc \(name)(_:)", inApp: true)
      let tool = app(function(name + "(_:)", "/m.swift", 4), function("main", "/m.swift", 9))
      #expect(signature(crash(inlined)) == "v1:SIGABRT|\(name)")
      #expect(signature(crash(thunk)) == "v1:SIGABRT|\(name)")
      #expect(signature(crash(tool)) == "v1:SIGABRT|\(name)")
    }
  }

  @Test("An inlined call that the report lists as a frame counts no more than one it doesn't")
  func listedInlining() {
    var inlined = reported("small()", inApp: true)
    inlined.captured.isInlined = true
    let report = SampleReport("EXC_BAD_ACCESS", "SIGSEGV").crashed(inlined, reported("f()", inApp: true))
    let diagnosis = base.diagnose(report.symbolicated)
    #expect(diagnosis.signature == "v1:EXC_BAD_ACCESS|f")
    #expect(diagnosis.reasoning.signature.map(\.use) == [.inlined, .used])
  }

  @Test("The kind distinguishes crashes, and is the same for every CPU and reporter")
  func kinds() {
    let frame = app(function("f()", "/f.c", 1))
    func kind(_ report: SampleReport) -> String? { signature(report.crashed(frame)) }
    #expect(
      kind(SampleReport("EXC_CRASH", "SIGKILL").termination("FRONTBOARD", 0x8bad_f00d)) == "v1:0x8badf00d|f")
    #expect(kind(SampleReport("EXC_CRASH", "SIGABRT")) == "v1:SIGABRT|f")
    #expect(kind(SampleReport("SIGSEGV")) == "v1:EXC_BAD_ACCESS|f")
    #expect(
      kind(SampleReport("EXC_BAD_INSTRUCTION", "SIGILL")) == kind(SampleReport("EXC_BREAKPOINT", "SIGTRAP")))
  }

  @Test func withoutNamesThereIsNone() {
    #expect(signature(SampleReport("EXC_CRASH").crashed(system(nil))) == nil)
    #expect(signature(SampleReport()) == nil)
  }

  @Test("Unnamed frames of the app don't give a signature of entry points")
  func unnamed() {
    let unnamed = reported(nil, inApp: true)
    let main = SampleReport("EXC_CRASH", "SIGABRT").crashed(
      system("abort"), unnamed, reported("main", inApp: true))
    #expect(signature(main) == nil)
    let system = SampleReport("EXC_CRASH", "SIGABRT").crashed(system("CFRunLoopRun"), unnamed)
    #expect(signature(system) == nil)
    let partly = SampleReport("EXC_CRASH", "SIGABRT").crashed(unnamed, reported("f", inApp: true))
    #expect(signature(partly) == "v1:SIGABRT|f")
    let named = SampleReport("EXC_CRASH", "SIGABRT").crashed(reported("main", inApp: true))
    #expect(signature(named) == "v1:SIGABRT|main")
    let begun = SampleReport("EXC_CRASH", "SIGABRT").crashed(
      systemFrame("abort"), systemFrame("UIApplicationMain"), reported("main", inApp: true),
      systemFrame("start"))
    #expect(signature(begun) == "v1:SIGABRT|UIApplicationMain|main")
  }

  @Test("A stack that overflows has the same signature wherever in the recursion it was full")
  func recursion() {
    func report(_ start: Int) -> SampleReport {
      let turn = ["a()", "b()", "c()"].map { reported($0, inApp: true) }
      let frames = (start..<start + 90).map { turn[$0 % 3] }
      return SampleReport("EXC_BAD_ACCESS", "SIGSEGV").says(
        "Thread stack size exceeded due to excessive recursion"
      )
      .crashed([reported("leaf\(start)()", inApp: true)] + frames + [reported("main", inApp: true)])
    }
    let first = base.diagnose(report(0).symbolicated)
    #expect(first.signature == "v1:EXC_BAD_ACCESS|a|b|c")
    #expect(first.reasoning.signature.first?.use == .besideRecursion)
    #expect(signature(report(1)) == first.signature)
    #expect(signature(report(2)) == first.signature)
  }

  private func systemFrame(_ name: String) -> ResolvedFrame { reported(name, inApp: false) }

  private func signature(_ report: SampleReport) -> String? { base.diagnose(report.symbolicated).signature }
}

/// A frame of which only the report's own name is known.
private func reported(_ symbol: String?, inApp: Bool) -> ResolvedFrame {
  var frame = Frame(kind: .returnAddress, address: RuntimeAddress(0x1_0000_3000))
  frame.reportedSymbol = symbol
  var resolved = ResolvedFrame(captured: frame)
  resolved.isInApp = inApp
  return resolved
}
