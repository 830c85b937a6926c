import Basics
import ControlProtocol
import Glibc

/// A conversation as text in a file.
struct ExportText {
    let people: People
    /// The name of this account.
    let own: String

    /// Reads messages, one JSON object a line, and writes them as text to a new file. The file is there whole, or not at all.
    func write(_ lines: String, to path: String) throws {
        guard let input = fopen(lines, "re") else { throw Self.failure(lines) }
        defer { fclose(input) }
        guard let output = fopen(path, "wxe") else { throw Self.failure(path) }
        var isWhole = false
        defer {
            fclose(output)
            if !isWhole { unlink(path) }
        }
        fchmod(fileno(output), 0o600)
        var line: UnsafeMutablePointer<CChar>?
        var room = 0
        defer { free(line) }
        while case let count = getline(&line, &room, input), count > 0, let line {
            let bytes = UnsafeRawBufferPointer(start: line, count: count)
            let text = self.text(try Message(json: JSONParser.parse(Array(bytes))))
            guard fputs(text, output) >= 0 else { throw Self.failure(path) }
        }
        guard ferror(input) == 0 else { throw Self.failure(lines) }
        guard fflush(output) == 0, fsync(fileno(output)) == 0 else { throw Self.failure(path) }
        isWhole = true
    }

    private static func failure(_ path: String) -> Failure {
        let hint = errno == EEXIST ? "Choose another name." : ""
        return Failure(.failed, "\(path): \(String(cString: strerror(errno)))", hint: hint)
    }

    /// `2026-11-21 14:02  Anna: text`; further lines stand under the first, so that no text can look like another message.
    func text(_ message: Message) -> String {
        let time = Self.time(message.sentAt)
        if message.kind == .system { return "\(time)  \(Words.excerpt(message))\n" }
        var lines: [String] = []
        if message.deleted {
            lines.append("(deleted)")
        } else if !message.words.isEmpty {
            let text = ForeignText.shown(message.words)
            lines += text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
            if message.editedAt != nil { lines[lines.count - 1] += " (edited)" }
        }
        for file in message.attachments {
            lines.append("[\(ForeignText.escaped(file.name)), \(file.size) bytes]" + (file.path.map { " \($0)" } ?? ""))
        }
        for reaction in message.reactions {
            lines.append("\(ForeignText.shown(reaction.emoji)) \(name(reaction.account))")
        }
        let device = GuestWords.device(of: message).map { " " + $0 } ?? ""
        return "\(time)  \(name(message.sender))\(device): " + lines.joined(separator: "\n    ") + "\n"
    }

    private func name(_ account: String) -> String {
        account == people.own ? Words.name(own) : people.name(account)
    }

    /// In local time, as ISO 8601 without the T.
    private static func time(_ milliseconds: Int64) -> String {
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return "?" }
        var buffer = [CChar](repeating: 0, count: 64)
        let count = strftime(&buffer, buffer.count, "%Y-%m-%d %H:%M", &parts)
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
