import CrashReadCore
import CrashReadReports
import CrashReadSymbolication
import Testing

@testable import CrashReadDiagnosis

/// What people paste instead of a report, and the headline that it must lead to.
private let pasted: [(text: String, title: String)] = [
  (
    """
    name = NSInvalidArgumentException
    reason = *** -[__NSArrayM insertObject:atIndex:]: object cannot be nil
    0 CoreFoundation  ___exceptionPreprocess
    1 libobjc.A.dylib  _objc_exception_throw + 56
    3 Shop  -[Map show:] Map.mm:188
    """, "nil, or an index beyond the end, put into a collection"
  ),
  (
    """
    Exception type: NSRangeException
    Reason: *** -[__NSArrayM objectAtIndexedSubscript:]: index 1 beyond bounds [0 .. 0]
    Call stack:
    0   CoreFoundation       0x0000000184ca2da4 __exceptionPreprocess
    1   libobjc.A.dylib      0x0000000183e5c5ec objc_exception_throw
    2   Shop.dylib           0x000000010562b3e0 Shop.dylib + 46048
    """, "An array is read beyond its end"
  ),
  (
    """
    -[__NSFrozenDictionaryM bytes]: unrecognized selector sent to instance 0x1c4235200
    (
    \t0   CoreFoundation    0x0000000182162da4 <redacted> + 252
    \t1   libobjc.A.dylib   0x000000018131c5ec objc_exception_throw + 56
    \t2   CoreData          0x0000000184a41350 <redacted> + 2476
    """, "An unrecognized selector was sent to an object"
  ),
  (
    """
    Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: '*** -[AVCaptureSession addInput:] \
    Multiple audio/video AVCaptureInputs are not currently supported'
    *** First throw call stack:
    (0x186de51b8 0x18581c55c 0x18e5c8c70)
    """, "A capture input cannot be added to the session"
  ),
  (
    """
    # A fatal error has been detected by the Java Runtime Environment:
    #
    #  SIGSEGV (0xb) at pc=0x00007fff9c2dc4dd, pid=67337, tid=1295
    # Problematic frame:
    # C  [libshop.dylib+0x14dd]  shop_open+0x1d
    """, "Native code crashed inside the Java VM"
  ),
  (
    """
    Fatal Python error: Aborted

    Thread 0x000000016eb4f000 (most recent call first):
      File "/lib/python3.11/threading.py", line 331 in wait

    Current thread 0x000000020534cf40 (most recent call first):
      File "/shop/index.py", line 44 in search
    """, "Python stopped on a fatal error"
  ),
  (
    """
    -[MTLDebugDevice notifyExternalReferencesNonZeroOnDealloc:]:3190: failed assertion `The following Metal object is \
    being destroyed while still required to be alive by the command buffer 0x13dabcc00'
    """, "A Metal resource was freed while the GPU still used it"
  ),
  (
    """
    Fatal Exception: NSInternalInconsistencyException
    0  CoreFoundation                 0x9e38 __exceptionPreprocess
    1  libobjc.A.dylib                0x178d8 objc_exception_throw
    2  Foundation                     0x5458ec _userInfoForFileAndLine
    3  UIKitCore                      0x79eb78 -[_UIQueuingScrollView _didScrollWithAnimation:force:]
    4  Shop                           0x2a3558 Pages.turn() + 12 (Pages.swift:34)
    """, "A page controller was changed during a transition"
  ),
  (
    """
    Fatal Exception: NSInvalidArgumentException
    0  CoreFoundation   0x83f20 __exceptionPreprocess
    1  libobjc.A.dylib  0x172b8 objc_exception_throw
    2  CoreFoundation   0x18d480 +[NSObject(NSObject) _copyDescription]
    3  CoreFoundation   0x20fb4 ___forwarding___
    4  CoreFoundation   0x208d0 _CF_forwarding_prep_0
    5  libswiftCore.dylib  0xabd5c Dictionary._Variant.setValue(_:forKey:)
    6  Shop             0xbd68 Store.add(id:) + 93 (Store.swift:93)
    """, "A Swift dictionary or set is used by two threads"
  ),
  (
    """
    NSInvalidArgumentException: -[UIView open]: unrecognized selector sent to instance 0x129230410

    0  CoreFoundation   ___exceptionPreprocess
    1  libobjc.A.dylib  _objc_exception_throw
    2  CoreFoundation   -[NSObject(NSObject) doesNotRecognizeSelector:]
    3  CoreFoundation   ____forwarding___
    4  Shop             -[Door swing:] (Door.m:575:18)
    """, "An unrecognized selector was sent to an object"
  ),
  (
    """
    * Terminating app due to uncaught exception ‘NSInternalInconsistencyException’, reason: ‘Modifications to the \
    layout engine must not be performed from a background thread after it has been accessed from the main thread.’
    """, "Views are changed from a background thread"
  ),
  (
    """
    Caught signal: SIGABRT
     0# printStack() in /Applications/Shop.app/Contents/MacOS/shop
     1# _sigtramp in /usr/lib/system/libsystem_platform.dylib
     2# abort in /usr/lib/system/libsystem_c.dylib
     3# objc_exception_throw in /usr/lib/libobjc.A.dylib
     4# -[__NSArrayM objectAtIndexedSubscript:] in /System/Library/Frameworks/CoreFoundation
     5# shop::List::show() in /Applications/Shop.app/Contents/MacOS/shop
    """, "An array is read beyond its end"
  ),
  (
    "Thread 1: Swift runtime failure: arithmetic overflow\n",
    "Swift runtime failure: arithmetic overflow"
  ),
  (
    "objc_exception_throw → -[__NSArrayM objectAtIndex:] → -[List show]\n",
    "An array is read beyond its end"
  ),
  (
    "Fatal Exception: NSInternalInconsistencyException\nInvalid parameter not satisfying: [views count] == 3\n",
    "A page controller was changed during a transition"
  ),
  (
    """
    0  libdispatch.dylib   0x10 _dispatch_client_callout + 40
    1  libdispatch.dylib   0x20 _dispatch_block_invoke_direct + 284
    2  FrontBoardServices  0x30 __FBSSERIALQUEUE_IS_CALLING_OUT_TO_A_BLOCK__ + 52
    Fatal error: Index out of range
    """, "Index out of range"
  ),
]

@Suite("Pasted text")
struct PastedVerdictTests {
  @Test("leads to the cause that it shows", arguments: pasted.indices)
  func verdict(_ index: Int) throws {
    let report = try CrashReport(parsing: Array(pasted[index].text.utf8))
    let symbolicated = Symbolicator(store: SymbolStore(searching: [])).symbolicate(report)
    let diagnosis = KnowledgeBase(language: .english).diagnose(symbolicated)
    #expect(diagnosis.explanation.title.contains(pasted[index].title))
  }
}
