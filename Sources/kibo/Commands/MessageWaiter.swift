import Basics
import ControlProtocol
import Vocabulary

/// Waits by events until messages have come far enough. The subscription must be there before the messages are.
struct MessageWaiter {
    let client: ControlClient

    /// Takes in what happens to the messages, until `isEnough` holds for each that has not failed, or the time is over. Where it
    /// throws, they are as they were at last.
    func wait(for messages: inout [Message], timeout: Duration?, isEnough: (Message) -> Bool) throws {
        let deadline = timeout.map { SystemClocks().now + $0 }
        while !messages.allSatisfy({ $0.state == .failed || isEnough($0) }) {
            let left = deadline.map { $0 - SystemClocks().now }
            if let left, left <= .zero { break }
            guard let event = try client.nextEvent(timeout: left) else { break }
            if event.isOf(.gap) {
                for index in messages.indices {
                    messages[index] = try client.call(
                        "message.get", ["id": .string(messages[index].id)], as: Message.init(json:))
                }
            } else if event.isOf(.messageChanged),
                let index = messages.firstIndex(where: { $0.id == event.data["id"]?.string })
            {
                messages[index] = try Message(json: event.data)
            }
        }
    }
}
