import Arguments
import Basics
import ControlProtocol

/// The daemon decides who a word of the command line means, by one rule for all clients (`name.resolve`).
extension Context {
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
        let isSigned = word.hasPrefix(NameSign.group) || !isGroup
        return try find(isSigned ? word : NameSign.group + word, .chat, isStrict: isStrict)
    }

    /// The conversation with them, made if there is none.
    func conversation(opening named: Named) throws(ClientError) -> String {
        if let id = named.conversation { return id }
        let field = named.kind == .group ? "group" : "contact"
        return try client().call("conversation.open", [field: .string(named.id)], as: Conversation.init(json:)).id
    }
}
