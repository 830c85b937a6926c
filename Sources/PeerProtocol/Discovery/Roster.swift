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
        let digest: RosterDigest
    }

    private var cards: [DeviceID: Held] = [:]
    /// What goes into announcements.
    public private(set) var digest = RosterDigest.empty

    public init() {}

    /// Number of cards.
    public var count: Int { cards.count }
    public func has(_ device: DeviceID) -> Bool { cards[device] != nil }

    /// Takes a card that is for everybody's eyes: see ``isForAll(_:fromFriend:)``. An older version than the known one is
    /// left where it is. Beyond ``DiscoveryLimits/strangers`` cards no more are taken.
    /// - Returns: whether it is news.
    @discardableResult
    public mutating func insert(_ card: Card) -> Bool {
        let digest = RosterDigest(device: card.device, version: card.version)
        if let held = cards[card.device] {
            guard held.digest != digest else { return false }
        } else if cards.count >= DiscoveryLimits.strangers {
            return false
        }
        remove(card.device)
        cards[card.device] = Held(card: card.encoded, digest: digest)
        self.digest = self.digest ^ digest
        return true
    }

    /// The device has gone.
    public mutating func remove(_ device: DeviceID) {
        guard let held = cards.removeValue(forKey: device) else { return }
        digest = digest ^ held.digest
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
