import Basics
import Crypto

/// The keys by which contacts recognise us where nobody else does (docs/PROTOCOL-DISCOVERY.md): all come from the device key's
/// seed, so that nothing secret is kept besides it.
public struct DiscoveryKeys: Sendable {
    private let deviceKey: SigningKey

    public init(_ deviceKey: SigningKey) { self.deviceKey = deviceKey }

    /// The key that all our friends have. Its number grows when somebody who has it is a friend no more.
    public func shared(_ number: UInt32) -> SharedKey {
        var context: [UInt8] = []
        context.appendBigEndian(number)
        return deviceKey.sharedKey("kibo-discovery-key-v1", context)
    }

    /// The key that one friend has: by it they find us after a time in which the shared key got another number, and knock.
    public func pair(with account: AccountID) -> SharedKey { deviceKey.sharedKey("kibo-pair-key-v1", account.bytes) }
}

/// A piece of time in which tags stay the same: ten minutes, counted from 1970.
public struct VeilEpoch: Hashable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public init(_ time: WallTime) {
        rawValue = UInt64(max(0, time.milliseconds) / DiscoveryLimits.veilEpoch.milliseconds)
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendBigEndian(rawValue)
        return bytes
    }

    /// This one and its neighbours: clocks differ.
    var accepted: ClosedRange<UInt64> {
        let reach = DiscoveryLimits.veilEpochsApart
        return rawValue - min(rawValue, reach)...rawValue + reach
    }
}

/// Finds out whose key a tag was made with: a table of all tags of the epochs that count, which is looked into once for each tag.
struct TagTable<Owner: Hashable & Sendable>: Sendable {
    struct Found: Sendable {
        let owner: Owner
        let key: SharedKey
        let epoch: VeilEpoch
    }

    private let label: String
    private(set) var owners: [SharedKey: Owner] = [:]
    private var tags: [[UInt8]: Found] = [:]
    private var epochs: ClosedRange<UInt64>?

    /// - Parameter label: of the tags.
    init(label: String) { self.label = label }

    static func tag(_ label: String, _ key: SharedKey, _ epoch: VeilEpoch) -> [UInt8] {
        key.tag(label, epoch.bytes, length: DiscoveryLimits.veilTagBytes)
    }

    /// Whose keys are known from now on. Costs what has changed.
    mutating func set(_ owners: [SharedKey: Owner]) {
        let old = self.owners
        self.owners = owners
        for (key, owner) in old where owners[key] != owner { remove(key) }
        for (key, owner) in owners where old[key] != owner { add(key, owner, in: epochs) }
    }

    mutating func find(_ tag: [UInt8], at now: VeilEpoch) -> Found? {
        turn(to: now.accepted)
        return tags[tag]
    }

    private mutating func turn(to wanted: ClosedRange<UInt64>) {
        guard epochs != wanted else { return }
        let old = epochs
        epochs = wanted
        if let old, old.overlaps(wanted) {
            tags = tags.filter { wanted.contains($0.value.epoch.rawValue) }
        } else {
            tags = [:]
        }
        for epoch in wanted where old?.contains(epoch) != true {
            for (key, owner) in owners { add(key, owner, in: epoch...epoch) }
        }
    }

    private mutating func add(_ key: SharedKey, _ owner: Owner, in epochs: ClosedRange<UInt64>?) {
        guard let epochs else { return }
        for number in epochs {
            let epoch = VeilEpoch(rawValue: number)
            tags[Self.tag(label, key, epoch)] = Found(owner: owner, key: key, epoch: epoch)
        }
    }

    private mutating func remove(_ key: SharedKey) {
        guard let epochs else { return }
        for number in epochs { tags[Self.tag(label, key, VeilEpoch(rawValue: number))] = nil }
    }
}
