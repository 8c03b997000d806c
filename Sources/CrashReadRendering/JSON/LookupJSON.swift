package import CrashReadCore
package import CrashReadDebugInfo

/// One look-up as a JSON object: the address, and `locations` as in crashread-json(5), innermost first; with
/// `code` the lines of a listing.
package func lookupJSON(_ address: LinkedAddress, _ frames: [SourceFrame], code: [String] = []) -> String {
  var writer = JSONWriter()
  writer.object { json in
    json.field("address", address.description)
    json.array("locations", frames) { json, frame in json.object { writeLocation(frame, to: &$0) } }
    if !code.isEmpty { json.strings("code", code) }
  }
  return writer.text
}
