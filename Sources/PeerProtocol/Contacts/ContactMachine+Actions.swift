import Basics

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
