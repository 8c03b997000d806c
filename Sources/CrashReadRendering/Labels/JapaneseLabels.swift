internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

struct JapaneseLabels: Labels {
  func event(_ kind: ReportKind) -> String {
    switch kind {
    case .crash: "がクラッシュ"
    case .hang: "がハング"
    case .resource: "のレポート"
    case .jetsam: "がシステムにより終了"
    case .panic: "がパニック"
    case .sample: "をサンプリング"
    case .other: "のレポート"
    }
  }

  func duringTest(_ event: String, _ test: String) -> String { "テスト \(test) で \(event)" }
  func neighbour(_ path: String, _ kind: String, _ seconds: Int) -> String {
    let distance = seconds == 0 ? "同じ秒に" : " \(abs(seconds)) 秒\(seconds < 0 ? "前" : "後")に"
    return "同じ端末で\(distance): \(path) (\(kind))"
  }
  let unknownProcess = "(プロセス名不明)"
  let wholeSystem = "システム"
  let inFunction = "関数"
  let perhapsLibrary = "（ライブラリの関数の可能性あり）"
  let atLocation = "場所"

  let why = "説明"
  let evidence = "根拠"
  let confidenceHeading = "確度"
  let next = "対処"
  let also = "補足"
  let skippedFrames = "対象から外したフレーム"

  func matched(_ rule: String?) -> String {
    rule.map { "条件がすべて成り立つ最初の規則は \($0)" } ?? "条件がすべて成り立つ規則なし"
  }

  func rejected(_ rules: String) -> String { "その前で一部だけ成り立つ規則と、足りない条件: \(rules)" }

  func reason(_ reason: SkippedFrame.Reason) -> String {
    switch reason {
    case .notApp: "アプリのコードではない"
    case .machinery: "プログラムを止めるかエラーを報告するだけの関数"
    case .thunk: "コンパイラが呼び出し元と呼び出し先の間に置いた関数"
    case .generated: "コンパイラが作ったコードで、行情報がない"
    case .libraryCode: "システムまたはツールチェーンのヘッダのコード"
    case .superseded: "インライン呼び出しはデバッグファイルの内容が正しい"
    case .badJump: "コードではなく、誤ってジャンプした先"
    }
  }
  let signatureFrames = "シグネチャのために調べたフレーム"

  func use(_ use: SignatureFrame.Use) -> String {
    switch use {
    case .used: "採用"
    case .inlined: "インライン呼び出し。載せないレポートもある"
    case .recovered: "レポートのバックトレースにない"
    case .notApp: reason(.notApp)
    case .machinery: reason(.machinery)
    case .thunk: reason(.thunk)
    case .libraryCode: "標準ライブラリの関数"
    case .unnamed: "アプリの関数だが、名前がわからない"
    case .entryPoint: "どのプログラムやスレッドもここから始まる"
    case .repeated: "採用済み"
    case .besideRecursion: "スタックを使い切った再帰の外にある"
    }
  }

  let means = "意味"
  let limits = "注意"
  let rule = "規則"
  let sources = "出典"

  func meanings(_ query: String, _ count: Int) -> String { "\(query) は次の \(count) 通りに解釈できます:" }

