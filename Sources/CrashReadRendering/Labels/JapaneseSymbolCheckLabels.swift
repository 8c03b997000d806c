internal import CrashReadCore
internal import CrashReadReports
internal import CrashReadSymbolication

struct JapaneseSymbolCheckLabels: SymbolCheckLabels {
  let unknownProcess = "(プロセス名不明)"

  func headline(_ program: String, found: Int, wanted: Int) -> String {
    if wanted == 0 { return "\(program): アプリのイメージにフレームがないため、デバッグファイルは不要です" }
    if wanted == 1 { return "\(program): デバッグファイルが\(found == 1 ? "あります" : "ありません")" }
    return "\(program): 必要なデバッグファイル \(wanted) 件のうち \(found) 件があります"
  }

  func noImages(_ program: String) -> String {
    "\(program): レポートにイメージの一覧 (Binary Images) がないため、必要なデバッグファイルがわかりません"
  }

  let found = "あり"
  let missing = "なし"
  let wanted = "必要"
  let seen = "確認"
  let next = "対処"

  func frames(_ count: Int, _ resolved: Int) -> String {
    resolved == 0 ? "\(count) フレーム" : "\(count) フレーム、うち \(resolved) にデバッグ情報あり"
  }

  let noIdentity = "識別子はレポートに書かれていません"

  func nothing(among count: Int) -> String {
    count == 0 ? "デバッグファイルが 1 つもありません" : "\(count) 件のバイナリに、識別子または名前が一致するものはありません"
  }

  func furtherFiles(_ count: Int) -> String { "ほか \(count) 件のファイル" }

  func verdict(_ verdict: CheckedFile.Verdict) -> String {
    switch verdict {
    case .match: "一致"
    case .unproven: "名前は一致、確認はできません"
    case .otherBuild: "別のビルド"
    case .otherProgram: "識別子も名前も異なります"
    case .otherArchitecture: "別のアーキテクチャ"
    case .stripped: "正しいビルドですが、デバッグ情報が取り除かれています"
    case .emptyDSYM: "正しいビルドですが、dSYM が空です"
    case .debugDylibStub: "デバッグビルドのスタブで、アプリのコードを含みません"
    case .damaged: "破損"
    }
  }

  func version(_ version: String) -> String { "バージョン \(version)" }

  func idleImages(_ count: Int) -> String { "アプリのほかの \(count) イメージにはフレームがないため、デバッグファイルは不要です。" }

  func systemNames(_ images: String, system: String?) -> String {
    let system = system.map { "\($0) の" } ?? "そのシステムの"
    return """
      名前のないシステムのフレーム: \(images)。\(system) dyld 共有キャッシュ、Xcode の "iOS DeviceSupport" フォルダ、パック \
      ('crashread symbols pack')、シンボルメモリ (--symbol-memory) から名前を得られます。
      """
  }

  func systemImages(_ count: Int, found: Int) -> String {
    "システムの \(count) イメージにもフレームがありますが、デバッグファイルは不要です"
      + (found == 0 ? "。" : " (うち \(found) 件はあります)。")
  }
}

// MARK: - Advice

extension JapaneseSymbolCheckLabels {
  func advice(_ step: ImageCheck.Step, _ image: ImageCheck, _ program: ReportHeader) -> [Hint] {
    let file = WantedFile(image, program)
    switch step {
    case .findDebugFile: return usualFolders(file)
    case .findThisBuild:
      return ["デバッグファイルはビルドごとに異なります。ソースが同じでも別のビルドのものは使えません。"] + usualFolders(file)
    case .findArchitecture:
      let hint = file.isForSimulator ? "" : "シミュレータ用のビルドは実機のレポートには使えません。"
      return ["レポートは \(file.architecture) のビルドを必要としています。\(hint)"] + usualFolders(file)
    case .findSeparateFile:
      return ["関数名はわかりますが、行はわかりません。不足しているファイルは同じビルドで作られています。"] + usualFolders(file)
    case .buildWithDebugInfo:
      return [
        """
        このビルドの行情報はもう得られません。デバッグ情報なしでコンパイルされたか、dSYM を作るときにオブジェクトファイルがありませんでした。\
        次のビルドでは Generate Debug Symbols を Yes に、Debug Information Format を DWARF with dSYM File にしてください。
        """
      ]
    case .findDebugDylib: return debugDylib(file)
    case .copyAgain: return ["ファイルが途中で切れているか変わっています。コピーまたはダウンロードし直してください。"] + usualFolders(file)
    case .findByName: return ["\(file.name) のデバッグファイルを、この名前で指定してください。行は推測として表示されます。"]
    }
  }

  private func debugDylib(_ file: WantedFile) -> [Hint] {
    let name = file.isDebugDylib ? file.name : file.name + ".debug.dylib"
    return [
      """
      Xcode のデバッグビルドは 2 つに分かれていて、コードは \(name) にあり、プログラムはそれを読み込むだけです。DerivedData の \
      Build/Products にあるアプリのフォルダの \(name) か、この名前のファイルを含む同じビルドの dSYM を指定してください。
      """
    ]
  }

  private func usualFolders(_ file: WantedFile) -> [Hint] {
    if file.isDebugDylib { return debugDylib(file) + spotlight(file) }
    return switch file.origin {
    case .archive: archive(file)
    case .localBuild:
      [
        """
        ビルドした Mac で実行されたものです。~/Library/Developer/Xcode/DerivedData のこのアプリのフォルダ (Swift パッケージでは .build) から \
        \(file.bundle).dSYM または Build/Products 全体を指定してください。ビルドし直した後では一致しません。デバッグビルドの dSYM は Debug \
        Information Format の設定によって作られます。
        """
      ] + spotlight(file)
    case .elf:
      ["strip する前のプログラム、または .debug ファイルを指定してください。"]
        + (file.buildIDPath.map { ["デバッグシンボルのパッケージは次の場所にインストールします:", .verbatim($0)] } ?? [])
    }
  }

  private func archive(_ file: WantedFile) -> [Hint] {
    let vendor = file.isFramework ? "ビルド済みで入手したフレームワークの dSYM は提供元から入手してください。" : ""
    return [
      """
      \(file.program) のアーカイブから \(file.bundle).dSYM を指定してください。Xcode の Organizer の Archives で Show in Finder、\
      Show Package Contents と進むと dSYMs にあります。CI が保存した .xcarchive 全体も指定できます。\(vendor)
      """
    ] + spotlight(file) + [
      "bitcode を使ったビルド (Xcode 13 まで) は Apple が作り直しています。App Store Connect のビルドのメタデータから dSYM をダウンロードしてください。"
    ]
  }

  private func spotlight(_ file: WantedFile) -> [Hint] {
    file.spotlightCommand.map { ["Mac では Spotlight で探せます:", .verbatim($0)] } ?? []
  }
}
