internal import CrashRead
private import Glibc

/// Starts this program once more, as a worker.
///
/// - Parameter options: How it is to read: places for debug files are all in `symbols`.
/// - Returns: The worker, which is not ready yet.
/// - Throws: `SystemError` when that can't be done.
func startWorkerProcess(_ options: Options) throws(SystemError) -> Worker {
  let requests = try Pipe()
  let answers = try Pipe()
  defer {
    close(requests.readEnd)
    close(answers.writeEnd)
  }
  let process = try spawn(
    ["/proc/self/exe", WorkerServer.argument, String(getpid())], variables: ["SWIFT_BACKTRACE": "enable=no"],
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
    close(requests.readEnd)
    close(answers.writeEnd)
  }
  return Worker(process: nil, input: requests.writeEnd, output: answers.readEnd)
}

/// What a thread is to do.
private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Has a thread of its own run a function. The C functions are `pthread_create` and `pthread_detach`.
func startThread(_ run: @escaping @Sendable () -> Void) throws(SystemError) {
  var thread = pthread_t()
  let body = unsafe Unmanaged.passRetained(ThreadBody(run))
  let code = unsafe pthread_create(
    &thread, nil,
    { argument in
      if let argument = unsafe argument {
        unsafe Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
      }
      return nil
    }, body.toOpaque())
  guard code == 0 else {
    unsafe body.release()
    throw SystemError(code: code)
  }
  pthread_detach(thread)
}
