import CrashRead
@main
enum CrashReadCommand {
  static func main() throws {
    let path = CommandLine.arguments[1]
    let slices = try BinarySlice.all(in: path)
    let file = try DebugFile(path: path, slice: slices[0])
    var out = ""
    while let line = readLine() {
      let a = LinkedAddress(UInt64(line.hasPrefix("0x") ? String(line.dropFirst(2)) : line, radix: 16)!)
      var frames = file.frames(at: a)
      if frames.isEmpty, let s = file.symbol(at: a) { frames = [s] }
      for f in frames { out += "\(a)\t\(f.linkageName ?? f.function ?? "??")\t\(f.location?.file ?? "??")\t\(f.location?.line ?? 0)\t\(f.location?.column ?? 0)\n" }
      out += "\n"
    }
    print(out, terminator: "")
  }
}
