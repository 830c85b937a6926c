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

    init(_ words: String..., daemon: FakeDaemon?, columns: Int? = nil, color: Bool = false) {
        let (output, errors) = (Sink(), Sink())
        let console = Console(
            output: { output.text += $0 }, errors: { errors.text += $0 }, isTerminal: columns != nil, hasColor: color,
            clocks: Noon(), size: { columns.map { ($0, 24) } })
        let socket = daemon?.path ?? "/nonexistent/kibod.sock"
        code = Kibo.run(["--socket", socket] + words, console: console)
        self.output = output.text
        self.errors = errors.text
    }
}
