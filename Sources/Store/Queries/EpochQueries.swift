import Basics

private let insertion = SQL(
    "INSERT INTO event_epoch (epoch, first) VALUES (?, (SELECT coalesce(max(seq), 0) + 1 FROM event)) ON CONFLICT DO NOTHING"
)
private let pruning = SQL(
    "DELETE FROM event_epoch WHERE number <= (SELECT max(number) FROM event_epoch) - ?")
// An epoch reaches up to where the next one began. The newest epoch's end is the log's.
private let reachOf = SQL(
    """
    SELECT coalesce(
        (SELECT min(first) - 1 FROM event_epoch WHERE number > e.number), (SELECT coalesce(max(seq), 0) FROM event))
    FROM event_epoch AS e WHERE e.epoch = ?
    """)

extension ReadTransaction {
    /// How far an epoch of the event log came: the number of its last event, or of the last one before it. Nil for an
    /// epoch that this log does not know.
    public func reach(ofEpoch epoch: UUIDv7) throws(StoreError) -> Int64? { try connection.integer(reachOf, epoch) }
}

extension WriteTransaction {
    /// Begins the epoch of this run, once. The store does so by itself before the first event of a run.
    public func beginEpoch() throws(StoreError) {
        guard !isEpochKept else { return }
        try connection.run(insertion, logEpoch)
        try connection.run(pruning, StoreLimits.epochsKept)
        beganEpoch = true
    }
}
