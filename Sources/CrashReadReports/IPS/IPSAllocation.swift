internal import CrashReadCore

extension IPSFrames {
  /// Finds the record of the blamed memory by its members, since the enclosing member's name isn't published.
  ///
  /// Memory tagging writes `blamedAllocation`; guarded malloc writes `nearestAllocation` and members beside it.
  func allocation(in body: JSONValue, depth: Int = 3) -> AllocationRecord? {
    if body["blamedAllocation"].isObject { return tagged(body) }
    if !body["nearestAllocation"].isNull, !body["allocationState"].isNull || !body["errorType"].isNull {
      return guarded(body)
    }
    guard depth > 0 else { return nil }
    for (_, value) in body.members where value.isObject {
      if let found = allocation(in: value, depth: depth - 1) { return found }
    }
    return nil
  }

  private func tagged(_ source: JSONValue) -> AllocationRecord {
    let blamed = source["blamedAllocation"]
    var record = record(blamed, address: blamed["address"], size: blamed["size"])
    record.errorType = source["errorType"].text
    record.isFreed = blamed["isFreed"].isNull ? nil : blamed["isFreed"].isTrue
    record.confidence = source["confidence"].text
    return record
  }

  private func guarded(_ source: JSONValue) -> AllocationRecord {
    var record = record(source, address: source["nearestAllocation"], size: source["allocationSize"])
    record.errorType = source["errorType"].text
    record.confidence = source["confidence"].text
    record.isFreed = source["allocationState"].text.map { $0.lowercased().contains("free") }
    return record
  }

  private func record(_ source: JSONValue, address: JSONValue, size: JSONValue) -> AllocationRecord {
    var record = AllocationRecord()
    record.address = address.bits ?? address["address"].bits
    record.size = size.bits
    record.allocated = trace(source["allocationTrace"])
    record.deallocated = trace(source["deallocationTrace"])
    return record
  }

  /// Frames as threads have them, directly or in `frames`; or addresses.
  private func trace(_ source: JSONValue) -> [Frame] {
    let elements = source.elements.isEmpty ? source["frames"] : source
    return frames(elements).enumerated().map { index, frame in
      var frame = frame
      frame.address = frame.address ?? elements.elements[index].bits.map { RuntimeAddress($0) }
      return frame
    }
  }
}
