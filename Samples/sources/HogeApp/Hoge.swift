// The screen. UIKit calls viewDidLoad(); everything below it is our own code.

public final class HogeViewController {
    var fugas: [Fuga] = []

    @inline(never)
    public func viewDidLoad() {
        let answers = [
            JSON(names: ["id", "price"], values: [1, 120]),
            JSON(names: ["id", "prise"], values: [2, 80]),  // a typing error of the server
        ]
        reload(answers)
    }

    @inline(never)
    func reload(_ answers: [JSON]) {
        for answer in answers {
            add(answer)
        }
    }

    // Small enough to be inlined into reload(_:).
    private func add(_ answer: JSON) {
        let fuga = Fuga(json: answer)
        fugas.append(fuga)
    }
}
