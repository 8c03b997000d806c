internal import CrashReadDiagnosis

/// A page that needs nothing beside itself.
///
/// The title is text, the body HTML; the first link, with a text and the id of an element, leads past what comes before.
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

/// The one style sheet of all pages.
enum HTMLSheet {
  /// The style sheet, `page.css`.
  static let text = String(decoding: PackageResources.page_css, as: UTF8.self)

  /// What a page may do (Content Security Policy, level 3): nothing but use exactly this style sheet.
  static let policy = "default-src 'none'; style-src 'sha256-\(digest)'; base-uri 'none'; form-action 'none'"

  /// The sheet's SHA-256 in Base64, as `openssl dgst -sha256 -binary page.css | base64` prints it.
  static let digest = "JFYM8RNiT5DhTsU6mMS3Yedrea8Ozz9+rgfM7hNoaZc="
}
