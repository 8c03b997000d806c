// The model. Fuga.init(json:) trusts the server, and that is the bug.

public struct Fuga {
    let id: Int
    let price: Int

    @inline(never)
    init(json: JSON) {
        id = json.integer("id")
        price = json.integer("price")
    }
}

extension JSON {
    // Inlined into Fuga.init(json:).
    func integer(_ name: StaticString) -> Int {
        return value(of: name)!  // nil when the name is missing: the app crashes here
    }
}
