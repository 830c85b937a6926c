import Basics

private let latest = SQL("SELECT max(seq) FROM event")
private let oldest = SQL("SELECT min(seq) FROM event")
private let page = SQL("SELECT seq, at, change, object, parent FROM event WHERE seq > ? ORDER BY seq LIMIT ?")
private let insertion = SQL("INSERT INTO event (seq, at, change, object, parent) VALUES (?, ?, ?, ?, ?)")
private let lastExpired = SQL(
    "SELECT max(seq) FROM (SELECT seq, at FROM event ORDER BY seq LIMIT ?) WHERE at < ? OR seq <= ?")
private let removal = SQL("DELETE FROM event WHERE seq <= ? AND seq < ?")
private let consumerByName = SQL("SELECT acknowledged FROM consumer WHERE name = ?")
private let allConsumers = SQL("SELECT name, acknowledged FROM consumer ORDER BY name")
private let consumerUpdate = SQL(
    """
    INSERT INTO consumer (name, acknowledged, used) VALUES (?, ?, ?)
    ON CONFLICT (name) DO UPDATE SET acknowledged = max(acknowledged, excluded.acknowledged), used = excluded.used
    """)
private let consumerPruning = SQL(
    "DELETE FROM consumer WHERE name IN (SELECT name FROM consumer ORDER BY used DESC, name LIMIT -1 OFFSET ?)")

extension ReadTransaction {
    /// The number of the newest event; 0 if there has never been one.
    public func latestEvent() throws(StoreError) -> Int64 { try connection.integer(latest) ?? 0 }

    /// The number of the oldest kept event; nil if there is none.
    public func oldestEvent() throws(StoreError) -> Int64? { try connection.integer(oldest) }

    /// Events with numbers greater than `since`, in order. If the first is greater than `since` + 1, the events between
    /// are gone.
    public func events(since: Int64, limit: Int) throws(StoreError) -> [EventRecord] {
        try connection.rows(page, since, Int64(limit)) { row throws(StoreError) in
            EventRecord(
                seq: row.integer(0), at: row.time(1), object: try StoredObject(encoded: row.bytes(3)),
                change: try row.enumeration(2), parent: try row.optionalIdentifier(4),
                aspects: EventRecord.aspects(encoded: row.bytes(3)))
        }
    }

    /// The consumer with that name; nil if it has never acknowledged anything.
    public func consumer(_ name: String) throws(StoreError) -> ConsumerRow? {
        guard let acknowledged = try connection.integer(consumerByName, name) else { return nil }
        return ConsumerRow(name: name, acknowledged: acknowledged)
    }

    /// All consumers by name.
    public func consumers() throws(StoreError) -> [ConsumerRow] {
        try connection.rows(allConsumers) { ConsumerRow(name: $0.text(0), acknowledged: $0.integer(1)) }
    }
}

extension WriteTransaction {
    /// Notes that the consumer has processed everything up to `seq`. The cursor never goes back; a new consumer is made.
    public func acknowledge(consumer name: String, upTo seq: Int64) throws(StoreError) {
        try connection.run(consumerUpdate, name, seq, trusted.seen)
        try connection.run(consumerPruning, StoreLimits.consumers)
    }

    func insert(_ events: [EventRecord]) throws(StoreError) {
        for event in events {
            try connection.run(insertion, event.seq, event.at, event.change, event.encodedObject, event.parent)
        }
    }

    /// Removes some of the events that are too old or too many; the store calls it regularly. The newest event stays
    /// whatever its age, because it holds the last number given.
    /// - Returns: the number of removed events, at most a few hundred.
    @discardableResult
    public func pruneEvents() throws(StoreError) -> Int {
        let last = try latestEvent()
        let oldestTime = wallTime - StoreLimits.eventAge
        let expired = try connection.integer(
            lastExpired, Int64(StoreLimits.eventsPerPrune), oldestTime, last - StoreLimits.eventsKept)
        guard let expired else { return 0 }
        return try connection.run(removal, expired, last)
    }
}

extension WallTime {
    /// Subtracts, and saturates.
    static func - (left: WallTime, right: Duration) -> WallTime { left + (.zero - right) }
}
