import Basics
import Threads

private let assetByID = SQL("SELECT bytes FROM asset WHERE id = ?")
private let assetInsertion = SQL(
    """
    INSERT INTO asset (id, used, bytes) VALUES (?1, (SELECT coalesce(max(used), 0) + 1 FROM asset), ?2)
    ON CONFLICT (id) DO UPDATE SET used = excluded.used
    """)
private let assetUse = SQL(
    "UPDATE asset SET used = (SELECT max(used) + 1 FROM asset) WHERE id = ? AND used < (SELECT max(used) FROM asset)")
private let assetRemoval = SQL("DELETE FROM asset WHERE id = ?")
private let assetBytes = SQL("SELECT value FROM meta WHERE name = 'asset_bytes'")
private let longestUnused = SQL("SELECT number FROM asset ORDER BY used LIMIT 1")
private let eviction = SQL("DELETE FROM asset WHERE number = ?")

/// The database as a cache. Messages and conversations are its tables, which are the truth: `get` reads the row with all that is
/// shown of it; `set` and `purge` have nothing to do, for whoever changes them changes the tables. Assets have a table of
/// their own with a bound; those go that were not used for longest.
///
/// Reading can't write: uses are remembered here and written down with the next asset that comes. A crash forgets them,
/// which costs nobody anything but a picture.
public final class SQLiteCache: MessageCache {
    private let used = Lock<Set<UUIDv7>>([])
    /// Bytes that all assets together may take.
    public let assetLimit: Int64

    /// - Parameter assetLimit: bytes that all assets together may take.
    init(assetLimit: Int64 = StoreLimits.assetBytes) { self.assetLimit = assetLimit }

    public func get(_ key: CacheKey, in transaction: ReadTransaction) throws(StoreError) -> CacheItem? {
        switch key {
        case .message(let id): return try transaction.loadMessage(id).map { .message($0) }
        case .conversation(let id): return try transaction.loadConversation(id).map { .conversation($0) }
        case .asset(let id):
            let bytes = try transaction.connection.first(assetByID, id) { $0.bytes(0) }
            guard let bytes else { return nil }
            noteUse(id)
            return .asset(AssetRecord(id: id, bytes: bytes))
        }
    }

    public func set(_ item: CacheItem, in transaction: ReadTransaction) throws(StoreError) {
        guard case .asset(let asset) = item, let transaction = transaction as? WriteTransaction else { return }
        guard asset.bytes.count <= StoreLimits.oneAssetBytes else { return }
        let connection = transaction.connection
        // One that is undone forgets the uses: see above.
        for id in used.withLock({
            let ids = $0; $0 = []; return ids
        }) { try connection.run(assetUse, id) }
        try connection.run(assetInsertion, asset.id, asset.bytes)
        while try connection.integer(assetBytes) ?? 0 > assetLimit {
            guard let number = try connection.integer(longestUnused) else { break }
            try connection.run(eviction, number)
        }
    }

    public func purge(_ keys: [CacheKey], in transaction: WriteTransaction) throws(StoreError) {
        for case .asset(let id) in keys { try transaction.connection.run(assetRemoval, id) }
    }

    /// Somebody has looked at an asset.
    func noteUse(_ id: UUIDv7) {
        used.withLock { used in
            // More than that only means that nothing new has come for long.
            if used.count < StoreLimits.rememberedUses { used.insert(id) }
        }
    }
}
