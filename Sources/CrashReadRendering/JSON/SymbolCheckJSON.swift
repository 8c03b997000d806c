internal import CrashReadCore
internal import CrashReadReports
package import CrashReadSymbolication
package import CrashReadVerdict

/// The debug files of reports as a JSON array with an object per report, described by crashread-json(5).
///
/// - Parameters:
///   - checks: The reports, each with the name of its input.
///   - language: The language of the advice.
/// - Returns: JSON text that ends with a line feed.
package func symbolCheckJSON(_ checks: [(input: String, check: SymbolCheck)], language: Language) -> String {
  let labels = symbolCheckLabels(in: language)
  var writer = JSONWriter()
  writer.array(nil, checks) { json, entry in
    json.object { json in
      let (input, check) = entry
      json.field("input", input)
      json.field("process", check.report.header.process)
      json.field("version", check.report.header.version)
      json.field("build", check.report.header.build)
      json.field("complete", check.isComplete)
      json.field("imagesListed", check.hasImages)
      json.array("images", check.images) { json, image in
        json.object { json in write(image, check, labels, to: &json) }
      }
      json.field("idleImages", check.idleImageCount)
      json.field("systemImages", check.systemImageCount)
      json.field("systemImagesFound", check.foundSystemImageCount)
      json.array("systemImagesWithoutNames", check.namelessSystemImages) { json, entry in
        json.object {
          $0.field("name", entry.image.fileName)
          $0.field("id", entry.image.id)
          $0.field("arch", entry.image.architecture?.rawValue)
          $0.field("frames", entry.frameCount)
        }
      }
      json.field("binaries", check.candidateCount)
    }
  }
  return writer.text + "\n"
}

private func write(
  _ image: ImageCheck, _ check: SymbolCheck, _ labels: any SymbolCheckLabels, to json: inout JSONWriter
) {
  json.field("index", image.index)
  json.field("name", image.image.name)
  json.field("path", image.image.path)
  json.field("id", image.image.id)
  json.field("arch", image.image.architecture?.rawValue)
  json.field("found", image.isFound)
  json.field("frames", image.frameCount)
  json.field("framesResolved", image.resolvedFrameCount)
  json.array("files", image.files) { json, file in
    json.object { json in
      json.field("path", file.path)
      json.field("verdict", file.verdict.rawValue)
      json.field("id", file.id)
      json.strings("archs", file.architectures.map(\.rawValue))
      json.field("version", file.version)
      json.field("message", file.message)
    }
  }
  if image.furtherFileCount > 0 { json.field("furtherFiles", image.furtherFileCount) }
  json.field("origin", image.origin.rawValue)
  guard let step = image.step else { return }
  json.field("step", step.rawValue)
  json.strings("advice", labels.advice(step, image, check.report.header).map(\.string))
}
