import ControlProtocol
import Store

extension Handlers {
    /// Typing is refused where a message would be, so that a client hears of it before the text is written.
    func setTyping(_ parameters: Parameters, on connection: ControlConnection) async throws -> JSONValue {
        _ = try requireAccount()
        let id = try uuid("conversation", parameters)
        let isTyping = parameters.bool("typing")
        // Behind the messages that this client has sent before, which end what was said of typing: so not on the reading
        // thread. A job that changes nothing costs no write.
        await connection.lane.pass()
        let account = try await context.store.write { try Draft.contact(of: .conversation(id), in: $0).account }
        context.typing.set(account, isTyping: isTyping)
        return [:]
    }
}
