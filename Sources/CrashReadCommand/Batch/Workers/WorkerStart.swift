internal import CrashRead
internal import CrashReadSystem

/// Starts this program once more, as a worker.
///
/// - Parameter options: How it is to read: places for debug files are all in `symbols`.
/// - Returns: The worker, which is not ready yet.
/// - Throws: `SystemError` when that can't be done.
func startWorkerProcess(_ options: Options) throws(SystemError) -> Worker {
  let requests = try Pipe()
  let answers = try Pipe()
  defer {
    closeDescriptor(requests.readEnd)
    closeDescriptor(answers.writeEnd)
  }
  let process = try spawn(
    [ownProgram, WorkerServer.argument, String(ownProcess)], variables: ["SWIFT_BACKTRACE": "enable=no"],
    streams: (.descriptor(requests.readEnd), .descriptor(answers.writeEnd), .none), leadsGroup: false)
  var worker = Worker(process: process, input: requests.writeEnd, output: answers.readEnd)
  var message: [UInt8] = []
  message.appendMessage(.options, joined(options.wordsForWorker))
  worker.send(message)
  return worker
}

/// Starts a worker in a thread of this process.
func startWorkerThread(_ reader: CrashReader, _ options: Options) throws(SystemError) -> Worker {
  let requests = try Pipe()
  let answers = try Pipe()
  try startThread {
    var server = WorkerServer(
      input: requests.readEnd, output: answers.writeEnd, reader: reader, options: options)
    server.run()
    closeDescriptor(requests.readEnd)
    closeDescriptor(answers.writeEnd)
  }
  return Worker(process: nil, input: requests.writeEnd, output: answers.readEnd)
}
