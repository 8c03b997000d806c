package struct Cart: Sendable {
  package var items: [Int]
  package init(items: [Int]) { self.items = items }
  package func item(_ index: Int) -> Int {
    items[index]
  }
}
