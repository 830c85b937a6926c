import Basics
import ControlProtocol
import Messaging
import PeerProtocol
import Reactor
import Runtime
import Store
import Vocabulary

/// Lists groups, and makes the changes that their members may make.
@ReactorActor struct GroupHandlers: MethodArea {
    let base: MethodBase
    let avatars: any AvatarControl

    var methods: [String: Method] {
        [
            "group.list": { _, _ in try await list() },
            "group.get": { parameters, _ in try await get(parameters).json },
            "group.create": { parameters, _ in try await create(parameters).json },
            "group.update": { parameters, _ in try await update(parameters).json },
            "group.add": { parameters, _ in try await add(parameters).json },
            "group.remove": { parameters, _ in try await remove(parameters).json },
            "group.setRole": { parameters, _ in try await setRole(parameters).json },
            "group.leave": { parameters, _ in try await leave(parameters).json },
        ]
    }

    private func list() async throws -> JSONValue {
        let composer = composer
        return try await store.read { transaction in
            // A group that is still arriving can't be shown.
            let groups = try transaction.groups().filter { $0.state != .arriving }.sorted { $0.name < $1.name }
            return ["groups": .array(try groups.map { try composer.group($0, in: transaction).json })]
        }
    }

    private func get(_ parameters: Parameters) async throws -> Group {
        let id = try uuid("id", parameters)
        let composer = composer
        return try await store.read { transaction in
            try composer.group(try transaction.shownGroup(id), in: transaction)
        }
    }

    private func create(_ parameters: Parameters) async throws -> Group {
        let members = try accounts("members", parameters)
        let avatar = try await avatar(parameters)
        defer { if let avatar { avatars.release(avatar) } }
        let founding = GroupFounding(
            name: parameters.string("name"), description: parameters.optionalString("description") ?? "",
            history: parameters.optionalInteger("history").map { Int(clamping: $0) } ?? 0, avatar: avatar)
        return try await change { commands in try commands.create(founding, members: members) }
    }

    private func update(_ parameters: Parameters) async throws -> Group {
        let id = try uuid("id", parameters)
        var operations: [GroupOperation] = []
        if let name = parameters.optionalString("name") { operations.append(.rename(name)) }
        if let text = parameters.optionalString("description") { operations.append(.describe(text)) }
        if let count = parameters.optionalInteger("history") { operations.append(.history(Int(clamping: count))) }
        let avatar = try await avatar(parameters)
        defer { if let avatar { avatars.release(avatar) } }
        if parameters.has("avatarPath") { operations.append(.avatar(avatar)) }
        let asked = operations
        guard !asked.isEmpty else {
            throw ControlError(.invalid, "there is nothing to change", hint: .giveGroupChange)
        }
        return try await change { commands in try commands.change(asked, in: id) }
    }

    private func add(_ parameters: Parameters) async throws -> Group {
        let (id, members) = (try uuid("id", parameters), try accounts("members", parameters))
        guard !members.isEmpty else { throw ControlError(.invalid, "no member is named", field: "members") }
        return try await change { commands in try commands.add(members, to: id) }
    }

    private func remove(_ parameters: Parameters) async throws -> Group {
        let (id, member) = (try uuid("id", parameters), try account("member", parameters))
        return try await change { commands in try commands.remove(member, from: id) }
    }

    private func setRole(_ parameters: Parameters) async throws -> Group {
        let (id, member) = (try uuid("id", parameters), try account("member", parameters))
        guard let role = parameters.choice("role", as: GroupRole.self) else {
            throw ControlError(.invalid, "role is owner, admin or member", field: "role")
        }
        return try await change { commands in try commands.change([.role(member, role)], in: id) }
    }

    private func leave(_ parameters: Parameters) async throws -> Group {
        let id = try uuid("id", parameters)
        return try await change { commands in try commands.change([.leave], in: id) }
    }

    private func change(_ body: @escaping @Sendable (GroupCommands) throws -> GroupRow) async throws -> Group {
        guard let voice = voice else { throw MessagingError.locked }
        let composer = composer
        return try await store.commit { transaction in
            try composer.group(try body(GroupCommands(voice, transaction)), in: transaction)
        }
    }

    /// Makes the avatar that is asked for, small and square like those of people.
    private func avatar(_ parameters: Parameters) async throws -> [UInt8]? {
        guard let path = parameters.optionalString("avatarPath"), !path.isEmpty else { return nil }
        return try await avatars.importPicture(path)
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

extension ReadTransaction {
    /// A group that can be shown: all of it has arrived.
    func shownGroup(_ id: UUIDv7) throws -> GroupRow {
        guard let row = try group(id), row.state != .arriving else { throw MessagingError.noGroup(id) }
        return row
    }
}
