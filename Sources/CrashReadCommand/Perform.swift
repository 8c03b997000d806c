/// Does the job the options ask for.
func perform(_ options: Options, on console: inout Console) -> ExitStatus {
  console.error("reading is not linked into this build")
  return .failure
}
