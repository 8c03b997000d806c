internal import CrashReadDiagnosis
internal import CrashReadReports

/// Groups of crashes as one JSON document; its members are told in crashread-json(5).
func summaryJSON(_ groups: CrashGroups) -> String {
  var writer = JSONWriter()
  writer.object { json in
    json.field("schemaVersion", 1)
    json.field("reports", groups.count)
    json.field("unread", groups.unreadCount)
    json.field("ungrouped", groups.ungroupedCount)
    json.array("groups", groups.ranked) { json, group in json.object { writeGroup(group, to: &$0) } }
  }
  return writer.text + "\n"
}

private func writeGroup(_ group: CrashGroups.Group, to json: inout JSONWriter) {
  json.field("signature", group.key.signature)
  json.field("app", group.key.app)
  json.field("count", group.count)
  json.field("kind", group.example.kind)
  json.field("rule", group.example.rule)
  json.field("title", group.example.title)
  json.field("function", group.example.function)
  json.field("place", group.example.location)
  json.field("example", group.example.input)
  json.field("firstSeen", group.times.map { dateAndTime($0.lowerBound) })
  json.field("lastSeen", group.times.map { dateAndTime($0.upperBound) })
  writeTally("versions", group.versions, to: &json)
  writeTally("osVersions", group.systems, to: &json)
  writeTally("hardwareModels", group.devices, to: &json)
  json.array("days", group.days.sorted { $0.key < $1.key }) { json, day in
    json.object {
      $0.field("date", calendarDay(day.key))
      $0.field("count", day.value)
    }
  }
}

private func writeTally(_ name: String, _ tally: Tally, to json: inout JSONWriter) {
  json.array(name, tally.ranked) { json, entry in
    json.object {
      $0.field("value", entry.text)
      $0.field("count", entry.count)
    }
  }
}

/// ISO 8601 in UTC.
private func dateAndTime(_ seconds: Int64) -> String {
  let clock = seconds % 86_400
  let parts = [clock / 3600, clock / 60 % 60, clock % 60].map { $0 < 10 ? "0\($0)" : String($0) }
  return calendarDay(seconds / 86_400) + "T" + parts.joined(separator: ":") + "Z"
}
