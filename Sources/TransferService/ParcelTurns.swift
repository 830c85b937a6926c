import Basics
import Store

/// Decides whose file for a parcel a courier fetches next. A maker has one turn at a time. After a turn that brought
/// nothing, the file and its maker wait, longer each time. When all turns are taken and somebody waits, a turn that
/// takes too long is over. So those who give slowly, or nothing, cost little and hold up nobody else's files.
struct ParcelTurns {
    /// The files that are not here yet, the oldest first.
    private(set) var lacking: [SealedFileRow] = []
    /// What is being fetched, by maker, and since when.
    private var turns: [AccountID: (row: SealedFileRow, since: Instant)] = [:]
    /// Files that are left alone, until when, and for how long the next time.
    private var pauses: [UUIDv7: (until: Instant, next: Duration)] = [:]
    /// The same for makers that have given nothing in their last turn. The longer somebody has to wait, the later they come.
    private var setbacks: [AccountID: (until: Instant, next: Duration)] = [:]

    /// Replaces the list of files that are not here yet.
    /// - Returns: files that are being fetched but not wanted any more, or whose ids belong to others now.
    mutating func replace(_ files: [SealedFileRow]) -> [UUIDv7] {
        lacking = files
        let ids = Set(files.map(\.id))
        let makers = Set(files.map(\.depositor))
        pauses = pauses.filter { ids.contains($0.key) }
        setbacks = setbacks.filter { makers.contains($0.key) }
        return turns.values.map(\.row).filter { !files.contains($0) }.map(\.id)
    }

    /// A maker is here: what it has is fetched without a pause.
    mutating func appeared(_ maker: AccountID) {
        for row in lacking where row.depositor == maker { pauses[row.id] = nil }
        setbacks[maker]?.until = Instant(nanoseconds: 0)
    }

    /// Begins the next turn.
    /// - Parameter isHere: whether something can be fetched from a maker now.
    /// - Returns: the file to fetch; ``ended(_:_:at:)`` must follow. Nil if there is none now.
    mutating func next(at now: Instant, from isHere: (AccountID) -> Bool) -> SealedFileRow? {
        guard !isFull, let row = waiting(at: now, from: isHere) else { return nil }
        turns[row.depositor] = (row, now)
        return row
    }

    /// The file whose turn has to end for somebody else's: the one that has taken longest, and too long.
    func overdue(at now: Instant, from isHere: (AccountID) -> Bool) -> UUIDv7? {
        guard isFull, let turn = longest, turn.since + TransferServiceLimits.parcelTurn <= now,
            waiting(at: now, from: isHere) != nil
        else { return nil }
        return turn.row.id
    }

    /// A turn is over.
    mutating func ended(_ row: SealedFileRow, _ end: ParcelFetch.End, at now: Instant) {
        turns[row.depositor] = nil
        if end == .later { pauses[row.id] = Self.pause(after: pauses[row.id], at: now) }
        setbacks[row.depositor] = end == .over ? nil : Self.pause(after: setbacks[row.depositor], at: now)
        if end != .later { lacking.removeAll { $0 == row } }
    }

    private static func pause(
        after last: (until: Instant, next: Duration)?, at now: Instant
    ) -> (until: Instant, next: Duration) {
        let bounds = TransferServiceLimits.parcelFilePause
        let pause = last?.next ?? bounds.first
        return (now + pause, min(pause * 2, bounds.longest))
    }

    /// When the next pause ends, or a turn has taken too long; nil if nothing is to be waited for.
    func wakeUp(after now: Instant) -> Instant? {
        let end = isFull ? longest.map { $0.since + TransferServiceLimits.parcelTurn } : nil
        let ends = pauses.values.map(\.until) + setbacks.values.map(\.until) + [end].compactMap(\.self)
        return ends.filter { $0 > now }.min()
    }

    private var isFull: Bool { turns.count >= TransferServiceLimits.parcelFilesFetched }

    private var longest: (row: SealedFileRow, since: Instant)? { turns.values.min { $0.since < $1.since } }

    private func waiting(at now: Instant, from isHere: (AccountID) -> Bool) -> SealedFileRow? {
        func isReady(_ pause: (until: Instant, next: Duration)?) -> Bool { pause.map { $0.until <= now } ?? true }
        var best: SealedFileRow?
        for row in lacking
        where turns[row.depositor] == nil && isReady(pauses[row.id]) && isReady(setbacks[row.depositor]) {
            if let best, setbacks[best.depositor]?.next ?? .zero <= setbacks[row.depositor]?.next ?? .zero { continue }
            if isHere(row.depositor) { best = row }
        }
        return best
    }
}
