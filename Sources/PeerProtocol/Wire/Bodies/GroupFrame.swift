import Basics
import Vocabulary

/// A frame of a group that needs no receipt: by them members come to have the same, and hear who is typing.
public enum GroupFrame: Hashable, Sendable {
    case heads(GroupHeadsBody)
    case tops(GroupTopsBody)
    case want(GroupWantBody)
    case entries(GroupEntriesBody)
    case typing(GroupTypingBody)

    public var root: EntryHash { content.body.root }
    public var kind: FrameKind { content.kind }

    /// - Throws: ``WireError`` where a peer would not take it.
    public func body() throws(WireError) -> [UInt8] { try content.body.encoded() }

    private var content: (kind: FrameKind, body: any GroupBody) {
        switch self {
        case .heads(let body): (.groupHeads, body)
        case .tops(let body): (.groupTops, body)
        case .want(let body): (.groupWant, body)
        case .entries(let body): (.groupEntries, body)
        case .typing(let body): (.groupTyping, body)
        }
    }
}

/// The body of a ``GroupFrame``.
protocol GroupBody: WireBody {
    /// The group that it is about.
    var root: EntryHash { get }
}
