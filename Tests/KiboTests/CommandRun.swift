import Basics
import ControlProtocol

@testable import Media
@testable import kibo

/// One run of the program inside the test, with what it printed.
struct CommandRun {
    let code: ExitCode
    let output: String
    let errors: String

    private final class Sink {
        var text = ""
    }

    private struct Noon: Clocks {
        var now: Instant { SystemClocks().now }
        var wallTime: WallTime { WallTime(milliseconds: Cast.noon) }
    }

    /// - Parameter answers: what a person types, a line each; nil if there is no person to ask.
    init(
        _ words: String..., daemon: FakeDaemon?, columns: Int? = nil, color: Bool = false, answers: [String]? = nil
    ) {
        self.init(words: words, daemon: daemon, columns: columns, color: color, answers: answers)
    }

    init(
        words: [String], daemon: FakeDaemon?, columns: Int? = nil, color: Bool = false, answers: [String]? = nil
    ) {
        let (output, errors) = (Sink(), Sink())
        var left = (answers ?? [])[...]
        let console = Console(
            output: { output.text += $0 }, errors: { errors.text += $0 }, isTerminal: columns != nil,
            canAsk: answers != nil, hasColor: color, clocks: Noon(), size: { columns.map { ($0, 24) } },
            input: { left.popFirst() })
        let socket = daemon?.path ?? "/nonexistent/kibod.sock"
        code = Kibo.run(["--socket", socket] + words, console: console)
        self.output = output.text
        self.errors = errors.text
    }
}
