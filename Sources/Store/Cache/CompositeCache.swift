import Basics

/// Memory in front of the database: what the daemon reads through.
///
/// `get` fills the memory with what it had to read; `set` writes through, and what is written comes into the memory when it
/// is read after its commit; `purge` drops in both.
public final class CompositeCache: MessageCache {
    public let memory: MemoryCache
    public let database: SQLiteCache

    init(memory: MemoryCache, database: SQLiteCache) {
        self.memory = memory
        self.database = database
    }

    public func get(_ key: CacheKey, in transaction: ReadTransaction) throws(StoreError) -> CacheItem? {
        if let known = try memory.get(key, in: transaction) {
            if case .asset(let id) = key { database.noteUse(id) }
            return known
        }
        guard let found = try database.get(key, in: transaction) else { return nil }
        try memory.set(found, in: transaction)
        return found
    }

    public func set(_ item: CacheItem, in transaction: ReadTransaction) throws(StoreError) {
        try database.set(item, in: transaction)
        try memory.set(item, in: transaction)
    }

    public func purge(_ keys: [CacheKey], in transaction: WriteTransaction) throws(StoreError) {
        memory.purge(keys, in: transaction)
        try database.purge(keys, in: transaction)
    }
}
