import Basics
import Glibc

/// The answer of `kibo`, as a user sees it.
public struct CommandLineAnswer: Sendable, CustomStringConvertible {
    public let words: [String]
    /// The exit status.
    public let code: CInt
    /// Standard output and error together.
    public let text: String

    public var isDone: Bool { code == 0 }
    public var description: String { "kibo \(words.joined(separator: " ")) (\(code))\n\(text)" }
}

extension DaemonProcess {
    /// Runs the real command line with this daemon, as its user would.
    /// - Throws: ``Failure`` if it does not end in time.
    @discardableResult
    public func kibo(_ words: String..., within limit: Duration = Patience.usual) throws -> CommandLineAnswer {
        try kibo(words, within: limit)
    }

    /// Runs the command line with words in a list.
    @discardableResult
    public func kibo(_ words: [String], within limit: Duration = Patience.usual) throws -> CommandLineAnswer {
        let place = try TemporaryDirectory()
        let output = place.file("output")
        let child = try ChildProcess(
            ProgramPaths.kibo, ["--socket", socketPath] + words,
            environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "COLUMNS": "120", "NO_COLOR": "1"],
            outputPath: output)
        guard case .exited(let code)? = child.wait(limit) else {
            throw Failure(description: "kibo \(words.joined(separator: " ")) did not end\n\(logTail)")
        }
        return CommandLineAnswer(words: words, code: code, text: (try? TextFile.text(output)) ?? "")
    }
}
