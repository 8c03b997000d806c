// The shop. price(_:), discounted(_:) and sum(_:) are inlined into total(of:).

struct Shop {
    let prices: [Int]

    @inline(never)
    func total(of order: Order) -> Int {
        let goods = sum(order.items)
        let shipping = goods > 300 ? 0 : 5
        return goods + shipping
    }

    @inline(__always)
    private func sum(_ items: [Int]) -> Int {
        var result = 0
        for item in items {
            result += discounted(item)
        }
        return result
    }

    @inline(__always)
    private func discounted(_ item: Int) -> Int {
        let full = price(item)
        return full > 100 ? full - full / 10 : full
    }

    @inline(__always)
    private func price(_ item: Int) -> Int {
        return prices[item]  // there are three prices; the item's number is larger
    }
}
