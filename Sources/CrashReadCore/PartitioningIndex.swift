extension RandomAccessCollection {
  /// The first position whose element belongs to the second part, in elements of which the first ones don't and the rest
  /// do; `endIndex` when none does. Named as in Swift Algorithms; inlinable, to be specialised in other modules.
  @inlinable
  package func partitioningIndex(where belongsToSecondPart: (Element) -> Bool) -> Index {
    var (start, count) = (startIndex, self.count)
    while count > 0 {
      let half = count / 2
      let middle = index(start, offsetBy: half)
      if belongsToSecondPart(self[middle]) {
        count = half
      } else {
        start = index(after: middle)
        count -= half + 1
      }
    }
    return start
  }
}
