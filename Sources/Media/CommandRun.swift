import Basics
import CLinux
import Glibc

/// Runs a command that the user has set, without a shell: words go to the program as they are. It blocks, and wants a
/// thread of its own; the end of that thread would end the command.
package struct CommandRun {
    /// The program, by its path or as the daemon's PATH finds it, and its arguments.
    package let words: [String]
    /// What it reads from standard input.
    package let input: [UInt8]
    /// How long it may take; then it and what it started are killed.
    package var patience = MediaLimits.command
    /// How many bytes of its output are kept.
    package var keeps = MediaLimits.commandOutput
    /// What it is called in failures; nil for the program's name.
    package var shownName: String?

    package init(
        words: [String], input: [UInt8], patience: Duration = MediaLimits.command,
        keeps: Int = MediaLimits.commandOutput
    ) {
        self.words = words
        self.input = input
        self.patience = patience
        self.keeps = keeps
    }

    /// Why the command didn't do its work: a phrase for people.
    package struct Failure: Error, CustomStringConvertible {
        package let text: String
        /// The exit status; nil if the program did not exit by itself.
        package var code: CInt?

        package init(text: String, code: CInt? = nil) {
            self.text = text
            self.code = code
        }

        package var description: String { text }
    }

    /// Runs the command and returns its output.
    /// - Throws: ``Failure`` if it could not be started, did not succeed, or took too long.
    @discardableResult
    package func run() throws(Failure) -> String {
        guard let name = words.first, let program = Self.find(name) else {
            throw Failure(text: "there is no program \(words.first ?? "")")
        }
        var toChild: [CInt] = [-1, -1]
        var fromChild: [CInt] = [-1, -1]
        guard pipe(&toChild) == 0 else { throw Failure(text: "no pipe: \(Self.text(errno))") }
        guard pipe(&fromChild) == 0 else {
            for end in toChild { close(end) }
            throw Failure(text: "no pipe: \(Self.text(errno))")
        }
        let arguments = words.map { strdup($0) } + [nil]
        defer { for text in arguments { free(text) } }
        let pid = kibo_spawn_command(program, arguments, toChild[0], fromChild[1])
        close(toChild[0])
        close(fromChild[1])
        defer { close(fromChild[0]) }
        guard pid > 0 else {
            close(toChild[1])
            throw Failure(text: "\(name) can't be started: \(Self.text(-pid))")
        }
        var talk = Talk(input: input[...], to: toChild[1], from: fromChild[0], keeps: keeps)
        let status = talk.wait(for: pid, until: SystemClocks().now + patience)
        if talk.to >= 0 { close(talk.to) }
        try Self.judge(status, shownName ?? name, said: talk.said, patience)
        return String(decoding: talk.said, as: UTF8.self)
    }

    private static func judge(_ status: CInt?, _ name: String, said: [UInt8], _ patience: Duration) throws(Failure) {
        guard let status else {
            throw Failure(text: "\(name) took longer than \(patience.components.seconds) s and was ended")
        }
        if status == 0 { return }
        let text = String(decoding: said, as: UTF8.self)
        let line = text.split(whereSeparator: \.isNewline).first { !$0.allSatisfy(\.isWhitespace) }
        let words = line.map { ": \(ForeignText.escaped(String($0.prefix(MediaLimits.commandWords))))" } ?? ""
        // wait(2) packs a signal into the lower seven bits and an exit code above them.
        let signal = status & 0x7F
        throw Failure(
            text: signal == 0
                ? "\(name) failed with \(status >> 8 & 0xFF)\(words)" : "\(name) was ended by signal \(signal)",
            code: signal == 0 ? status >> 8 & 0xFF : nil)
    }

    private static func text(_ code: CInt) -> String { String(cString: strerror(code)) }

    /// The program of that name or path, if it can be run.
    package static func find(_ name: String) -> String? {
        if name.contains("/") { return access(name, X_OK) == 0 ? name : nil }
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
        // sendmail is there for all, and not on every user's path.
        return (path.split(separator: ":").map(String.init) + ["/usr/local/sbin", "/usr/sbin"])
            .map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 && !isFolder($0) }
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}

/// Writes to a child and takes what it says, until it has ended.
private struct Talk {
    var input: ArraySlice<UInt8>
    var to: CInt
    let from: CInt
    private let keeps: Int
    private(set) var said: [UInt8] = []

    init(input: ArraySlice<UInt8>, to: CInt, from: CInt, keeps: Int) {
        self.keeps = keeps
        self.input = input
        self.to = to
        self.from = from
        for end in [to, from] {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
    }

    /// The child's status as wait(2) has it; nil if it was killed because it took too long.
    mutating func wait(for pid: CInt, until deadline: Instant) -> CInt? {
        var status: CInt = 0
        while true {
            move()
            let ended = waitpid(pid, &status, WNOHANG)
            if ended == pid {
                move()
                return status
            }
            if ended < 0, errno != EINTR { return nil }
            if SystemClocks().now >= deadline {
                // The child leads a group: what it started goes with it.
                kill(-pid, SIGKILL)
                kill(pid, SIGKILL)
                while waitpid(pid, &status, 0) < 0, errno == EINTR {}
                return nil
            }
            var waits = [pollfd(fd: from, events: Int16(POLLIN), revents: 0)]
            if to >= 0 { waits.append(pollfd(fd: to, events: Int16(POLLOUT), revents: 0)) }
            // The child's end is looked for in between: a process that it left behind may hold the pipe.
            if poll(&waits, nfds_t(waits.count), 20) > 0, waits[0].revents & Int16(POLLHUP) != 0 { usleep(10_000) }
        }
    }

    private mutating func move() {
        while to >= 0 {
            let count = input.withUnsafeBytes { Glibc.write(to, $0.baseAddress, $0.count) }
            if count > 0 { input = input.dropFirst(count) }
            if count < 0, errno == EAGAIN { break }
            if count < 0, errno == EINTR { continue }
            // Everything is written, or the child has stopped reading, which is its own business.
            if input.isEmpty || count <= 0 {
                close(to)
                to = -1
            }
        }
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(from, &buffer, buffer.count)
            guard count > 0 else { return }
            said += buffer[..<count].prefix(max(0, keeps - said.count))
        }
    }
}
