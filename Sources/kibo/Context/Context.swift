import Arguments
import Basics
import ControlProtocol
import Glibc

/// The surroundings of a command: its words, the console, and the daemon once it is needed.
final class Context {
    let console: Console
    /// The command at hand, for hints.
    let command: String
    let arguments: ParsedArguments
    /// Whether the answer is for a program.
    let json: Bool
    /// Where the daemon is.
    let socketPath: String
    private var connection: ControlClient?

    init(console: Console, command: String, arguments: ParsedArguments, json: Bool, socket: String?) {
        self.console = console
        self.command = command
        self.arguments = arguments
        self.json = json
        socketPath = SocketPath.find(explicit: socket)
    }

    /// The connection to the daemon, made when it is first asked for.
    /// - Parameter patience: how long to try while no daemon answers.
    func client(patience: Duration = .zero) throws(ClientError) -> ControlClient {
        if let connection { return connection }
        let made = try ControlClient.connect(path: socketPath, patience: patience)
        connection = made
        return made
    }

    /// Gives up the connection: the next use makes another.
    func disconnect() { connection = nil }

    /// Now, for relative times.
    var now: WallTime { console.clocks.wallTime }

    /// A required word. The parser has made sure that it is there.
    func word(_ index: Int) -> String { arguments.positional(index) ?? "" }

    /// A whole number given as an option.
    func number(_ option: String, in range: ClosedRange<Int64>) throws(Failure) -> Int64? {
        guard let text = arguments.value(option) else { return nil }
        guard let number = Int64(text), range.contains(number) else {
            let most = range.upperBound == .max ? "" : " to \(range.upperBound)"
            throw .usage(
                "\(option) must be a whole number from \(range.lowerBound)\(most), not \"\(text)\"", command: command)
        }
        return number
    }

    /// Prints the daemon's answer for a program, if that is wanted.
    ///
    /// - Returns: whether it was: then there is nothing more to print.
    func printJSON(_ value: JSONValue) -> Bool {
        if json { console.line(JSONOutput.text(value)) }
        return json
    }

    /// Does something that may wait long; Ctrl-C ends the wait with ``ClientError/interrupted``.
    ///
    /// - Parameter isForReader: whether it is of no use any more once nobody reads standard output; that ends it too.
    func interruptibly<Result>(isForReader: Bool = false, _ body: () throws -> Result) throws -> Result {
        let client = try client()
        let interrupts = Interrupts(noticingReaderOf: isForReader ? STDOUT_FILENO : nil)
        client.interruptDescriptor = interrupts.descriptor >= 0 ? interrupts.descriptor : nil
        defer { client.interruptDescriptor = nil }
        return try withExtendedLifetime(interrupts, body)
    }

    /// Goes on until Ctrl-C, or until nobody reads what it writes: that is how a watching command ends well.
    func untilInterrupted(_ body: () throws -> Void) throws -> ExitCode {
        do {
            try interruptibly(isForReader: true, body)
        } catch ClientError.interrupted {
            // The terminal has written ^C where the cursor was.
            if console.isTerminal { console.line() }
            return .done
        }
        return .done
    }
}
