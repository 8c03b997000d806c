// causes-swift: ways of dying that Swift adds, `causes-swift NAME`; see causes.c for the marks.

struct Failure: Error {}

final class Account {
    var balance: UInt8 = 250
    var names: [String: Int] = [:]

    @inline(never)
    func deposit(_ amount: UInt8) {
        balance += amount  // blame: overflow swift-runtime-failure certain
    }

    @inline(never)
    func number(of name: String) -> Int {
        names[name]!  // blame: unwrap swift-nil-inlined certain
    }

    @inline(never)
    func item(_ index: Int) -> UInt8 {
        [1, 2, balance][index]  // blame: index swift-runtime-failure certain
    }

    @inline(never)
    func load(_ name: String) throws -> Int {
        guard let number = names[name] else { throw Failure() }
        return number
    }

    @inline(never)
    func loadSurely(_ name: String) -> Int {
        try! load(name)  // blame: try swift-try-frames likely
    }

    @inline(never)
    func check(_ name: String) {
        precondition(names.isEmpty == name.isEmpty, "a name is missing")  // blame: precondition swift-runtime-failure certain
    }

    @inline(never)
    func give(up: Bool) {
        if up { fatalError("no luck") }  // blame: fatal-error swift-assertion-frames likely
    }

    @inline(never)
    func text(_ value: Any) -> String {
        value as! String  // blame: cast swift-cast-frames likely
    }

    @inline(never)
    func sum(_ number: Int) -> Int {  // blame: recursion stack-limit likely
        number + sum(number + 1) * 3
    }
}

let account = Account()
switch CommandLine.arguments.dropFirst().first ?? "" {
case "overflow": account.deposit(10)
case "unwrap": print(account.number(of: "nobody"))
case "index": print(account.item(3))
case "try": print(account.loadSurely("nobody"))
case "precondition": account.check("nobody")
case "fatal-error": account.give(up: true)
case "cast": print(account.text(7))
case "recursion": print(account.sum(1))
default: break
}
