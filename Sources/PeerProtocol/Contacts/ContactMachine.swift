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
    /// What both sides have said last.
    public var history = ContactHistory()
    /// The note that came, or went, with the request.
    public var note = ""
    /// Why our last request was not accepted.
    public var refusal: Refusal? {
        get { history.refusal.map { Refusal($0, detail: history.refusalDetail) } }
        set { (history.refusal, history.refusalDetail) = (newValue?.reason, newValue?.detail) }
    }

    public init() {}

    /// - Parameters:
    ///   - relation: as it is kept.
    ///   - history: as it is kept.
    ///   - note: that of the request.
    public init(relation: Relation, history: ContactHistory, note: String) {
        self.relation = relation
        self.history = history
        self.note = note
    }

    // MARK: Saying

    mutating func say(_ word: ContactWord, _ now: WallTime) -> HybridTime {
        let next = HybridTime(rawValue: min(history.saidAt.rawValue, .max - 1) + 1)
        history.saidAt = max(HybridTime(milliseconds: now.milliseconds), next)
        history.said = word
        return history.saidAt
    }

    /// - Parameter note: at most ``SharedLimits/noteCharacters`` characters; a longer note is left out.
    mutating func ask(_ note: String, _ now: WallTime, _ id: UUIDv7) -> [ContactEffect] {
        relation = .requested
        (history.request, refusal) = (id, nil)
        self.note = note
        let body = ContactRequestBody(note: note, time: say(.asked, now))
        guard let bytes = (try? body.encoded()) ?? (try? ContactRequestBody(time: history.saidAt).encoded()) else {
            return []
        }
        return [.send(.contactRequest, id: id, body: bytes)]
    }

    mutating func accept(_ now: WallTime, _ id: UUIDv7) -> [ContactEffect] {
        relation = .friend
        (history.request, refusal) = (nil, nil)
        let body = ContactAnswerBody(accepted: true, request: history.theirRequest, time: say(.accepted, now))
        guard let bytes = try? body.encoded() else { return [] }
        return [.send(.contactAnswer, id: id, body: bytes)]
    }

    /// Tells the other side that there is nothing (any more).
    mutating func end(_ now: WallTime, _ id: UUIDv7) -> [ContactEffect] {
        (history.request, history.theirRequest) = (nil, nil)
        let body = ContactRemovalBody(time: say(.ended, now))
        return [.send(.contactRemoval, id: id, body: body.encoded())]
    }

    /// Back to no relation.
    mutating func forget() {
        relation = .none
        (history.request, history.theirRequest, note) = (nil, nil, "")
    }
}

/// An action that the person here wants.
public enum ContactAction: Hashable, Sendable {
    /// Be friends; an account that has asked already is accepted.
    case ask(note: String)
    case accept
    /// Be friends because the office's roster has the account: from now on, and the other side is asked for the case that
    /// it doesn't have the roster.
    case enrol
    /// Refuse a request without telling the other side, take back our own request, or clear away one of ours that was
    /// refused.
    case decline
    /// End the friendship and tell the other side; without a friendship, the same as ``decline``.
    case remove
    /// Never to be heard of again.
    case block
    /// Back to no relation.
    case unblock
}