  func confidence(_ confidence: Confidence) -> String {
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

  let code = "プログラムカウンタ周辺のコード"
  let allocated = "メモリを割り当てた場所のバックトレース"
  let deallocated = "メモリを解放した場所のバックトレース"
  func applicationBacktrace(_ index: Int) -> String { "アプリ固有のバックトレース \(index)" }

  func repeats(_ repetitions: Int, _ length: Int, _ last: Int) -> String {
    "… 上の \(length) フレームがさらに \(repetitions) 回続く (フレーム \(last) まで)"
  }

  func noThread(_ number: Int, _ others: [Int]) -> String {
    "レポートにスレッド \(number) はありません" + (others.isEmpty ? "。" : "（あるのは \(numberList(others))）。")
  }
  let noCrashedThread = "クラッシュしたスレッドのバックトレースはレポートに見つかりませんでした。"

  func otherThreads(_ count: Int) -> String { "ほかの \(count) スレッド" }

  let allThreadsHint = "--all-threads でフレームも表示"

  func similarThreads(_ count: Int, _ numbers: String) -> String { "同じ場所の \(count) スレッド: \(numbers)" }

  func moreThreads(_ count: Int) -> String { "… ほか \(count) スレッド" }

  let noFrames = "フレームなし"
  let omitted = "… レポータが省略したフレーム"
  let truncated = "… レポータの記録はここまで"
  let callTree = "コールツリー"

  func folded(_ count: Int) -> String { "… 2 % 未満の枝 \(count) 本を省略" }

  let inlined = "インライン"
  let noLine = "行情報なし"
  let recovered = "レポートのバックトレースにはなく、リンクレジスタから補ったフレーム"
  let guess = "推測: デバッグファイルの識別子を確認できません"
  func folded(_ names: [String]) -> String {
    "リンカが同一コードを統合: \(listed(names)) のいずれか"
  }
  func function(_ name: String, foldedWith others: [String]) -> String {
    "\(name)（同一コードの \(listed(others)) の可能性もあり）"
  }
  private func listed(_ names: [String]) -> String {
    let rest = names.count - maximumFoldedNames
    return names.prefix(maximumFoldedNames).joined(separator: "、") + (rest > 0 ? "、ほか \(rest) 件" : "")
  }
  func learned(_ name: LearnedName) -> String {
    "他のレポートによる名前: \(name.sightings) 件の情報源" + (name.since.map { "、\($0) 以降" } ?? "")
  }
  func andMore(_ count: Int) -> String { "…ほか \(count) 件" }
  let otherBuild = "別のビルドの行"
  let functionStart = "関数の先頭行"
  let byFileNameOnly = "ファイル名だけで見つけたソース"

  let member = "メンバー"
  let inMemory = "メモリ上、レポートに内容なし"
  let notAvailable = "取得不可"
  let optimizedOut = "最適化により消去"

  func others(known: Int, inMemory: Int, notAvailable: Int, optimizedOut: Int) -> String {
    let words = ["値あり", "メモリ上", self.notAvailable, self.optimizedOut]
    return "(ほか: "
      + zip([known, inMemory, notAvailable, optimizedOut], words).filter { $0.0 > 0 }
      .map { "\($1) \($0)" }.joined(separator: "、") + ")"
  }

  let variables = "変数"
  let more = "詳細"
  let missing = "不足しているデバッグファイル"

  func wanted(_ id: String, _ architecture: String?) -> String {
    "必要: \(id)" + (architecture.map { " (\($0))" } ?? "")
  }

  func given(_ path: String, _ id: String?) -> String { "指定: \(path) は \(id ?? "識別子なし")" }

  func unusable(_ path: String, _ message: String) -> String { "指定: \(path): \(message)" }

  func asked(_ server: String, _ message: String) -> String { "照会: \(server): \(message)" }

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

  let changed = "変更"

  func lastChange(_ change: LineChange) -> String {
    let end = change.isOldest ? " (ここで履歴が終わるため、さらに古い可能性があります)" : ""
    return "\(change.commit.prefix(10)) \(change.date.prefix(10)) \(change.author): \(change.summary)\(end)"
  }

  func noChange(_ reason: LineHistory.Reason) -> String {
    switch reason {
    case .noSource: "不明です。該当行のソースがここにありません。"
    case .notInCheckout: "不明です。--source-root のディレクトリにある確かなソースではありません。"
    case .untracked: "不明です。このファイルの Git の履歴がありません。"
    case .notCommitted: "まだコミットされていない変更です。"
    case .noGit: "不明です。git を起動できません。"
    case .timedOut: "不明です。git が時間内に終わりませんでした。"
    }
  }

  let skip = "バックトレースへ移動"
  func reports(_ count: Int) -> String { "\(count) 件のレポート" }
  let explanation = "説明と対処"
  let registers = "レジスタ"
  let codes = "コード"
  let registerColumns = ["レジスタ", "値", "意味"]
  func images(_ count: Int) -> String { "イメージ \(count) 件" }
  let imageColumns = ["名前", "アドレス", "識別子", "デバッグファイル"]

  func status(_ status: ImageStatus) -> String {
    switch status {
    case .matched: "あり"
    case .notSearched: "不要"
    case .missing: "なし"
    case .identityMismatch: "別のビルドのもの"
    case .unusable: "読み取り不可"
    }
  }

}

// The words for a summary of many reports.
extension JapaneseLabels {
  func comparison(_ comparison: CrashComparison) -> String {
    let counts = [
      "新規 \(comparison.count(.new))", "増加 \(comparison.count(.grown))", "変化なし \(comparison.count(.same))",
      "減少 \(comparison.count(.shrunk))", "解消 \(comparison.count(.gone))",
    ]
    return "レポート \(comparison.now.count) 件（前回 \(comparison.before.count) 件）、グループ: "
      + counts.joined(separator: "、")
  }
  func change(_ change: CrashComparison.Change) -> String {
    switch change {
    case .new: "新規"
    case .grown: "増加"
    case .same: "変化なし"
    case .shrunk: "減少"
    case .gone: "解消"
    }
  }
  func firstIn(_ version: String) -> String { "初出 \(version)" }
  var firstVersion: String { "初出" }
  var versionRates: String { "1,000 セッションあたりの件数（バージョン別）" }
  var systemRates: String { "1,000 セッションあたりの件数（システム別）" }
  func rate(_ rate: CrashRate) -> String {
    "\(rate.name): \(rounded(rate.perThousand))（\(rate.reports) 件、\(rate.sessions) セッション）"
  }

  func totals(_ groups: CrashGroups, _ count: Int) -> String {
    let unread = groups.unreadCount == 0 ? "" : "、読めなかった入力 \(groups.unreadCount) 件"
    let ungrouped = groups.ungroupedCount == 0 ? "" : "、グループ数の上限を超えたもの \(groups.ungroupedCount) 件"
    return "レポート \(groups.count) 件、グループ \(count) 個" + unread + ungrouped
  }

  var groups: String { "グループ" }
  var groupColumns: [String] { ["件数", "クラッシュ", "アプリ", "行", "最終日"] }
  func moreGroups(_ count: Int) -> String { "ほかに小さいグループが \(count) 個" }
  var skipToGroups: String { "最初のグループへ" }
  func times(_ count: Int) -> String { "\(count) 件" }
  var period: String { "期間" }
  func seen(_ first: String, _ last: String) -> String { first == last ? first : "\(first) 〜 \(last)" }
  var exampleLabel: String { "例" }
  var examplePage: String { "そのページ" }
  var stack: String { "例のスタック" }
  var kind: String { "種類" }
  var app: String { "アプリ" }
  var all: String { "すべて" }
  var newestFirst: String { "最終日の新しい順" }
  func example(_ input: String) -> String { "例: \(input)" }
  var signature: String { "シグネチャ" }
  var noSignature: String { "シグネチャなし: アプリの関数の名前がわからない。デバッグファイルが必要" }
  var versions: String { "バージョン" }
  var systems: String { "システム" }
  var devices: String { "デバイス" }
  var perDay: String { "1 日あたりの件数" }
  func perDays(_ count: Int) -> String { "\(count) 日ごとの件数" }
  var otherLabel: String { "その他" }
  func otherValues(_ count: Int) -> String { "その他 (\(count))" }
}
