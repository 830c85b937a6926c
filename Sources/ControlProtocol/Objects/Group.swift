import Vocabulary

/// People who talk to each other without a server.
public struct Group: ContractObject {
    /// A person who is in a group.
    public struct Member: Hashable, Sendable {
        public var id = ""
        public var displayName = ""
        public var role = GroupRole.member
        public var presence = Presence.offline
        public var joinedAt: Int64 = 0
        /// Whether a device of theirs has signed two entries for one place: members may then see different words of
        /// theirs.
        public var forked = false

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
        public var id = ""
        public var displayName = ""

        public init(id: String, displayName: String) {
            self.id = id
            self.displayName = displayName
        }
    }

    public var id = ""
    public var name = ""
    public var description = ""
    public var avatar: String?
    public var picture: String?
    public var members: [Member] = []
    public var former: [Former] = []
    public var online: Int64 = 0
    public var createdAt: Int64 = 0
    public var epoch: Int64 = 0
    public var conversation: String?
    public var history: Int64 = 0
    public var state = GroupStanding.member
    public var role: GroupRole?
    public var addedBy: String?

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

    public static let contractName = "Group"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("id", &id, as: .uuid, "the group")
        try fields.field(
            "name", &name, as: .label(minimum: 1, maximum: SharedLimits.groupNameCharacters), "what it is called")
        try fields.lenient(
            "description", &description, as: .text(.characters(SharedLimits.groupDescriptionCharacters)),
            "what it is for")
        try fields.nullable("avatar", &avatar, as: .path, "where its avatar is, a JPEG")
        try fields.nullable(
            "picture", &picture, as: .token(maximumBytes: 64),
            "a token for that picture, for picture.open: a different picture has a different token")
        try fields.lenient("members", &members, "who is in it: owners first, then admins")
        try fields.lenient("former", &former, "former members, to show who wrote their messages")
        try fields.lenient("online", &online, "how many members can be reached, including this account")
        try fields.field("createdAt", &createdAt, as: .time, "when it was created")
        try fields.field("epoch", &epoch, "how many changes it has had; grows")
        try fields.nullable(
            "conversation", &conversation, as: .uuid,
            "its conversation; null after that was deleted, until something arrives")
        try fields.lenient(
            "history", &history, as: .integer(0...Int64(SharedLimits.groupHistory)),
            "how many of the last messages a new member sees")
        try fields.field(
            "state", &state,
            "arriving: not all of it is here yet; member; left; removed: somebody removed this account")
        try fields.nullable("role", &role, "what this account may do")
        try fields.nullable("addedBy", &addedBy, as: .account, "who added this account")
    }

    /// The name of a present or former member; nil for an account that never was a member.
    public func name(of account: String) -> String? {
        members.first { $0.id == account }?.displayName ?? former.first { $0.id == account }?.displayName
    }
}

extension Group.Member: ContractObject {
    public static let contractName = "Group.members"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("id", &id, as: .account, "the account")
        try fields.field("displayName", &displayName, as: .name, "what to call them")
        try fields.field("role", &role, "what they may do")
        try fields.field("presence", &presence, "whether they can be reached")
        try fields.lenient("joinedAt", &joinedAt, as: .time, "when they joined")
        try fields.lenient(
            "forked", &forked,
            "whether a device of theirs has signed two different entries for one place: members may have been told "
                + "different things"
        )
    }
}

extension Group.Former: ContractObject {
    public static let contractName = "Group.former"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("id", &id, as: .account, "the account")
        try fields.field("displayName", &displayName, as: .name, "what to call them")
    }
}
