import Basics

/// Decides whom to dial, where and when.
///
/// Friends and peers with something waiting are kept connected, static peers always; a stranger is looked at once after
/// it appears, so that its card is known. Of two devices that hear each other the one with the smaller key dials.
///
/// Tell it what happens; after each input, and when ``nextDeadline`` comes, call ``tick(now:)`` and make the dials that it
/// returns. It keeps no more than ``DiscoveryLimits/dials`` under way.
public struct DialPlanner<Random: RandomNumberGenerator & Sendable>: Sendable {
    let own: DeviceID
    var random: Random
    var entries: [DialTarget: DialEntry] = [:]
    /// Targets whose entry has a `due`: what tick looks through.
    var waiting: Set<DialTarget> = []
    /// Those of them that were strangers when they began to wait.
    var waitingStrangers: Set<DialTarget> = []
    /// Static peers.
    var fixed: Set<SocketAddress> = []
    var friends: Set<DeviceID> = []
    /// Devices with an open session, and since when.
    var connected: [DeviceID: Instant] = [:]
    /// Dials under way: which addresses, and how many of them for strangers.
    var addressesUnderWay: Set<SocketAddress> = []
    var strangersUnderWay: Set<DialTarget> = []
    /// Strangers whose dial was not planned because too many wait.
    public private(set) var strangersLeftOut: UInt64 = 0
    /// Devices that announce themselves.
    var announced: Set<DeviceID> = []

    /// - Parameters:
    ///   - own: the device of this daemon; it is never dialled.
    ///   - random: jitter.
    public init(own: DeviceID, random: Random) {
        self.own = own
        self.random = random
    }

    /// Dials under way.
    public var dialsUnderWay: Int { addressesUnderWay.count }

    /// Whether the device has an open session, as far as was told.
    public func isConnected(_ device: DeviceID) -> Bool { connected[device] != nil }

    /// What is planned for a target; nil if nothing is known of it.
    public func outlook(
        _ target: DialTarget
    ) -> (address: SocketAddress?, isUnderWay: Bool, failures: Int, due: Instant?)? {
        guard let entry = entries[target] else { return nil }
        return (address(of: target), entry.underWay != nil, entry.failures, entry.due)
    }

    /// When ``tick(now:)`` has something to do; nil: not before the next input.
    public var nextDeadline: Instant? {
        guard addressesUnderWay.count < DiscoveryLimits.dials else { return nil }
        return waiting.compactMap { isEligible($0) ? entries[$0]?.due : nil }.min()
    }

    /// The dials to be made now, the most urgent first.
    public mutating func tick(now: Instant) -> [DialEffect] {
        guard addressesUnderWay.count < DiscoveryLimits.dials else { return [] }
        var due: [(priority: DialPriority, due: Instant, target: DialTarget)] = []
        for target in waiting {
            if let moment = entries[target]?.due, moment <= now { due.append((priority(of: target), moment, target)) }
        }
        due.sort { ($0.priority, $0.due, $0.target) < ($1.priority, $1.due, $1.target) }
        var effects: [DialEffect] = []
        for (priority, _, target) in due {
            guard addressesUnderWay.count < DiscoveryLimits.dials else { break }
            // Checked anew for each: the one before may have taken the last place or the same address.
            guard isEligible(target), let address = address(of: target) else { continue }
            stopWaiting(target)
            entries[target]?.underWay = address
            entries[target]?.beganAt = now
            addressesUnderWay.insert(address)
            if priority == .stranger { strangersUnderWay.insert(target) }
            effects.append(DialEffect(target: target, address: address))
        }
        return effects
    }

    // MARK: Choosing

    func address(of target: DialTarget) -> SocketAddress? {
        switch target {
        case .device: entries[target]?.candidate
        case .address(let address): address
        }
    }

    /// Whether the target may be dialled as far as places and other dials go.
    private func isEligible(_ target: DialTarget) -> Bool {
        guard let address = address(of: target), !addressesUnderWay.contains(address) else { return false }
        return priority(of: target) != .stranger || strangersUnderWay.count < DiscoveryLimits.strangerDials
    }

    func priority(of target: DialTarget) -> DialPriority {
        guard let entry = entries[target] else { return .stranger }
        if entry.isRequested { return .requested }
        switch target {
        case .device(let device): return entry.isPending || friends.contains(device) ? .friend : .stranger
        case .address: return .fixed
        }
    }

    /// Whether there is any reason to dial.
    func isWanted(_ target: DialTarget) -> Bool {
        guard let entry = entries[target], entry.underWay == nil else { return false }
        switch target {
        case .device(let device):
            guard device != own, entry.candidate != nil else { return false }
            if entry.isRequested { return true }
            guard connected[device] == nil else { return false }
            if entry.isPending || friends.contains(device) { return true }
            return entry.isUnseen && entry.failures < DiscoveryLimits.strangerAttempts
        case .address:
            if entry.isRequested { return true }
            guard entry.isStatic else { return false }
            return entry.resident.map { connected[$0] == nil } ?? true
        }
    }

    // MARK: Scheduling

    /// Plans a dial after `delay`, unless there is an earlier one or no reason; drops a plan whose reason is gone.
    mutating func plan(_ target: DialTarget, after delay: Duration, now: Instant) {
        guard isWanted(target) else { return unplan(target) }
        var moment = now + delay
        if let entry = entries[target], let calm = entry.calmUntil, calm > moment, !entry.isRequested { moment = calm }
        if let due = entries[target]?.due, due <= moment { return }
        if !waiting.contains(target), priority(of: target) == .stranger {
            guard waitingStrangers.count < DiscoveryLimits.waitingStrangers else {
                strangersLeftOut += 1
                return
            }
            waitingStrangers.insert(target)
        }
        waiting.insert(target)
        entries[target]?.due = moment
    }

    /// Drops the plan for a target that is not wanted any more, and what is known of it if that is nothing.
    mutating func unplan(_ target: DialTarget) {
        stopWaiting(target)
        if entries[target]?.isEmpty == true { entries[target] = nil }
    }

    private mutating func stopWaiting(_ target: DialTarget) {
        waiting.remove(target)
        waitingStrangers.remove(target)
        entries[target]?.due = nil
    }

    /// The wait that gives the device with the smaller key the first move.
    mutating func firstMove(towards device: DeviceID) -> Duration {
        let spread = min(
            max(DiscoveryLimits.dialJitter, DiscoveryLimits.dialJitterPerPeer * announced.count),
            DiscoveryLimits.longestDialJitter)
        if own < device { return .random(in: spread, using: &random) }
        return max(DiscoveryLimits.largerKeyWaits, spread) + .random(in: DiscoveryLimits.dialJitter, using: &random)
    }

    /// The wait after so many failures in a row: doubling, between 75 % and 125 % of the round number.
    mutating func backoff(failures: Int) -> Duration {
        // Seven doublings reach the longest wait.
        let doubled = DiscoveryLimits.firstBackoff * (1 << min(max(failures - 1, 0), 7))
        let round = min(doubled, DiscoveryLimits.longestBackoff)
        return round * 3 / 4 + .random(in: round / 2, using: &random)
    }
}
