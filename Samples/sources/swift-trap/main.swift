// swift-trap: reads past the end of an array; two of the callers are inlined.

let shop = Shop(prices: [120, 80, 200])
let order = Order(items: [14, 27, 31])

print("total:", shop.total(of: order))
