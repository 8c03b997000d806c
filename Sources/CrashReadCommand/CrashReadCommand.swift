@main
enum CrashReadCommand {
  static func main() {}
}
