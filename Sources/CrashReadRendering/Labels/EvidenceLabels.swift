internal import CrashReadVerdict

/// The labels of sources of evidence.
protocol EvidenceLabels {
  func field(_ field: ReportField) -> String
  func backtrace(_ name: BacktraceName) -> String
  /// The label of a frame in a backtrace; the number is nil for a frame known only from the link register.
  func frame(_ number: Int?, of backtrace: String) -> String
  func register(_ name: String, _ role: RegisterRole) -> String
  /// The label of the instruction at which a thread stopped.
  func code(_ thread: String) -> String
  func image(_ name: String) -> String
  func variable(_ name: String, _ type: String) -> String
  func memberOffset(_ member: String) -> String
}

extension EnglishLabels: EvidenceLabels {
  func field(_ field: ReportField) -> String {
    switch field {
    case .kind: "Kind of report"
    case .codeType: "Code Type"
    case .exceptionType: "Exception Type"
    case .exceptionCodes, .exceptionCodesText: "Exception Codes"
    case .exceptionSubtype: "Exception Subtype"
    case .exceptionMessage: "Exception Message"
    case .exceptionNote: "Exception Note"
    case .uncaughtException: "Uncaught exception"
    case .termination, .terminationDetail: "Termination Reason"
    case .applicationSpecificInformation: "Application Specific Information"
    case .vmRegionInfo: "VM Region Info"
    case .systemRemark: "Remark"
    case .allocation: "Blamed allocation"
    case .threadCount: "Number of threads"
    case .queue(let thread): "Queue or name of thread \(thread)"
    case .lastExceptionBacktraceCount: "Frames in Last Exception Backtrace"
    }
  }

  func backtrace(_ name: BacktraceName) -> String {
    switch name {
    case .thread(let number): "Thread \(number)"
    case .lastException: "Last Exception Backtrace"
    case .applicationSpecific(let index): "Application Specific Backtrace \(index)"
    }
  }

  func frame(_ number: Int?, of backtrace: String) -> String {
    backtrace + (number.map { ", frame \($0)" } ?? ", caller by the link register")
  }

  func register(_ name: String, _ role: RegisterRole) -> String {
    switch role {
    case .general: "Register \(name)"
    case .programCounter: "Program counter (\(name))"
    case .faultAddress: "Fault address register (\(name))"
    case .exceptionSyndrome: "Exception syndrome (\(name))"
    case .pageFaultError: "Page-fault error code (\(name))"
    case .trapNumber: "Trap number (\(name))"
    }
  }

  func code(_ thread: String) -> String { "\(thread), instruction" }
  func image(_ name: String) -> String { "Image \(name)" }
  func variable(_ name: String, _ type: String) -> String { "Variable \(name) (\(type))" }
  func memberOffset(_ member: String) -> String { "Offset of \(member)" }
}

extension JapaneseLabels: EvidenceLabels {
  func field(_ field: ReportField) -> String {
    switch field {
    case .kind: "レポートの種類"
    case .codeType: "コードの種類"
    case .exceptionType: "例外の種類"
    case .exceptionCodes, .exceptionCodesText: "例外コード"
    case .exceptionSubtype: "例外の細目"
    case .exceptionMessage: "例外メッセージ"
    case .exceptionNote: "例外の注記"
    case .uncaughtException: "捕捉されなかった例外"
    case .termination, .terminationDetail: "終了理由"
    case .applicationSpecificInformation: "アプリ固有の情報"
    case .vmRegionInfo: "VM リージョン情報"
    case .systemRemark: "付記"
    case .allocation: "原因とされた割り当て"
    case .threadCount: "スレッド数"
    case .queue(let thread): "スレッド \(thread) のキューまたは名前"
    case .lastExceptionBacktraceCount: "例外のバックトレースのフレーム数"
    }
  }

  func backtrace(_ name: BacktraceName) -> String {
    switch name {
    case .thread(let number): "スレッド \(number)"
    case .lastException: "例外のバックトレース"
    case .applicationSpecific(let index): "アプリ固有のバックトレース \(index)"
    }
  }

  func frame(_ number: Int?, of backtrace: String) -> String {
    backtrace + (number.map { "、フレーム \($0)" } ?? "、リンクレジスタによる呼び出し元")
  }

  func register(_ name: String, _ role: RegisterRole) -> String {
    switch role {
    case .general: "レジスタ \(name)"
    case .programCounter: "プログラムカウンタ (\(name))"
    case .faultAddress: "フォルトアドレスレジスタ (\(name))"
    case .exceptionSyndrome: "例外シンドローム (\(name))"
    case .pageFaultError: "ページフォルトのエラーコード (\(name))"
    case .trapNumber: "トラップ番号 (\(name))"
    }
  }

  func code(_ thread: String) -> String { "\(thread)の命令" }
  func image(_ name: String) -> String { "イメージ \(name)" }
  func variable(_ name: String, _ type: String) -> String { "変数 \(name) (\(type))" }
  func memberOffset(_ member: String) -> String { "\(member) のオフセット" }
}