extension ContactMachine {
    /// Does what the person wants.
    /// - Parameters:
    ///   - id: fresh, for a frame that may have to go out.
    /// - Returns: what to do as a consequence; empty if the action changes nothing.
    /// - Throws: why it makes no sense; the state stays.
    public mutating func act(
        _ action: ContactAction, now: WallTime, id: UUIDv7
    ) throws(ContactProblem) -> [ContactEffect] {
        switch (action, relation) {
        case (.unblock, .blocked):
            forget()
            // What they believed while they heard nothing is no longer true, so they are told. If we never spoke to the
            // account, we don't start now.
            return history.said == .nothing ? [] : end(now, id)
        case (.unblock, _): throw .notBlocked
        case (.block, .blocked): return []
        case (.block, _):
            forget()
            relation = .blocked
            refusal = nil
            return [.end]
        case (_, .blocked): throw .blocked

        case (.ask, .friend), (.accept, .friend), (.enrol, .friend): return []
        case (.ask, .incoming), (.accept, .incoming), (.enrol, .incoming): return accept(now, id)
        case (.enrol, .none), (.enrol, .requested):
            guard takesEnrolment else { return [] }
            let effects = ask("", now, id)
            (relation, history.request) = (.friend, nil)
            return effects
        case (.ask(let note), .none), (.ask(let note), .requested): return ask(note, now, id)
        case (.accept, .none), (.accept, .requested): throw .noRequest

        case (.decline, .incoming), (.remove, .incoming):
            forget()
            return []
        case (.decline, .requested), (.remove, .requested):
            forget()
            return end(now, id)
        case (.remove, .friend):
            forget()
            return [.end] + end(now, id)
        case (.decline, .friend): throw .noRequest
        case (.decline, .none), (.remove, .none):
            guard refusal != nil else {
                throw action == .decline ? ContactProblem.noRequest : ContactProblem.notFriend
            }
            refusal = nil
            note = ""
            return []
        }
    }

    /// Whether ``ContactAction/enrol`` changes anything. What the person has ended, declined or blocked stays.
    public var takesEnrolment: Bool {
        switch relation {
        case .incoming, .requested: true
        case .none: history.said == .nothing && history.heardFrame == nil
        case .friend, .blocked: false
        }
    }

    /// A frame of ours will never be taken. If it was our open request, there is none any more, and the reason is kept for
    /// people to see.
    /// - Returns: whether it was.
    public mutating func refused(_ id: UUIDv7, _ refusal: Refusal) -> Bool {
        guard relation == .requested, history.request == nil || history.request == id else { return false }
        let note = note
        forget()
        self.note = note
        self.refusal = refusal
        history.said = .nothing
        return true
    }
}

/// The rules here for an account that asks.
public struct ContactRules: Hashable, Sendable {
    public var policy: ContactPolicy
    /// Whether as many accounts have asked from where this one asks as may.
    public var isFull: Bool
    /// Whether a person must look, whatever the policy says: a known account has the same name, or there are too many
    /// friends.
    public var needsPerson: Bool

    public init(policy: ContactPolicy = .ask, isFull: Bool = false, needsPerson: Bool = false) {
        self.policy = policy
        self.isFull = isFull
        self.needsPerson = needsPerson
    }
}

/// The other side's word about being friends.
public enum ContactFrame: Hashable, Sendable {
    case request(ContactRequestBody)
    case answer(ContactAnswerBody)
    case removal(ContactRemovalBody)
    /// They take us for a friend, although nothing is known of them here: our disk was lost since. No frame says so; a
    /// session concludes it from what comes only from friends. It counts as a request without a note.
    case friendship

    /// The sender's time, greater than that of every frame before; nil from a sender that gives none.
    public var time: HybridTime? {
        switch self {
        case .request(let body): body.time
        case .answer(let body): body.time
        case .removal(let body): body.time
        case .friendship: nil
        }
    }
}

extension ContactMachine {
    /// Takes what the other side says.
    /// - Parameters:
    ///   - id: the frame's.
    ///   - fresh: an identifier for a frame that may have to go out.
    /// - Returns: the answer, and what to do. If the frame is refused, nothing has changed.
    public mutating func hear(
        _ frame: ContactFrame, id: UUIDv7, rules: ContactRules, now: WallTime, fresh: UUIDv7
    ) -> (CommitOutcome, [ContactEffect]) {
        guard isNews(frame, id: id) else { return (.stored, []) }
        let effects: [ContactEffect]
        switch frame {
        case .request(let body):
            switch request(body, id, rules, now, fresh) {
            case .success(let made): effects = made
            case .failure(let refusal): return (.refused(refusal), [])
            }
        case .answer(let body): effects = answer(body, now, fresh)
        case .removal: effects = removal()
        case .friendship:
            switch request(ContactRequestBody(), nil, rules, now, fresh) {
            case .success(let made): return (.stored, made)
            case .failure(let refusal): return (.refused(refusal), [])
            }
        }
        history.heardFrame = id
        if let time = frame.time { history.heardAt = max(history.heardAt, time) }
        return (.stored, effects)
    }

