/// An SQLite database; the library is opened at run time. See <https://www.sqlite.org/c3ref/funclist.html>.
@safe
package final class SQLite {
  /// A value of a column or of a parameter.
  package enum Value: Equatable {
    case integer(Int64), text(String), blob([UInt8]), null
  }

  /// The error, in the words of SQLite or of the dynamic linker.
  package struct Failure: Error, Equatable, CustomStringConvertible {
    /// SQLite's primary result code; 0 for errors of another origin.
    package var code: Int32 = 0
    /// In words.
    package var description: String

    /// Another process has locked the database.
    package var isBusy: Bool { code == 5 }
    /// The file isn't a database, or is damaged.
    package var isDamage: Bool { code == 11 || code == 26 }

    /// An error of SQLite's, or with code 0 one of another origin.
    package init(code: Int32 = 0, description: String) { (self.code, self.description) = (code, description) }
  }

  private let functions: Functions
  private let database: OpaquePointer
  /// Prepared statements by their text.
  private var statements: [String: OpaquePointer] = unsafe [:]

  private static let row: Int32 = 100
  private static let done: Int32 = 101

  /// Opens a database.
  /// - Parameters:
  ///   - path: The file; it is created when missing, unless opened read-only.
  ///   - isReadOnly: Whether the database is opened read-only.
  /// - Throws: `Failure`, also when SQLite isn't installed.
  package init(path: String, isReadOnly: Bool = false) throws(Failure) {
    functions = try Functions()
    var database: OpaquePointer?
    // SQLITE_OPEN_READONLY, or SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let flags: Int32 = isReadOnly ? 0x1 : 0x2 | 0x4
    let code = unsafe functions.open(path, &database, flags, nil)
    guard code == 0, let opened = unsafe database else {
      let message = unsafe String(cString: functions.message(database))
      _ = unsafe functions.close(database)
      throw Failure(code: code & 0xff, description: message)
    }
    unsafe self.database = opened
  }

  /// Sets `SQLITE_LIMIT_LENGTH`: in a damaged file many values can refer to the same bytes, and each would be copied.
  package func limitRows(to bytes: Int32) { _ = unsafe functions.limit(database, 0, bytes) }

  deinit {
    unsafe statements.values.forEach { _ = unsafe functions.finalize($0) }
    _ = unsafe functions.close(database)
  }

  /// Runs one statement.
  /// - Parameters:
  ///   - sql: The statement; it is prepared once.
  ///   - values: Its parameters in order.
  /// - Returns: The rows of its result.
  /// - Throws: `Failure` when SQLite refuses it.
  @discardableResult
  package func run(_ sql: String, _ values: Value...) throws(Failure) -> [[Value]] {
    let statement = try unsafe prepared(sql)
    defer { _ = unsafe functions.reset(statement) }
    for (index, value) in values.enumerated() { unsafe bind(value, to: statement, Int32(index + 1)) }
    var rows: [[Value]] = []
    while true {
      switch unsafe functions.step(statement) {
      case Self.row:
        rows.append((0..<(unsafe functions.columnCount(statement))).map { unsafe column($0, of: statement) })
      case Self.done: return rows
      case let code: throw failure(code)
      }
    }
  }

  private func prepared(_ sql: String) throws(Failure) -> OpaquePointer {
    if let known = unsafe statements[sql] { return unsafe known }
    var statement: OpaquePointer?
    let code = unsafe functions.prepare(database, sql, -1, &statement, nil)
    guard code == 0, let made = unsafe statement else { throw failure(code) }
    unsafe statements[sql] = made
    return unsafe made
  }

  private func bind(_ value: Value, to statement: OpaquePointer, _ index: Int32) {
    // SQLITE_TRANSIENT: SQLite copies the bytes before it returns.
    let copies = unsafe UnsafeMutableRawPointer(bitPattern: -1)
    switch value {
    case .integer(let number): _ = unsafe functions.bindInteger(statement, index, number)
    case .text(let text):
      _ = unsafe functions.bindText(statement, index, text, Int32(clamping: text.utf8.count), copies)
    case .blob(let bytes):
      _ = unsafe functions.bindBlob(statement, index, bytes, Int32(clamping: bytes.count), copies)
    case .null: _ = unsafe functions.bindNull(statement, index)
    }
  }

  private func column(_ index: Int32, of statement: OpaquePointer) -> Value {
    switch unsafe functions.columnType(statement, index) {
    case 1: return .integer(unsafe functions.columnInteger(statement, index))
    case 3:
      return unsafe functions.columnText(statement, index).map { unsafe .text(String(cString: $0)) } ?? .null
    case 4:
      guard let bytes = unsafe functions.columnBlob(statement, index) else { return .blob([]) }
      let count = Int(unsafe functions.columnBytes(statement, index))
      return unsafe .blob(Array(UnsafeRawBufferPointer(start: bytes, count: count)))
    default: return .null
    }
  }

  private func failure(_ code: Int32) -> Failure {
    Failure(code: code & 0xff, description: unsafe String(cString: functions.message(database)))
  }
}

