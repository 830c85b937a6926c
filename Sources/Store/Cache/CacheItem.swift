import Basics

/// The keys by which ``MemoryCache`` finds records.
public enum CacheKey: Hashable, Sendable {
    case message(UUIDv7)
    case conversation(UUIDv7)
}

/// A record that ``MemoryCache`` keeps.
public indirect enum CacheItem: Hashable, Sendable {
    case message(MessageRecord)
    case conversation(ConversationRecord)

    public var key: CacheKey {
        switch self {
        case .message(let record): .message(record.row.id)
        case .conversation(let record): .conversation(record.row.id)
        }
    }

    /// Approximate bytes of memory that the record takes.
    var bytes: Int {
        switch self {
        case .message(let record): record.bytes
        case .conversation(let record): record.bytes
        }
    }
}

/// Bytes that arrays and strings take on the heap.
private enum Heap {
    private static let header = 32

    static func array<T>(_ array: [T]) -> Int {
        array.isEmpty ? 0 : header + array.count * MemoryLayout<T>.stride
    }

    /// Up to 15 bytes live in the value itself.
    static func text(_ text: String?) -> Int {
        guard let count = text?.utf8.count, count > 15 else { return 0 }
        return header + count
    }
}

extension MessageRecord {
    fileprivate var bytes: Int {
        var sum =
            MemoryLayout<MessageRecord>.size + Heap.text(row.text) + Heap.text(row.detail) + Heap.text(row.guest)
            + Heap.text(row.givenTo)
        sum += Heap.array(recipients) + Heap.array(reactions) + Heap.array(attachments)
        for reaction in reactions { sum += Heap.text(reaction.emoji) }
        for attachment in attachments {
            sum += Heap.text(attachment.name) + Heap.text(attachment.mediaType) + Heap.text(attachment.path)
            sum += attachment.preview.map { Heap.array($0) } ?? 0
        }
        return sum
    }
}

extension ConversationRecord {
    fileprivate var bytes: Int {
        MemoryLayout<ConversationRecord>.size + Heap.text(title) + (lastMessage?.bytes ?? 0)
    }
}
