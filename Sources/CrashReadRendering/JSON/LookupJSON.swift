package import CrashReadCore
package import CrashReadDebugInfo

/// A look-up as a JSON object: the address, `locations` and `foldedNames` as in crashread-json(5), and the lines of a
/// listing, if any, as `code`.
package func lookupJSON(
  _ address: LinkedAddress, _ frames: [SourceFrame], foldedNames: [String] = [], code: [String] = []
) -> String {
  var writer = JSONWriter()
  writer.object { json in
    json.field("address", address.description)
    json.array("locations", frames) { json, frame in json.object { writeLocation(frame, to: &$0) } }
    if !foldedNames.isEmpty { json.strings("foldedNames", foldedNames) }
    if !code.isEmpty { json.strings("code", code) }
  }
  return writer.text
}
