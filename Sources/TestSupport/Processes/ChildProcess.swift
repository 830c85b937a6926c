import Basics
import Glibc

/// A watched child process: its output goes to a file, its end is known at once, and it does not outlive this process,
/// however that ends.
///
/// Each child has a thread that starts it and waits for it, and reports through a pipe. The thread matters: "die with
/// your parent" (PR_SET_PDEATHSIG) means the parent *thread*, so the thread must live as long as the child.
public final class ChildProcess {
    /// How a process ended.
    public enum End: Hashable, Sendable, CustomStringConvertible {
        case exited(CInt)
        case signalled(CInt)

        public var description: String {
            switch self {
            case .exited(let status): "exit status \(status)"
            case .signalled(let signal): "signal \(signal)"
            }
        }
    }

    /// The process id; useless after the end.
    public let pid: pid_t
    private let reports: CInt
    private var known: End?

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: its path.
    ///   - environment: all of it; nothing is inherited.
    ///   - outputPath: the file to which standard output and error are appended.
    /// - Throws: ``SystemError`` if it can't be started.
    public init(
        _ program: String, _ arguments: [String], environment: [String: String], outputPath: String
    ) throws(SystemError) {
        var ends: [CInt] = [0, 0]
        guard pipe(&ends) == 0 else { throw SystemError("pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let order = SpawnOrder(
            program: program, arguments: arguments, environment: environment, outputPath: outputPath, reports: ends[1])
        do throws(SystemError) {
            try order.startThread()
            pid = try Self.readReport(ends[0]) ?? -1
        } catch {
            close(ends[0])
            throw error
        }
        reports = ends[0]
        // A failed start reports minus its error number.
        guard pid > 0 else { throw SystemError("start \(program)", code: -pid) }
    }

    deinit {
        kill()
        close(reports)
    }

    /// Sends a signal, unless the process has ended.
    public func signal(_ number: CInt) {
        if end == nil { _ = Glibc.kill(pid, number) }
    }

    /// Sends SIGKILL and waits until the process is gone, so that its locks and ports are free.
    public func kill() {
        // A stopped process takes this signal too.
        signal(SIGKILL)
        _ = wait(.seconds(30))
    }

    /// How the process ended; nil while it runs.
    public var end: End? { wait(.zero) }

    /// Waits for the end; nil if the process still runs after `limit`.
    public func wait(_ limit: Duration) -> End? {
        if let known { return known }
        var waits = pollfd(fd: reports, events: Int16(POLLIN), revents: 0)
        let deadline = SystemClocks().now + limit
        while poll(&waits, 1, CInt(clamping: max(0, (deadline - SystemClocks().now).milliseconds))) <= 0 {
            if SystemClocks().now >= deadline { return nil }
        }
        guard let status = try? Self.readReport(reports) else { return nil }
        // wait(2): the low seven bits are the signal, the next byte the exit status.
        known = status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .signalled(status & 0x7F)
        return known
    }

    private static func readReport(_ descriptor: CInt) throws(SystemError) -> CInt? {
        var report: CInt = 0
        var count: Int
        repeat { count = read(descriptor, &report, MemoryLayout<CInt>.size) } while count < 0 && errno == EINTR
        guard count >= 0 else { throw SystemError("read") }
        return count == MemoryLayout<CInt>.size ? report : nil
    }
}
