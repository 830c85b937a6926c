import ControlProtocol

/// The messages of one conversation as far as they are loaded: pages and events in, messages in order out.
///
/// Pages and events cross each other on their way. What decides is how new something is at least: an event carries its
/// number, a page the number of the last event that was seen when the page was asked for. The newer one stays; the same
/// event twice or late changes nothing. What is removed never comes back.
struct ChatModel {
    /// A message, and the number of the event that it is at least as new as.
    private struct Entry {
        var message: Message
        var version: Int64
    }

    /// Where a message stands.
    private struct Position: Comparable {
        let position: String
        let id: String

        static func < (left: Position, right: Position) -> Bool {
            // Positions sort as bytes; Swift's order of texts is another one.
            left.position == right.position
                ? left.id < right.id : left.position.utf8.lexicographicallyPrecedes(right.position.utf8)
        }
    }

    /// The outcome of an event for the conversation.
    enum Outcome: Equatable {
        case nothing
        /// A message that was not here before.
        case added(String)
        case changed(String)
        case removed(String)
    }

    let conversation: String
    /// The number of the last event that was seen; the next subscription goes on from there.
    private(set) var lastSeq: Int64
    /// Whether a first page is here.
    private(set) var isLoaded = false
    /// The position where the loaded part begins: older messages are not shown, or there would be holes. Nil if nothing is
    /// older.
    private(set) var start: String?
    private var entries: [String: Entry] = [:]
    private var positions: [Position] = []
    private var removed: Set<String> = []
    /// The messages that the user hasn't read.
    private(set) var unread: Set<String> = []

    init(conversation: String, lastSeq: Int64 = 0) {
        self.conversation = conversation
        self.lastSeq = lastSeq
    }

    // MARK: Reading

    /// Whether there are older ones to be asked for.
    var hasOlder: Bool { start != nil }

    /// How many messages are loaded.
    var count: Int { positions.count - firstIndex }

    /// The message at an index from 0, the oldest, to ``count`` − 1.
    subscript(index: Int) -> Message? {
        let index = index + firstIndex
        guard positions.indices.contains(index) else { return nil }
        return entries[positions[index].id]?.message
    }

    /// A message by its id, if it is loaded.
    func message(_ id: String) -> Message? { entries[id]?.message }

    /// The index of a message; nil if it is not loaded.
    func index(of id: String) -> Int? {
        guard let entry = entries[id] else { return nil }
        let index = lowerBound(Position(position: entry.message.position, id: id)) - firstIndex
        return index >= 0 ? index : nil
    }

    /// The index of the first message at or behind a position.
    func index(at position: String) -> Int { max(0, lowerBound(Position(position: position, id: "")) - firstIndex) }

    /// All that are loaded, in order.
    var messages: [Message] { positions[firstIndex...].compactMap { entries[$0.id]?.message } }

    private var firstIndex: Int { start.map { lowerBound(Position(position: $0, id: "")) } ?? 0 }

    // MARK: Taking in

    /// Takes an event in, of whatever type.
    mutating func apply(_ event: Event) -> Outcome {
        let seq = event.seq ?? lastSeq
        lastSeq = max(lastSeq, seq)
        if event.isOf(.messageRemoved) {
            guard event.data["conversation"]?.string == conversation, let id = event.data["id"]?.string else {
                return .nothing
            }
            return remove(id) ? .removed(id) : .nothing
        }
        guard event.isOf(.messageAdded) || event.isOf(.messageChanged),
            let message = try? Message(json: event.data), message.conversation == conversation
        else { return .nothing }
        return apply(message, version: seq)
    }

    /// Takes one message in, as an answer brings it.
    ///
    /// - Parameter asOf: ``lastSeq`` when it was asked for.
    @discardableResult
    mutating func apply(_ message: Message, asOf: Int64) -> Outcome {
        // The answer may be about a chat that was left meanwhile.
        message.conversation == conversation ? apply(message, version: asOf) : .nothing
    }

    /// The newest page: it takes the place of all that was loaded, except for what events have brought since.
    mutating func applyNewest(_ messages: [Message], hasMore: Bool, asOf: Int64) {
        entries = entries.filter { $0.value.version > asOf }
        unread = Set(entries.values.filter(\.message.unread).map(\.message.id))
        positions = entries.map { Position(position: $0.value.message.position, id: $0.key) }.sorted()
        for message in messages { apply(message, version: asOf) }
        start = hasMore ? messages.first?.position : nil
        isLoaded = true
    }

    /// A page of older ones, as it was asked for with ``start``.
    mutating func applyOlder(_ messages: [Message], hasMore: Bool, asOf: Int64) {
        for message in messages { apply(message, version: asOf) }
        start = hasMore ? messages.first?.position ?? start : nil
    }

    /// A message is gone from here.
    ///
    /// - Returns: whether it was here.
    @discardableResult
    mutating func remove(_ id: String) -> Bool {
        removed.insert(id)
        guard let entry = entries.removeValue(forKey: id) else { return false }
        drop(Position(position: entry.message.position, id: id))
        unread.remove(id)
        return true
    }

    /// Nothing that is here can be relied on any more (a gap, a daemon that was restored): the next page starts afresh.
    mutating func forget(lastSeq: Int64) {
        self.lastSeq = lastSeq
        entries = entries.mapValues { Entry(message: $0.message, version: .min) }
    }

    @discardableResult
    private mutating func apply(_ message: Message, version: Int64) -> Outcome {
        if removed.contains(message.id) { return .nothing }
        let position = Position(position: message.position, id: message.id)
        guard let entry = entries[message.id] else {
            put(message, version)
            positions.insert(position, at: lowerBound(position))
            return .added(message.id)
        }
        guard version >= entry.version else { return .nothing }
        put(message, version)
        if entry.message.position != message.position {
            drop(Position(position: entry.message.position, id: message.id))
            positions.insert(position, at: lowerBound(position))
        }
        return entry.message == message ? .nothing : .changed(message.id)
    }

    private mutating func put(_ message: Message, _ version: Int64) {
        entries[message.id] = Entry(message: message, version: version)
        if message.unread { unread.insert(message.id) } else { unread.remove(message.id) }
    }

    private mutating func drop(_ position: Position) {
        let index = lowerBound(position)
        if index < positions.count, positions[index] == position { positions.remove(at: index) }
    }

    private func lowerBound(_ position: Position) -> Int {
        // New messages mostly come last.
        if positions.last.map({ $0 < position }) ?? true { return positions.count }
        var (low, high) = (0, positions.count)
        while low < high {
            let middle = (low + high) / 2
            if positions[middle] < position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
