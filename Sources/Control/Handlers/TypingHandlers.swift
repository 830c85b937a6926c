import ControlProtocol
import Messaging
import Reactor
import Vocabulary

/// Tells peers that the user is typing.
@ReactorActor struct TypingHandlers: MethodArea {
    let base: MethodBase
    let typing: any TypingControl

    var methods: [String: Method] {
        [
            "typing.set": { parameters, connection in try await set(parameters, on: connection) }
        ]
    }

    /// Refuses typing where a message would be refused, so that the client learns it before the user has written the
    /// text.
    private func set(_ parameters: Parameters, on connection: any Caller) async throws -> JSONValue {
        let id = try uuid("conversation", parameters)
        let isTyping = parameters.bool("typing")
        // A message ends typing, so this must come after the client's earlier messages, in the order of writes. A job
        // that changes nothing costs no write.
        await connection.lane.pass()
        switch try await store.commit({ try Audience.of(.conversation(id), in: $0) }) {
        case .friend(let contact): typing.set(contact.account, isTyping: isTyping)
        case .group(let group):
            if let root = EntryHash(group.root) { typing.set(in: root, isTyping: isTyping) }
        case .notes: break
        }
        return [:]
    }
}
