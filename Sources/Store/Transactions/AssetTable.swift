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

/// Bytes that belong to objects, such as previews: a table of the database with a bound. If there are too many, the
/// assets that were not used for longest go.
///
/// Reading can't write, so uses are remembered here and stored with the next new asset. A crash forgets them, which
/// costs no more than a picture.
final class AssetTable: Sendable {
    private let used = Lock<Set<UUIDv7>>([])
    /// Bytes that all assets together may take.
    private let limit: Int64

    /// - Parameter limit: bytes that all assets together may take.
    init(limit: Int64 = StoreLimits.assetBytes) { self.limit = limit }

    func get(_ id: UUIDv7, in transaction: ReadTransaction) throws(StoreError) -> AssetRecord? {
        guard let bytes = try transaction.connection.first(assetByID, id, read: { $0.bytes(0) }) else { return nil }
        used.withLock { used in
            // There are more only when nothing new has come for long.
            if used.count < StoreLimits.rememberedUses { used.insert(id) }
        }
        return AssetRecord(id: id, bytes: bytes)
    }

    /// Keeps an asset. One of more than ``StoreLimits/oneAssetBytes`` is not kept.
    func set(_ asset: AssetRecord, in transaction: WriteTransaction) throws(StoreError) {
        guard asset.bytes.count <= StoreLimits.oneAssetBytes else { return }
        let connection = transaction.connection
        let uses = used.withLock { used in
            defer { used = [] }
            return used
        }
        // A commit that is undone forgets the uses: see above.
        for id in uses { try connection.run(assetUse, id) }
        try connection.run(assetInsertion, asset.id, asset.bytes)
        while try connection.integer(assetBytes) ?? 0 > limit {
            guard let number = try connection.integer(longestUnused) else { break }
            try connection.run(eviction, number)
        }
    }

    func remove(_ ids: some Sequence<UUIDv7>, in transaction: WriteTransaction) throws(StoreError) {
        for id in ids { try transaction.connection.run(assetRemoval, id) }
    }
}
