/// The datagrams that a ``DiscoveryMachine`` has sent, believed and refused since it was made. Refusals are counted by
/// their reason, in the order in which the checks come.
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
    /// Datagrams under a veil of a device whose keys we don't have, or whose clock is too far from ours.
    public internal(set) var unknownVeils: UInt64 = 0
    /// Datagrams under a known veil that its owner has not made.
    public internal(set) var brokenVeils: UInt64 = 0
    /// Datagrams of another realm.
    public internal(set) var otherRealm: UInt64 = 0
    /// Over the budget of their source, their device or of all.
    public internal(set) var overBudget: UInt64 = 0
    /// Not newer than what was heard from that device: repeated, reordered or replayed.
    public internal(set) var stale: UInt64 = 0
    /// Goodbyes of devices that weren't there.
    public internal(set) var idleByes: UInt64 = 0
    /// Signatures that were checked and are wrong.
    public internal(set) var forged: UInt64 = 0
    /// Probes and the like that were meant for another device, came from an unknown one, or answered nothing that was
    /// asked.
    public internal(set) var idleProbes: UInt64 = 0
    /// Dials and probes that were not made because they rested on others' word alone, and too many did.
    public internal(set) var hearsayLeftOut: UInt64 = 0
    /// Strangers forgotten to make room for others.
    public internal(set) var evicted: UInt64 = 0

    /// Probes sent: for ourselves and as a indirect probe.
    public internal(set) var probes: UInt64 = 0
    /// Probes and indirect probes answered.
    public internal(set) var answers: UInt64 = 0
    /// Suspicions that we have broadcast.
    public internal(set) var suspicions: UInt64 = 0
    /// Suspicions of others that we have looked into, and those that were too many.
    public internal(set) var suspicionsOfOthers: UInt64 = 0
    public internal(set) var suspicionsLeftOut: UInt64 = 0
    /// Probes for others that were not made because there were too many.
    public internal(set) var indirectProbesLeftOut: UInt64 = 0
    /// Suspicions of ourselves that we have answered by a BEACON.
    public internal(set) var refutations: UInt64 = 0
    /// Devices given up because no probe reached them.
    public internal(set) var givenUp: UInt64 = 0

    public init() {}

    /// Signatures checked: the dear part of the work.
    public var signatureChecks: UInt64 { believed + forged }
}
