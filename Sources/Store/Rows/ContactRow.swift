import Basics
import Vocabulary

/// Another account that we know more about than its announcement.
public struct ContactRow: Hashable, Sendable {
    public var account: AccountID
    /// The device that we met last.
    public var device: DeviceID?
    /// The name that the contact uses.
    public var displayName: String
    /// The name that our user gave the contact; empty if none.
    public var alias: String
    public var statusText: String
    public var email: String?
    public var phone: String?
    public var relation: Relation
    public var trust: Trust
    /// The note of a contact request.
    public var note: String
    public var autoDownload: AutoDownload
    public var lastSeen: WallTime?
    /// `address:port` where the contact answered last.
    public var lastAddress: String?
    /// The contact's signed card as it came.
    public var card: [UInt8]?
    public var cardVersion: Int64
    /// The BLAKE2b-256 digest of the contact's avatar, once that is in the data directory.
    public var avatar: [UInt8]?
    /// How the relation came about.
    public var history = ContactHistory()
    /// Where their last request came from: an IPv4 address, an IPv6 network or a link; nil if that is not known.
    public var requestSource: String?
    /// Where they stood when they asked.
    public var asker = Asker.faraway
    /// An account that came under this contact's name. ``Trust/changed`` is about it, or was until the user checked.
    public var namesake: AccountID?
    /// The trust before it was ``Trust/changed``.
    public var trustBefore = Trust.unverified
    /// When the trust became ``Trust/changed``; nil if it is not, or if a version that did not store the time marked
    /// it.
    public var changedAt: WallTime?
    /// The direct conversation with the contact, if there is one. Read only: the conversation names the contact.
    public internal(set) var conversation: UUIDv7?
    public var createdAt: WallTime

    public init(
        account: AccountID, device: DeviceID? = nil, displayName: String, alias: String = "", statusText: String = "",
        email: String? = nil, phone: String? = nil, relation: Relation = .none, trust: Trust = .unverified,
        note: String = "", autoDownload: AutoDownload = .default, lastSeen: WallTime? = nil,
        lastAddress: String? = nil, card: [UInt8]? = nil,
        cardVersion: Int64 = 0, avatar: [UInt8]? = nil, createdAt: WallTime
    ) {
        self.account = account
        self.device = device
        self.displayName = displayName
        self.alias = alias
        self.statusText = statusText
        self.email = email
        self.phone = phone
        self.relation = relation
        self.trust = trust
        self.note = note
        self.autoDownload = autoDownload
        self.lastSeen = lastSeen
        self.lastAddress = lastAddress
        self.card = card
        self.cardVersion = cardVersion
        self.avatar = avatar
        self.createdAt = createdAt
    }
}

/// A contact's names, and the data that matter when somebody looks for a name.
public struct ContactNameRow: Hashable, Sendable {
    public let account: AccountID
    /// The name that the contact uses.
    public let displayName: String
    /// The name that our user gave the contact; empty if none.
    public var alias = ""
    public let relation: Relation
    public var trust = Trust.unverified
    /// When the display name last changed.
    public let namedAt: WallTime
    /// The direct conversation with the contact, if there is one.
    public var conversation: UUIDv7?
    /// Whether our last request was refused.
    public var isRefused = false
}

/// A device of another account, as met in a handshake.
public struct DeviceRow: Hashable, Sendable {
    public var device: DeviceID
    public var account: AccountID
    public var lastSeen: WallTime
    /// `address:port` where it answered last.
    public var address: String?

    public init(device: DeviceID, account: AccountID, lastSeen: WallTime, address: String? = nil) {
        self.device = device
        self.account = account
        self.lastSeen = lastSeen
        self.address = address
    }
}
