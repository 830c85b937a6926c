import Basics
import ControlProtocol
import Vocabulary

/// The names that the daemon knows, for the shells' completion.
struct NameCompletion {
    private let connect: () throws -> ControlClient
    /// The words of the command so far, without its name and options.
    private let before: [String]
    /// Whether the word that is typed begins with a colon, as groups and emoji may.
    private let hasColon: Bool

    /// - Parameters:
    ///   - before: the words of the command so far.
    ///   - word: what is typed of the next one.
    init(_ client: @escaping () throws -> ControlClient, before: [String], word: String) {
        connect = client
        hasColon = word.drop { $0 == "\"" || $0 == "'" || $0 == "\\" }.first == ":"
        self.before = before.filter { !$0.hasPrefix("-") }
    }

    /// All of a kind, each once. A name with signs that a terminal must not get can't be typed anyway.
    func names(_ kind: CompletedNames) throws -> [String] {
        var seen: Set<String> = []
        return try all(kind).filter { name in
            !name.isEmpty && !name.unicodeScalars.contains { ForeignText.isHostile($0, multiline: false) }
                && seen.insert(name).inserted
        }
    }

    private func all(_ kind: CompletedNames) throws -> [String] {
        switch kind {
        case .people:
            let peers = try texts("peer.list", "peers", "displayName")
            return (try contacts { _ in true } + peers).sorted()
        case .strangers:
            let others = try contacts { $0.relation != .friend && $0.relation != .blocked }
            let peers = try (connect().call("peer.list")["peers"]?.array ?? []).map { try Peer(json: $0) }
            return (others + peers.filter { $0.relation != .friend && $0.relation != .blocked }.map(\.displayName))
                .sorted()
        case .muted: return try conversations(where: \.muted)
        case .pinned: return try conversations(where: \.pinned)
        case .archived: return try conversations(where: \.archived, ["archived": true])
        case .contacts: return try contacts { _ in true }
        case .chats:
            let people = try contacts { $0.relation == .friend || $0.conversation != nil }
            return people + (try groups().map { NameSign.group + $0 }) + [NameSign.notes]
        case .groups: return try groups()
        case .requests: return try contacts { $0.relation == .incoming }
        case .blocked: return try contacts { $0.relation == .blocked }
        case .transfers: return try transfers { _ in true }
        case .offers: return try transfers(Transfers.isWaiting)
        case .declinable: return try all(.requests) + all(.offers)
        case .pausable: return try transfers { $0.state == .active || $0.state == .queued }
        case .resumable: return try transfers { $0.state == .paused || $0.state == .failed }
        case .cancellable: return try transfers { !$0.state.isOver }
        case .localsend:
            if before.first == "scan" { return [] }
            let guests = try Guests(connect())
            let given = before.first == "decline" ? guests.currentGiven : []
            return (guests.current + given).map(\.device.name)
        case .devices: return try Guests(connect()).devices.map(\.name)
        case .settings: return try texts("settings.list", "settings", "key")
        case .values: return try values()
        case .group: return try groupWords()
        case .emoji:
            // What begins with a dash would be an option.
            return EmojiNames.all.filter { hasColon || !$0.hasPrefix("-") }.map { hasColon ? ":\($0):" : $0 }
        }
    }

    private func contacts(where fits: (Contact) -> Bool) throws -> [String] {
        let all = try (connect().call("contact.list")["contacts"]?.array ?? []).map { try Contact(json: $0) }
        return all.filter(fits).map(\.shownName).sorted()
    }

    private func conversations(where fits: (Conversation) -> Bool, _ params: JSONObject = [:]) throws -> [String] {
        let all = try connect().call("conversation.list", params)["conversations"]?.array ?? []
        return try all.map { try Conversation(json: $0) }.filter(fits).map { chat in
            chat.kind == .notes ? NameSign.notes : Words.title(of: chat)
        }
    }

    private func groups() throws -> [String] { try texts("group.list", "groups", "name").sorted() }

    private func transfers(_ fits: (Transfer) -> Bool) throws -> [String] {
        try Transfers.all(connect()).filter(fits).map(\.name)
    }

    /// The values of the setting that was named.
    private func values() throws -> [String] {
        guard let key = before.first else { return [] }
        let setting = try connect().call("settings.get", ["key": .string(key)], as: Setting.init(json:))
        if setting.type == "boolean" { return ["yes", "no"] }
        let words = setting.limits?["enum"] ?? setting.limits?["items"]?["enum"]
        return words?.array?.compactMap(\.string) ?? []
    }

    /// What may stand behind an action of `kibo group` and its words.
    private func groupWords() throws -> [String] {
        guard let action = before.first else { return [] }
        switch (action, before.count) {
        case ("create", 1), ("list", _): return []
        case (_, 1): return try groups().map { hasColon ? NameSign.group + $0 : $0 }
        case ("create", _), ("add", _): return try contacts { $0.relation == .friend }
        case ("remove", 2), ("role", 2):
            let named = try connect().call(
                "name.resolve", ["name": .string(before[1]), "for": .string(NamePurpose.group.rawValue)],
                as: Named.init(json:))
            let group = try connect().call("group.get", ["id": .string(named.id)], as: Group.init(json:))
            return group.members.map(\.displayName).sorted()
        case ("role", 3): return GroupRole.allCases.map(\.rawValue)
        default: return []
        }
    }

    /// A field of each object of a list.
    private func texts(_ method: String, _ list: String, _ field: String) throws -> [String] {
        try (connect().call(method)[list]?.array ?? []).compactMap { $0[field]?.string }
    }
}
