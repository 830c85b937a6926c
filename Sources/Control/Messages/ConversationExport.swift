import Basics
import ControlProtocol
import Glibc
import Messaging
import Reactor
import Runtime
import Store
import Vocabulary

/// Writes a conversation to a file as JSON, one message a line. It blocks.
struct ConversationExport: Sendable {
    let conversation: UUIDv7
    let store: Store
    let composer: ObjectComposer

    /// Writes the whole file or none.
    /// - Returns: the number of its messages.
    func run(to path: String) throws -> Int64 {
        try checkConversation()
        let partial = path + ".\(UInt32.random(in: .min ... .max)).part"
        let file = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Self.refusal(errno, path) }
        var isDone = false
        defer {
            close(file)
            if !isDone { unlink(partial) }
        }
        let count = try write(to: file)
        guard fsync(file) == 0 else { throw Self.refusal(errno, path) }
        try Self.place(partial, path)
        isDone = true
        return count
    }

    /// Writes to a file without a name, which vanishes with its last descriptor. The descriptor stands at the
    /// beginning.
    func unnamed(in directory: String) throws -> (Descriptor, messages: Int64) {
        try checkConversation()
        let place = "the data directory"
        guard let file = UnnamedFile.make(in: directory) else { throw Self.refusal(errno, place) }
        let count = try write(to: file.number)
        guard lseek(file.number, 0, SEEK_SET) == 0 else { throw Self.refusal(errno, place) }
        return (file, count)
    }

    private func checkConversation() throws {
        let isThere = try store.readAndWait { [conversation] in try $0.conversation(conversation) != nil }
        guard isThere else { throw MessagingError.noConversation(conversation) }
    }

    /// Gives the file its name. An existing file is never overwritten: a link fails where a rename would replace. On a
    /// file system without links (FAT) a check before the rename has to be enough.
    private static func place(_ partial: String, _ path: String) throws {
        if link(partial, path) == 0 {
            unlink(partial)
            return
        }
        guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(errno) else { throw refusal(errno, path) }
        guard access(path, F_OK) != 0 else { throw refusal(EEXIST, path) }
        guard rename(partial, path) == 0 else { throw refusal(errno, path) }
    }

    private func write(to file: CInt) throws -> Int64 {
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
                throw ControlError(.busy, "messages.order was changed meanwhile", hint: .exportAgain, retryable: true)
            }
            first = page.order
            var bytes: [UInt8] = []
            for message in page.messages {
                message.json.append(to: &bytes)
                bytes.append(0x0A)
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

    private static func refusal(_ code: CInt, _ path: String) -> ControlError {
        switch code {
        case EEXIST:
            ControlError(
                .alreadyExists, "\(path) is there already", hint: .giveOtherPath,
                parameters: ["path": .string(path)], field: "path")
        case ENOSPC, EDQUOT:
            ControlError(
                .noSpace, "there is no space for \(path)", hint: .giveOtherPath, parameters: ["path": .string(path)],
                field: "path")
        default:
            ControlError(
                .invalid, "\(path) can't be written: \(String(cString: strerror(code)))", hint: .giveOtherPath,
                parameters: ["path": .string(path)], field: "path")
        }
    }
}
