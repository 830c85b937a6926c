import Basics

private let kept = SQL("SELECT seen, estimate, agreed, absences FROM trusted_clock")
private let keeping = SQL(
    "INSERT OR REPLACE INTO trusted_clock (one, seen, estimate, agreed, absences) VALUES (1, ?, ?, ?, ?)")
private let lastEventTime = SQL("SELECT at FROM event ORDER BY seq DESC LIMIT 1")

extension ReadTransaction {
    /// The clock by which things age, as it was last stored. In a database without one it begins at the time of the
    /// last write, if that is not later than now.
    func trustedClock(wall: WallTime) throws(StoreError) -> TrustedClock {
        let clock = try connection.first(kept) { row throws(StoreError) in
            TrustedClock(
                seen: row.integer(0), estimate: row.integer(1), agreed: row.integer(2),
                absences: try Self.absences(row.bytes(3)))
        }
        if let clock { return clock }
        return TrustedClock(from: min(wall, try connection.first(lastEventTime) { $0.time(0) } ?? wall))
    }

    private static func absences(_ bytes: [UInt8]) throws(StoreError) -> [TrustedClock.Absence] {
        guard bytes.count % 16 == 0 else { throw .corrupt(detail: "absences of \(bytes.count) bytes") }
        return bytes.withUnsafeBytes { raw in
            stride(from: 0, to: raw.count, by: 16).map { place in
                TrustedClock.Absence(
                    at: Int64(bigEndian: raw.loadUnaligned(fromByteOffset: place, as: Int64.self)),
                    length: Int64(bigEndian: raw.loadUnaligned(fromByteOffset: place + 8, as: Int64.self)))
            }
        }
    }
}

extension WriteTransaction {
    /// The stamp of what is stored now; its age is counted from that.
    public var stamp: Int64 { trusted.seen }

    /// The greatest stamp whose rows are at least `age` old.
    public func stamp(before age: Duration) -> Int64 { trusted.stamp(before: age) }

    /// The stamp of something as old as that wall time; the current stamp if the wall clock is in doubt.
    public func stamp(at time: WallTime) -> Int64 {
        guard trusted.isInLine else { return trusted.seen }
        let (age, overflow) = wallTime.milliseconds.subtractingReportingOverflow(time.milliseconds)
        return overflow ? trusted.seen : trusted.stamp(before: .milliseconds(age))
    }

    /// Sets whether the stored data can be read from now on. What could not be read does not age as unread.
    public func setReadable(_ isReadable: Bool) { trusted.isReadable = isReadable }

    /// The time by which a peer's clock is judged: ours, unless ours is certainly behind.
    public var judgingTime: WallTime { max(wallTime, trusted.wallTime) }

    func keepTrustedClock() throws(StoreError) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(trusted.absences.count * 16)
        for absence in trusted.absences {
            withUnsafeBytes(of: absence.at.bigEndian) { bytes += $0 }
            withUnsafeBytes(of: absence.length.bigEndian) { bytes += $0 }
        }
        try connection.run(keeping, trusted.seen, trusted.estimate, trusted.agreed, bytes)
    }
}
