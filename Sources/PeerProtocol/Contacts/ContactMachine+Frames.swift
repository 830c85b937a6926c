import Basics
import Vocabulary

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

    /// The sender's time, greater than that of every frame before; nil from a sender that gives none.
    public var time: HybridTime? {
        switch self {
        case .request(let body): body.time
        case .answer(let body): body.time
        case .removal(let body): body.time
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
        }
        heardFrame = id
        if let time = frame.time { heardAt = max(heardAt, time) }
        return (.stored, effects)
    }

    /// Whether a frame can change anything: an account that is blocked learns nothing, and a frame that comes again
    /// changes nothing. A frame that is no news is taken without ``ContactRules``, which may cost something to find
    /// out.
    /// - Parameter id: the frame's.
    public func isNews(_ frame: ContactFrame, id: UUIDv7) -> Bool {
        guard relation != .blocked else { return false }
        guard let time = frame.time else { return id != heardFrame }
        return time > heardAt
    }

    private enum Judgement {
        case success([ContactEffect])
        case failure(Refusal)
    }

    private mutating func request(
        _ body: ContactRequestBody, _ id: UUIDv7, _ rules: ContactRules, _ now: WallTime, _ fresh: UUIDv7
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
        theirRequest = id
        return .success(accept(now, fresh))
    }

    /// Lets the user decide.
    private mutating func wait(
        _ body: ContactRequestBody, _ id: UUIDv7, _ rules: ContactRules, _ now: WallTime
    ) -> Judgement {
        if relation == .none {
            guard mayAsk(now) else { return .failure(Refusal(.busy, detail: "too many requests in a day")) }
            relation = .incoming
        } else if body.note != note {
            guard mayAsk(now) else { return .failure(Refusal(.busy, detail: "too many requests in a day")) }
        }
        theirRequest = id
        note = body.note
        refusal = nil
        return .success([])
    }

    /// Counts the requests that a person is shown: another account can't pester them by asking again and again.
    private mutating func mayAsk(_ now: WallTime) -> Bool {
        let day = PeerLimits.requestWindow
        if now < asksSince || now.milliseconds - asksSince.milliseconds >= day.milliseconds {
            (asks, asksSince) = (0, now)
        }
        guard asks < PeerLimits.requestsInWindow else { return false }
        asks += 1
        return true
    }

    private mutating func answer(
        _ body: ContactAnswerBody, _ now: WallTime, _ fresh: UUIDv7
    ) -> [ContactEffect] {
        let fits = body.request == nil || request == nil || body.request == request
        switch (relation, body.accepted) {
        case (.requested, true) where fits:
            relation = .friend
            (request, refusal) = (nil, nil)
            return []
        case (.requested, false) where fits:
            let note = note
            forget()
            self.note = note
            said = .nothing
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
            said = .ended
            return [.end]
        case .incoming:
            forget()
            return []
        // Their removal and our request have crossed: the request is on its way to them and stands.
        case .requested, .none, .blocked: return []
        }
    }
}
