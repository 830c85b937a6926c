import Basics
import ControlProtocol
import Glibc
import Messaging
import Store
import Vocabulary

/// Writes a conversation to a file: as JSON, a message a line, or as text for people. On a thread that may block.
struct ConversationExport: Sendable {
    enum Format: String, CaseIterable, Sendable { case jsonl, text }

    let conversation: UUIDv7
    let path: String
    let format: Format
    let store: Store
    let composer: ObjectComposer

    /// The file is there whole, or not at all.
    /// - Returns: how many messages it has.
    func run() throws -> Int64 {
        // The names are those of today: a snapshot for each page would be another one anyway.
        let names = try store.readAndWait { [conversation, composer] transaction in
            guard let row = try transaction.conversation(conversation) else {
                throw MessagingError.noConversation(conversation)
            }
            return try Self.names(in: try composer.conversation(row, in: transaction), transaction)
        }
        let partial = path + ".\(UInt32.random(in: .min ... .max)).part"
        let file = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Self.refusal(errno, path) }
        var isDone = false
        defer {
            close(file)
            if !isDone { unlink(partial) }
        }
        let count = try write(to: file, names)
        guard fsync(file) == 0 else { throw Self.refusal(errno, path) }
        try Self.place(partial, path)
        isDone = true
        return count
    }

    /// Nobody's file is overwritten: a link fails where a rename would replace. Where there are no links (FAT), a look before
    /// the rename must do.
    private static func place(_ partial: String, _ path: String) throws {
        if link(partial, path) == 0 {
            unlink(partial)
            return
        }
        guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(errno) else { throw refusal(errno, path) }
        guard access(path, F_OK) != 0 else { throw refusal(EEXIST, path) }
        guard rename(partial, path) == 0 else { throw refusal(errno, path) }
    }

    private func write(to file: CInt, _ names: [String: String]) throws -> Int64 {
        var count: Int64 = 0
        var position: MessagePosition? = MessagePosition(key: 0, id: .zero)
        var first: MessageOrder?
        while let after = position {
            let page = try store.readAndWait { [conversation, composer] transaction in
                let page = try transaction.messages(in: conversation, after: after, limit: 500)
                let order = try transaction.messageOrder()
                return (
                    messages: try page.messages.map { try composer.message($0, in: transaction) },
                    order: order, next: page.hasMore ? page.messages.last?.position(in: order) : nil
                )
            }
            // Pages of two orders don't fit together.
            guard first ?? page.order == page.order else {
                throw ControlError(
                    .busy, "messages.order was changed meanwhile", hint: "Export again.", retryable: true)
            }
            first = page.order
            var bytes: [UInt8] = []
            for message in page.messages {
                switch format {
                case .jsonl:
                    message.json.append(to: &bytes)
                    bytes.append(0x0A)
                case .text: bytes.append(contentsOf: Self.text(message, names).utf8)
                }
            }
            try Self.write(bytes, to: file)
            count += Int64(page.messages.count)
            position = page.next
        }
        return count
    }

    private static func write(_ bytes: [UInt8], to file: CInt) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw refusal(errno, "the file") }
            rest = rest.dropFirst(count)
        }
    }

    private static func names(
        in conversation: Conversation, _ transaction: ReadTransaction
    ) throws -> [String: String] {
        var names: [String: String] = [:]
        if let contact = conversation.contact { names[contact] = conversation.title }
        if let group = conversation.group.flatMap({ UUIDv7($0) }) {
            // Also those who are gone: what they wrote is still here.
            for member in try transaction.members(of: group, former: true) {
                names[member.account.description] =
                    try transaction.contact(member.account)?.shownName ?? member.name
            }
        }
        if let own = try transaction.ownAccount() { names[own.account.description] = own.displayName }
        return names
    }

    // MARK: Text

    /// `2026-11-21 14:02  Anna: text`; further lines stand under the first, so that no text can look like another message.
    private static func text(_ message: Message, _ names: [String: String]) -> String {
        if message.kind == .system { return "\(time(message.sentAt))  \(ForeignText.escaped(message.text))\n" }
        let name = ForeignText.escaped(names[message.sender] ?? String(message.sender.prefix(13)))
        var lines: [String] = []
        if message.deleted {
            lines.append("(deleted)")
        } else if !message.text.isEmpty {
            let text = ForeignText.escaped(message.text, multiline: true)
            lines += text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
            if message.editedAt != nil { lines[lines.count - 1] += " (edited)" }
        }
        for file in message.attachments {
            lines.append("[\(ForeignText.escaped(file.name)), \(file.size) bytes]" + (file.path.map { " \($0)" } ?? ""))
        }
        for reaction in message.reactions {
            let who = ForeignText.escaped(names[reaction.account] ?? String(reaction.account.prefix(13)))
            lines.append("\(ForeignText.escaped(reaction.emoji)) \(who)")
        }
        return "\(time(message.sentAt))  \(name): " + lines.joined(separator: "\n    ") + "\n"
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

    private static func refusal(_ code: CInt, _ path: String) -> ControlError {
        switch code {
        case EEXIST:
            ControlError(.alreadyExists, "\(path) is there already", hint: "Choose another name.", field: "path")
        case ENOSPC, EDQUOT: ControlError(.noSpace, "there is no space for \(path)", field: "path")
        default:
            ControlError(.invalid, "\(path) can't be written: \(String(cString: strerror(code)))", field: "path")
        }
    }
}
