import Basics
import Glibc
import TestSupport

/// Runs other programs for comparison.
enum Shell {
    /// Runs a command by sh and waits for its end.
    /// - Parameters:
    ///   - variables: its environment besides PATH.
    ///   - log: where its output is appended.
    /// - Returns: the seconds it took.
    /// - Throws: ``BenchFailure`` with the end of the command's output if it fails or takes longer than `limit`.
    @discardableResult
    static func run(
        _ command: String, _ variables: [String: String] = [:], log: String, limit: Duration
    ) throws -> Double {
        let clocks = SystemClocks()
        let begin = clocks.now
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        let child = try ChildProcess(
            "/bin/sh", ["-c", command], environment: variables.merging(["PATH": path]) { own, _ in own },
            outputPath: log)
        guard let end = child.wait(limit) else { throw BenchFailure(description: "too slow: \(command)") }
        let seconds = (clocks.now - begin).inSeconds
        guard end == .exited(0) else {
            let output = (try? TextFile.text(log)).map { TextFile.tail($0, lines: 10) } ?? ""
            throw BenchFailure(description: "\(command): \(end)\n\(output)")
        }
        return seconds
    }

    /// The first of a program's usual paths where it can be run; nil if it is not installed.
    static func find(_ program: String) -> String? {
        ["/usr/local/bin/", "/usr/bin/", "/bin/"].map { $0 + program }.first { (path: String) in
            access(path, X_OK) == 0
        }
    }
}
