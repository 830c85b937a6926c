import Basics
import TestSupport

/// Counts the system calls of a daemon that runs under strace. Only the calls that are counted stop it (seccomp), so that
/// counting a few leaves its commits nearly as they are.
struct CallCounter {
    /// All that has to do with disk and sockets.
    static let inputOutput = [
        "fdatasync", "fsync", "pwrite64", "write", "read", "sendmsg", "sendto", "recvmsg", "recvfrom", "epoll_wait",
        "epoll_pwait",
    ]
    /// Waiting for the disk alone.
    static let syncs = ["fdatasync", "fsync"]

    /// What the daemon's command line has to begin with.
    let wrapper: [String]
    private let path: String

    /// - Parameters:
    ///   - calls: the names of those to count.
    ///   - path: where the trace goes.
    init(strace: String, calls: [String], path: String) {
        // -D: the daemon stays the process that was started, and the tracer is its grandchild.
        wrapper = [
            strace, "-D", "-f", "--seccomp-bpf", "-q", "-s", "0", "-o", path, "-e", "signal=none",
            "-e", "trace=" + calls.joined(separator: ","),
        ]
        self.path = path
    }

    /// How many there have been so far, by name.
    var counts: [String: Int] { get throws { Self.counts(in: try TextFile.text(path)) } }

    /// Counts the calls in a trace of several threads. One that was interrupted by another's line has two: it counts where
    /// it begins.
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
