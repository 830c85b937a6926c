/// What a ``DiscoveryMachine`` has sent, believed and refused since it was made. Refusals are counted by their reason, in
/// the order in which the checks come.
public struct DiscoveryMetrics: Hashable, Sendable {
    /// Datagrams sent.
    public internal(set) var sent: UInt64 = 0
    /// Datagrams given to ``DiscoveryMachine/receive(_:from:now:)``.
    public internal(set) var received: UInt64 = 0
    /// Datagrams that told something: signed by their device, fresh, in time.
    public internal(set) var believed: UInt64 = 0

    /// Wrong length, magic or port.
    public internal(set) var malformed: UInt64 = 0
    /// Versions and kinds that this program does not know.
    public internal(set) var unknown: UInt64 = 0
    /// Our own, come back to us (each daemon of a host gets what any of them broadcasts), or with our key in it.
    public internal(set) var own: UInt64 = 0
    /// Of another realm.
    public internal(set) var otherRealm: UInt64 = 0
    /// Over the budget of their source, their device or of all.
    public internal(set) var overBudget: UInt64 = 0
    /// Not newer than what was heard from that device: repeated, reordered or replayed.
    public internal(set) var stale: UInt64 = 0
    /// Goodbyes of devices that weren't there.
    public internal(set) var idleByes: UInt64 = 0
    /// Signatures that were checked and are wrong.
    public internal(set) var forged: UInt64 = 0
    /// Strangers forgotten to make room.
    public internal(set) var evicted: UInt64 = 0

    public init() {}

    /// Signatures checked: the dear part of the work.
    public var signatureChecks: UInt64 { believed + forged }
}
