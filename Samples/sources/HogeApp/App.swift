// HogeApp: a small iOS app that dies while it reads an answer of its server.
//
// It is compiled as Embedded Swift, the only Swift for Apple platforms that can be built on Linux.
// UIKit itself is not here: the app only needs the name of the function it calls.

@_extern(c, "UIApplicationMain")
func UIApplicationMain(_ argc: Int32, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<Int8>?>?,
                       _ principalClass: UnsafeRawPointer?, _ delegateClass: UnsafeRawPointer?) -> Int32

@main
struct HogeApp {
    static func main() {
        let status = UIApplicationMain(0, nil, nil, nil)
        lastStatus = status
    }
}

nonisolated(unsafe) public var lastStatus: Int32 = 0
