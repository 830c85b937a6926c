import Basics
import Threads

/// Keeps the most recently used records in memory.
///
/// It is correct because every state of the database has a number, its **version**: the number of the newest event in
/// the log. Whatever changes what a record shows makes an event in the same commit, so two states with the same version
/// show the same. A snapshot reads its own version from the log, like everything else, however late anybody else hears
/// of the commit.
///
/// *Invariant.* Let `current` be the version of the last commit that was told to ``committed(_:)``. An item that is kept with
/// the version `from` is the record at every version from `from` to `current`.
///
/// - `get` at version v returns the item only if from ≤ v ≤ current, so it is what the snapshot itself has. A snapshot
///   that is newer than `current` (its commit is done, but `committed` was not called yet) ignores the memory.
/// - `set` at version v keeps the item only if v ≤ current and the record has not changed in (v, current]. The last changes
///   are remembered with their versions; what is older than all of them is refused.
/// - `committed` drops what has changed, then advances `current`, in one step under the one lock.
///
/// Nothing depends on when the store calls `committed`: late calls cost hits, not correctness. The store calls it
/// before it tells observers and callers, so that code that reads after an answer finds the memory up to date.
public final class MemoryCache: Sendable {
    private struct Kept {
        let item: CacheItem
        /// The version in which it was read.
        let from: Int64
    }

    private struct State {
        var kept: LeastRecentlyUsed<CacheKey, Kept>
        var current: Int64
        var changes: RecentChanges
        var hits: Int64 = 0
        var misses: Int64 = 0
    }

    private let state: Lock<State>
    /// Bytes that it may take.
    public let limit: Int

    /// - Parameters:
    ///   - limit: bytes that it may take.
    ///   - version: of the database as it is now.
    init(limit: Int, version: Int64) {
        self.limit = limit
        state = Lock(
            State(
                kept: LeastRecentlyUsed(limit: limit), current: version,
                changes: RecentChanges(limit: StoreLimits.rememberedChanges, since: version)))
    }

    /// How often a record was found, and how often it wasn't.
    public var counts: (hits: Int64, misses: Int64) { state.withLock { ($0.hits, $0.misses) } }

    /// Approximate bytes that the memory takes.
    public var bytes: Int { state.withLock { $0.kept.bytes } }

    // MARK: By version

    func get(_ key: CacheKey, at version: Int64) -> CacheItem? {
        state.withLock { state in
            guard version <= state.current, let kept = state.kept.peek(key), kept.from <= version else {
                state.misses += 1
                return nil
            }
            state.hits += 1
            state.kept.use(key)
            return kept.item
        }
    }

    func set(_ item: CacheItem, at version: Int64) {
        let bytes = item.bytes
        // A large record must not drive out all others.
        guard bytes <= limit / StoreLimits.cacheShare else { return }
        let key = item.key
        state.withLock { state in
            guard version <= state.current, !state.changes.mayHaveChanged(key, since: version) else { return }
            // The same record, known for longer.
            if let kept = state.kept.peek(key), kept.from <= version { return state.kept.use(key) }
            state.kept.set(key, Kept(item: item, from: version), bytes: bytes)
        }
    }

    /// Drops what a commit has changed. The store's thread calls it in the order of the commits.
    func committed(_ events: [EventRecord]) {
        guard let version = events.last?.seq else { return }
        state.withLock { state in
            for event in events {
                switch event.object {
                case .message(let id): Self.changed(.message(id), version, &state)
                case .conversation(let id):
                    Self.changed(.conversation(id), version, &state)
                    // The messages of a deleted conversation are gone too, and no event names them.
                    if event.change == .delete {
                        state.kept.removeAll()
                        state.changes.forget(since: version)
                    }
                case .account, .transfer, .contact, .group, .setting: continue
                }
            }
            state.current = version
        }
    }

    private static func changed(_ key: CacheKey, _ version: Int64, _ state: inout State) {
        state.kept.remove(key)
        state.changes.note(key, at: version)
    }
}

/// What has changed lately, and in which version. About anything else we know only that it has not changed since
/// `floor`.
struct RecentChanges {
    private let limit: Int
    private var versions: [CacheKey: Int64] = [:]
    /// The changes in their order, as a ring.
    private var ring: [(key: CacheKey, version: Int64)] = []
    private var next = 0
    private var floor: Int64

    /// - Parameters:
    ///   - limit: how many are remembered.
    ///   - version: the version from which on changes are reported here.
    init(limit: Int, since version: Int64) {
        self.limit = max(limit, 1)
        floor = version
    }

    mutating func note(_ key: CacheKey, at version: Int64) {
        versions[key] = version
        guard ring.count == limit else { return ring.append((key, version)) }
        let (oldKey, oldVersion) = ring[next]
        // Unless it has changed again since.
        if versions[oldKey] == oldVersion { versions[oldKey] = nil }
        floor = max(floor, oldVersion)
        ring[next] = (key, version)
        next = (next + 1) % limit
    }

    /// True also if that is not known.
    func mayHaveChanged(_ key: CacheKey, since version: Int64) -> Bool {
        version < floor || versions[key].map { $0 > version } ?? false
    }

    /// Notes that anything may have changed in this version.
    mutating func forget(since version: Int64) {
        versions.removeAll()
        ring.removeAll()
        next = 0
        floor = version
    }
}
