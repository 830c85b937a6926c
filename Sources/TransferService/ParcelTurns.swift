import Basics
import Store

/// Whose file for a parcel a courier fetches next. One maker has one turn at a time, so one that gives slowly keeps nobody
/// else's files back; and what couldn't be fetched waits, longer each time.
struct ParcelTurns {
    /// The files that are not here yet, the oldest first.
    private(set) var lacking: [SealedFileRow] = []
    /// What is being fetched, by maker.
    private var fetching: [AccountID: UUIDv7] = [:]
    /// Files that are left alone, until when, and for how long the next time.
    private var pauses: [UUIDv7: (until: Instant, next: Duration)] = [:]

    /// Takes the list of files that are not here yet in place of the one before.
    mutating func replace(_ files: [SealedFileRow]) {
        lacking = files
        let ids = Set(files.map(\.id))
        pauses = pauses.filter { ids.contains($0.key) }
    }

    /// A maker is here: what it has is fetched without a pause.
    mutating func appeared(_ maker: AccountID) {
        for row in lacking where row.depositor == maker { pauses[row.id] = nil }
    }

    /// Begins the next turn.
    /// - Parameter isHere: whether something can be fetched from a maker now.
    /// - Returns: the file to fetch; ``ended(_:isLater:at:)`` must follow. Nil if there is none now.
    mutating func next(at now: Instant, from isHere: (AccountID) -> Bool) -> SealedFileRow? {
        guard fetching.count < TransferServiceLimits.parcelFilesFetched else { return nil }
        let row = lacking.first {
            fetching[$0.depositor] == nil && pauses[$0.id].map { $0.until <= now } ?? true && isHere($0.depositor)
        }
        if let row { fetching[row.depositor] = row.id }
        return row
    }

    /// A turn is over.
    /// - Parameter isLater: whether the file is to be fetched another time.
    mutating func ended(_ row: SealedFileRow, isLater: Bool, at now: Instant) {
        fetching[row.depositor] = nil
        guard isLater else { return lacking.removeAll { $0.id == row.id } }
        let bounds = TransferServiceLimits.parcelFilePause
        let pause = pauses[row.id]?.next ?? bounds.first
        pauses[row.id] = (now + pause, min(pause * 2, bounds.longest))
    }

    /// When the next pause ends; nil if there is none.
    func wakeUp(after now: Instant) -> Instant? { pauses.values.map(\.until).filter { $0 > now }.min() }
}
