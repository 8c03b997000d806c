public struct Cart: Sendable {
  public var items: [Int]
  public init(items: [Int]) { self.items = items }
  public func item(_ index: Int) -> Int {
    items[index]
  }
}
