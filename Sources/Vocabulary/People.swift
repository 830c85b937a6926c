import Basics

/// How this account stands to another one, as committed here.
public enum Relation: String, StoredWord {
    /// A stranger.
    case none
    /// We asked and wait for the answer.
    case requested
    /// They asked and wait for ours.
    case incoming
    case friend
    /// The account is not wanted: no session is kept with it, and nothing tells it why.
    case blocked

    public var stored: Int64 {
        switch self {
        case .none: 0
        case .requested: 1
        case .incoming: 2
        case .friend: 3
        case .blocked: 4
        }
    }

    /// Whether such an account gets the keys with which it can recognise us. Friends do, and so do accounts that we
    /// have asked, because they must be able to answer. They accept the keys before they know about our request, which
    /// may still be on its way to their disk.
    public var isGivenDiscoveryKeys: Bool { self == .friend || self == .requested }
}

/// Where somebody who asked to be a friend was at that time. Each kind has room of its own, so that none can crowd out
/// the others.
public enum Asker: Int64, CaseIterable, Hashable, Sendable {
    /// Anybody who comes through a router.
    case faraway = 0
    /// On a link of this host, or on this host.
    case nearby = 1
    /// A member of a group of ours.
    case mate = 2
}

/// How sure we are that a contact's key is the person's.
public enum Trust: String, StoredWord {
    case unverified
    case verified
    /// Another key came under this name: nothing is sent until the user has looked.
    case changed

    public var stored: Int64 {
        switch self {
        case .unverified: 0
        case .verified: 1
        case .changed: 2
        }
    }
}

/// Whether a person can be reached. Peers say only whether they are online or away: without a session they are offline.
public enum Presence: String, WireWord {
    case online
    /// The person said so, or nothing was heard of them for a while.
    case away
    case offline

    public var wire: UInt64? {
        switch self {
        case .online: 0
        case .away: 1
        case .offline: nil
        }
    }
}

/// The last thing we said about being friends. Only the database stores it.
public enum ContactWord: StoredWord {
    case nothing
    case asked
    case accepted
    /// A request was taken back, or a friendship ended.
    case ended

    public var stored: Int64 {
        switch self {
        case .nothing: 0
        case .asked: 1
        case .accepted: 2
        case .ended: 3
        }
    }
}

/// What both sides have said last about being friends, as the database keeps it with the contact.
public struct ContactHistory: Hashable, Sendable {
    /// Our last word, which the other side may still go by.
    public var said = ContactWord.nothing
    /// The time of our last word: every later frame of ours has a greater one.
    public var saidAt = HybridTime(rawValue: 0)
    /// The time of the newest frame of theirs that was taken.
    public var heardAt = HybridTime(rawValue: 0)
    /// Its id, for frames without a time.
    public var heardFrame: UUIDv7?
    /// The frame of our open request; nil where it is not known (any more).
    public var request: UUIDv7?
    /// The frame of theirs, which an answer names.
    public var theirRequest: UUIDv7?
    /// How many of their requests the user was shown since ``asksSince``.
    public var asks: Int64 = 0
    public var asksSince = WallTime(milliseconds: 0)
    /// Why our last request was not accepted.
    public var refusal: Reason?
    public var refusalDetail: String?

    public init() {}
}

/// Which accounts become friends by asking: the setting `contacts.policy`.
public enum ContactPolicy: String, CaseIterable, Hashable, Sendable {
    /// The user decides.
    case ask
    /// Everyone, at once.
    case everyone
    /// Requests are refused.
    case nobody
}

/// The senders whose files are taken without asking.
public enum DownloadSenders: String, Sendable, CaseIterable {
    case never
    /// Friends whose key has been compared.
    case verified
    case friends
}

/// Whether a contact's files are taken without asking, where that differs from the settings.
public enum AutoDownload: String, StoredWord {
    /// The settings decide.
    case `default`
    case never
    /// Files of any kind are taken, up to `files.maxReceiveBytes`.
    case always

    public var stored: Int64 {
        switch self {
        case .default: 0
        case .never: 1
        case .always: 2
        }
    }
}
