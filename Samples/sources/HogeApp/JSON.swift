// As much of a JSON object as this app needs: names and numbers.

public struct JSON {
    var names: [StaticString]
    var values: [Int]

    @inline(never)
    func value(of name: StaticString) -> Int? {
        for i in 0..<names.count where names[i].isEqual(to: name) {
            return values[i]
        }
        return nil
    }
}

extension StaticString {
    func isEqual(to other: StaticString) -> Bool {
        guard utf8CodeUnitCount == other.utf8CodeUnitCount else { return false }
        for i in 0..<utf8CodeUnitCount where utf8Start[i] != other.utf8Start[i] {
            return false
        }
        return true
    }
}
