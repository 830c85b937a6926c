import Vocabulary

/// The purpose for which a name is looked for: it decides among which people or groups.
public enum NamePurpose: String, Hashable, Sendable, CaseIterable {
    /// A conversation with a friend, a former friend, or a group.
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

/// A person or a group that a name leads to or may lead to.
public struct Named: Hashable, Sendable {
    /// The kinds of things that a name may lead to.
    public enum Kind: String, Hashable, Sendable, CaseIterable { case person, group }

    public var kind: Kind
    /// The account or the group.
    public var id: String
    /// The name to call them: the alias, or the name they give themselves.
    public var name: String
    /// The user's name for them; empty for none.
    public var alias: String
    /// How we stand to a person.
    public var relation: Relation?
    /// How sure we are of a person.
    public var trust: Trust?
    /// How many are in a group.
    public var members: Int64?
    /// The name of the member who has put us into a group; nil if we made it.
    public var addedBy: String?
    /// Since when the person has called themselves so, as far as is known here, in milliseconds since 1970 UTC; nil if unknown.
    public var since: Int64?
    /// The conversation with them; nil if there is none.
    public var conversation: String?
    /// The word that leads to them alone.
    public var word: String
    /// How many others the name fits less well.
    public var others: Int64

    /// Put together from its fields.
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

    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "Named")
        kind = try reader.choice("kind")
        id = try reader.string("id")
        name = try reader.string("name")
        alias = try reader.optionalString("alias") ?? ""
        if reader.value("relation") != nil { relation = try reader.choice("relation") as Relation }
        if reader.value("trust") != nil { trust = try reader.choice("trust") as Trust }
        members = try reader.optionalInteger("members")
        addedBy = try reader.optionalString("addedBy")
        since = try reader.optionalInteger("since")
        conversation = try reader.optionalString("conversation")
        word = try reader.string("word")
        others = try reader.optionalInteger("others") ?? 0
    }

    /// The value as it travels.
    public var json: JSONValue {
        [
            "kind": .string(kind.rawValue), "id": .string(id), "name": .string(name), "alias": .string(alias),
            "relation": .optional(relation?.rawValue), "trust": .optional(trust?.rawValue),
            "members": .optional(members), "addedBy": .optional(addedBy), "since": .optional(since),
            "conversation": .optional(conversation), "word": .string(word), "others": .integer(others),
        ]
    }

    /// The people or groups that a name may mean, according to an error.
    public static func candidates(of error: RPCError) -> [Named] {
        (error.data?["candidates"]?.array ?? []).compactMap { try? Named(json: $0) }
    }
}
