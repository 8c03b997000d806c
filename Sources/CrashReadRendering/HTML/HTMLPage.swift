internal import CrashReadVerdict

/// A self-contained page.
///
/// The title is text, the body HTML; the first link, with a text and an element's id, skips to the main part.
func htmlPage(title: String, language: Language, skip: (text: String, target: String), body: String) -> String
{
  """
  <!DOCTYPE html>
  <html lang="\(language.rawValue)">
  <head>
  <meta charset="utf-8">
  <meta http-equiv="Content-Security-Policy" content="\(HTMLSheet.policy)">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>\(markup(title))</title>
  <style>\(HTMLSheet.text)</style>
  </head>
  <body>
  <a class="skip" href="#\(skip.target)">\(skip.text)</a>
  <main>
  \(body)</main>
  <footer>crashread</footer>
  </body>
  </html>

  """
}

/// The style sheet that all pages share.
enum HTMLSheet {
  /// The style sheet, `page.css`.
  static let text = String(decoding: PackageResources.page_css, as: UTF8.self)

  /// The page's Content Security Policy (level 3), which allows exactly this style sheet and nothing else.
  static let policy = "default-src 'none'; style-src 'sha256-\(digest)'; base-uri 'none'; form-action 'none'"

  /// The sheet's SHA-256 in Base64, as `openssl dgst -sha256 -binary page.css | base64` prints it.
  static let digest = "JFYM8RNiT5DhTsU6mMS3Yedrea8Ozz9+rgfM7hNoaZc="
}
