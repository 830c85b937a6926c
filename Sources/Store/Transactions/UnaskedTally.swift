import Basics
import Vocabulary

/// How much has come unasked from each account within its day.
///
/// An account's day begins with the first byte that is counted, and ends 24 hours later by the trusted clock. So no wall
/// clock ends it early, and none keeps it from ending. A machine: stamps and bytes come in, nothing goes out.
struct UnaskedTally: Sendable {
    struct Key: Hashable, Sendable {
        let account: AccountID
        let kind: UnaskedKind
    }

    struct Count: Hashable, Sendable {
        /// The stamp at which the day began.
        var since: Int64
        var bytes: Int64
    }

    private(set) var counts: [Key: Count]
    /// The keys whose stored rows are out of date, or are to go.
    private(set) var stale: Set<Key> = []
    /// Bytes that were counted since the rows were stored.
    private(set) var unkept: Int64 = 0

    init(_ counts: [Key: Count] = [:]) { self.counts = counts }

    /// Bytes of the account's day.
    /// - Parameter ended: the greatest stamp whose day is over.
    func bytes(_ key: Key, ended: Int64) -> Int64 {
        guard let count = counts[key], count.since > ended else { return 0 }
        return count.bytes
    }

    mutating func add(_ bytes: Int64, to key: Key, at stamp: Int64, ended: Int64) {
        guard bytes > 0 else { return }
        if counts[key] == nil, counts.count >= StoreLimits.unaskedCounts { makeRoom(ended) }
        var count = counts[key] ?? Count(since: stamp, bytes: 0)
        if count.since <= ended { count = Count(since: stamp, bytes: 0) }
        count.bytes = Self.sum(count.bytes, bytes)
        counts[key] = count
        stale.insert(key)
        unkept = Self.sum(unkept, bytes)
    }

    /// Forgets the days that are over.
    mutating func forget(ended: Int64) {
        for (key, count) in counts where count.since <= ended {
            counts[key] = nil
            stale.insert(key)
        }
    }

    /// The stale rows are stored.
    mutating func kept() {
        stale = []
        unkept = 0
    }

    /// Makes room by forgetting the days that are over or, if there are none, the count that matters least.
    private mutating func makeRoom(_ ended: Int64) {
        forget(ended: ended)
        guard counts.count >= StoreLimits.unaskedCounts,
            let least = counts.min(by: { $0.value.bytes < $1.value.bytes })?.key
        else { return }
        counts[least] = nil
        stale.insert(least)
    }

    private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? .max : sum
    }
}

/// The kinds of unasked things that are counted separately.
public enum UnaskedKind: Int64, CaseIterable, Sendable {
    /// What an account says: messages, changes of messages, reactions, entries of groups.
    case words = 1
    /// Files of an account that are taken without asking.
    case files = 2
    /// What strangers say in groups that this account has brought them into.
    case brought = 3
}
