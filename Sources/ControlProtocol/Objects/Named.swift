import Vocabulary

/// The purpose for which a name is looked up. It decides which people or groups are candidates.
public enum NamePurpose: String, Hashable, Sendable, CaseIterable {
    /// A conversation with a friend, a former friend, a group, or oneself.
    case chat
    /// A person that we know, or that wants to know us.
    case contact
    /// A contact or a person on the network.
    case anybody
    /// A person who has asked, or was asked.
    case request
    /// A person who is blocked.
    case blocked
    case group
    /// A member of a group.
    case member
}

/// A person, a group or the notes to oneself, which a name leads to or may lead to.
public struct Named: ContractObject {
    /// The kinds of things that a name may lead to.
    public enum Kind: String, ContractWord { case person, group, notes }

    public var kind = Kind.person
    public var id = ""
    public var name = ""
    public var alias = ""
    public var relation: Relation?
    public var trust: Trust?
    public var members: Int64?
    public var addedBy: String?
    public var since: Int64?
    public var conversation: String?
    public var word = ""
    public var others: Int64 = 0

    public init(
        kind: Kind, id: String, name: String, alias: String = "", relation: Relation? = nil, trust: Trust? = nil,
        members: Int64? = nil, addedBy: String? = nil, since: Int64? = nil, conversation: String? = nil, word: String,
        others: Int64 = 0
    ) {
        self.kind = kind
        self.id = id
        self.name = name
        self.alias = alias
        self.relation = relation
        self.trust = trust
        self.members = members
        self.addedBy = addedBy
        self.since = since
        self.conversation = conversation
        self.word = word
        self.others = others
    }

    public static let contractName = "Named"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("kind", &kind, "what it is")
        try fields.field(
            "id", &id, as: .token(maximumBytes: ProtocolLimits.tokenBytes),
            "the account, one's own for notes, or the group")
        try fields.field("name", &name, as: .name, "what to call them: the alias, or their own name")
        try fields.lenient("alias", &alias, as: .name, "what we call them, or empty")
        try fields.nullable("relation", &relation, "our relation to a person")
        try fields.nullable("trust", &trust, "how sure we are that it is that person")
        try fields.nullable("members", &members, "how many are in a group")
        try fields.nullable(
            "addedBy", &addedBy, as: .name, "the name of who added us to a group; null if we made it")
        try fields.nullable(
            "since", &since, as: .time, "since when a person has used that name, as far as is known here")
        try fields.nullable("conversation", &conversation, as: .uuid, "the conversation with them")
        try fields.field(
            "word", &word, as: .label(minimum: 1, maximum: ProtocolLimits.nameWordCharacters),
            "a word that means them and nobody else, also for `strict`; fit for a command line")
        try fields.lenient("others", &others, "how many others the name fits, too; this one took precedence")
    }
}
