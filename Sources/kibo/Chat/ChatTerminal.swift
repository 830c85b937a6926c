import Glibc

/// The terminal while `kibo chat` has it: raw, on the alternate screen, and given back as it was.
///
/// The alternate screen, as irssi, weechat and less have it: a conversation that is redrawn (states, edits, a text being
/// written below incoming messages) can't live in the scrollback, where every redraw and every change of the width leaves
/// torn copies; and people's words to each other are gone from the screen when they leave. A user who wants them in the
/// scrollback has `kibo read` and `kibo watch`.
final class ChatTerminal {
    private var saved = termios()
    private var isEntered = false
    private var drawn: [String] = []
    private let painter: Painter

    /// - Throws: ``Failure`` if standard input and output are not a terminal.
    init(hasColor: Bool) throws(Failure) {
        painter = Painter(hasColor: hasColor)
        guard isatty(1) == 1, tcgetattr(0, &saved) == 0 else {
            throw Failure(
                .usage, "kibo chat needs a terminal",
                hint: "In a script: kibo send, kibo read, kibo watch --json")
        }
    }

    deinit { leave() }

    /// Takes the terminal. What was typed before stays to be read.
    func enter() {
        if isEntered { return }
        isEntered = true
        var raw = saved
        cfmakeraw(&raw)
        tcsetattr(0, TCSANOW, &raw)
        // Alternate screen; pastes in brackets; no wrapping: a line whose width the terminal sees otherwise than we do
        // stays on its row.
        write("\u{1B}[?1049h\u{1B}[?2004h\u{1B}[?7l")
        drawn = []
    }

    /// Gives it back. May be called more than once.
    func leave() {
        if !isEntered { return }
        isEntered = false
        write("\u{1B}[0m\u{1B}[?25h\u{1B}[?7h\u{1B}[?2004l\u{1B}[?1049l")
        tcsetattr(0, TCSANOW, &saved)
    }

    /// Columns and rows; the usual ones where the terminal doesn't say.
    var size: ChatScreen.Size {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return ChatScreen.Size(columns: 80, rows: 24)
        }
        return ChatScreen.Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// The next drawing leaves nothing to chance.
    func forget() { drawn = [] }

    /// Draws what differs from the last screen.
    func draw(_ screen: ChatScreen.Screen) {
        let rows = screen.rows.map(painter.text)
        var out = "\u{1B}[?25l"
        if rows.count != drawn.count {
            out += "\u{1B}[2J"
            drawn = Array(repeating: "", count: rows.count)
        }
        for (index, row) in rows.enumerated() where row != drawn[index] {
            out += "\u{1B}[\(index + 1);1H\u{1B}[2K\(row)"
        }
        drawn = rows
        write(out + "\u{1B}[\(screen.row + 1);\(screen.column + 1)H\u{1B}[?25h")
    }

    func bell() { write("\u{7}") }

    private func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count) }
            if count < 0 && (errno == EINTR || errno == EAGAIN) {
                // Another program has made the terminal non-blocking: wait for space.
                var wait = pollfd(fd: 1, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wait, 1, 1_000)
                continue
            }
            if count <= 0 { return }
            bytes = bytes.dropFirst(count)
        }
    }
}
