// The Contacts folder says which accounts are friends, and which may ask. It may use Wire's bodies and Session's
// values. It has no sockets, store or clock: a contact's state comes in with the time and a fresh identifier, frames
// and changes go out.

import Basics
import Vocabulary

/// Why an action of the person here makes no sense.
public enum ContactProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no request to answer or to take back.
    case noRequest
    case notFriend
    /// Unblock first.
    case blocked
    case notBlocked

    public var description: String {
        switch self {
        case .noRequest: "there is no request"
        case .notFriend: "the account is no friend"
        case .blocked: "the account is blocked"
        case .notBlocked: "the account is not blocked"
        }
    }
}

/// An effect to carry out along with the new state, in this order.
public enum ContactEffect: Hashable, Sendable {
    /// End what waits for the account, and every transfer with it.
    case end
    /// Drop the requests, answers and removals that wait for the account: they are out of date. Then put this behind
    /// what else waits.
    case send(FrameKind, id: UUIDv7, body: [UInt8])
}

/// Our relation to one account, and how it changes through our user's actions and the other side's frames.
///
///     var machine = ContactMachine()
///     let effects = try machine.act(.ask(note: "Anna from the workshop"), now: wallTime, id: freshID)
///     let (outcome, more) = machine.hear(frame.content, id: frame.id, rules: rules, now: wallTime, fresh: freshID)
///
/// Both are friends once each has said yes: by asking, by accepting, or by a policy that accepts for them. Frames may
/// get lost, come twice or come late. So each carries a time (``HybridTime``) that its sender makes greater than every
/// time before, and a receiver takes only frames that are newer than all it has taken. An answer names the request that
/// it answers. An answer that fits no open request is corrected by a removal, so that neither side goes on believing in
/// a friendship that the other doesn't have.
///
/// Keep all of it with the contact, even without a relation: repeated frames are recognised by it.
public struct ContactMachine: Hashable, Sendable {
    public var relation = Relation.none
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
    public var asks = 0
    public var asksSince = WallTime(milliseconds: 0)
    /// The note that came, or went, with the request.
    public var note = ""
    /// Why our last request was not accepted.
    public var refusal: Refusal?

    public init() {}

    // MARK: Saying

    mutating func say(_ word: ContactWord, _ now: WallTime) -> HybridTime {
        let next = HybridTime(rawValue: min(saidAt.rawValue, .max - 1) + 1)
        saidAt = max(HybridTime(milliseconds: now.milliseconds), next)
        said = word
        return saidAt
    }

    /// - Parameter note: at most ``SharedLimits/noteCharacters`` characters; a longer note is left out.
    mutating func ask(_ note: String, _ now: WallTime, _ id: UUIDv7) -> [ContactEffect] {
        relation = .requested
        (request, refusal) = (id, nil)
        self.note = note
        let body = ContactRequestBody(note: note, time: say(.asked, now))
        guard let bytes = (try? body.encoded()) ?? (try? ContactRequestBody(time: saidAt).encoded()) else { return [] }
        return [.send(.contactRequest, id: id, body: bytes)]
    }

    mutating func accept(_ now: WallTime, _ id: UUIDv7) -> [ContactEffect] {
        relation = .friend
        (request, refusal) = (nil, nil)
        let body = ContactAnswerBody(accepted: true, request: theirRequest, time: say(.accepted, now))
        guard let bytes = try? body.encoded() else { return [] }
        return [.send(.contactAnswer, id: id, body: bytes)]
    }

    /// Tells the other side that there is nothing (any more).
    mutating func end(_ now: WallTime, _ id: UUIDv7) -> [ContactEffect] {
        (request, theirRequest) = (nil, nil)
        let body = ContactRemovalBody(time: say(.ended, now))
        return [.send(.contactRemoval, id: id, body: body.encoded())]
    }

    /// Back to no relation.
    mutating func forget() {
        relation = .none
        (request, theirRequest, note) = (nil, nil, "")
    }
}
