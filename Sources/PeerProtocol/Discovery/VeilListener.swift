import Basics
import Crypto

/// Reads announcements that only those understand who were given a key.
struct VeilListener: Sendable {
    /// The outcome of a datagram of version 2.
    enum Outcome {
        /// It was under this key's veil. `isForUs`: the key is for us alone.
        case read(ReceivedDatagram, isForUs: Bool)
        /// We don't have the key, or our clocks are too far apart.
        case unknownTag([UInt8])
        case malformed
        case overBudget
        /// It was not made by the device whose key it is.
        case broken
        /// Its kind has no place under a veil.
        case unknownKind
    }

    /// The keys of others.
    private var keys = TagTable<[VeilOwner]>(label: VeiledDatagram.tagLabel, reach: DiscoveryLimits.veilEpochsApart)
    /// Budgets for what can't be read under a known tag: for its source, and beyond that for all.
    private var broken: SourceBudgets
    private var unread: DatagramLottery

    init(salt: UInt64, now: Instant) {
        broken = SourceBudgets(DiscoveryLimits.brokenVeils, six: DiscoveryLimits.fromSix, salt: salt)
        unread = DatagramLottery(DiscoveryLimits.unreadVeils, now: now)
    }

    mutating func set(_ keys: [SharedKey: [VeilOwner]]) { self.keys.set(keys) }

    /// Takes a datagram of version 2. A tag that no known key has made costs one look into a table.
    mutating func read(
        _ bytes: ArraySlice<UInt8>, from source: SocketAddress, in epoch: VeilEpoch, now: Instant,
        using lots: inout SeededGenerator
    ) -> Outcome {
        guard let veiled = try? VeiledDatagram(decoding: bytes) else { return .malformed }
        guard let key = keys.find(veiled.tag, at: epoch.rawValue) else { return .unknownTag(veiled.tag) }
        // Tags can be copied, and what is under them costs something before it is known who sent it.
        guard !broken.isEmpty(source.host, now: now) || unread.draw(now: now, using: &lots) else { return .overBudget }
        // Every holder of the key can make the datagram. The signature inside shows whether it was made by a device
        // that the key belongs to.
        guard let received = veiled.opened(with: key.key, in: VeilEpoch(rawValue: key.epoch)),
            let owner = key.owner.first(where: { $0.device == received.content.device })
        else {
            _ = broken.acquire(source.host, now: now)
            return .broken
        }
        return received.content.kind.hasSubject ? .unknownKind : .read(received, isForUs: owner.isPair)
    }
}

extension ReceivedDatagram {
    /// The announcement that may be handed on to others: none that came under a veil.
    func announcement(from source: SocketAddress) -> Announcement? {
        veiledIn == nil ? Announcement(bytes: bytes, source: source) : nil
    }
}
