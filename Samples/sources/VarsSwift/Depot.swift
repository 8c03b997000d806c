// What a depot has. Only Embedded Swift puts the members of a type into the debug file.

struct Item {
    var id: Int
    var weight: Int32  // at 8
    var flags: UInt8
}

struct OddItem {
    var id: Int
    var flags: UInt8
    var weight: Int32  // at 12, though the debug file says 9
}

final class Depot {
    var count = 3
}

@inline(never)
func weigh(
    _ item: UnsafePointer<Item>, times: Int32, isHeavy: Bool, limit: UInt8, depot: Depot, missing: Depot?,
    share: Double
) -> Int {
    let weight = item.pointee.weight  // there is no item: crashes here
    var sum = Int(weight &* times)
    if isHeavy { sum &+= Int(limit) }
    if missing == nil { sum &+= depot.count }
    return sum &+ (share > 0.5 ? 1 : 0)
}

@inline(never)
func weighOdd(_ item: UnsafePointer<OddItem>) -> Int32 {
    return item.pointee.weight &* 3
}
