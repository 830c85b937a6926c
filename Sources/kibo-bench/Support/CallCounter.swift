import Basics
import TestSupport

/// Counts the system calls of a daemon that runs under strace. Only counted calls stop the daemon (seccomp), so that
/// counting a few leaves its commits nearly unchanged.
struct CallCounter {
    /// All calls that concern disk and sockets.
    static let inputOutput = [
        "fdatasync", "fsync", "pwrite64", "write", "read", "sendmsg", "sendto", "recvmsg", "recvfrom", "epoll_wait",
        "epoll_pwait",
    ]
    /// The calls that wait for the disk.
    static let syncs = ["fdatasync", "fsync"]

    /// The beginning of the daemon's command line.
    let wrapper: [String]
    private let path: String

    /// - Parameters:
    ///   - calls: the names of the calls to count.
    ///   - path: the file for the trace.
    init(strace: String, calls: [String], path: String) {
        // -D keeps the daemon the process that was started; the tracer is its grandchild.
        wrapper = [
            strace, "-D", "-f", "--seccomp-bpf", "-q", "-s", "0", "-o", path, "-e", "signal=none",
            "-e", "trace=" + calls.joined(separator: ","),
        ]
        self.path = path
    }

    /// The number of calls so far, by name.
    var counts: [String: Int] { get throws { Self.counts(in: try TextFile.text(path)) } }

    /// Counts the calls in a trace of several threads. A call interrupted by another thread's line has two lines; it
    /// counts where it begins.
    static func counts(in trace: String) -> [String: Int] {
        var counts: [String: Int] = [:]
        for line in trace.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 1)
            guard words.count == 2, let parenthesis = words[1].firstIndex(of: "(") else { continue }
            let name = words[1][..<parenthesis].drop(while: { $0 == " " })
            guard let first = name.first, first.isLetter, name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
            else { continue }
            counts[String(name), default: 0] += 1
        }
        return counts
    }
}
