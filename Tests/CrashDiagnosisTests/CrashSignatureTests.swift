import Testing

@testable import CrashDiagnosis

private let base = KnowledgeBase(language: .english)

@Suite struct CrashSignatureTests {
  @Test(
    "A function's name without what changes",
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
      ("f$VARIANT$mp", "f"), ("f.cold.1", "f"), ("f[abi:ne200100]()", "f"), ("", ""), ("<", "<"),
      (">)(<", ">)"),
    ])
  func normalized(_ name: String, _ result: String) {
    #expect(normalizedFunction(name) == result)
  }

  @Test func isTheSameForTheSameCrash() {
    func report(_ file: String, _ line: Int) -> SampleReport {
      SampleReport("EXC_BREAKPOINT", "SIGTRAP", codes: 1, UInt64(line)).crashed(
        system("_assertionFailure"),
        app(function("Swift runtime failure: x"), function("closure #\(line) in g()", file, line)),
        app(function("g()", file, line)), system("thunk"), app(function("f<A>(A)", file, line)),
        app(function("main", file, 1)))
    }
    let first = base.diagnose(report("/a/x.swift", 3).symbolicated).signature
    #expect(first == "v1:EXC_BREAKPOINT|g|f|main")
    #expect(base.diagnose(report("/b/y.swift", 9).symbolicated).signature == first)
  }

  @Test("The kind is what tells crashes apart")
  func kinds() {
    let frame = app(function("f()", "/f.c", 1))
    let killed = SampleReport("EXC_CRASH", "SIGKILL").termination("FRONTBOARD", 0x8bad_f00d)
    #expect(base.diagnose(killed.crashed(frame).symbolicated).signature == "v1:0x8badf00d|f")
    let aborted = SampleReport("EXC_CRASH", "SIGABRT")
    #expect(base.diagnose(aborted.crashed(frame).symbolicated).signature == "v1:SIGABRT|f")
    #expect(base.diagnose(SampleReport("SIGSEGV").crashed(frame).symbolicated).signature == "v1:SIGSEGV|f")
  }

  @Test func withoutNamesThereIsNone() {
    #expect(base.diagnose(SampleReport("EXC_CRASH").crashed(system(nil)).symbolicated).signature == nil)
    #expect(base.diagnose(SampleReport().symbolicated).signature == nil)
  }
}
