// The Calls folder knows which calls there are, which devices are in them, and what each device says about itself. It
// has no media: audio and video go from window to window. It knows only the grammar of session descriptions and
// candidates.

import Basics
import Vocabulary

/// The names of a daemon's capabilities beyond the minimum of its protocol version, as identities list them.
public enum Capability {
    /// The daemon speaks the protocol of docs/PROTOCOL-CALLS.md.
    public static let calls = "calls-1"
    /// The daemon speaks the protocol of docs/PROTOCOL-COURIERS.md.
    public static let couriers = "courier-1"
}

/// A device of an account, as a session has proved it.
public struct CallParty: Hashable, Sendable {
    public let account: AccountID
    public let device: DeviceID

    public init(account: AccountID, device: DeviceID) {
        self.account = account
        self.device = device
    }
}

/// Who is responsible for a new call. People who are not friends have no budget or room of their own, because a friend
/// could make up any number of them.
public enum CallPayer: Hashable, Sendable {
    /// A friend, for itself.
    case friend(AccountID)
    /// The friend who alone has announced the group, for everyone in such groups who is not a friend.
    case giver(AccountID)
    /// A group, for all in it who are no friends.
    case group(EntryHash)
}

/// What the settings and the host say about a call that comes in.
public struct CallPolicy: Hashable, Sendable {
    /// Who is responsible for the call; nil for the friend that announces it.
    public var payer: CallPayer?
    /// Whether calls of this account may ring.
    public var isAllowed: Bool
    /// Whether anything here can ring.
    public var canRing: Bool
    /// Whether a call rings while the user is in another one.
    public var ringsWhileBusy: Bool
    /// Whether calls of groups ring.
    public var ringsGroups: Bool

    public init(
        isAllowed: Bool = true, canRing: Bool = true, ringsWhileBusy: Bool = true, ringsGroups: Bool = true,
        payer: CallPayer? = nil
    ) {
        self.payer = payer
        self.isAllowed = isAllowed
        self.canRing = canRing
        self.ringsWhileBusy = ringsWhileBusy
        self.ringsGroups = ringsGroups
    }
}

/// The window that carries the media of this side.
public struct CallSeat: Hashable, Sendable {
    /// The window's name for itself.
    public let id: UUIDv7
    /// The SHA-256 of its certificate.
    public let fingerprint: [UInt8]

    public init(id: UUIDv7, fingerprint: [UInt8]) {
        self.id = id
        self.fingerprint = fingerprint
    }
}

/// What the database keeps of a call.
public struct CallNote: Hashable, Sendable {
    /// Names the call on this host.
    public let id: UUIDv7
    /// What the two accounts call it; the record is the caller's message with this id.
    public let call: UUIDv7
    /// The other account.
    public let account: AccountID
    /// The device that has begun it; the record is its account's.
    public let caller: CallParty
    /// Whether this side began the call. Then the other side is told about the record.
    public let isOutgoing: Bool
    /// The place of the record in the conversation.
    public let time: HybridTime
    public let record: CallRecord
}

/// What remains of a group's call here, for the database. Each member keeps a record of its own part.
public struct GroupCallNote: Hashable, Sendable {
    /// Names the call on this host.
    public let id: UUIDv7
    /// The call's name among the members.
    public let call: UUIDv7
    public let root: EntryHash
    /// The device that began the call; nil if only the group's log can tell. Then only an existing record is changed.
    public let starter: CallParty?
    /// The place of the record in the conversation.
    public let time: HybridTime
    public let record: CallRecord
}

/// Something that a call machine wants done. The effects of an input are carried out in their order.
public enum CallEffect: Hashable, Sendable {
    /// The device is told this, if it has a session.
    case tell(DeviceID, Hint)
    /// The call is kept on disk as these bytes.
    case keep(UUIDv7, [UInt8])
    /// The call is removed from disk.
    case drop(UUIDv7)
    /// The record of a call between two is written.
    case record(CallNote)
    /// The record of a group's call is written.
    case recordOfGroup(GroupCallNote)
    /// The group's log gets an entry, which says that this side has begun a call.
    case announce(GroupCallNote)
    /// Tell clients the state of the call.
    case changed(UUIDv7)
}

/// Why a peer's state or signal of a call was not obeyed.
public enum CallRefused: String, Hashable, Sendable, CaseIterable {
    /// There is no such call with this device.
    case unknown
    case tooOften = "too_often"
    /// A signal with a smaller number is missing before it.
    case gap
    /// It is from another generation, or meant for one.
    case generation
    /// Its session description breaks the rules.
    case description
    /// Its certificate is not the one that its device has named.
    case fingerprint
    /// None of its addresses is where the device is known.
    case addresses
    case tooMuch = "too_much"
}

/// Why a client's request about a call was not carried out.
public enum CallObjection: Error, Hashable, Sendable {
    /// There is no such call that is not over.
    case noCall
    /// Another window has taken it.
    case taken
    /// The window that asks doesn't have the seat.
    case notSeated
    /// There are as many calls as there may be, or this side is in one.
    case busy
    /// As many people take part as there may be.
    case full
    /// This side has begun the call, and can neither accept nor decline it.
    case own
    /// No device of that name takes part.
    case noDevice
    case tooOften
    /// The session description is not taken.
    case description(SessionDescriptionError)
    /// The fingerprint in the session description is not that of the seat.
    case fingerprint
    /// A line is not a candidate; the number is the line's place, from 1.
    case candidate(Int)
}

/// The state of a call, for clients.
public struct CallView: Hashable, Sendable {
    /// A device of the other side, as far as it has said anything.
    public struct Participant: Hashable, Sendable {
        public let party: CallParty
        /// Nil before it has said anything.
        public let phase: CallPhase?
        /// Whether it has a session with this device.
        public let isHere: Bool
        /// When it joined a group's call, by its own clock; nil while it doesn't take part, and between two.
        public let since: WallTime?
        /// Whether it has said nothing in the first seconds of the call.
        public let isSilent: Bool
        public let sends: CallSends
        public let generation: UInt64
    }

    public let id: UUIDv7
    /// The other account; nil in a group.
    public let account: AccountID?
    /// The group; nil between two.
    public let root: EntryHash?
    public let isOutgoing: Bool
    public let media: CallMedia
    public let stage: CallStage
    /// Whether the call rings while the user is in another one.
    public let isWaiting: Bool
    public let participants: [Participant]
    public let sends: CallSends
    public let seat: UUIDv7?
    public let generation: UInt64
    /// How many signals have come for the seat.
    public let signals: UInt64
    public let startedAt: WallTime
    public let connectedAt: WallTime?
    /// The milliseconds in which this side and another took part, so far.
    public let duration: Int64
    public let reason: CallEnding?
    public let replacedBy: UUIDv7?

    /// The devices of a group's call that have no session with this one. They have lost it, or only other devices name them.
    public var missing: [DeviceID] { root == nil ? [] : participants.filter { !$0.isHere }.map(\.party.device) }
}

/// A signal of another side, for the window.
public struct CallSignalItem: Hashable, Sendable {
    /// Its number among all that have come for this side.
    public let index: UInt64
    public let device: DeviceID
    public let generation: UInt64
    public let kind: CallSignalKind
    public let sdp: String?
    public let candidates: [CallCandidate]
}
