import Basics
import Crypto

/// What a set of cards comes to: equal sets have equal digests, whatever their order. A hint that there may be something to
/// learn; who makes it up costs others one exchange now and then.
public struct RosterDigest: Hashable, Sendable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Of no card at all.
    public static let empty = RosterDigest(high: 0, low: 0)

    /// Of one card: BLAKE2b-128("kibo-roster-v1" ‖ 0x00 ‖ device key ‖ version as eight bytes).
    public init(device: DeviceID, version: UInt64) {
        var input = Array("kibo-roster-v1".utf8) + [0] + device.bytes
        input.appendBigEndian(version)
        let hash = Blake2b.hash(input, length: 16)
        high = hash[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        low = hash[8...].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// With that card if it wasn't in it, without it if it was.
    static func ^ (left: RosterDigest, right: RosterDigest) -> RosterDigest {
        RosterDigest(high: left.high ^ right.high, low: left.low ^ right.low)
    }
}

/// The cards of those who are about, for others who ask for them.
public struct Roster: Sendable {
    private struct Held: Sendable {
        let card: [UInt8]
        let version: UInt64
        let digest: RosterDigest
    }

    private var cards: [DeviceID: Held] = [:]
    /// Of those who have gone: they may be back, and needn't be asked for it then.
    private var departed: [DeviceID: Held] = [:]
    /// What goes into announcements.
    public private(set) var digest = RosterDigest.empty
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

    /// Takes a card that is for everybody's eyes: see ``isForAll(_:fromFriend:)``. Beyond ``DiscoveryLimits/strangers`` cards
    /// no more are taken.
    /// - Parameter isFirstHand: it comes from its owner; from others an older version than the known one is left where it is.
    /// - Returns: whether it is news.
    @discardableResult
    public mutating func insert(_ card: Card, isFirstHand: Bool = true) -> Bool {
        let digest = RosterDigest(device: card.device, version: card.version)
        if let held = cards[card.device] {
            guard held.digest != digest, isFirstHand || held.version < card.version else { return false }
        } else if cards.count >= DiscoveryLimits.strangers {
            leftOut += 1
            return false
        }
        drop(card.device)
        departed[card.device] = nil
        cards[card.device] = Held(card: card.encoded, version: card.version, digest: digest)
        self.digest = self.digest ^ digest
        return true
    }

    /// The device has gone. Its card is kept for a while: most come back as they were.
    public mutating func remove(_ device: DeviceID) {
        guard let held = drop(device) else { return }
        if departed.count >= DiscoveryLimits.departedCards, let any = departed.keys.first { departed[any] = nil }
        departed[device] = held
    }

    /// The device is back, or is heard anew.
    /// - Parameter mark: of its card, as it announces it; 0 if it says nothing.
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
        digest = digest ^ held.digest
        return held
    }

    /// Whether a card may be handed on to anybody. What somebody shows to friends is for friends: of such a card only what
    /// has nothing in it but the name and the status.
    public static func isForAll(_ card: Card, fromFriend: Bool) -> Bool {
        guard fromFriend else { return true }
        return card.profile.email == nil && card.profile.phone == nil && card.profile.avatarDigest == nil
    }

    /// One page for somebody who asks, as long as a stranger's frame may be.
    /// - Parameter announcement: what was heard of a device, if it is about.
    public func page(
        _ request: RosterRequestBody, except asker: DeviceID, announcement: (DeviceID) -> Announcement?
    ) -> RosterBody {
        let wanted = request.devices.map { $0.filter { cards[$0] != nil } } ?? Array(cards.keys)
        let rest = Set(wanted).filter { device in
            device != asker && (request.after.map { $0 < device } ?? true)
        }.sorted()
        var entries: [RosterBody.Entry] = []
        var room = PeerLimits.strangerBodyBytes - 64
        for device in rest {
            let entry = RosterBody.Entry(
                device: device, announcement: announcement(device), card: cards[device]?.card)
            // A page without an entry would be asked for again and again.
            guard entries.isEmpty || entry.length <= room, entries.count < PeerLimits.rosterDevices else {
                return RosterBody(entries: entries, hasMore: true)
            }
            room -= entry.length
            entries.append(entry)
        }
        return RosterBody(entries: entries, hasMore: false)
    }
}

extension DiscoveryMachine {
    /// The last announcement that was heard of a device that is about.
    public func announcement(of device: DeviceID) -> Announcement? {
        guard let known = table[device], known.isPresent else { return nil }
        return known.announcement
    }

    /// Whether the device is about and was heard openly. What is known of others is handed on to nobody.
    public func isOpen(_ device: DeviceID) -> Bool { table.isOpen(device) }

    /// Devices about whose clock is more than twenty minutes from ours, by how many epochs of ten minutes it is ahead.
    public var wrongClocks: [DeviceID: Int] { table.veiled.filter { abs($0.value) >= DiscoveryLimits.veilEpochsWrong } }

    /// What a device's last announcement says of its roster.
    public func roster(of device: DeviceID) -> RosterDigest? { table[device]?.roster }

    /// The low bits of the version of a device's card, from its last announcement; 0: not said.
    public func card(of device: DeviceID) -> UInt16 { table[device]?.card ?? 0 }

    /// What we show has changed: the next beacon comes soon, and not only when it is its turn.
    public mutating func speakSoon(now: Instant) {
        guard isSpeaking, let due = beaconAt else { return }
        beaconAt = min(due, now + .random(in: DiscoveryLimits.firstHelloWithin, using: &random))
    }

    /// Takes an announcement that a peer has handed on, on our question. It says nothing of those who are known to be
    /// about, and is believed like any other where it names somebody else: who isn't there any more is found out by probes.
    /// Where it came from is the peer's word alone, until the device is heard itself.
    public mutating func introduced(_ announcement: Announcement, now: Instant) -> [DiscoveryEffect] {
        guard let received = try? ReceivedDatagram(decoding: announcement.bytes[...]) else { return [] }
        let content = received.content
        guard content.kind == .hello || content.kind == .beacon, content.device != own, content.realm == realm else {
            return []
        }
        let known = table[content.device]
        if let known {
            guard !known.isPresent, content.isNewer(than: known) else { return [] }
        }
        guard signer.isAuthentic(received) else {
            metrics.forged += 1
            return []
        }
        metrics.believed += 1
        return believe(received, known, from: announcement.source, now: now)
    }
}
