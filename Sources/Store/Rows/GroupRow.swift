import Basics
import Vocabulary

/// A group, as the entries that are here make it.
public struct GroupRow: Hashable, Sendable {
    public var id: UUIDv7
    /// The hash of the entry that created it, 32 bytes.
    public var root: [UInt8]
    public var name: String
    /// The description; may be empty.
    public var description: String
    /// The digest of the avatar that the entries name.
    public var avatar: [UInt8]?
    /// The digest of the avatar that is shown; the avatar is in the data directory.
    public var shownAvatar: [UInt8]?
    /// The number of last messages that a new member is given.
    public var history: Int64
    /// The hashes of the membership entries to which no other one refers, 32 bytes each.
    public var heads: [[UInt8]]
    /// The number of membership entries that are here.
    public var entries: Int64
    /// Our role; nil unless this account is a member.
    public var ownRole: GroupRole?
    public var state: GroupStanding
    /// The account that has added us; nil for a group that we made.
    public var addedBy: AccountID?
    public var createdAt: WallTime
    /// Its conversation, if there is one. Read only: the conversation names the group.
    public internal(set) var conversation: UUIDv7?

    public init(
        id: UUIDv7, root: [UInt8], name: String, description: String = "", avatar: [UInt8]? = nil,
        shownAvatar: [UInt8]? = nil, history: Int64 = 0, heads: [[UInt8]] = [], entries: Int64 = 0,
        ownRole: GroupRole? = nil,
        state: GroupStanding = .arriving, addedBy: AccountID? = nil, createdAt: WallTime
    ) {
        self.id = id
        self.root = root
        self.name = name
        self.description = description
        self.avatar = avatar
        self.shownAvatar = shownAvatar
        self.history = history
        self.heads = heads
        self.entries = entries
        self.ownRole = ownRole
        self.state = state
        self.addedBy = addedBy
        self.createdAt = createdAt
    }
}

/// A present or former member of a group.
public struct GroupMemberRow: Hashable, Sendable {
    public var account: AccountID
    public var role: GroupRole
    /// The name under which the adding member knew the account.
    public var name: String
    public var addedBy: AccountID
    public var joinedAt: WallTime
    /// False for a former member, whose messages are still shown.
    public var isPresent: Bool
    /// Whether a device of the member has signed two entries for one place. Read only: it follows from the proofs that
    /// are here.
    public internal(set) var hasForked = false

    public init(
        account: AccountID, role: GroupRole, name: String, addedBy: AccountID, joinedAt: WallTime,
        isPresent: Bool = true
    ) {
        self.account = account
        self.role = role
        self.name = name
        self.addedBy = addedBy
        self.joinedAt = joinedAt
        self.isPresent = isPresent
    }
}

/// A device that has a chain in a group's log, or had one.
public struct GroupDeviceRow: Hashable, Sendable {
    public var device: DeviceID
    public var account: AccountID

    public init(device: DeviceID, account: AccountID) {
        self.device = device
        self.account = account
    }
}

/// A membership entry as it is stored.
public struct GroupEntryRow: Hashable, Sendable {
    /// 32 bytes.
    public var hash: [UInt8]
    /// The entry in its wire form, with its signature.
    public var bytes: [UInt8]

    public init(hash: [UInt8], bytes: [UInt8]) {
        self.hash = hash
        self.bytes = bytes
    }
}

/// A group with its people.
public struct WholeGroup: Hashable, Sendable {
    public let row: GroupRow
    /// Present and former members.
    public let members: [GroupMemberRow]
    public let devices: [GroupDeviceRow]
    /// The friend who alone has told us of the group, as long as nobody else has confirmed it.
    public let unconfirmedGiver: AccountID?
}
