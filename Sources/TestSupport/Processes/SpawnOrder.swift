import CLinux
import Glibc

/// The order to a child's thread: the program to start and the pipe for reports. Reports are two `CInt`s: the process
/// id (or minus the error number), later the status that waitpid(2) gave.
final class SpawnOrder: Sendable {
    private let program: String
    private let arguments: [String]
    private let environment: [String: String]
    private let outputPath: String
    private let reports: CInt

    /// - Parameter reports: the pipe's end to write to; the thread closes it.
    init(program: String, arguments: [String], environment: [String: String], outputPath: String, reports: CInt) {
        self.program = program
        self.arguments = arguments
        self.environment = environment
        self.outputPath = outputPath
        self.reports = reports
    }

    /// - Throws: ``SystemError`` if no thread can be started; the pipe's end is closed then.
    func startThread() throws(SystemError) {
        var thread = pthread_t()
        let order = Unmanaged.passRetained(self)
        let failure = pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<SpawnOrder>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, order.toOpaque())
        guard failure == 0 else {
            order.release()
            close(reports)
            throw SystemError("pthread_create", code: failure)
        }
        pthread_detach(thread)
    }

    private func run() {
        defer { close(reports) }
        let pid = spawn()
        report(pid)
        guard pid > 0 else { return }
        var status: CInt = 0
        while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
        report(status)
    }

    private func report(_ value: CInt) {
        var value = value
        // The reader may be gone. How SIGPIPE is handled is the process's own choice, so write(2) must not raise it.
        var pipeSignal = sigset_t()
        sigemptyset(&pipeSignal)
        sigaddset(&pipeSignal, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &pipeSignal, nil)
        _ = write(reports, &value, MemoryLayout<CInt>.size)
    }

    /// Starts the program. Returns the process id, or minus the error number.
    private func spawn() -> pid_t {
        withCStrings([program] + arguments) { words in
            withCStrings(environment.map { "\($0.key)=\($0.value)" }.sorted()) { environment in
                kibo_spawn_tied(program, words, environment, outputPath)
            }
        }
    }

    /// Lends a null-ended array of C strings.
    private func withCStrings<Result>(
        _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers = texts.map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        return body(&pointers)
    }
}