extension SQLite.Value {
  /// The value, as one of the following types; nil for a value of another type.
  package var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
  package var text: String? { if case .text(let text) = self { text } else { nil } }
  package var blob: [UInt8]? { if case .blob(let bytes) = self { bytes } else { nil } }
}

/// The functions of sqlite3.h that are used.
@safe
private struct Functions {
  typealias Statement = OpaquePointer
  typealias Text = UnsafePointer<CChar>

  let open: @convention(c) (Text, UnsafeMutablePointer<OpaquePointer?>, Int32, Text?) -> Int32
  let close: @convention(c) (OpaquePointer?) -> Int32
  let message: @convention(c) (OpaquePointer?) -> Text
  let limit: @convention(c) (OpaquePointer, Int32, Int32) -> Int32
  let prepare:
    @convention(c) (
      OpaquePointer, Text, Int32, UnsafeMutablePointer<OpaquePointer?>, UnsafeMutableRawPointer?
    ) ->
      Int32
  let step: @convention(c) (Statement) -> Int32
  let reset: @convention(c) (Statement) -> Int32
  let finalize: @convention(c) (Statement) -> Int32
  let bindInteger: @convention(c) (Statement, Int32, Int64) -> Int32
  let bindText: @convention(c) (Statement, Int32, Text, Int32, UnsafeMutableRawPointer?) -> Int32
  let bindBlob: @convention(c) (Statement, Int32, UnsafeRawPointer, Int32, UnsafeMutableRawPointer?) -> Int32
  let bindNull: @convention(c) (Statement, Int32) -> Int32
  let columnCount: @convention(c) (Statement) -> Int32
  let columnType: @convention(c) (Statement, Int32) -> Int32
  let columnInteger: @convention(c) (Statement, Int32) -> Int64
  let columnText: @convention(c) (Statement, Int32) -> Text?
  let columnBlob: @convention(c) (Statement, Int32) -> UnsafeRawPointer?
  let columnBytes: @convention(c) (Statement, Int32) -> Int32

  init() throws(SQLite.Failure) {
    do throws(MissingLibrary) {
      let library = try RuntimeLibrary("libsqlite3.so.0", package: "libsqlite3-0")
      unsafe open = try library.function("sqlite3_open_v2")
      unsafe close = try library.function("sqlite3_close_v2")
      unsafe message = try library.function("sqlite3_errmsg")
      unsafe limit = try library.function("sqlite3_limit")
      unsafe prepare = try library.function("sqlite3_prepare_v2")
      unsafe step = try library.function("sqlite3_step")
      unsafe reset = try library.function("sqlite3_reset")
      unsafe finalize = try library.function("sqlite3_finalize")
      unsafe bindInteger = try library.function("sqlite3_bind_int64")
      unsafe bindText = try library.function("sqlite3_bind_text")
      unsafe bindBlob = try library.function("sqlite3_bind_blob")
      unsafe bindNull = try library.function("sqlite3_bind_null")
      unsafe columnCount = try library.function("sqlite3_column_count")
      unsafe columnType = try library.function("sqlite3_column_type")
      unsafe columnInteger = try library.function("sqlite3_column_int64")
      unsafe columnText = try library.function("sqlite3_column_text")
      unsafe columnBlob = try library.function("sqlite3_column_blob")
      unsafe columnBytes = try library.function("sqlite3_column_bytes")
    } catch {
      throw SQLite.Failure(description: error.description)
    }
  }
}
