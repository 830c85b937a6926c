import ControlProtocol
import Vocabulary

/// The last state of messages that were seen, the latest thousand of them, of calls, and of what waits.
struct MessageMemory {
    /// Messages that change are mostly young.
    private static let capacity = 1_000

    private var messages: [String: Message] = [:]
    private var order: [String] = []
    private var calls: [String: CallStage] = [:]
    private var waiting: Int64 = 0

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

    /// Whether a call stands otherwise than it did.
    mutating func isNews(_ call: Call) -> Bool {
        let before = calls.updateValue(call.state, forKey: call.id)
        if call.state == .ended { calls[call.id] = nil }
        return before != call.state
    }

    /// Whether more offers of devices with LocalSend wait than did.
    mutating func isNews(waiting count: Int64) -> Bool {
        let before = waiting
        waiting = count
        return count > before
    }

    /// Forgets a message, and returns it.
    mutating func remove(_ id: String) -> Message? { messages.removeValue(forKey: id) }
}
