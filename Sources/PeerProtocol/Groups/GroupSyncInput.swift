import Basics
import Vocabulary

/// What happens to the groups that are shared with the peer of a session.
public enum GroupSyncInput: Sendable {
    /// The peer is a member of a group of ours: since before the session, or from now on.
    case shared(EntryHash)
    /// The peer is none any more, or we are not.
    case unshared(EntryHash)
    /// A frame of the peer: heads, tops, a want or entries.
    case heard(GroupFrame)
    /// An answer to ``GroupSyncEffect/consider(_:)``: the peer believes us to be in the group, and we ask for what we
    /// lack of its membership.
    /// - Parameter heads: our membership heads; empty where we have nothing of it.
    case offered(EntryHash, heads: [EntryHash])
    /// The other answer: the peer believes that both are in the group, and this entry took one of them out.
    case departed(EntryHash, by: EntryHash)
    /// The answer to ``GroupSyncEffect/readHeads(_:)``: ``GroupLog/heads(_:)``.
    case heads(GroupHeadsBody)
    /// The answer to ``GroupSyncEffect/compare(_:)``: ``GroupLog/compare(_:_:own:)``.
    case compared(EntryHash, isSame: Bool, questions: [GroupQuestion])
    /// The answer to ``GroupSyncEffect/readTops(_:)``: all of the storage's.
    case tops(EntryHash, [LogReference])
    /// The answer to ``GroupSyncEffect/plan(_:tops:)``: ``GroupLog/questions(tops:_:own:)``.
    case planned(EntryHash, [GroupQuestion])
    /// The answer to ``GroupSyncEffect/readPage(_:)``: ``LogServing/page(for:to:graph:maximumBytes:)``; nil if it can't be read.
    case page(EntryHash, GroupEntriesBody?)
    /// The answer to ``GroupSyncEffect/commit(_:asked:)``.
    case committed(EntryHash, GroupCommit)
    /// An entry that the peer gave live waits for something: ``GroupLog/questions(missing:_:own:)``, and
    /// ``GroupLog/wantMembership(_:)`` if a membership entry is missing.
    case lacking(EntryHash, [GroupQuestion])
    /// The peer has said nothing about a group for a while, and we need to know what it has. We send our tops, and it
    /// must answer. This is asked once.
    case ask(EntryHash)
    /// This could not be done, and nothing changed: it is asked for again after a while.
    case failed(GroupSyncEffect)
    /// Compare the group with this peer.
    case changed(EntryHash, within: Duration)
    /// Something has come from another peer, so what we have has changed. The peer is told after the pause, if it or we
    /// want to hear from each other of what is new.
    case news(EntryHash, within: Duration)
    /// Whether the peer is one of those that are to tell us what is new: see ``GroupPartners``.
    case partner(EntryHash, Bool)
    /// ``GroupSync/nextDeadline`` has come.
    case tick
}

/// What a committed page brought.
public struct GroupCommit: Sendable {
    /// All entries of the page that could be read.
    public var entries: [LogReference]
    /// Our membership heads now.
    public var heads: [EntryHash]
    /// What to ask for next: what new held entries wait for.
    public var questions: [GroupQuestion]
    /// Whether anything is here that wasn't.
    public var hasNews: Bool
    /// Whether a membership entry of the page was refused for good: no more of the membership is asked for in this session, for the
    /// same would come again.
    public var refusesMembership: Bool

    public init(
        entries: [LogReference], heads: [EntryHash], questions: [GroupQuestion], hasNews: Bool,
        refusesMembership: Bool = false
    ) {
        self.entries = entries
        self.heads = heads
        self.questions = questions
        self.hasNews = hasNews
        self.refusesMembership = refusesMembership
    }
}

/// What the owner of a ``GroupSync`` has to do. Everything that reads or writes is answered by one input.
public enum GroupSyncEffect: Hashable, Sendable {
    case send(GroupFrame)
    /// The peer speaks of a group that we don't share. Answered by ``GroupSyncInput/offered(_:heads:)``,
    /// ``GroupSyncInput/departed(_:by:)`` or not at all.
    case consider(GroupHeadsBody)
    /// What the peer has of the group has been compared with ours once, and what it had of our own chain is here. This
    /// is said once in a session.
    case settled(EntryHash)
    case readHeads(EntryHash)
    case compare(GroupHeadsBody)
    case readTops(EntryHash)
    case plan(EntryHash, tops: [LogReference])
    case readPage(GroupWantBody)
    /// Check the page (``LogPage``), take up its membership entries and then the log's, and commit it all.
    case commit(GroupEntriesBody, asked: GroupQuestion)

    /// The group that the owner reads or writes; nil where there is nothing that could fail.
    var root: EntryHash? {
        switch self {
        case .send, .settled: nil
        case .readHeads(let root), .readTops(let root), .plan(let root, _): root
        case .compare(let body), .consider(let body): body.root
        case .readPage(let want): want.root
        case .commit(let page, _): page.root
        }
    }
}
