import Basics
import Vocabulary

/// What became of one entry that came.
public enum LogAdmission: Hashable, Sendable {
    case delivered
    /// The entry was here without its content, which has come now.
    case completed
    /// The entry is kept until what it refers to is delivered. These entries of the log and of the membership aren't
    /// here; ask the peer that gave the entry.
    case held(missing: [LogReference], membership: [EntryHash])
    case duplicate
    /// The entry is not kept, for good or for now (``Reason/isPassing``).
    case refused(Refusal)
}

/// What one admission changed.
public struct LogOutcome: Sendable {
    /// An entry that wasn't taken, with why.
    public struct Refused: Sendable {
        public let entry: LogEntry
        public let refusal: Refusal
    }

    /// The entries to show now, each behind those it refers to.
    public internal(set) var delivered: [LogEntry] = []
    /// Entries that were delivered without their content, which is here now.
    public internal(set) var completed: [LogEntry] = []
    /// Entries, or their contents, that are stored now and were not before.
    public internal(set) var taken: [LogEntry] = []
    public internal(set) var forks: [LogFork] = []
    public internal(set) var refused: [Refused] = []
    /// Entries that new held entries refer to and that are not here.
    public internal(set) var missing: [LogReference] = []
    /// Membership entries that new held entries name and that are not in the graph.
    public internal(set) var membership: Set<EntryHash> = []

    /// Nothing changed.
    public init() {}
}

/// The checked entries of an answer: this check costs time and needs neither graph nor disk.
public struct LogPage: Sendable {
    /// Entries whose devices have signed them.
    public let entries: [LogEntry]
    /// Why some are not here, in their order.
    public let errors: [WireError]
    public let withheld: [LogRange]
    public let unavailable: [EntryHash]

    /// - Parameter question: what was asked. If it settles, an entry that was asked for and isn't there by the answer's
    ///   last page can't be had.
    public init(checking body: GroupEntriesBody, asked question: GroupQuestion) {
        var entries: [LogEntry] = []
        var errors: [WireError] = []
        for item in body.entries {
            do { entries.append(try item.entry()) } catch { errors.append(error) }
        }
        self.entries = entries
        self.errors = errors
        let isLast = question.settles && !body.hasMore
        withheld = body.withheld + (isLast ? question.want.ranges : [])
        unavailable = isLast ? question.want.hashes : question.settles ? body.unavailable : []
    }

    private init(_ page: LogPage, entries: [LogEntry]) {
        self.entries = entries
        (errors, withheld, unavailable) = (page.errors, page.withheld, page.unavailable)
    }

    /// The page without entries that are not taken now. Those that settle no longer hold up what waits for them, as if the
    /// peer could not give them.
    public func keeping(_ isTaken: (LogEntry) throws -> Bool) rethrows -> LogPage {
        LogPage(self, entries: try entries.filter(isTaken))
    }
}
