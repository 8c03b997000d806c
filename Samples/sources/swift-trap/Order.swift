// What a customer wants: numbers of items.

struct Order {
    let items: [Int]
}
