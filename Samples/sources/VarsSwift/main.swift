// VarsSwift: variables of many kinds, and a pointer that points to nothing.

let depot = Depot()
let item = UnsafePointer<Item>(bitPattern: 0x1337_0000_0000 + depot.count * 0x1000)!
let weight = weigh(item, times: -4, isHeavy: true, limit: 250, depot: depot, missing: nil, share: 0.75)
if weight == 5 { depot.count = 1 }

var odd = OddItem(id: 1, flags: 2, weight: 3)
if weighOdd(&odd) == 5 { depot.count = 2 }
