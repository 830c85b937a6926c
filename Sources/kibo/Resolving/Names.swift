import Arguments
import Basics
import ControlProtocol

/// Whom a word of the command line means is for the daemon to say, by one rule for all clients (`name.resolve`).
extension Context {
    /// The sign before a name where a group is meant.
    static let groupSign = ":"

    /// The word for the notes to oneself, as the daemon's rule for names has it.
    static let notesWord = "@me"

    /// What is said of CHAT in the help of a command.
    static let chatHelp = "a friend, a group (its name after a colon), or @me: your notes"

    /// An option of all commands that take CHAT.
    static let groupOption = OptionSpec("--group", help: "CHAT is a group (the same as a colon before its name)")

    /// - Parameter isStrict: it is for an action that can't be taken back, where only a whole name counts that fits no
    ///   other.
    func find(
        _ word: String, _ purpose: NamePurpose, in group: Named? = nil, isStrict: Bool = false
    ) throws(ClientError) -> Named {
        var params: JSONObject = ["name": .string(word), "for": .string(purpose.rawValue)]
        if let group { params["group"] = .string(group.id) }
        if isStrict { params["strict"] = true }
        return try client().call("name.resolve", params, as: Named.init(json:))
    }

    /// This account; nil if there is none.
    func ownAccount() throws(ClientError) -> String? {
        try client().call("system.hello", ["client": "kibo", "version": .string(ControlProtocol.productVersion)])[
            "account"]?.string
    }

    /// The person or the group that CHAT means.
    /// - Parameter isGroup: whether it is a group even without the sign; nil for what the option says.
    func chat(_ word: String, isStrict: Bool = false, isGroup: Bool? = nil) throws(ClientError) -> Named {
        let isGroup = isGroup ?? arguments.has(Self.groupOption.name)
        let isSigned = word.hasPrefix(Self.groupSign) || !isGroup
        return try find(isSigned ? word : Self.groupSign + word, .chat, isStrict: isStrict)
    }

    /// The conversation with them, made if there is none.
    func conversation(opening named: Named) throws(ClientError) -> String {
        if let id = named.conversation { return id }
        let field = named.kind == .group ? "group" : "contact"
        return try client().call("conversation.open", [field: .string(named.id)], as: Conversation.init(json:)).id
    }
}

extension Words {
    /// The notes to oneself, in a sentence.
    static let notes = "your notes"

    /// The object of an action: the name, with what tells it from others that the same word fits.
    static func object(_ named: Named) -> String {
        if named.kind == .group { return "the group \(name(named.name))" }
        if named.kind == .notes { return notes }
        guard named.others > 0 else { return name(named.name) }
        return "\(name(named.name)) (\(ShortID.account(named.id))\(named.trust == .verified ? ", verified" : ""))"
    }

    /// Where messages are, for a sentence: with a person or a group, or among the notes.
    static func place(_ named: Named) -> String { (named.kind == .notes ? "in " : "with ") + object(named) }

    /// The object at the beginning of a sentence.
    static func subject(_ named: Named) -> String {
        switch named.kind {
        case .group: "The group \(name(named.name))"
        case .notes: notes.capitalizedFirst
        case .person: object(named)
        }
    }

    /// The people and groups that a word may mean, a line each: the word to type for them, and who they are.
    static func candidates(_ found: [Named], now: WallTime) -> [String] {
        let words = found.map { Shell.quoted($0.word) }
        let width = words.map(DisplayWidth.of).max() ?? 0
        return zip(found, words).map { named, word in
            word + String(repeating: " ", count: width - DisplayWidth.of(word) + 2) + description(named, now)
        }
    }

    private static func description(_ named: Named, _ now: WallTime) -> String {
        var parts: [String] = []
        if named.kind == .group {
            parts.append("the group \(name(named.name))")
            if let members = named.members { parts.append(Humane.count(members, "member")) }
            parts.append(named.addedBy.map { "\(name($0)) added you" } ?? "made by you")
            return parts.joined(separator: ", ")
        }
        if named.kind == .notes { return "notes to yourself" }
        parts.append(name(named.name))
        switch named.relation {
        case .friend: parts.append("friend")
        case .incoming: parts.append("asks to be your friend")
        case .requested: parts.append("asked to be your friend")
        case .blocked: parts.append("blocked")
        case .some(.none), nil: parts.append("not a friend")
        }
        if named.trust == .verified { parts.append("verified") }
        if named.trust == .changed { parts.append("key changed") }
        if let since = named.since { parts.append("has had this name since \(Humane.moment(since, now: now))") }
        if !named.word.hasPrefix("kibo1") { parts.append(ShortID.account(named.id)) }
        return parts.joined(separator: ", ")
    }
}
