import Foundation
import TestSupport
import Testing

/// A variable as the test expects it: `name = value  type`, or `name (status)  type`.
private func described(_ variable: Document.Variable) -> String {
  let value = variable.value.map { "= \($0)" } ?? "(\(variable.status))"
  return "\(variable.name) \(value)  \(variable.type)"
}

/// The variables of a sample's crashed frame, innermost function first, and the description of the fault address.
private struct VariableSample: Sendable, CustomTestStringConvertible {
  var report: String
  var functions: [[String]]
  var member: String?
  var confidence: String?
  var testDescription: String { report }

  /// What the programs in `Samples/sources` pass and compute.
  static let all = [
    VariableSample(
      report: "text/vars-c-O2.crash",
      functions: [shelf(factor: "(notAvailable)", mask: "(inMemory)", number: "= 42")],
      member:
        "shelf->box.width[2] (offset 20 of struct shelf) read through shelf = 0x133700006000 (shelf.c:30)",
      confidence: "certain"),
    VariableSample(
      report: "text/VarsC-x86_64.crash",
      functions: [shelf(factor: "(notAvailable)", mask: "(inMemory)", number: "= 42")],
      member:
        "shelf->box.width[2] (offset 20 of struct shelf) read through shelf = 0x133700006000 (shelf.c:30)",
      confidence: "certain"),
    VariableSample(
      report: "ips/VarsC-arm64.ips",
      functions: [shelf(factor: "(notAvailable)", mask: "= 4277009102", number: "(optimizedOut)")],
      member:
        "shelf->box.width[2] (offset 20 of struct shelf) read through shelf = 0x133700006000 (shelf.c:30)",
      confidence: "certain"),
    VariableSample(
      report: "text/vars-cpp-O2.crash",
      functions: [
        [
          "this = 0x133700006000  const Crate *", "colour = green  Colour",
          "from = 0x7fffffffec30  const Place &", "deep = true  bool",
          "crate = 0x133700006000  const Crate *", "columns (optimizedOut)  int",
        ]
      ],
      member: "this->place.column (offset 20 of Crate) read through this = 0x133700006000 (crate.cpp:25)",
      confidence: "certain"),
    VariableSample(
      report: "text/vars-swift-O.crash", functions: [weigh(depot: "0x55555557d7b0")]),
    VariableSample(
      report: "ips/VarsSwift.ips", functions: [weigh(depot: "0x280c04120")],
      member: "item.pointee.weight (offset 8 of Item) read through item = 0x133700003000 (Depot.swift:24)",
      confidence: "certain"),
    // Without optimisation all variables are in memory: nothing is claimed.
    VariableSample(
      report: "text/vars-c-O0.crash",
      functions: [
        [
          "shelf (inMemory)  const struct shelf *", "colour (inMemory)  enum colour",
          "step (inMemory)  signed char", "limit (inMemory)  unsigned char", "on (inMemory)  _Bool",
          "at (inMemory)  struct point", "factor (inMemory)  double", "mask (inMemory)  unsigned long",
          "scale (inMemory)  const int", "number (inMemory)  long", "width (inMemory)  long",
        ]
      ]),
    VariableSample(
      report: "text/vars-cpp-O0.crash",
      functions: [
        [
          "this (inMemory)  const Crate *", "colour (inMemory)  Colour", "from (inMemory)  const Place &",
          "deep (inMemory)  bool", "crate (inMemory)  const Crate *", "columns (inMemory)  int",
        ]
      ]),
    VariableSample(
      report: "text/vars-swift-Onone.crash",
      functions: [
        [
          "item (inMemory)  UnsafePointer<Item>", "times (inMemory)  Int32", "isHeavy (inMemory)  Bool",
          "limit (inMemory)  UInt8", "depot (inMemory)  Depot", "missing (inMemory)  Depot?",
          "share (inMemory)  Double",
        ]
      ]),
    // A null pointer is like any other, so likely at most.
    VariableSample(
      report: "text/NullNode-x86_64.crash", functions: nullNode(list: "0x10e2c7000"),
      member: "node->length (offset 24 of struct node) read through node = nil (list.h:11)",
      confidence: "likely"),
    VariableSample(
      report: "text/cpp-inline.crash",
      functions: [
        ["item = nil  const Item &"],
        [
          "table = 0x55555555a108  const Table<shop::Item> &", "count = 2  unsigned int",
          "result = 142  long", "i = 1  unsigned int",
        ],
        ["table = 0x55555555a108  const Table<shop::Item> &", "count = 2  unsigned int"],
      ],
      member: "item.price (offset 16 of Item) read through item = nil (cpp_inline.cpp:33)",
      confidence: "likely"),
    // Without a memory fault there is no member.
    VariableSample(
      report: "text/swift-trap.crash",
      functions: [[], [], [], ["number = 3  Int", "self = 0x55555555a110  Shop"]]),
  ]

  private static func shelf(factor: String, mask: String, number: String) -> [String] {
    [
      "shelf = 0x133700006000  const struct shelf *", "colour = blue  enum colour", "step = -7  signed char",
      "limit = 200  unsigned char", "on = true  _Bool", "at = {x = -3, y = 4}  struct point",
      "factor \(factor)  double", "mask \(mask)  unsigned long", "scale = 3  const int",
      "number \(number)  long", "width (optimizedOut)  long",
    ]
  }

