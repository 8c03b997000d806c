internal import CrashReadReports
internal import CrashReadVerdict

/// Groups of crashes as one JSON document; crashread-json(5) describes its members.
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

/// A comparison of groups as one JSON document; crashread-json(5) describes its members.
func comparisonJSON(_ comparison: CrashComparison) -> String {
  var writer = JSONWriter()
  writer.object { json in
    json.field("schemaVersion", 1)
    let sides: [(StaticString, CrashGroups)] = [("before", comparison.before), ("now", comparison.now)]
    for (name, groups) in sides {
      json.object(name) { json in
        json.field("reports", groups.count)
        json.field("unread", groups.unreadCount)
        json.field("ungrouped", groups.ungroupedCount)
      }
    }
    json.object("changes") { json in
      for change in CrashComparison.Change.allCases {
        json.field(key: change.rawValue, comparison.count(change))
      }
    }
    json.array("groups", comparison.rows) { json, row in
      json.object { json in
        json.field("change", row.change.rawValue)
        json.field("before", row.before)
        json.field("now", row.now)
        json.field("firstVersion", row.firstVersion)
        writeGroup(row.group, to: &json)
      }
    }
    writeRates("versionRates", comparison.versionRates, to: &json)
    writeRates("systemRates", comparison.systemRates, to: &json)
  }
  return writer.text + "\n"
}

private func writeRates(_ name: StaticString, _ rates: [CrashRate], to json: inout JSONWriter) {
  guard !rates.isEmpty else { return }
  json.array(name, rates) { json, rate in
    json.object { json in
      json.field("value", rate.name)
      json.field("reports", rate.reports)
      json.field("sessions", rate.sessions)
      json.value(rate.sessions > 0 ? String(rate.perThousand) : "null", "perThousandSessions")
    }
  }
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
  json.field("firstSeen", group.times.flatMap { utcDate(UInt64(clamping: $0.lowerBound)) })
  json.field("lastSeen", group.times.flatMap { utcDate(UInt64(clamping: $0.upperBound)) })
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

private func writeTally(_ name: StaticString, _ tally: Tally, to json: inout JSONWriter) {
  json.array(name, tally.ranked) { json, entry in
    json.object {
      $0.field("value", entry.text)
      $0.field("count", entry.count)
    }
  }
}
