internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// The API that stopped the program, and the function of the app that called it.
struct StoppingCall {
  /// The API's frame; nil when the app's own code stopped the program, or it is unknown.
  var raisedBy: FrameReference?
  /// The API's function.
  var raiser: String?

  /// The API's function, if the exception's reason begins with it: `*** -[__NSArrayM objectAtIndex:]: index 1 …`.
  mutating func takeName(fromReasonIn facts: CrashFacts) {
    guard raiser != nil else { return }
    let texts = facts.texts[.text] ?? []
    // The runtime raised it: the function on top of a list that lacks the runtime's sent the message.
    if texts.contains(where: { Self.refusal?.match($0.bytes) != nil }) {
      (raisedBy, raiser) = (nil, nil)
    } else {
      raiser = texts.lazy.compactMap(\.raisingMethod).first ?? raiser
    }
  }

  /// Searches for the first function below the machinery, up to the app's own code. If the frame of the broken contract
  /// is known, that is the API.
  init(
    _ backtrace: (reference: BacktraceReference, frames: [ResolvedFrame])?, broken: FrameReference?,
    knowledge: Knowledge
  ) {
    guard let backtrace else { return }
    let frames = backtrace.frames.prefix(Self.maximumFrames)
    // The outer part of a list, which was pasted without its beginning, raised nothing.
    guard !backtrace.frames.isOuterPart else { return }
    guard !frames.endsCaughtException, !frames.rethrowsException else { return }
    // Frames above the machinery were called by it, or are the neighbours of functions that don't return.
    let inner = broken.flatMap { $0.backtrace == backtrace.reference ? frames.prefix($0.frame) : nil } ?? []
    let blockCallers = knowledge.roles.blockCallers
    let start = max(
      inner.lastIndex { $0.hasFunction(in: knowledge.roles.machinery) } ?? 0,
      backtrace.frames.preprocessorCount)
    for (index, frame) in frames.enumerated().dropFirst(start) {
      let location = FrameReference(backtrace.reference, index)
      // The caller of the API that a contract is about hasn't raised anything.
      if let broken, broken.backtrace == location.backtrace, broken.frame < index { return }
      let names = frame.functionNames
      // The dynamic linker ends a program for what its message names.
      if frame.captured.imageName == "dyld" { return }
      if names.contains(where: { knowledge.isMachinery($0) || knowledge.isThunk($0) }) { continue }
      if frame.hasFunction(in: blockCallers) { continue }
      // The Swift runtime's own functions act for whoever called them; many have a neighbour's name.
      if broken != location, names.contains(where: { $0.hasPrefix("swift_") || $0.hasPrefix("swift::") }) {
        continue
      }
      // What only runs queued work has raised nothing, unless the program stopped right there: the function that did is
      // missing from the list.
      if index > 0, broken != location, names.contains(where: knowledge.isLoop) { return }
      if broken != location, frame.mayBeNeighbor(in: backtrace.frames, at: index) { continue }
      if backtrace.frames.isOthersPart(at: index) { continue }
      // A block that the API runs on a queue: reporters without private symbols give it a neighbour's name.
      if let broken, broken.backtrace == location.backtrace, broken.frame > index + 1,
        frames[(index + 1)..<broken.frame].allSatisfy({ $0.hasFunction(in: blockCallers) })
      {
        continue
      }
      // Whoever sent a message that nobody takes has raised nothing: the runtime did.
      if index > 0, frames[index - 1].hasFunction(in: knowledge.roles.forwarders) { return }
      // A library that is built into the app is in its image, but still an API.
      let isAPI =
        names.contains(where: knowledge.isVendored)
        || !frame.isInApp && (broken == location || frame.hasOwner(knowledge))
      guard let name = names.first ?? Self.unnamedFunction(frame, knowledge), isAPI else { return }
      raisedBy = location
      raiser = Self.completeName(name)
      return
    }
  }

  /// The function to which a part split off by the compiler belongs: `f.cold.1`, or `f() (.cold.1)` of a name that was
  /// demangled, is the failure path of `f`.
  fileprivate static func completeName(_ name: String) -> String {
    let isBracketed = name.hasSuffix(")")
    let rest = (isBracketed ? name.dropLast() : name[...])
    let number = rest.reversed().prefix(while: \.isNumber).count
    let mark = isBracketed ? " (.cold." : ".cold."
    let function = rest.dropLast(number)
    return number > 0 && function.hasSuffix(mark) ? String(function.dropLast(mark.count)) : name
  }

  /// The name of an API whose functions have no names: that of its image; nil when it has none.
  private static func unnamedFunction(_ frame: ResolvedFrame, _ knowledge: Knowledge) -> String? {
    guard frame.functionNames.isEmpty, !frame.isInApp, let image = frame.captured.imageName,
      isSystemLibrary(image), !knowledge.runtimeImages.contains(image)
    else { return nil }
    return image
  }

  /// What the runtime's exception says of a message that an object doesn't take.
  private static let refusal = TextPattern("]: unrecognized selector sent to ")
  /// The maximum depth below the innermost frame at which an API stops a program.
  private static let maximumFrames = 64
}

