import Basics
import ControlProtocol
import Vocabulary

/// Waits by events until a message has come far enough. The subscription must be there before the message is.
struct MessageWaiter {
    let client: ControlClient

    /// The message as it is in the end: when `isEnough` holds, when it has failed, or when the time is over.
    func wait(for message: Message, timeout: Duration?, isEnough: (MessageState) -> Bool) throws -> Message {
        let deadline = timeout.map { SystemClocks().now + $0 }
        var message = message
        while !isEnough(message.state), message.state != .failed {
            let left = deadline.map { $0 - SystemClocks().now }
            if let left, left <= .zero { break }
            guard let event = try client.nextEvent(timeout: left) else { break }
            if event.isOf(.gap) {
                message = try client.call("message.get", ["id": .string(message.id)], as: Message.init(json:))
            } else if event.isOf(.messageChanged), event.data["id"]?.string == message.id {
                message = try Message(json: event.data)
            }
        }
        return message
    }
}