  private static func weigh(depot: String) -> [String] {
    [
      "item = 0x133700003000  UnsafePointer<Item>", "times = -4  Int32", "isHeavy = true  Bool",
      "limit = 250  UInt8", "depot = \(depot)  Depot", "missing = nil  Depot?",
      "share (notAvailable)  Double",
    ]
  }

  private static func nullNode(list: String) -> [[String]] {
    [
      ["node = nil  const struct node *"],
      ["list = \(list)  const struct node *", "second = nil  const struct node *"],
      ["list = \(list)  const struct node *", "total (optimizedOut)  long"],
    ]
  }
}

@Suite("Variables of samples")
struct VariableTests {
  private func document(_ report: String) throws -> Document {
    let run = try CommandRun.crashread(
      atRoot: ["--format", "json", "Samples/reports/" + report, "Samples/symbols"])
    try #require(run.outcome == .exited(0))
    return try Document(run.output)
  }

  @Test("have the values that the source assigns", arguments: VariableSample.all)
  private func values(_ sample: VariableSample) throws {
    let document = try document(sample.report)
    let locations = try #require(document.crashedFrames.first).locations
    let functions = locations.map { ($0.variables ?? []).map(described).sorted() }
    #expect(functions == sample.functions.map { $0.sorted() })
    #expect(document.diagnosis.member?.text == sample.member)
    #expect(document.diagnosis.member?.confidence == sample.confidence)
  }

  @Test("of the callers' frames have no values from registers")
  func callers() throws {
    let run = try CommandRun.crashread(
      atRoot: ["--format", "json"] + Samples.reports.map { "Samples/" + $0 } + ["Samples/symbols"])
    let documents = try Document.all(run.output)
    #expect(documents.count >= Samples.reports.count)
    for document in documents {
      for thread in document.threads {
        for frame in thread.frames.dropFirst() where frame.index > 0 && frame.recovered != true {
          // `at(2)`: a constant in the debug file is correct in any frame.
          let known = frame.locations.flatMap { $0.variables ?? [] }
            .filter {
              $0.status == "known"
                && !(document.input.hasSuffix("causes-cpp-vector.crash") && $0.name == "__n")
            }
          #expect(known.isEmpty, "\(document.input) \(known)")
        }
      }
    }
  }

  /// The Swift runtime swaps the values of `rdi` and `rsi`.
  @Test("aren't read from registers that the reporter confuses", arguments: ["txt", "json"])
  func mistakenRegisters(_ ending: String) throws {
    let document = try document("other/swift-trap-backtrace.\(ending)")
    let variables = document.crashedFrames.flatMap(\.locations).flatMap { $0.variables ?? [] }
    #expect(variables.map(described) == ["number (notAvailable)  Int", "self (notAvailable)  Shop"])
  }

  @Test("are left out without registers, without a debug file, and with the debug file of another build")
  func nothingToGoBy() throws {
    let text = String(decoding: try Samples.bytes("reports/text/vars-c-O2.crash"), as: UTF8.self)
    let symbols = "Samples/symbols/vars-c-O2.debug"
    let start = try #require(text.firstRange(of: "Thread 0 crashed with"))
    let end = try #require(text.firstRange(of: "Binary Images:"))
    let withoutState = text.replacingCharacters(in: start.lowerBound..<end.lowerBound, with: "")
    let otherCounter = text.replacing(/rip: 0x[0-9a-f]*/, with: "rip: 0x0000000000001234")
    for input in [withoutState, otherCounter] {
      let run = try CommandRun.crashread(atRoot: ["--format", "json", "-", symbols], input: input)
      let document = try Document(run.output)
      let variables = document.crashedFrames.flatMap { $0.locations }.flatMap { $0.variables ?? [] }
      #expect(variables.filter { $0.status == "known" }.map(\.name) == ["scale"])
      #expect(document.diagnosis.member == nil)
    }
    let otherBuild = text.replacing(
      /vars-c-O2 x86_64  <[0-9a-f]*>/, with: "vars-c-O2 x86_64  <00000000000000000001>")
    #expect(otherBuild != text)
    let guess = try CommandRun.crashread(
      atRoot: ["--allow-mismatch", "--format", "json", "-", symbols], input: otherBuild)
    #expect(!guess.output.contains("\"variables\"") && !guess.output.contains("\"member\""))
    let none = try CommandRun.crashread(atRoot: ["--format", "json", "-"], input: text)
    #expect(!none.output.contains("\"variables\""))
  }

  @Test("with a value are in the text, all of them with --variables")
  func text() throws {
    let arguments = ["Samples/reports/text/vars-c-O2.crash", "Samples/symbols"]
    let short = try CommandRun.crashread(atRoot: arguments).output
    #expect(short.contains("colour = blue  enum colour\n"))
    #expect(
      short.contains("(2 more variables with a value, 1 in memory, 1 not available, 1 optimised out)\n"))
    #expect(!short.contains("factor ="))
    let long = try CommandRun.crashread(atRoot: ["--variables"] + arguments).output
    #expect(long.contains("factor = (not available)  double\n"))
    #expect(
      long.contains("mask = (in memory not in the report, 0x7fffffffec30)  unsigned long\n"))
    #expect(long.contains("width = (optimised out)  long\n"))
  }
}
