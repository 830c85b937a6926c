import Basics

/// What a call carries.
public enum CallMedia: String, StoredWord, WireWord {
    case audio
    /// Audio and video.
    case video

    public var stored: Int64 {
        switch self {
        case .audio: 0
        case .video: 1
        }
    }

    public var wire: UInt64? { UInt64(stored) }
}

/// What became of a call: the same for all sides.
public enum CallOutcome: String, StoredWord, WireWord {
    case answered
    /// The person who was called did not answer in time.
    case unanswered
    /// The caller took it back.
    case cancelled
    case declined
    case busy
    /// There was no way to ring: the other side was away, or nothing could ring there.
    case unreachable
    /// It was answered, but no connection could be made.
    case failed

    public var stored: Int64 {
        switch self {
        case .answered: 0
        case .unanswered: 1
        case .cancelled: 2
        case .declined: 3
        case .busy: 4
        case .unreachable: 5
        case .failed: 6
        }
    }

    public var wire: UInt64? { UInt64(stored) }

    /// Whether the person who was called has missed it: they neither took nor declined it.
    public var isMissed: Bool { self != .answered && self != .declined }
}

/// What a device says about its part in a call.
public enum CallPhase: String, WireWord {
    /// The device has begun the call.
    case calling
    /// The call rings there.
    case ringing
    /// The call rings there while its user is in another one.
    case waiting
    /// The device takes part.
    case joined
    /// The device takes part, and its window or daemon is being started again.
    case away
    case ended

    public var wire: UInt64? {
        switch self {
        case .calling: 0
        case .ringing: 1
        case .waiting: 2
        case .joined: 3
        case .away: 4
        case .ended: 5
        }
    }

    /// Whether the device takes part, or did a moment ago.
    public var takesPart: Bool { self == .joined || self == .away }
    /// Whether the call rings there.
    public var rings: Bool { self == .ringing || self == .waiting }
}

/// Why a device's part in a call is over.
public enum CallEnding: String, CaseIterable, Hashable, Sendable {
    case hangup
    case declined
    case cancelled
    case unanswered
    case busy
    /// Another device of the account has taken it, or another call of the same people took its place.
    case elsewhere
    /// Nothing could ring.
    case nobody
    case unsupported
    /// The settings of the person who was called don't let this call ring.
    case notAllowed = "not_allowed"
    /// No connection could be made.
    case failed
    /// The other side, or the window, was not heard from any more.
    case lost
    /// The group call has as many people in it as are allowed.
    case full
}

/// What one side tells the other about the connection of their windows.
public enum CallSignalKind: String, WireWord {
    case offer
    case answer
    case candidates
    /// The receiver is asked for a new offer.
    case restart

    public var wire: UInt64? {
        switch self {
        case .offer: 0
        case .answer: 1
        case .candidates: 2
        case .restart: 3
        }
    }
}

/// What remains of a call; it belongs to a message of kind *call*.
public struct CallRecord: Hashable, Sendable {
    public let media: CallMedia
    public let outcome: CallOutcome
    /// When the call began, by the clock of the device that wrote the record.
    public let startedAt: WallTime
    /// The milliseconds in which both sides took part; 0 if they never did.
    public let duration: Int64

    public init(media: CallMedia, outcome: CallOutcome, startedAt: WallTime, duration: Int64 = 0) {
        self.media = media
        self.outcome = outcome
        self.startedAt = startedAt
        self.duration = duration
    }

    /// The record as the database keeps it.
    public var stored: String { "\(media.stored) \(outcome.stored) \(startedAt.milliseconds) \(duration)" }

    /// Reads a record; nil for a text that ``stored`` doesn't make.
    public init?(stored text: String) {
        let numbers = text.split(separator: " ").compactMap { Int64($0) }
        guard numbers.count == 4, let media = CallMedia(stored: numbers[0]),
            let outcome = CallOutcome(stored: numbers[1])
        else { return nil }
        self.init(
            media: media, outcome: outcome, startedAt: WallTime(milliseconds: numbers[2]), duration: numbers[3])
    }
}

/// How a call stands, as clients see it.
public enum CallStage: String, CaseIterable, Hashable, Sendable {
    /// Nothing has been heard from the other side yet.
    case outgoing
    /// The call rings at the other side.
    case ringing
    /// The call rings here.
    case incoming
    /// Both sides take part, and their windows have no connection yet.
    case connecting
    case active
    /// Others of the group talk, this side doesn't, and the call doesn't ring here.
    case ongoing
    /// The window or the daemon of one side is being started again.
    case away
    case ended
}

/// Which side has begun a call, as seen from here.
public enum CallDirection: String, CaseIterable, Hashable, Sendable {
    case outgoing, incoming
}

/// Whose calls ring: the setting `calls.allow`.
public enum CallAllowance: String, CaseIterable, Hashable, Sendable {
    case friends
    /// Friends whose keys were compared.
    case verified
    case nobody
}

/// What happens to a call that comes while the user is in another one: the setting `calls.whileBusy`.
public enum CallWhileBusy: String, CaseIterable, Hashable, Sendable {
    case ring, decline
}
