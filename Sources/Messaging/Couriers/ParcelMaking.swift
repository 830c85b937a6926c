import Basics
import Crypto
import PeerProtocol
import Store

/// A parcel that is ready to be given to couriers.
package struct MadeParcel: Sendable {
    package let envelope: ParcelEnvelope
    package let sealed: [UInt8]
    /// The places in the outbox of what is in it.
    package let places: ClosedRange<Int64>
    /// Whether nothing is left that belongs into a parcel and is in none.
    package let isAll: Bool
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

    /// Seals the first items for an account that are in no parcel yet.
    /// - Parameters:
    ///   - onlyAnswers: whether only answers to parcels are sealed, for a courier that the account hasn't named.
    ///   - isHere: whether a courier is here.
    /// - Returns: nil if there is nothing, or no note of the account.
    package func make(
        for recipient: AccountID, onlyAnswers: Bool, isHere: (AccountID) -> Bool = { _ in true },
        in transaction: ReadTransaction, at time: WallTime
    ) throws -> MadeParcel? {
        let notes = try MailNotes.of(recipient, limit: PeerLimits.parcelDevices, transaction)
            .compactMap { try? MailNote(trusting: $0) }
        guard !notes.isEmpty else { return nil }
        guard let chosen = try choose(for: recipient, onlyAnswers: onlyAnswers, isHere: isHere, in: transaction)
        else { return nil }
        var random = SodiumGenerator()
        let envelope = ParcelEnvelope(id: UUIDv7(at: time, using: &random), from: note.account, to: recipient)
        guard let textKey = SharedKey(bytes: Sodium.randomBytes(CryptoLimits.keyBytes)) else { return nil }
        let content = ParcelContent(frames: chosen.frames, note: note, time: time)
        let sealed = try ParcelSeal.seal(content, in: envelope, with: key, to: notes, textKey: textKey)
        return MadeParcel(envelope: envelope, sealed: sealed, places: chosen.places, isAll: chosen.isAll)
    }

    /// Bytes of the bodies in one parcel: what its note, the heads of its frames and the padding's length take is set aside.
    private static let room =
        PeerLimits.parcelTextBytes.upperBound - PeerLimits.mailNoteBytes - PeerLimits.parcelFrames * frameBytes - 64
    /// The same of a parcel that has nothing but answers, so that it stays below ``MessagingLimits/parcelAnswerBytes``.
    private static let answerRoom = (bytes: 4608, frames: 32)
    /// Bytes of a frame in a parcel besides its body: kind, id, and the heads of four values.
    private static let frameBytes = 40

    /// The first items without a gap: a direct item that isn't sealed ends them, for the places of a parcel say what is in it.
    private func choose(
        for recipient: AccountID, onlyAnswers: Bool, isHere: (AccountID) -> Bool, in transaction: ReadTransaction
    ) throws -> (frames: [Frame], places: ClosedRange<Int64>, isAll: Bool)? {
        // What a courier who went away hasn't got yet may go to another one.
        let taken = try SentParcels.all(to: recipient, transaction)
            .filter { $0.state != .onItsWay || isHere($0.courier) }.map(\.places)
        let limit =
            onlyAnswers ? Self.answerRoom : (bytes: Self.room, frames: PeerLimits.parcelFrames)
        var frames: [Frame] = []
        var (bytes, last): (Int, Int64) = (0, 0)
        var places: ClosedRange<Int64>?
        while true {
            let page = try transaction.outbox(
                for: recipient, after: last, limit: PeerLimits.parcelFrames, maximumBytes: Self.room)
            guard !page.isEmpty else { break }
            // Items of groups go by the members of the group.
            for item in page where item.seq > last && item.group == nil {
                let range = taken.first { $0.contains(item.seq) }
                let belongs = range == nil && item.body.count <= limit.bytes && Self.belongs(item, onlyAnswers)
                let isFull = bytes + item.body.count > limit.bytes || frames.count == limit.frames
                if !belongs || isFull, let places { return (frames, places, isAll: false) }
                if belongs {
                    frames.append(Frame(kind: FrameKind(rawValue: item.kind), id: item.id, body: item.body))
                    bytes += item.body.count
                    places = (places?.lowerBound ?? item.seq)...item.seq
                }
                last = range?.upperBound ?? item.seq
            }
            last = max(last, page[page.count - 1].seq)
        }
        return places.map { (frames, $0, isAll: true) }
    }

    private static func belongs(_ item: OutboxRow, _ onlyAnswers: Bool) -> Bool {
        let kind = FrameKind(rawValue: item.kind)
        if onlyAnswers { return kind == .had }
        guard ParcelContent.kinds.contains(kind) else { return false }
        // How many calls somebody may tell of is counted in sessions.
        return kind != .message || (try? MessageBody(decoding: item.body))?.call == nil
    }
}
