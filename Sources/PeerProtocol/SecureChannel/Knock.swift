import Basics
import Crypto

/// What whoever dials says in the first handshake message, where they have a key of the one they dial: that they have it. A
/// daemon that is not for everybody answers nothing else, for its answer would show who it is.
public struct Knock: Sendable {
    static let tagLabel = "kibo-knock-tag-v1"
    static let label = "kibo-knock-v1"
    static let tagBytes = DiscoveryLimits.veilTagBytes
    static let bytes = 2 * tagBytes

    private let key: SharedKey
    private let epoch: VeilEpoch

    /// - Parameters:
    ///   - key: the pair key that we were given by the one we dial.
    ///   - time: our wall clock's.
    public init(key: SharedKey, at time: WallTime) {
        self.key = key
        epoch = VeilEpoch(time)
    }

    func payload(prologue: [UInt8], ephemeral: [UInt8]) -> [UInt8] {
        TagTable<AccountID>.tag(Self.tagLabel, key, epoch)
            + Self.code(key, epoch, prologue: prologue, ephemeral: ephemeral)
    }

    /// Binds the knock to this handshake: nobody can take it for another one.
    static func code(_ key: SharedKey, _ epoch: VeilEpoch, prologue: [UInt8], ephemeral: [UInt8]) -> [UInt8] {
        key.tag(label, epoch.bytes + ephemeral + prologue, length: tagBytes)
    }
}

/// The first handshake message of somebody who is not known yet, as it was read.
public struct KnockAttempt: Sendable {
    let prologue: [UInt8]
    let ephemeral: [UInt8]
    let payload: [UInt8]
}

/// Says whether somebody who knocks is to be answered, and who it is; nil: not a byte. Called on the thread of the channel's
/// owner.
public typealias Doorkeeper = @Sendable (KnockAttempt, WallTime) -> AccountID?

/// Whether whoever answered a dial may hear who has dialled. Called on the thread of the channel's owner.
public typealias PeerCheck = @Sendable (PeerIdentity) -> Bool

/// Recognises those to whom we have given a pair key, by their knocks. Each knock opens once.
public struct KnockBook: Sendable {
    private var table = TagTable<AccountID>(label: Knock.tagLabel)
    private var used: [[UInt8]: VeilEpoch] = [:]

    public init() {}

    /// Whom to let in, by the pair keys that they were given.
    public mutating func set(_ keys: [SharedKey: AccountID]) { table.set(keys) }

    /// Who knocks; nil for nobody that is let in, and for a knock that was heard before.
    public mutating func admit(_ attempt: KnockAttempt, at time: WallTime) -> AccountID? {
        guard attempt.payload.count >= Knock.bytes else { return nil }
        let tag = Array(attempt.payload[..<Knock.tagBytes])
        let code = Array(attempt.payload[Knock.tagBytes..<Knock.bytes])
        let now = VeilEpoch(time)
        guard let found = table.find(tag, at: now) else { return nil }
        let expected = Knock.code(
            found.key, found.epoch, prologue: attempt.prologue, ephemeral: attempt.ephemeral)
        guard SharedKey.areEqual(code, expected), used[code] == nil else { return nil }
        if used.count >= DiscoveryLimits.knocksRemembered {
            // Those that are too old to be taken anyway; if there are none, only a friend can have made so many.
            used = used.filter { now.accepted.contains($0.value.rawValue) }
            if used.count >= DiscoveryLimits.knocksRemembered { used = [:] }
        }
        used[code] = found.epoch
        return found.owner
    }
}
