import Basics

/// Another account that we know by more than its announcement.
public struct ContactRow: Hashable, Sendable {
    /// How we stand to each other.
    public enum Relation: Int64, StoredEnumeration, CaseIterable, Sendable {
        case none = 0
        /// We asked.
        case requested = 1
        /// They asked.
        case incoming = 2
        case friend = 3
        case blocked = 4
    }

    /// Whether the key is known to be the person's.
    public enum Trust: Int64, StoredEnumeration, CaseIterable, Sendable {
        case unverified = 0
        case verified = 1
        /// Another key came under this name: nothing is sent until someone has looked.
        case changed = 2
    }

    /// Whether files are taken without asking, other than the settings say.
    public enum AutoDownload: Int64, StoredEnumeration, CaseIterable, Sendable {
        case standard = 0
        case never = 1
        case always = 2
    }

    public var account: AccountID
    /// The device that we met last.
    public var device: DeviceID?
    /// As they name themselves.
    public var displayName: String
    /// As the user here names them; empty if not at all.
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
    /// `address:port` where they answered last.
    public var lastAddress: String?
    /// Their signed card as it came.
    public var card: [UInt8]?
    public var cardVersion: Int64
    /// BLAKE2b-256 of their picture, once it lies in the data directory.
    public var avatar: [UInt8]?
    /// How the relation came about, and what is known of it.
    public var history = ContactHistory()
    /// An account that came under this contact's name: what ``Trust/changed`` is about, or was until somebody looked.
    public var namesake: AccountID?
    /// What the key was worth before it was ``Trust/changed``.
    public var trustBefore = Trust.unverified
    /// Their direct conversation, if there is one. Read only: it is the conversation that names the contact.
    public internal(set) var conversation: UUIDv7?
    public var createdAt: WallTime

    public init(
        account: AccountID, device: DeviceID? = nil, displayName: String, alias: String = "", statusText: String = "",
        email: String? = nil, phone: String? = nil, relation: Relation = .none, trust: Trust = .unverified,
        note: String = "", autoDownload: AutoDownload = .standard, lastSeen: WallTime? = nil,
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

/// The last words of both sides about being friends. The meanings are PeerProtocol's: here it is only kept.
public struct ContactHistory: Hashable, Sendable {
    public var said: Int64 = 0
    public var saidAt = HybridTime(rawValue: 0)
    public var heardAt = HybridTime(rawValue: 0)
    public var heardFrame: UUIDv7?
    public var ownRequest: UUIDv7?
    public var theirRequest: UUIDv7?
    public var asks: Int64 = 0
    public var asksSince = WallTime(milliseconds: 0)
    /// Why our last request came to nothing: an error kind.
    public var refusal: String?
    public var refusalDetail: String?

    public init() {}
}

/// What a contact is called, and what counts when a name is looked for.
public struct ContactNameRow: Hashable, Sendable {
    public let account: AccountID
    /// As they name themselves.
    public let displayName: String
    /// As the user here names them; empty if not at all.
    public let alias: String
    public let relation: ContactRow.Relation
    public let trust: ContactRow.Trust
    /// When the display name came to be what it is.
    public let namedAt: WallTime
    /// Their direct conversation, if there is one.
    public let conversation: UUIDv7?
    /// Our last request was refused.
    public let isRefused: Bool

    public init(
        account: AccountID, displayName: String, alias: String = "", relation: ContactRow.Relation,
        trust: ContactRow.Trust = .unverified, namedAt: WallTime, conversation: UUIDv7? = nil, isRefused: Bool = false
    ) {
        self.account = account
        self.displayName = displayName
        self.alias = alias
        self.relation = relation
        self.trust = trust
        self.namedAt = namedAt
        self.conversation = conversation
        self.isRefused = isRefused
    }
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
