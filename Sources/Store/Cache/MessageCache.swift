import Basics

/// Where the records come from that clients are shown: from the database, from memory, or from one in front of the other.
///
/// A transaction sees what it would see without a cache, always: `get` in a snapshot gives what was committed when the
/// snapshot began, neither older nor newer (``MemoryCache`` says how). So whoever reads after the answer to a write
/// finds the write, and a page and its messages are of one moment.
public protocol MessageCache: Sendable {
    /// What the transaction has under this key; nil for nothing, and from a layer that doesn't know.
    func get(_ key: CacheKey, in transaction: ReadTransaction) throws(StoreError) -> CacheItem?

    /// Keeps an item: one that was read in this snapshot, or an asset that is stored by this write. A layer that has no
    /// use for it does nothing.
    func set(_ item: CacheItem, in transaction: ReadTransaction) throws(StoreError)

    /// Forgets items, assets for good: what they belong to is going.
    func purge(_ keys: [CacheKey], in transaction: WriteTransaction) throws(StoreError)
}

/// What a cache finds things by.
public enum CacheKey: Hashable, Sendable {
    case message(UUIDv7)
    case conversation(UUIDv7)
    /// By the id of what it belongs to: the preview of an attachment by its transfer's.
    case asset(UUIDv7)
}

/// What a cache keeps.
public indirect enum CacheItem: Hashable, Sendable {
    case message(MessageRecord)
    case conversation(ConversationRecord)
    case asset(AssetRecord)

    public var key: CacheKey {
        switch self {
        case .message(let record): .message(record.row.id)
        case .conversation(let record): .conversation(record.row.id)
        case .asset(let record): .asset(record.id)
        }
    }

    /// Bytes of memory that it takes, as near as one can tell.
    var bytes: Int {
        switch self {
        case .message(let record): record.bytes
        case .conversation(let record): record.bytes
        case .asset(let record): Heap.array(record.bytes) + MemoryLayout<AssetRecord>.size
        }
    }
}

/// What arrays and strings take on the heap.
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
        var sum = MemoryLayout<MessageRecord>.size + Heap.text(row.text) + Heap.text(row.detail)
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
