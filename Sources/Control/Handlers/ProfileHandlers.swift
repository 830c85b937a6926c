import ControlProtocol
import Reactor
import Vocabulary

/// Changes what others see of the account.
@ReactorActor struct ProfileHandlers: MethodArea {
    let base: MethodBase
    let profiles: any ProfileControl
    let avatars: any AvatarControl

    var methods: [String: Method] {
        [
            "account.update": { parameters, _ in try await update(parameters).json },
            "presence.set": { parameters, connection in try await setPresence(parameters, on: connection)
            },
        ]
    }

    /// Changes all fields or none: an invalid field or picture leaves everything as it was.
    private func update(_ parameters: Parameters) async throws -> Account {
        // Reading a telephone number takes some milliseconds the first time, so another thread does it.
        let changes = try await workers.imports.run { try ProfileChanges(parameters) }
        var avatar: [UInt8]?
        if let path = changes.avatarPath, !path.isEmpty { avatar = try await avatars.importPicture(path) }
        defer { avatar.map(avatars.release) }
        let digest = avatar
        let row = try await profiles.update { changes.apply(to: &$0, avatar: digest) }
        if changes.avatarPath != nil { avatars.sweep() }
        return composer.account(row)
    }

    private func setPresence(_ parameters: Parameters, on connection: any Caller) async throws -> JSONValue {
        let state: Presence = parameters.choice("state", as: Presence.self) == .away ? .away : .online
        let text = parameters.optionalString("statusText")
        if parameters.bool("idle") {
            if connection.isOpen {
                profiles.noticed(idle: state == .away, by: ObjectIdentifier(connection))
            }
            if let text { _ = try await profiles.update { $0.statusText = text } }
        } else {
            try await profiles.say(state, statusText: text)
        }
        return ["state": .string(profiles.state.rawValue)]
    }
}
