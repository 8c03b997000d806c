internal import CrashDiagnosis
internal import CrashReports
internal import Symbolication

struct JapaneseLabels: Labels {
  func happened(_ kind: ReportKind) -> String {
    switch kind {
    case .crash: "がクラッシュ"
    case .hang: "がハング"
    case .resource: "がリソースの上限を超過"
    case .jetsam: "がメモリ確保のため終了"
    case .panic: "がパニック"
    case .sample: "をサンプリング"
    case .other: "のレポート"
    }
  }

  let unknownProcess = "(プロセス名不明)"
  let inFunction = "関数"
  let atPlace = "場所"

  let why = "説明"
  let evidence = "根拠"
  let sure = "確度"
  let next = "対処"

  func sureness(_ confidence: Confidence) -> String {
    switch confidence {
    case .certain: "確実"
    case .likely: "可能性が高い"
    case .hint: "手がかり"
    }
  }

  func thread(_ thread: ThreadRecord, _ kind: ReportKind) -> String {
    var text = "スレッド \(thread.index)" + (thread.isCrashed && kind == .crash ? " (クラッシュ)" : "")
    let names = [thread.name, thread.queue].compactMap { $0 }.filter { !$0.isEmpty }
    if !names.isEmpty { text += ": " + names.joined(separator: ", ") }
    var remarks = thread.sampleCount.map { ["\($0) サンプル"] } ?? []
    if !thread.callTree.isEmpty { remarks.append("最も重い経路") }
    return remarks.isEmpty ? text : text + " (\(remarks.joined(separator: "、")))"
  }

  let exceptionBacktrace = "例外のバックトレース (例外が投げられた場所)"
  let noCrashedThread = "クラッシュしたスレッドはレポートに書かれていません。"

  func otherThreads(_ count: Int) -> String {
    "ほかの \(count) スレッドは省略しています (--all-threads で表示)。"
  }

  let noFrames = "フレームなし"
  let omitted = "… レポータが省略したフレーム"
  let truncated = "… レポータの記録はここまで"
  let callTree = "コールツリー"

  func folded(_ count: Int) -> String { "… 2 % 未満の枝 \(count) 本を省略" }

  let inlined = "インライン"
  let noLine = "行情報なし"
  let recovered = "レポートのバックトレースにはなく、リンクレジスタから補ったフレーム"
  let guess = "推測: デバッグファイルの識別子を確認できません"
  let byFileNameOnly = "ファイル名だけで見つけたソース"

  let missing = "不足しているデバッグファイル"

  func wanted(_ id: String, _ architecture: String?) -> String {
    "必要: \(id)" + (architecture.map { " (\($0))" } ?? "")
  }

  func given(_ path: String, _ id: String?) -> String { "指定: \(path) は \(id ?? "識別子なし")" }

  func unusable(_ path: String, _ message: String) -> String { "指定: \(path): \(message)" }

  func advice(_ status: ImageStatus, hasIdentity: Bool) -> String {
    switch status {
    case .identityMismatch:
      "これは別のビルドのデバッグファイルです。デバッグファイルはビルドごとに異なります。クラッシュしたビルドのアーカイブから取り出してください。"
    case .unusable: "デバッグファイルをコピーし直してください。"
    case .matched, .missing, .notSearched:
      hasIdentity
        ? "この識別子を持つ dSYM または .debug ファイルを引数に加えてください。ファイル名は問いません。"
        : "レポートに識別子が書かれていません。同じ名前の dSYM または .debug ファイルを指定してください。"
    }
  }

  func systemFrames(_ count: Int) -> String {
    "システムの \(count) フレームは名前が不明です。レポートに記載がなく、デバッグファイルもありません。"
  }
}
