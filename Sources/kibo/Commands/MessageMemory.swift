import ControlProtocol

/// The last state of messages that were seen, the latest thousand of them.
struct MessageMemory {
    /// Messages that change are mostly young.
    private static let capacity = 1_000

    private var messages: [String: Message] = [:]
    private var order: [String] = []

    /// Remembers a message, and returns what it was before, if that is known.
    mutating func replace(_ message: Message) -> Message? {
        let before = messages.updateValue(message, forKey: message.id)
        if before == nil {
            order.append(message.id)
            // In one go, so that it costs nothing on the whole.
            if order.count >= 2 * Self.capacity {
                for id in order.prefix(Self.capacity) { messages[id] = nil }
                order.removeFirst(Self.capacity)
            }
        }
        return before
    }

    /// Forgets a message, and returns it.
    mutating func remove(_ id: String) -> Message? { messages.removeValue(forKey: id) }
}
