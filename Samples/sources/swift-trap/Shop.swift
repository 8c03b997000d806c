// The shop. Everything but price(_:) is inlined into total(of:).

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
            let number = itemNumber(item)
            result += discounted(number)
        }
        return result
    }

    // Item numbers have a check digit at the end.
    @inline(__always)
    private func itemNumber(_ item: Int) -> Int {
        return abs(item) / 10
    }

    @inline(__always)
    private func discounted(_ number: Int) -> Int {
        let full = price(number)
        return full > 100 ? full - full / 10 : full
    }

    @inline(never)
    private func price(_ number: Int) -> Int {
        return prices[number]  // there are three prices; the number is larger
    }
}
