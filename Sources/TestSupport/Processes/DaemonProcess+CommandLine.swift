import Basics
import Glibc

/// What `kibo` said to a person.
public struct CommandLineAnswer: Sendable, CustomStringConvertible {
    public let words: [String]
    /// What it ended with.
    public let code: CInt
    /// Standard output and error, as a person sees them.
    public let text: String

    public var isDone: Bool { code == 0 }
    public var description: String { "kibo \(words.joined(separator: " ")) (\(code))\n\(text)" }
}

extension DaemonProcess {
    /// Runs the real command line with this daemon, as its person would.
    /// - Throws: ``Failure`` if it does not end in time.
    @discardableResult
    public func kibo(_ words: String..., within limit: Duration = Patience.usual) throws -> CommandLineAnswer {
        try kibo(words, within: limit)
    }

    /// The same for words in a list.
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
