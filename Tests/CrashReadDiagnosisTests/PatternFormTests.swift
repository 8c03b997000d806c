import Testing

@testable import CrashReadDiagnosis

@Suite("The form of functions' names that patterns are written for")
struct PatternFormTests {
  @Test(
    "Swift's long names become those of Apple's reports",
    arguments: [
      ("Dictionary.init<A>(uniqueKeysWithValues:)", "Dictionary.init(uniqueKeysWithValues:)"),
      (
        "Swift.Dictionary.init<A where A: Swift.Sequence>(uniqueKeysWithValues: A) -> Swift.Dictionary<B, C>",
        "Dictionary.init(uniqueKeysWithValues:)"
      ),
      (
        "generic specialization <Swift.String, Any> of Swift._NativeDictionary.merge<A>(_: __owned A, isUnique: Swift.Bool, uniquingKeysWith: (B, B) throws -> B) throws -> ()",
        "specialized _NativeDictionary.merge(_:isUnique:uniquingKeysWith:)"
      ),
      ("SwiftUI.EnvironmentObject.error() -> Swift.Never", "EnvironmentObject.error()"),
      ("static SwiftUI.App.main() -> ()", "static App.main()"),
      ("(extension in SwiftUI):SwiftUI.View.badge(Swift.Int) -> some", "View.badge(_:)"),
      ("Swift.Array.subscript.getter : (Swift.Int) -> A", "Array.subscript.getter"),
      ("static Swift.Comparable.< infix(A, A) -> Swift.Bool", "static Comparable.< infix(_:_:)"),
      (
        "closure #1 (Swift.Int, (Swift.Int) -> ()) -> () in Shop.Cart.add(_: Shop.Item, to: Swift.Int) async -> ()",
        "closure #1 in Cart.add(_:to:)"
      ),
      (
        "Shop.Cart.(price in _0123456789ABCDEF)(of: Shop.Item) -> Swift.Int",
        "Cart.(price in _0123456789ABCDEF)(of:)"
      ),
      ("closure #1 in runApp<A>(_:)", "closure #1 in runApp(_:)"),
      ("Environment<>.init(_:)", "Environment.init(_:)"),
    ])
  func longNames(name: String, form: String) { #expect(patternForm(of: name) == form) }

  @Test(
    "Other names stay",
    arguments: [
      "-[UITableView insertRowsAtIndexPaths:withRowAnimation:]", "std::vector<int>::at(unsigned long) const",
      "bool swift::RefCounts<swift::RefCountBits>::doDecrementSlow()", "<T as core::fmt::Display>::fmt",
      "static Comparable.< infix(_:_:)", "Swift runtime failure: Index out of range", "objc_msgSend",
      "reabstraction thunk helper from @escaping @callee_guaranteed () -> ()",
      "kfun:androidx.compose.ui#draw(kotlin.Int){}", "_assertionFailure(_:_:file:line:flags:)", "(", "<",
    ])
  func otherNames(name: String) { #expect(patternForm(of: name) == name) }
}
