import Glibc

/// Asks for a passphrase on the terminal, without showing what is typed.
///
/// The terminal is `/dev/tty`: standard input and output may be files.
enum SecretPrompt {
    /// A line, without its newline. Ctrl-C, SIGTERM and SIGHUP give the terminal its echo back before they count.
    /// - Throws: `.usage` where there is no terminal, `.interrupted`.
    static func ask(_ prompt: String) throws -> String {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { throw noTerminal() }
        defer { close(terminal) }
        var before = termios()
        guard tcgetattr(terminal, &before) == 0 else { throw noTerminal() }
        let interrupts = Interrupts()
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        silent.c_lflag |= tcflag_t(ICANON | ISIG)
        // Keys that were typed before the question are not the answer.
        guard tcsetattr(terminal, TCSAFLUSH, &silent) == 0 else { throw noTerminal() }
        defer {
            _ = tcsetattr(terminal, TCSANOW, &before)
            say("\n", terminal)
        }
        say(prompt, terminal)
        return try withExtendedLifetime(interrupts) { try line(from: terminal, interrupts) }
    }

    /// - Parameter option: the one that names a file instead.
    static func noTerminal(_ option: String = "--passphrase-file") -> Failure {
        Failure(.usage, "no terminal; pass \(option) PATH")
    }

    private static func line(from terminal: CInt, _ interrupts: Interrupts) throws -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !bytes.contains(UInt8(ascii: "\n")) {
            var waits = [
                pollfd(fd: terminal, events: Int16(POLLIN), revents: 0),
                pollfd(fd: interrupts.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            // Stopped and continued: ask again.
            if poll(&waits, 2, -1) < 0 { continue }
            if waits[1].revents != 0 { throw Failure(.interrupted, "interrupted; nothing was changed") }
            let count = read(terminal, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        let text = bytes.prefix { $0 != UInt8(ascii: "\n") }
        guard let line = String(validating: text, as: UTF8.self) else {
            throw Failure(.usage, "the passphrase is not text (UTF-8)")
        }
        return line
    }

    private static func say(_ text: String, _ terminal: CInt) {
        let bytes = Array(text.utf8)
        _ = write(terminal, bytes, bytes.count)
    }
}
