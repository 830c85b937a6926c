import ControlProtocol
import Messaging
import PeerProtocol
import Store
import Vocabulary

extension Handlers {
    nonisolated static let typingMethods: [String: Method] = [
        "typing.set": { handlers, parameters, connection in try await handlers.setTyping(parameters, on: connection) }
    ]

    /// Typing is refused where a message would be, so that a client hears of it before the text is written.
    func setTyping(_ parameters: Parameters, on connection: ControlConnection) async throws -> JSONValue {
        _ = try requireAccount()
        let id = try uuid("conversation", parameters)
        let isTyping = parameters.bool("typing")
        // Behind the messages that this client has sent before, which end what was said of typing: so not on the reading
        // thread. A job that changes nothing costs no write.
        await connection.lane.pass()
        switch try await context.store.write({ try Audience.of(.conversation(id), in: $0) }) {
        case .friend(let contact): context.typing.set(contact.account, isTyping: isTyping)
        case .group(let group):
            if let root = EntryHash(group.root) { context.typing.set(in: root, isTyping: isTyping) }
        }
        return [:]
    }
}
