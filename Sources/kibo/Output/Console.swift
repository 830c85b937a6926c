import Basics
import Glibc

/// Where the program writes to and what it knows about it. Tests give it a place of their own.
final class Console {
    /// How text can look on a terminal (SGR codes, ECMA-48).
    enum Style: String {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
    }

    /// A place for text.
    typealias Sink = (String) -> Void

    private let output: Sink
    private let errors: Sink
    /// Whether standard output is a terminal: then things may be drawn over.
    let isTerminal: Bool
    /// Whether standard input is a terminal: then there is a person to ask.
    let canAsk: Bool
    /// Whether colours are wanted on standard output.
    let hasColor: Bool
    private let hasErrorColor: Bool
    /// The clocks, for "5 min ago".
    let clocks: any Clocks
    private let size: () -> (columns: Int, rows: Int)?
    /// Asks for something that must not be seen, with a prompt.
    let askSecret: (String) throws -> String
    private let input: () -> String?

    init(
        output: @escaping Sink, errors: @escaping Sink, isTerminal: Bool = false, canAsk: Bool = false,
        hasColor: Bool = false, hasErrorColor: Bool = false, clocks: any Clocks = SystemClocks(),
        size: @escaping () -> (columns: Int, rows: Int)? = { nil },
        askSecret: @escaping (String) throws -> String = { _ in throw SecretPrompt.noTerminal() },
        input: @escaping () -> String? = { nil }
    ) {
        self.output = output
        self.errors = errors
        self.isTerminal = isTerminal
        self.canAsk = canAsk
        self.hasColor = hasColor
        self.hasErrorColor = hasErrorColor
        self.clocks = clocks
        self.size = size
        self.askSecret = askSecret
        self.input = input
    }

    /// The process's own standard streams. Output that can't be written ends the program, whatever the command. `NO_COLOR` (no-color.org) and `TERM=dumb` turn colours off.
    static func standard() -> Console {
        let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? false
        let wantsColor = !isDumb && (getenv("NO_COLOR").map { $0.pointee == 0 } ?? true)
        let isTerminal = isatty(1) == 1
        return Console(
            output: { text in
                guard let code = Descriptor.write(text, to: 1) else { return }
                // A reader that has gone (`| head`) has what it wanted.
                if code != EPIPE {
                    let reason = String(cString: strerror(code))
                    _ = Descriptor.write("kibo: Standard output can't be written to: \(reason).\n", to: 2)
                }
                exit(ExitCode.failed.rawValue)
            }, errors: { _ = Descriptor.write($0, to: 2) },
            isTerminal: isTerminal && !isDumb, canAsk: isatty(0) == 1 && isTerminal,
            hasColor: isTerminal && wantsColor, hasErrorColor: isatty(2) == 1 && wantsColor,
            size: Descriptor.terminalSize, askSecret: SecretPrompt.ask, input: { readLine() })
    }

    /// Columns of the terminal; nil if there is none.
    var columns: Int? { isTerminal ? size()?.columns : nil }

    /// Rows of the terminal; nil if there is none.
    var rows: Int? { isTerminal ? size()?.rows : nil }

    /// Writes as it is: no newline is added.
    func write(_ text: String) { output(text) }

    /// Writes a line.
    func line(_ text: String = "") { output(text + "\n") }

    /// Asks the person, and waits for a line.
    ///
    /// - Returns: the line without white space around it; nil if there is none, such as after Ctrl-D.
    func ask(_ question: String) -> String? {
        output(question)
        let answer = input()
        // Ctrl-D leaves the cursor behind the question.
        if answer == nil { line() }
        return answer?.trimmed
    }

    /// Writes a line to standard error.
    func errorLine(_ text: String) { errors(text + "\n") }

    /// The text in a style, where there are colours.
    func styled(_ text: String, _ styles: Style...) -> String {
        hasColor ? Self.paint(text, styles) : text
    }

    /// The same for standard error.
    func styledError(_ text: String, _ styles: Style...) -> String {
        hasErrorColor ? Self.paint(text, styles) : text
    }

    private static func paint(_ text: String, _ styles: [Style]) -> String {
        "\u{1B}[\(styles.map(\.rawValue).joined(separator: ";"))m\(text)\u{1B}[0m"
    }
}

/// System calls on standard descriptors.
private enum Descriptor {
    /// Writes everything. A reader that has gone ends the program by SIGPIPE, as it should.
    /// - Returns: the error; nil if there was none.
    static func write(_ text: String, to descriptor: CInt) -> CInt? {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            if count <= 0 { return count < 0 ? errno : EIO }
            bytes = bytes.dropFirst(count)
        }
        return nil
    }

    static func terminalSize() -> (columns: Int, rows: Int)? {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}
