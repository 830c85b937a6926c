import Vocabulary

/// People who talk to each other without a server.
public struct Group: Hashable, Sendable {
    /// A person who is in a group.
    public struct Member: Hashable, Sendable {
        /// `kibo1…`.
        public var id: String
        /// The name to call them: as we know them, else as the member who added them does.
        public var displayName: String
        /// The role of the member.
        public var role: GroupRole
        /// Whether they can be reached.
        public var presence: Presence
        /// Since when; milliseconds since 1970 UTC.
        public var joinedAt: Int64
        /// A device of theirs has signed two entries for one place: members may see different words of theirs.
        public var forked: Bool

        /// Put together from its fields.
        public init(
            id: String, displayName: String, role: GroupRole, presence: Presence = .offline, joinedAt: Int64,
            forked: Bool = false
        ) {
            self.id = id
            self.displayName = displayName
            self.role = role
            self.presence = presence
            self.joinedAt = joinedAt
            self.forked = forked
        }
    }

    /// A person who was in a group.
    public struct Former: Hashable, Sendable {
        /// `kibo1…`.
        public var id: String
        /// The name to call them.
        public var displayName: String

        /// Put together from its fields.
        public init(id: String, displayName: String) {
            self.id = id
            self.displayName = displayName
        }
    }

    /// A UUID of version 7, which only the account that made the group can have made.
    public var id: String
    /// The name of the group.
    public var name: String
    /// The purpose of the group; empty for none.
    public var description: String
    /// Where its avatar lies on this host; nil if there is none, or it has not come yet.
    public var avatar: String?
    /// Which picture that is; nil if there is none.
    public var picture: String?
    /// The members: owners first, then admins.
    public var members: [Member]
    /// The former members, for what they said then.
    public var former: [Former]
    /// How many of the members can be reached, this account among them.
    public var online: Int64
    /// Milliseconds since 1970 UTC.
    public var createdAt: Int64
    /// How many changes it has had: grows with each.
    public var epoch: Int64
    /// Its conversation; nil if that was deleted, until the next message.
    public var conversation: String?
    /// How many of the last messages a new member sees.
    public var history: Int64
    /// How this account stands to it.
    public var state: GroupStanding
    /// The role of this account; nil if it is no member.
    public var role: GroupRole?
    /// The member who has added this account; nil if it made the group.
    public var addedBy: String?

    /// Put together from its fields.
    public init(
        id: String, name: String, description: String = "", avatar: String? = nil, picture: String? = nil,
        members: [Member] = [],
        former: [Former] = [], online: Int64 = 0, createdAt: Int64, epoch: Int64 = 1, conversation: String? = nil,
        history: Int64 = 0, state: GroupStanding = .member, role: GroupRole? = nil, addedBy: String? = nil
    ) {
        self.id = id
        self.name = name
        self.description = description
        self.avatar = avatar
        self.picture = picture
        self.members = members
        self.former = former
        self.online = online
        self.createdAt = createdAt
        self.epoch = epoch
        self.conversation = conversation
        self.history = history
        self.state = state
        self.role = role
        self.addedBy = addedBy
    }

    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "Group")
        id = try reader.string("id")
        name = try reader.string("name")
        description = try reader.optionalString("description") ?? ""
        avatar = try reader.optionalString("avatar")
        picture = try reader.optionalString("picture")
        members = try reader.list("members", Member.init(json:))
        former = try reader.list("former", Former.init(json:))
        online = try reader.optionalInteger("online") ?? 0
        createdAt = try reader.integer("createdAt")
        epoch = try reader.integer("epoch")
        conversation = try reader.optionalString("conversation")
        history = try reader.optionalInteger("history") ?? 0
        state = try reader.choice("state")
        if reader.value("role") != nil { role = try reader.choice("role") as GroupRole }
        addedBy = try reader.optionalString("addedBy")
    }

    /// The value as it travels.
    public var json: JSONValue {
        [
            "id": .string(id), "name": .string(name), "description": .string(description),
            "avatar": .optional(avatar), "picture": .optional(picture), "members": .array(members.map(\.json)),
            "former": .array(former.map(\.json)),
            "online": .integer(online), "createdAt": .integer(createdAt), "epoch": .integer(epoch),
            "conversation": .optional(conversation), "history": .integer(history), "state": .string(state.rawValue),
            "role": .optional(role?.rawValue), "addedBy": .optional(addedBy),
        ]
    }

    /// The name of a member in it, also of one who is gone; nil for an account that never was there.
    public func name(of account: String) -> String? {
        members.first { $0.id == account }?.displayName ?? former.first { $0.id == account }?.displayName
    }
}

extension Group.Member {
    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "Group.members")
        id = try reader.string("id")
        displayName = try reader.string("displayName")
        role = try reader.choice("role")
        presence = try reader.choice("presence")
        joinedAt = try reader.optionalInteger("joinedAt") ?? 0
        forked = try reader.bool("forked")
    }

    /// The value as it travels.
    public var json: JSONValue {
        [
            "id": .string(id), "displayName": .string(displayName), "role": .string(role.rawValue),
            "presence": .string(presence.rawValue), "joinedAt": .integer(joinedAt), "forked": .bool(forked),
        ]
    }
}

extension Group.Former {
    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "Group.former")
        id = try reader.string("id")
        displayName = try reader.string("displayName")
    }

    /// The value as it travels.
    public var json: JSONValue { ["id": .string(id), "displayName": .string(displayName)] }
}
