import Basics
import Vocabulary

/// A frame of a group that needs no receipt: by them members come to have the same, and hear who is typing.
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
