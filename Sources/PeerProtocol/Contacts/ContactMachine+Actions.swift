import Basics

/// An action that the person here wants.
public enum ContactAction: Hashable, Sendable {
    /// Be friends; an account that has asked already is accepted.
    case ask(note: String)
    case accept
    /// Be friends because the office's roster has the account: from now on, and the other side is asked for the case that
    /// it doesn't have the roster.
    case enrol
    /// Refuse a request, without a word to the other side; or take back our own; or put away one that was refused.
    case decline
    /// Be friends no more, and tell the other side; or the same as ``decline``.
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
    /// - Returns: what has to be done with it; nothing where all is so already.
    /// - Throws: why it makes no sense; the state stays.
    public mutating func act(
        _ action: ContactAction, now: WallTime, id: UUIDv7
    ) throws(ContactProblem) -> [ContactEffect] {
        switch (action, relation) {
        case (.unblock, .blocked):
            forget()
            // What they have gone by while they heard nothing holds no longer. We don't speak now to an account to
            // which we never spoke.
            return said == .nothing ? [] : end(now, id)
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
            (relation, request) = (.friend, nil)
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
        case .none: said == .nothing && heardFrame == nil
        case .friend, .blocked: false
        }
    }

    /// A frame of ours will never be taken. If it was our open request, there is none any more, and the reason is kept for
    /// people to see.
    /// - Returns: whether it was.
    public mutating func refused(_ id: UUIDv7, _ refusal: Refusal) -> Bool {
        guard relation == .requested, request == nil || request == id else { return false }
        let note = note
        forget()
        self.note = note
        self.refusal = refusal
        said = .nothing
        return true
    }
}
