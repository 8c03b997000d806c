// swift-trap: reads past the end of an array, three inlined functions deep.

let shop = Shop(prices: [120, 80, 200])
let order = Order(items: CommandLine.arguments.map { $0.utf8.count })

print("total:", shop.total(of: order))
