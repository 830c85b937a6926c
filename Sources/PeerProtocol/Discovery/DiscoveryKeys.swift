import Basics
import Crypto

/// The keys by which contacts recognise us where no other peer does (docs/PROTOCOL-DISCOVERY.md): all come from the
/// device key's seed, so that nothing secret is kept besides it.
public struct DiscoveryKeys: Sendable {
    private let deviceKey: SigningKey

    public init(_ deviceKey: SigningKey) { self.deviceKey = deviceKey }

    /// The key that all our friends have. Its number grows when an account that has it is a friend no more.
    public func shared(_ number: UInt32) -> SharedKey {
        var context: [UInt8] = []
        context.appendBigEndian(number)
        return deviceKey.sharedKey("kibo-discovery-key-v1", context)
    }

    /// The key that one friend has. With it they find us if the shared key got another number while they were away, and
    /// they knock with it.
    public func pair(with account: AccountID) -> SharedKey { deviceKey.sharedKey("kibo-pair-key-v1", account.bytes) }
}

/// A piece of time in which tags stay the same: ten minutes, counted from 1970.
public struct VeilEpoch: Hashable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public init(_ time: WallTime) {
        rawValue = UInt64(max(0, time.milliseconds) / DiscoveryLimits.veilEpoch.milliseconds)
    }

    var bytes: [UInt8] { [UInt8](bigEndian: rawValue) }
}
