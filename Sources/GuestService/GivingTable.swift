import Basics
import ControlProtocol
import LocalSend
import Vocabulary

/// What this user gives to devices, and how far it has come. A value: what the giver says, the user's word and the time come in.
package struct GivingTable: Sendable {
    private struct Entry: Sendable {
        var offer: GuestOffer
        let id: UUIDv7
        var endedAt: Instant?
        /// The places of the files that the device has.
        var given: Set<Int> = []
        /// The bytes of these.
        var bytesGiven: Int64 = 0
        /// Whether its last word was said, and what came of it is being written into the notes.
        var isSettling = false
    }

    private var entries: [Entry] = []

    package init() {}

    /// All of them, the oldest first.
    package var offers: [GuestOffer] { entries.map(\.offer) }
    /// How many are under way.
    package var open: Int { entries.count { $0.endedAt == nil } }

    /// - Parameter offer: as the user sees it, in state `waiting`.
    package mutating func add(_ offer: GuestOffer, id: UUIDv7) {
        entries.append(Entry(offer: offer, id: id))
    }

    /// - Returns: nil if there is none.
    package func offer(_ id: UUIDv7) -> GuestOffer? { entries.first { $0.id == id }?.offer }

    /// Whether one is under way.
    package func isOpen(_ id: UUIDv7) -> Bool { place(id) != nil }

    /// The device's user takes files.
    /// - Returns: false if that can't be: it has taken some already, or there are no such files.
    package mutating func takes(_ items: [Int], of id: UUIDv7) -> Bool {
        guard let place = place(id), entries[place].offer.state == .waiting else { return false }
        let all = entries[place].offer.items
        let wanted = Set(items).sorted()
        // A text is soon there, or not.
        guard entries[place].offer.text == nil else { return items.isEmpty || items == [0] }
        entries[place].offer.state = .sending
        entries[place].offer.until = nil
        guard wanted.count == items.count, wanted.allSatisfy(all.indices.contains) else { return false }
        entries[place].offer.items = wanted.map { all[$0] }
        entries[place].offer.files = Int64(wanted.count)
        entries[place].offer.size = OfferTable.bytes(of: entries[place].offer.items)
        return true
    }

    /// Whether the giver may read a file: the device has taken it, as the giver says, and doesn't have it yet.
    package func wants(_ item: Int, of id: UUIDv7) -> Bool {
        guard let place = place(id), entries[place].offer.state == .sending else { return false }
        return entries[place].offer.items.contains { $0.number == item } && !entries[place].given.contains(item)
    }

    /// So many bytes have gone.
    /// - Returns: the offer; nil if none go.
    package mutating func went(_ bytes: Int64, of id: UUIDv7) -> GuestOffer? {
        guard let place = place(id), entries[place].offer.state == .sending else { return nil }
        entries[place].offer.bytesDone = max(min(bytes, entries[place].offer.size), entries[place].bytesGiven)
        return entries[place].offer
    }

    /// The device has a file.
    package mutating func gave(_ item: Int, of id: UUIDv7) {
        guard let place = place(id), wants(item, of: id) else { return }
        entries[place].given.insert(item)
        entries[place].offer.filesDone += 1
        entries[place].bytesGiven += entries[place].offer.items.first { $0.number == item }?.size ?? 0
        // The giver says only now and then how much has gone: of the last files it may not have.
        entries[place].offer.bytesDone = max(entries[place].offer.bytesDone, entries[place].bytesGiven)
    }

    /// The giver has said its last word.
    /// - Returns: the places of the files that the device has; nil if it was over before.
    package mutating func isOver(_ id: UUIDv7) -> Set<Int>? {
        guard let place = place(id) else { return nil }
        entries[place].isSettling = true
        return entries[place].given
    }

    /// It is over.
    /// - Parameter lost: why it failed.
    package mutating func end(_ id: UUIDv7, _ state: GuestOffer.State, _ lost: OfferTable.LostFile?, now: Instant) {
        guard let place = entries.firstIndex(where: { $0.id == id && $0.endedAt == nil }) else { return }
        entries[place].offer.state = state
        entries[place].offer.until = nil
        entries[place].endedAt = now
        (entries[place].offer.problem, entries[place].offer.detail) = (lost?.reason, lost?.detail)
    }

    /// Forgets those that are over for long, and beyond a few those that were over first: the user sees the end of one that took
    /// long.
    package mutating func forget(now: Instant) {
        entries.removeAll { entry in entry.endedAt.map { now - $0 >= GuestLimits.endedLife } ?? false }
        while entries.count(where: { $0.endedAt != nil }) > GuestLimits.ended,
            let oldest = entries.enumerated().compactMap({ place, entry in entry.endedAt.map { (place, $0) } })
                .min(by: { $0.1 < $1.1 })?.0
        {
            entries.remove(at: oldest)
        }
    }

    /// Where one is that is under way, and whose last word was not said.
    private func place(_ id: UUIDv7) -> Int? {
        entries.firstIndex { $0.id == id && $0.endedAt == nil && !$0.isSettling }
    }
}

extension GiveReport.Ending {
    /// What the user sees of it.
    /// - Parameters:
    ///   - status: the device's last one.
    ///   - hadPIN: whether the user gave a PIN.
    func shown(status: Int?, hadPIN: Bool) -> (state: GuestOffer.State, lost: OfferTable.LostFile?) {
        func failed(_ reason: Reason, _ detail: String) -> (GuestOffer.State, OfferTable.LostFile?) {
            (.failed, OfferTable.LostFile(reason, detail))
        }
        return switch self {
        case .done: (.taken, nil)
        case .declined: (.declined, nil)
        case .stopped: (.withdrawn, nil)
        case .expired: (.expired, nil)
        case .pinNeeded:
            failed(.wrongPassphrase, hadPIN ? "the device doesn't take this PIN" : "the device asks for a PIN")
        case .busy: failed(.busy, "the device takes something of somebody else now")
        case .tooMany: failed(.busy, "the device was asked too often, and takes nothing for a while")
        case .cancelled: failed(.cancelled, "the device has ended it")
        case .noRoom: failed(.noSpace, "the device has no room for it")
        case .refused:
            failed(.internal, "the device refused it" + (status.map { ", with the status \($0) of HTTP" } ?? ""))
        case .otherCertificate:
            failed(
                .keyChanged,
                "the device has not the certificate that it announced; somebody else may answer in its place")
        case .unreachable: failed(.offline, "the device can't be reached")
        case .silent: failed(.offline, "nothing went on for a minute")
        case .broken: failed(.offline, "the connection to the device broke")
        case .changed: failed(.sourceChanged, "a file has changed since it was offered")
        }
    }
}
