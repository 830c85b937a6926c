import Basics
import Crypto
import PeerProtocol
import Store

/// A parcel that is ready to be given to couriers.
package struct MadeParcel: Sendable {
    package let envelope: ParcelEnvelope
    package let sealed: [UInt8]
    /// The group to which what is in it belongs; nil for what two people say to each other.
    package let group: UUIDv7?
    /// The places in the outbox of what is in it; only items of the group count, or of no group.
    package let places: ClosedRange<Int64>
    /// The files that go with it.
    package let files: [MadeFile]
}

/// What a parcel will hold, before its files are read and all of it is sealed.
package struct PlannedParcel: Sendable {
    fileprivate let recipient: AccountID
    fileprivate let notes: [MailNote]
    fileprivate let frames: [Frame]
    package let group: UUIDv7?
    package let places: ClosedRange<Int64>
    /// Files to be read, which takes as long as their disk needs.
    package let files: [OfferedFile]

    /// Reads the files and seals them. Those that can't be read, or not in time, wait for the direct path. Blocking.
    /// - Parameter isOver: whether the time is over; asked before each chunk.
    package func sealedFiles(at time: WallTime, isOver: () -> Bool = { false }) -> [MadeFile] {
        files.compactMap { $0.seal(at: time, isOver: isOver) }
    }
}

/// What came of looking for something to seal.
package struct ParcelSearch: Sendable {
    /// Nil if there is nothing.
    package var plan: PlannedParcel?
    /// Whether nothing is left that belongs into a parcel now and is in none.
    package var isAll = true
    /// How long until something more belongs into a parcel, if nobody else takes it; nil if nothing waits for that.
    package var next: Duration?
    /// Of each group, and of none: the place up to which nothing has to be looked at again, unless a parcel is lost. It is
    /// with couriers, or belongs into no parcel for good.
    package var passed: [UUIDv7?: Int64] = [:]

    package init() {}
}

/// Seals what waits for an account that is away. It reads the database and computes, so it belongs on a thread for which
/// nobody waits.
package struct ParcelMaking: Sendable {
    /// This device's note, and the key that it names.
    package let note: MailNote
    package let key: AgreementKey

    package init(note: MailNote, key: AgreementKey) {
        self.note = note
        self.key = key
    }

    /// Chooses the first items for an account that are in no parcel yet.
    /// - Parameters:
    ///   - onlyAnswers: whether only answers to parcels are sealed, for a courier that the account hasn't named.
    ///   - isHurried: whether what was said in groups needn't wait for other members to take it.
    ///   - fileBytes: bytes of the longest file that couriers are given unasked.
    ///   - passed: what ``ParcelSearch/passed`` said before.
    ///   - isHere: whether a courier is here.
    package func search(
        for recipient: AccountID, onlyAnswers: Bool, isHurried: Bool = false, fileBytes: Int64,
        after passed: [UUIDv7?: Int64] = [:], isHere: (AccountID) -> Bool = { _ in true },
        in transaction: ReadTransaction, at time: WallTime
    ) throws -> ParcelSearch {
        var search = ParcelSearch()
        search.passed = passed
        let notes = try MailNotes.of(recipient, limit: PeerLimits.parcelDevices, transaction)
            .compactMap { try? MailNote(trusting: $0) }
        guard !notes.isEmpty else { return search }
        let groups = onlyAnswers ? [] : try SentParcels.groups(for: recipient, transaction)
        for group in [nil] + groups.map(Optional.some) {
            var run = Run(
                recipient: recipient, group: group, limit: onlyAnswers ? Self.answerLimit : Self.limit,
                onlyAnswers: onlyAnswers, time: isHurried ? nil : time, fileBytes: fileBytes, passed: passed[group] ?? 0
            )
            if let group { run.others = try transaction.memberCount(of: group) - 1 }
            try run.fill(isHere: isHere, in: transaction)
            search.passed[group] = run.passed
            if let next = run.next { search.next = min(search.next ?? next, next) }
            guard let places = run.places else { continue }
            search.plan = PlannedParcel(
                recipient: recipient, notes: notes, frames: run.frames, group: group, places: places, files: run.files)
            // Whether other groups have something is found next time.
            search.isAll = run.isAll && group == groups.last
            break
        }
        return search
    }

    /// Seals a parcel.
    /// - Parameter files: those of its files that go with it.
    package func seal(_ plan: PlannedParcel, with files: [MadeFile], at time: WallTime) throws -> MadeParcel? {
        var random = SodiumGenerator()
        let envelope = ParcelEnvelope(id: UUIDv7(at: time, using: &random), from: note.account, to: plan.recipient)
        guard let textKey = SharedKey(bytes: Sodium.randomBytes(CryptoLimits.keyBytes)) else { return nil }
        let content = ParcelContent(frames: plan.frames, note: note, time: time, files: files.map(\.sealed))
        let sealed = try ParcelSeal.seal(content, in: envelope, with: key, to: plan.notes, textKey: textKey)
        return MadeParcel(
            envelope: envelope, sealed: sealed, group: plan.group, places: plan.places, files: files)
    }

    /// Bytes of the bodies in one parcel: what its note, the heads of its frames and the padding's length take is set aside.
    private static let limit = (
        bytes: PeerLimits.parcelTextBytes.upperBound - PeerLimits.mailNoteBytes
            - PeerLimits.parcelFrames * frameBytes - PeerLimits.parcelFiles * sealedFileBytes - 64,
        frames: PeerLimits.parcelFrames
    )
    /// The same of a parcel that has nothing but answers, so that it stays below ``MessagingLimits/parcelAnswerBytes``.
    private static let answerLimit = (bytes: 4608, frames: 32)
    /// Bytes of a frame in a parcel besides its body: kind, id, and the heads of four values.
    private static let frameBytes = 40
    /// Bytes of what a parcel says of a file.
    private static let sealedFileBytes = 160
}

