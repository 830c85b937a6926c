import Basics
import ControlProtocol
import Messaging
import PeerProtocol
import Reactor
import Runtime
import Store
import Vocabulary

/// Groups: what their members change about them.
extension Handlers {
    nonisolated static let groupMethods: [String: Method] = [
        "group.list": { handlers, _, _ in try await handlers.groups() },
        "group.get": { handlers, parameters, _ in try await handlers.group(parameters).json },
        "group.create": { handlers, parameters, _ in try await handlers.createGroup(parameters).json },
        "group.update": { handlers, parameters, _ in try await handlers.updateGroup(parameters).json },
        "group.add": { handlers, parameters, _ in try await handlers.addToGroup(parameters).json },
        "group.remove": { handlers, parameters, _ in try await handlers.removeFromGroup(parameters).json },
        "group.setRole": { handlers, parameters, _ in try await handlers.setGroupRole(parameters).json },
        "group.leave": { handlers, parameters, _ in try await handlers.leaveGroup(parameters).json },
    ]

    func groups() async throws -> JSONValue {
        _ = try requireAccount()
        let composer = composer
        return try await context.store.read { transaction in
            // One of which only a part is here is nothing to show.
            let groups = try transaction.groups().filter { $0.state != .arriving }.sorted { $0.name < $1.name }
            return ["groups": .array(try groups.map { try composer.group($0, in: transaction).json })]
        }
    }

    func group(_ parameters: Parameters) async throws -> Group {
        _ = try requireAccount()
        let id = try uuid("id", parameters)
        let composer = composer
        return try await context.store.read { transaction in
            try composer.group(try Self.group(id, in: transaction), in: transaction)
        }
    }

    func createGroup(_ parameters: Parameters) async throws -> Group {
        let members = try accounts("members", parameters)
        let avatar = try await avatar(parameters)
        defer { if let avatar { context.avatars.release(avatar) } }
        let founding = GroupFounding(
            name: parameters.string("name"), description: parameters.optionalString("description") ?? "",
            history: parameters.optionalInteger("history").map { Int(clamping: $0) } ?? 0, avatar: avatar)
        return try await change { commands in try commands.create(founding, members: members) }
    }

    func updateGroup(_ parameters: Parameters) async throws -> Group {
        let id = try uuid("id", parameters)
        var operations: [GroupOperation] = []
        if let name = parameters.optionalString("name") { operations.append(.rename(name)) }
        if let text = parameters.optionalString("description") { operations.append(.describe(text)) }
        if let count = parameters.optionalInteger("history") { operations.append(.history(Int(clamping: count))) }
        let avatar = try await avatar(parameters)
        defer { if let avatar { context.avatars.release(avatar) } }
        if parameters.has("avatarPath") { operations.append(.avatar(avatar)) }
        let asked = operations
        guard !asked.isEmpty else {
            throw ControlError(
                .invalid, "there is nothing to change", hint: .giveGroupChange)
        }
        return try await change { commands in try commands.change(asked, in: id) }
    }

    func addToGroup(_ parameters: Parameters) async throws -> Group {
        let (id, members) = (try uuid("id", parameters), try accounts("members", parameters))
        guard !members.isEmpty else { throw ControlError(.invalid, "nobody is named", field: "members") }
        return try await change { commands in try commands.add(members, to: id) }
    }

    func removeFromGroup(_ parameters: Parameters) async throws -> Group {
        let (id, member) = (try uuid("id", parameters), try account("member", parameters))
        return try await change { commands in try commands.remove(member, from: id) }
    }

    func setGroupRole(_ parameters: Parameters) async throws -> Group {
        let (id, member) = (try uuid("id", parameters), try account("member", parameters))
        guard let role = parameters.choice("role", as: GroupRole.self) else {
            throw ControlError(.invalid, "role is owner, admin or member", field: "role")
        }
        return try await change { commands in try commands.change([.role(member, role)], in: id)
        }
    }

    func leaveGroup(_ parameters: Parameters) async throws -> Group {
        let id = try uuid("id", parameters)
        return try await change { commands in try commands.change([.leave], in: id) }
    }

    /// Commits a change, and lets the other rooms know before anything that is committed later.
    private func change(_ body: @escaping @Sendable (GroupCommands) throws -> GroupOutcome) async throws -> Group {
        _ = try requireAccount()
        guard let voice = context.voice else { throw MessagingError.locked }
        let (composer, groups) = (composer, context.groups)
        return try await context.store.commit { transaction in
            let outcome = try body(GroupCommands(voice, transaction))
            return (try composer.group(outcome.row, in: transaction), outcome.effects)
        } apply: { group, effects in
            groups.committed(effects)
            return group
        }
    }

    /// Makes the picture that is asked for, small and square, as those of people are.
    private func avatar(_ parameters: Parameters) async throws -> [UInt8]? {
        guard let path = parameters.optionalString("avatarPath"), !path.isEmpty else { return nil }
        return try await context.avatars.take(path)
    }

    nonisolated static func group(_ id: UUIDv7, in transaction: ReadTransaction) throws -> GroupRow {
        guard let row = try transaction.group(id), row.state != .arriving else { throw MessagingError.noGroup(id) }
        return row
    }

    private func account(_ name: String, _ parameters: Parameters) throws -> AccountID {
        guard let id = parameters.account(name) else {
            throw ControlError(.invalid, "\(name) is not an account id", field: name)
        }
        return id
    }

    private func accounts(_ name: String, _ parameters: Parameters) throws -> [AccountID] {
        try parameters.strings(name).map { text in
            guard let id = AccountID(text) else {
                throw ControlError(.invalid, "\(ForeignText.escaped(text)) is not an account id", field: name)
            }
            return id
        }
    }
}