extension Texts {
  /// The sentence `-[UITableView endUpdates] raised it, called from CartViewController.remove(_:) (Cart.swift:88).`;
  /// empty when no API is known.
  func sentence(
    _ call: StoppingCall, _ stop: ProgramStop?, in diagnosis: Diagnosis, _ knowledge: Knowledge
  ) -> String {
    // A function that faulted, or that begins an excerpt, may not have stopped the program on purpose.
    let kind = stop == .exception ? "raised" : stop == .trap || stop == .abort ? "stopped" : "failed"
    guard let raiser = call.raiser, let template = calls[kind] else { return "" }
    var values = ["raiser": raiser]
    if let blamed = diagnosis.blamed, let raisedBy = call.raisedBy, blamed.backtrace == raisedBy.backtrace,
      blamed.frame > raisedBy.frame, case let frames = diagnosis.symbolicated.frames(of: blamed.backtrace),
      frames.isCaller(blamed.frame, of: raisedBy.frame, knowledge)
    {
      let caller = diagnosis.blamedName ?? diagnosis.frame(blamed)?.offsetInImage
      // A function's failure path belongs to the function, and isn't called from elsewhere.
      let between = frames[raisedBy.frame..<blamed.frame].dropFirst()
      let isDirect =
        !between.contains { $0.isInApp && $0.hasFunction(where: knowledge.isVendored) }
        && !frames.omitsNumbers(between: raisedBy.frame, and: blamed.frame)
      if caller != raiser { values[isDirect ? "caller" : "origin"] = caller }
      if let location = diagnosis.blamedLocation, let line = location.line {
        values["place"] = "\(location.fileName):\(line)"
      }
    }
    return template.filled(with: values)
  }
}

/// The number of innermost frames among which the function is that ends a program for an exception it has caught.
private let maximumCatcher = 16

extension Collection<ResolvedFrame> {
  /// Whether an exception that had been caught was thrown again: what raised it is no longer on the stack
  /// (objc4, runtime/objc-exception.mm, `objc_exception_rethrow`).
  fileprivate var rethrowsException: Bool {
    let throwing = prefix(maximumCatcher).first { frame in
      frame.hasFunction { $0.hasSuffix("_rethrow") || $0 == "objc_exception_throw" || $0 == "__cxa_throw" }
    }
    return throwing?.hasFunction { $0 == "objc_exception_rethrow" || $0 == "__cxa_rethrow" } ?? false
  }

  /// Whether AppKit crashed on an exception that it had caught: the frames further out caught it, and it was raised
  /// elsewhere.
  var endsCaughtException: Bool {
    prefix(maximumCatcher).contains { frame in
      frame.hasFunction { $0.hasSuffix("[NSApplication _crashOnException:]") }
    }
  }
}

extension [ResolvedFrame] {
  /// Whether a frame's name is that of a failure path which the compiler has split off another function. Such parts are
  /// adjacent, and each ends in a call that doesn't return; only its own function calls a part, so the next frame has that
  /// function's name.
  func isOthersPart(at index: Int) -> Bool {
    guard index > 0, indices.contains(index + 1), case let frame = self[index], frame.locations.isEmpty,
      frame.captured.reportedFile == nil, (frame.captured.reportedSymbolOffset ?? 0) == 0,
      let name = frame.functionNames.first, name.holds(".cold."), case let caller = self[index + 1],
      !caller.functionNames.isEmpty, !caller.isInApp,
      caller.captured.imageName == frame.captured.imageName
    else { return false }
    let function = StoppingCall.completeName(name)
    return !caller.hasFunction { $0 == function }
  }

  /// Whether a list leaves out frames between two of its own, as its numbers show.
  fileprivate func omitsNumbers(between inner: Int, and outer: Int) -> Bool {
    guard let first = self[inner].captured.number, let last = self[outer].captured.number else {
      return false
    }
    return last - first > outer - inner
  }

  /// Whether a frame called the API of a frame further in: neither the system, by something registered before, nor another
  /// of the app's libraries did.
  fileprivate func isCaller(_ caller: Int, of raiser: Int, _ knowledge: Knowledge) -> Bool {
    let ends = [self[raiser].captured.imageName, self[caller].captured.imageName]
    return !self[raiser..<caller].contains { frame in
      frame.isSignalTrampoline || frame.hasFunction(in: knowledge.roles.callouts)
        || frame.isInApp && frame.captured.imageName != nil && !ends.contains(nil)
          && !ends.contains(frame.captured.imageName)
    }
  }
}

extension ResolvedFrame {
  /// Whether the name may be that of the function after the one that was running.
  ///
  /// Functions that throw don't return, so a call of one can be the last instruction of its caller; the return address
  /// is then in the next function. Core Foundation's checks are split off into such calls, and of other libraries of the
  /// system functions of C raise nothing; reporters that state no offset from the symbol can't distinguish them.
  func mayBeNeighbor(in frames: [ResolvedFrame], at index: Int) -> Bool {
    guard index > 0, let image = captured.imageName, captured.reportedFile == nil,
      image == "CoreFoundation" || isSystemLibrary(image) && functionNames.allSatisfy(\.isPlainName),
      (captured.reportedSymbolOffset ?? 0) == 0
    else { return false }
    return frames[index - 1].functionNames.contains("objc_exception_throw")
  }

  /// Whether the image is known, or the name is that of a method of the system's: other names can occur in any image, and
  /// nobody outside Apple has lines of the system's code.
  fileprivate func hasOwner(_ knowledge: Knowledge) -> Bool {
    captured.imageName != nil || image != nil
      || captured.reportedFile == nil && hasFunction(where: knowledge.isSystemMethod)
  }

  /// `Shop + 0x1a2c`; nil when no image is known.
  fileprivate var offsetInImage: String? {
    guard let image = captured.imageName, let offset = captured.imageOffset else { return captured.imageName }
    return "\(image) + \(hexadecimal(offset.rawValue))"
  }
}

extension String {
  /// Whether it is a C function's name, not a method's and not one of C++ or Swift.
  fileprivate var isPlainName: Bool {
    utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
  }
}
