import Basics

/// A frame of a group that needs no receipt: what members tell each other to have the same, and who is typing.
public enum GroupFrame: Hashable, Sendable {
    case heads(GroupHeadsBody)
    case tops(GroupTopsBody)
    case want(GroupWantBody)
    case entries(GroupEntriesBody)
    case typing(GroupTypingBody)

    public var root: EntryHash {
        switch self {
        case .heads(let body): body.root
        case .tops(let body): body.root
        case .want(let body): body.root
        case .entries(let body): body.root
        case .typing(let body): body.root
        }
    }

    public var kind: FrameKind {
        switch self {
        case .heads: .groupHeads
        case .tops: .groupTops
        case .want: .groupWant
        case .entries: .groupEntries
        case .typing: .groupTyping
        }
    }

    /// Nil for a kind that is none of these.
    /// - Throws: ``WireError``.
    init?(_ frame: Frame) throws(WireError) {
        switch frame.kind {
        case .groupHeads: self = .heads(try GroupHeadsBody(decoding: frame.body))
        case .groupTops: self = .tops(try GroupTopsBody(decoding: frame.body))
        case .groupWant: self = .want(try GroupWantBody(decoding: frame.body))
        case .groupEntries: self = .entries(try GroupEntriesBody(decoding: frame.body))
        case .groupTyping: self = .typing(try GroupTypingBody(decoding: frame.body))
        default: return nil
        }
    }

    /// - Throws: ``WireError`` where a peer would not take it.
    public func body() throws(WireError) -> [UInt8] {
        switch self {
        case .heads(let body): try body.encoded()
        case .tops(let body): try body.encoded()
        case .want(let body): try body.encoded()
        case .entries(let body): try body.encoded()
        case .typing(let body): body.encoded()
        }
    }
}