    /// Whether a frame can change anything: an account that is blocked learns nothing, and a frame that comes again
    /// changes nothing. A frame that is no news is taken without ``ContactRules``, which may cost something to find
    /// out.
    /// - Parameter id: the frame's.
    public func isNews(_ frame: ContactFrame, id: UUIDv7) -> Bool {
        guard relation != .blocked else { return false }
        // Who was declined, or is no friend any more, doesn't become one by believing it.
        if case .friendship = frame { return self == ContactMachine() }
        guard let time = frame.time else { return id != history.heardFrame }
        return time > history.heardAt
    }

    private enum Judgement {
        case success([ContactEffect])
        case failure(Refusal)
    }

    private mutating func request(
        _ body: ContactRequestBody, _ id: UUIDv7?, _ rules: ContactRules, _ now: WallTime, _ fresh: UUIDv7
    ) -> Judgement {
        switch relation {
        // The other side has lost our answer, or its memory of being friends.
        case .friend: break
        // Both have asked: that is a yes from both.
        case .requested: if !body.note.isEmpty { note = body.note }
        case .none, .incoming, .blocked:
            if rules.policy == .nobody, relation == .none {
                return .failure(Refusal(.notAllowed, detail: "no requests are taken here"))
            }
            if rules.isFull, relation == .none {
                return .failure(Refusal(.busy, detail: "too many requests come from there"))
            }
            if rules.policy == .everyone, !rules.needsPerson {
                note = body.note
                break
            }
            return wait(body, id, rules, now)
        }
        history.theirRequest = id
        return .success(accept(now, fresh))
    }

    /// Lets the user decide.
    private mutating func wait(
        _ body: ContactRequestBody, _ id: UUIDv7?, _ rules: ContactRules, _ now: WallTime
    ) -> Judgement {
        if relation == .none {
            guard mayAsk(now) else { return .failure(Refusal(.busy, detail: "too many requests in a day")) }
            relation = .incoming
        } else if body.note != note {
            guard mayAsk(now) else { return .failure(Refusal(.busy, detail: "too many requests in a day")) }
        }
        history.theirRequest = id
        note = body.note
        refusal = nil
        return .success([])
    }

    /// Counts the requests that a person is shown: another account can't pester them by asking again and again.
    private mutating func mayAsk(_ now: WallTime) -> Bool {
        let day = PeerLimits.requestWindow
        if now < history.asksSince || now.milliseconds - history.asksSince.milliseconds >= day.milliseconds {
            (history.asks, history.asksSince) = (0, now)
        }
        guard history.asks < PeerLimits.requestsInWindow else { return false }
        history.asks += 1
        return true
    }

    private mutating func answer(
        _ body: ContactAnswerBody, _ now: WallTime, _ fresh: UUIDv7
    ) -> [ContactEffect] {
        let fits = body.request == nil || history.request == nil || body.request == history.request
        switch (relation, body.accepted) {
        case (.requested, true) where fits:
            relation = .friend
            (history.request, refusal) = (nil, nil)
            return []
        case (.requested, false) where fits:
            let note = note
            forget()
            self.note = note
            history.said = .nothing
            refusal = Refusal(.notAllowed, detail: "the request was declined")
            return []
        case (.none, true), (.incoming, true):
            // They take us for a friend by a request that was taken back. If they had asked too, they think that answered.
            forget()
            return end(now, fresh)
        // They have answered a request that a newer one of ours has replaced. Their answer to that will follow.
        case (.requested, _): return []
        case (.friend, _), (.none, false), (.incoming, false), (.blocked, _): return []
        }
    }

    private mutating func removal() -> [ContactEffect] {
        switch relation {
        case .friend:
            forget()
            history.said = .ended
            return [.end]
        case .incoming:
            forget()
            return []
        // Their removal and our request have crossed: the request is on its way to them and stands.
        case .requested, .none, .blocked: return []
        }
    }
}
