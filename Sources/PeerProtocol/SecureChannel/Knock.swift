import Basics
import Crypto

/// What a dialling peer says in the first handshake message to show that it has a key of the daemon it dials. A daemon
/// that is not open to everyone answers nothing else, because an answer would show whose daemon it is.
public struct Knock: Sendable {
    static let tagLabel = "kibo-knock-tag-v1"
    static let label = "kibo-knock-v1"
    static let tagBytes = DiscoveryLimits.veilTagBytes
    static let bytes = 2 * tagBytes

    private let key: SharedKey
    private let day: UInt64

    /// - Parameters:
    ///   - key: the pair key that we were given by the one we dial.
    ///   - time: our wall clock's.
    public init(key: SharedKey, at time: WallTime) {
        self.key = key
        day = Self.day(time)
    }

    /// Counted from 1970, in UTC.
    static func day(_ time: WallTime) -> UInt64 {
        UInt64(max(0, time.milliseconds) / DiscoveryLimits.knockDay.milliseconds)
    }

    func payload(prologue: [UInt8], ephemeral: [UInt8]) -> [UInt8] {
        TagTable<AccountID>.tag(Self.tagLabel, key, day)
            + Self.code(key, day, prologue: prologue, ephemeral: ephemeral)
    }

    /// Binds the knock to this handshake: it can't be used for another one.
    static func code(_ key: SharedKey, _ day: UInt64, prologue: [UInt8], ephemeral: [UInt8]) -> [UInt8] {
        key.tag(label, [UInt8](bigEndian: day) + ephemeral + prologue, length: tagBytes)
    }
}

/// The first handshake message of a peer that is not known yet, as it was read.
public struct KnockAttempt: Sendable {
    let prologue: [UInt8]
    let ephemeral: [UInt8]
    let payload: [UInt8]
}

/// Says which account knocks, if it is to be answered; nil: it gets not a byte. It is called on the thread of the
/// channel's owner.
public typealias Doorkeeper = @Sendable (KnockAttempt, WallTime) -> AccountID?

/// Whether the peer that answered a dial may hear who has dialled. It is called on the thread of the channel's owner.
public typealias PeerCheck = @Sendable (PeerIdentity) -> Bool

/// Recognises accounts to which we have given a pair key, by their knocks. Each knock opens once.
public struct KnockTable: Sendable {
    private var table = TagTable<AccountID>(label: Knock.tagLabel, reach: DiscoveryLimits.knockDaysApart)
    /// The codes of knocks that were used, and the same in a ring. Once the ring is full, `next` is the oldest.
    private var used: Set<[UInt8]> = []
    private var order: [[UInt8]] = []
    private var next = 0

    public init() {}

    /// Sets the pair keys that were given out, and the accounts that have them.
    public mutating func set(_ keys: [SharedKey: AccountID]) { table.set(keys) }

    /// The account that knocks; nil for one that is not let in, and for a knock that was heard before.
    public mutating func admit(_ attempt: KnockAttempt, at time: WallTime) -> AccountID? {
        guard attempt.payload.count >= Knock.bytes else { return nil }
        let tag = Array(attempt.payload[..<Knock.tagBytes])
        let code = Array(attempt.payload[Knock.tagBytes..<Knock.bytes])
        guard let device = table.find(tag, at: Knock.day(time)) else { return nil }
        let expected = Knock.code(
            device.key, device.epoch, prologue: attempt.prologue, ephemeral: attempt.ephemeral)
        guard SharedKey.areEqual(code, expected), !used.contains(code) else { return nil }
        remember(code)
        return device.owner
    }
    private mutating func remember(_ code: [UInt8]) {
        used.insert(code)
        if order.count < DiscoveryLimits.knocksRemembered { return order.append(code) }
        used.remove(order[next])
        order[next] = code
        next = (next + 1) % order.count
    }
}
