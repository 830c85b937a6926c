import ControlProtocol
import Store

extension Handlers {
    /// Typing is refused where a message would be, so that a client hears of it before the text is written.
    func setTyping(_ parameters: Parameters) async throws -> JSONValue {
        _ = try requireAccount()
        let id = try uuid("conversation", parameters)
        let isTyping = parameters.bool("typing")
        let account = try await context.store.read { try Draft.contact(of: .conversation(id), in: $0).account }
        context.typing.set(account, isTyping: isTyping)
        return [:]
    }
}
