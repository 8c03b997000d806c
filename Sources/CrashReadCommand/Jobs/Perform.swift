/// Does the job the options ask for.
func perform(_ options: Options, on console: inout Console) -> ExitStatus {
  switch options.verb {
  case .report, .help:
    var job = ReportJob(options, console.environment)
    return job.run(on: &console)
  case .ci:
    var job = CIJob(options, console.environment)
    return job.run(on: &console)
  case .batch: return BatchJob.run(options, on: &console)
  case .lookup: return LookupJob(options).run(on: &console)
  case .symbols: return SymbolsJob(options).run(on: &console)
  case .kind:
    var job = KindJob(options)
    return job.run(on: &console)
  case .mcp: return MCPServer.run(options, on: &console)
  case .anonymize:
    var job = AnonymizeJob(options)
    return job.run(on: &console)
  case .explain: return ExplainJob(options, console.environment).run(on: &console)
  }
}
