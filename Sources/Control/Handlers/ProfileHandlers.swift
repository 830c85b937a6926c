import Basics
import ControlProtocol
import PeerProtocol
import Store
import Vocabulary

extension Handlers {
    nonisolated static let profileMethods: [String: Method] = [
        "account.update": { handlers, parameters, _ in try await handlers.updateAccount(parameters).json },
        "presence.set": { handlers, parameters, connection in try await handlers.setPresence(parameters, on: connection)
        },
    ]

    /// All of it or nothing: a field that is not in order, or a picture that can't be used, leaves everything as it was.
    func updateAccount(_ parameters: Parameters) async throws -> Account {
        _ = try requireAccount()
        // Reading a number takes some milliseconds the first time: not on the reactor.
        let changes = try await context.workers.imports.run { try ProfileChanges(parameters) }
        var avatar: [UInt8]?
        if let path = changes.avatarPath, !path.isEmpty { avatar = try await context.avatars.take(path) }
        defer { avatar.map(context.avatars.release) }
        let digest = avatar
        let row = try await context.profiles.update { changes.apply(to: &$0, avatar: digest) }
        if changes.avatarPath != nil { context.avatars.sweep() }
        return composer.account(row)
    }

    func setPresence(_ parameters: Parameters, on connection: ControlConnection) async throws -> JSONValue {
        _ = try requireAccount()
        let state: Presence = parameters.choice("state", as: Presence.self) == .away ? .away : .online
        let text = parameters.optionalString("statusText")
        if parameters.bool("idle") {
            if connection.isOpen {
                context.profiles.noticed(idle: state == .away, by: ObjectIdentifier(connection))
            }
            if let text { _ = try await context.profiles.update { $0.statusText = text } }
        } else {
            try await context.profiles.say(state, statusText: text)
        }
        return ["state": .string(context.profiles.state.rawValue)]
    }
}
