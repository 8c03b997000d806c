internal import CrashRead
internal import CrashReadSystem

/// How the workers of a batch are started.
func workerStart(_ settings: BatchSettings) -> () throws(SystemError) -> Worker {
  switch settings.isolation {
  case .processes(let program):
    return { () throws(SystemError) in try startWorker(program, settings) }
  case .threads:
    let reader = settings.reader()
    return { () throws(SystemError) in try startWorker(reader, settings) }
  }
}

/// Starts a program as a worker.
/// - Returns: The worker, which is not ready yet.
/// - Throws: `SystemError` when the program can't be started.
private func startWorker(_ program: WorkerProgram, _ settings: BatchSettings) throws(SystemError) -> Worker {
  let requests = try Pipe()
  let answers = try Pipe()
  defer {
    closeDescriptor(requests.readEnd)
    closeDescriptor(answers.writeEnd)
  }
  let process = try spawn(
    [program.path] + program.arguments + [WorkerServer.argument, String(ownProcess)],
    variables: ["SWIFT_BACKTRACE": "enable=no"],
    streams: (.descriptor(requests.readEnd), .descriptor(answers.writeEnd), .none), leadsGroup: false)
  var worker = Worker(process: process, input: requests.writeEnd, output: answers.readEnd)
  var message: [UInt8] = []
  message.appendMessage(.settings, settings.message)
  worker.send(message)
  return worker
}

/// Starts a worker in a thread of this process.
private func startWorker(_ reader: CrashReader, _ settings: BatchSettings) throws(SystemError) -> Worker {
  let requests = try Pipe()
  let answers = try Pipe()
  try startThread {
    var server = WorkerServer(
      input: requests.readEnd, output: answers.writeEnd, reader: reader, settings: settings)
    server.run()
    closeDescriptor(requests.readEnd)
    closeDescriptor(answers.writeEnd)
  }
  return Worker(process: nil, input: requests.writeEnd, output: answers.readEnd)
}
