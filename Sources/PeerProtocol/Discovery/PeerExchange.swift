import Basics
import Crypto

/// The digest of a set of cards: equal sets have equal digests, whatever their order. It is a hint that there may be
/// something to learn; a peer that makes it up costs others one exchange now and then.
public struct PeerExchangeDigest: Hashable, Sendable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The digest of no card at all.
    public static let empty = PeerExchangeDigest(high: 0, low: 0)

    /// The digest of one card: BLAKE2b-128("kibo-roster-v1" ‖ 0x00 ‖ device key ‖ version as eight bytes).
    public init(device: DeviceID, version: UInt64) {
        var input = Array("kibo-roster-v1".utf8) + [0] + device.bytes
        input.appendBigEndian(version)
        let hash = Blake2b.hash(input, length: 16)
        high = hash[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        low = hash[8...].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// With that card if it wasn't in it, without it if it was.
    static func ^ (left: PeerExchangeDigest, right: PeerExchangeDigest) -> PeerExchangeDigest {
        PeerExchangeDigest(high: left.high ^ right.high, low: left.low ^ right.low)
    }
}

/// The cards of devices that are about, for others that ask for them.
public struct PeerExchange: Sendable {
    private struct Held: Sendable {
        let card: [UInt8]
        let version: UInt64
        let digest: PeerExchangeDigest
    }

    private var cards: [DeviceID: Held] = [:]
    /// The devices of the cards in order, so that a page costs only its content and a search for its beginning.
    private var order: [DeviceID] = []
    /// The cards of devices that have gone: they may be back, and needn't be asked for them then.
    private var departed: [DeviceID: Held] = [:]
    /// The digest that goes into announcements.
    public private(set) var digest = PeerExchangeDigest.empty
    /// Cards that were not taken because there are too many.
    public private(set) var leftOut: UInt64 = 0

    public init() {}

    /// Number of cards.
    public var count: Int { cards.count }
    public func has(_ device: DeviceID) -> Bool { cards[device] != nil }

    /// The low bits of the version of a device's card, as announcements say them; nil without a card.
    public func mark(of device: DeviceID) -> UInt16? { cards[device].map { Self.mark($0.version) } }

    /// The low bits of a card's version.
    public static func mark(_ version: UInt64) -> UInt16 { UInt16(truncatingIfNeeded: version) }

    /// Takes a card that is for all eyes: see ``isForAll(_:fromFriend:)``. Beyond ``DiscoveryLimits/strangers`` cards
    /// no more are taken.
    /// - Parameter isFirstHand: it comes from its owner; from others an older version than the known one is left where it is.
    /// - Returns: whether it is news.
    @discardableResult
    public mutating func insert(_ card: Card, isFirstHand: Bool = true) -> Bool {
        insert(card.encoded, of: card.device, version: card.version, isFirstHand: isFirstHand)
    }

    @discardableResult
    mutating func insert(
        _ card: [UInt8], of device: DeviceID, version: UInt64, isFirstHand: Bool = true
    ) -> Bool {
        let digest = PeerExchangeDigest(device: device, version: version)
        if let held = cards[device] {
            guard held.digest != digest, isFirstHand || held.version < version else { return false }
        } else if cards.count >= DiscoveryLimits.strangers {
            leftOut += 1
            return false
        }
        drop(device)
        departed[device] = nil
        order.insert(device, at: place(of: device))
        cards[device] = Held(card: card, version: version, digest: digest)
        self.digest = self.digest ^ digest
        return true
    }

    /// The device has gone. Its card is kept for a while: most come back as they were.
    public mutating func remove(_ device: DeviceID) {
        guard let held = drop(device) else { return }
        if departed.count >= DiscoveryLimits.departedCards, let any = departed.keys.first { departed[any] = nil }
        departed[device] = held
    }

    /// The device is back, or is heard again.
    /// - Parameter mark: the mark of its card, as it announces it; 0 if it says nothing.
    /// - Returns: its card, if it is the one that was known when it went.
    public mutating func restore(_ device: DeviceID, mark: UInt16) -> Card? {
        guard cards[device] == nil, let held = departed.removeValue(forKey: device),
            mark == 0 || mark == Self.mark(held.version), let card = try? Card(decoding: held.card)
        else { return nil }
        insert(card)
        return card
    }

    @discardableResult
    private mutating func drop(_ device: DeviceID) -> Held? {
        guard let held = cards.removeValue(forKey: device) else { return nil }
        order.remove(at: place(of: device))
        digest = digest ^ held.digest
        return held
    }

    /// The index of the first device in order that isn't less.
    private func place(of device: DeviceID) -> Int {
        var (low, high) = (0, order.count)
        while low < high {
            let middle = (low + high) / 2
            if order[middle] < device { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The devices whose cards are wanted, in order, from the beginning of the page on. This costs nothing for those
    /// that aren't read.
    private func wanted(_ request: PeerExchangeRequestBody) -> ArraySlice<DeviceID> {
        if let devices = request.devices {
            let some = Set(devices).filter { device in
                cards[device] != nil && (request.after.map { $0 < device } ?? true)
            }
            return some.sorted()[...]
        }
        guard let after = request.after else { return order[...] }
        let begin = place(of: after)
        return order[begin...].dropFirst(begin < order.count && order[begin] == after ? 1 : 0)
    }

    /// Whether a card may be handed on to any peer. A card that is shown to friends is for friends: it may be handed on
    /// only if it has nothing in it but the name and the status.
    public static func isForAll(_ card: Card, fromFriend: Bool) -> Bool {
        guard fromFriend else { return true }
        return !card.hasLeftOut && card.profile.email == nil && card.profile.phone == nil
            && card.profile.avatarDigest == nil
    }

    /// One page for a peer that asks, as long as a stranger's frame may be.
    /// - Parameter announcement: the datagram that was heard of a device, if it is about.
    public func page(
        _ request: PeerExchangeRequestBody, except asker: DeviceID, announcement: (DeviceID) -> Announcement?
    ) -> PeerExchangeBody {
        var entries: [PeerExchangeBody.Entry] = []
        var room = PeerLimits.strangerBodyBytes - 64
        for device in wanted(request) where device != asker {
            let entry = PeerExchangeBody.Entry(
                device: device, announcement: announcement(device), card: cards[device]?.card)
            // A page without an entry would be asked for again and again.
            guard entries.isEmpty || entry.length <= room, entries.count < PeerLimits.peerExchangeDevices else {
                return PeerExchangeBody(entries: entries, hasMore: true)
            }
            room -= entry.length
            entries.append(entry)
        }
        return PeerExchangeBody(entries: entries, hasMore: false)
    }
}