/// The first items of one group, or of none, that belong into a parcel and follow each other without a gap: an item that
/// isn't sealed ends them, for the places of a parcel say what is in it.
private struct Run {
    let recipient: AccountID
    let group: UUIDv7?
    let limit: (bytes: Int, frames: Int)
    let onlyAnswers: Bool
    /// Now; nil if what was said in groups needn't wait.
    let time: WallTime?
    /// How many other members the group has.
    var others = 0
    /// Bytes of the longest file that couriers are given unasked.
    let fileBytes: Int64
    private(set) var frames: [Frame] = []
    private(set) var files: [OfferedFile] = []
    private(set) var places: ClosedRange<Int64>?
    private(set) var isAll = true
    /// How long until an item belongs into a parcel that doesn't yet.
    private(set) var next: Duration?
    /// The place up to which nothing has to be looked at again.
    private(set) var passed: Int64

    init(
        recipient: AccountID, group: UUIDv7?, limit: (bytes: Int, frames: Int), onlyAnswers: Bool, time: WallTime?,
        fileBytes: Int64, passed: Int64
    ) {
        self.recipient = recipient
        self.group = group
        self.limit = limit
        self.onlyAnswers = onlyAnswers
        self.time = time
        self.fileBytes = fileBytes
        self.passed = passed
    }

    mutating func fill(isHere: (AccountID) -> Bool, in transaction: ReadTransaction) throws {
        // What a courier who went away hasn't got yet may go to another one.
        let taken = try SentParcels.all(to: recipient, in: group, transaction)
            .filter { $0.places.upperBound > passed && ($0.state != .onItsWay || isHere($0.courier)) }
        var (bytes, last) = (0, passed)
        var isPassing = !onlyAnswers
        while true {
            let page = try SentParcels.items(
                for: recipient, in: group, after: last, limit: PeerLimits.parcelFrames, maximumBytes: limit.bytes,
                transaction)
            guard !page.isEmpty else { return }
            for item in page where item.seq > last {
                let row = taken.first { $0.places.contains(item.seq) }
                let verdict: Verdict
                if let row {
                    verdict = row.state == .onItsWay ? .notYet : .never
                } else {
                    verdict = item.body.count > limit.bytes ? .never : try self.verdict(item, in: transaction)
                }
                let belongs = verdict == .now
                let offered = try belongs && !onlyAnswers ? self.files(of: item, in: transaction) : []
                let isFull =
                    bytes + item.body.count > limit.bytes || frames.count == limit.frames
                    || files.count + offered.count > PeerLimits.parcelFiles
                    || (files + offered).reduce(0, { $0 + $1.bytes }) > MessagingLimits.parcelFileBytes
                if !belongs || isFull, places != nil {
                    isAll = false
                    return
                }
                if belongs {
                    files += offered.prefix(PeerLimits.parcelFiles)
                    frames.append(Frame(kind: FrameKind(rawValue: item.kind), id: item.id, body: item.body))
                    bytes += item.body.count
                    places = (places?.lowerBound ?? item.seq)...item.seq
                }
                last = row?.places.upperBound ?? item.seq
                isPassing = isPassing && verdict == .never
                if isPassing { passed = last }
            }
        }
    }

    /// The files that a message offers and that couriers may have.
    private func files(of item: OutboxRow, in transaction: ReadTransaction) throws -> [OfferedFile] {
        guard item.kind == FrameKind.message.rawValue, let message = try? MessageBody(decoding: item.body) else {
            return []
        }
        return try message.attachments.compactMap {
            try OfferedFile($0.transfer, to: item.account, maximum: fileBytes, in: transaction)
        }
    }

    /// Whether an item belongs into a parcel.
    private enum Verdict { case now, notYet, never }

    private mutating func verdict(_ item: OutboxRow, in transaction: ReadTransaction) throws -> Verdict {
        let kind = FrameKind(rawValue: item.kind)
        if onlyAnswers { return kind == .had ? .now : .never }
        guard ParcelContent.kinds.contains(kind) else { return .never }
        // How many calls somebody may tell of is counted in sessions.
        if kind == .message { return (try? MessageBody(decoding: item.body))?.call == nil ? .now : .never }
        guard group != nil else { return .now }
        // What was read is told to one member, and nobody hands it on.
        // An item whose time is still to come was made before the clock was set back. What is ripe a moment after others goes
        // with them.
        let ripe = item.createdAt + CourierMachine.groupPatience
        let soon = frames.isEmpty ? Duration.zero : CourierMachine.pause
        if let time, kind != .groupSeen, item.createdAt <= time, time + soon < ripe {
            let wait = Duration.milliseconds(ripe.milliseconds - time.milliseconds)
            next = min(next ?? wait, wait)
            return .notYet
        }
        // Once enough have it, they have it for good.
        let isHeld =
            try kind != .groupSeen
            && others - SentParcels.copies(of: item, transaction) >= MessagingLimits.parcelHolders
        return isHeld ? .never : .now
    }
}
