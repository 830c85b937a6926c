import Basics

/// Decides which devices and addresses to dial, and when.
///
/// Friends and peers with something waiting are kept connected, static peers always; a stranger is looked at once after
/// it appears, so that its card is known. If two devices hear each other, the one with the smaller key dials.
///
/// Tell it what happens; after each input, and when ``nextDeadline`` comes, call ``tick(now:)`` and make the dials that it
/// returns. It keeps no more than ``DiscoveryLimits/dials`` under way.
public struct DialPlanner<Random: RandomNumberGenerator & Sendable>: Sendable {
    private let own: DeviceID
    private var pauses: DialPauses<Random>
    private(set) var entries: [DialTarget: DialEntry] = [:]
    /// Targets whose entry has a `due`: tick looks through these.
    private var waiting: Set<DialTarget> = []
    /// The waiting targets that were strangers when they began to wait.
    private var waitingStrangers: Set<DialTarget> = []
    /// Static peers.
    private var fixed: Set<SocketAddress> = []
    private var friends: Set<DeviceID> = []
    /// Devices with an open session, and since when.
    private var connected: [DeviceID: Instant] = [:]
    /// Addresses of the dials under way, and the targets among them that are strangers.
    private var addressesUnderWay: Set<SocketAddress> = []
    private var strangersUnderWay: Set<DialTarget> = []
    /// Strangers whose dial was not planned because too many wait.
    public private(set) var strangersLeftOut: UInt64 = 0
    /// Devices that announce themselves.
    private var announced: Set<DeviceID> = []

    /// - Parameters:
    ///   - own: the device of this daemon; it is never dialled.
    ///   - random: jitter.
    public init(own: DeviceID, random: Random) {
        self.own = own
        pauses = DialPauses(own: own, random: random)
    }

    /// Dials under way.
    public var dialsUnderWay: Int { addressesUnderWay.count }

    /// Whether the device has an open session, as far as was told.
    public func isConnected(_ device: DeviceID) -> Bool { connected[device] != nil }

    /// The plan for a target; nil if nothing is known of it.
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
            // Checked again for each: the one before may have taken the last place or the same address.
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

    // MARK: What discovery tells

    /// The device has announced itself (``DiscoveryEffect/heard(device:address:isNew:)``). A dial that failed before
    /// may work now, so its backoff starts over.
    public mutating func heard(_ device: DeviceID, at address: SocketAddress, isNew: Bool, now: Instant) {
        guard device != own else { return }
        let target = DialTarget.device(device)
        let wasAnnounced = !announced.insert(device).inserted
        var entry = entries[target] ?? DialEntry()
        entry.heardAt = address
        entry.failures = 0
        entry.hasLeft = false
        // It has restarted while we still believe in a session with its former run: no need to wait until that session's
        // keep-alive finds out. A fresh session may already be the new one.
        if isNew, wasAnnounced, let since = connected[device], now - since >= DiscoveryLimits.crossingDials {
            entry.isRequested = true
        }
        entries[target] = entry
        plan(target, after: pauses.firstMove(towards: device, among: announced.count), now: now)
    }

    /// The device has left or was given up (``DiscoveryEffect/left(device:)``, ``DiscoveryEffect/expired(device:)``). A
    /// friend's last address is still tried: after a goodbye at the longest backoff, else as one that was lost.
    /// - Parameter isGoodbye: it said so itself.
    public mutating func left(_ device: DeviceID, isGoodbye: Bool = true, now: Instant) {
        announced.remove(device)
        let target = DialTarget.device(device)
        guard var entry = entries[target] else { return }
        if entry.metAt == nil { entry.metAt = entry.heardAt }
        entry.heardAt = nil
        entry.isUnseen = false
        if isGoodbye { entry.hasLeft = true } else if entry.lostAt == nil { entry.lostAt = now }
        entries[target] = entry
        forgetStranger(device)
        unplan(target)
        plan(target, after: pauses.backoff(entry, now: now), now: now)
    }

    /// Dials a stranger once, with a few attempts.
    /// - Parameter atOnce: not only when it has had time to dial us.
    public mutating func look(at device: DeviceID, atOnce: Bool = false, now: Instant) {
        guard device != own, entries[.device(device)] != nil, connected[device] == nil else { return }
        entries[.device(device)]?.isUnseen = true
        entries[.device(device)]?.failures = 0
        plan(
            .device(device), after: atOnce ? .zero : pauses.firstMove(towards: device, among: announced.count), now: now
        )
    }

    /// Drops the plan to dial a stranger, because another peer has shown its card.
    public mutating func spare(_ device: DeviceID, now: Instant) {
        guard entries[.device(device)]?.isUnseen == true else { return }
        entries[.device(device)]?.isUnseen = false
        if !isWanted(.device(device)) { unplan(.device(device)) }
    }

    // MARK: What the connections tell

    /// A session with the device is open.
    /// - Parameter target: the target of the dial that led to the session; nil if the peer has dialled. Also call it if
    ///   the session lost the tie break, because that dial is over, too. If another device answered than the dialled
    ///   one, the dial counts as ``DialFailure/wrongDevice``, and the session belongs to the device that answered.
    public mutating func sessionOpened(_ device: DeviceID, by target: DialTarget?, now: Instant) {
        connected[device] = now
        let reached = DialTarget.device(device)
        switch target {
        case reached?:
            if let address = endDial(reached) { entries[reached]?.metAt = address }
        case .device?:
            if let target { dialFailed(target, .wrongDevice, now: now) }
        case .address(let address)?:
            _ = endDial(.address(address))
            entries[.address(address)]?.resident = device
            entries[.address(address)]?.isRequested = false
            if friends.contains(device) { entries[reached, default: DialEntry()].metAt = address }
            unplan(.address(address))
        case nil: break
        }
        entries[reached]?.met()
        forgetStranger(device)
        unplan(reached)
        for address in fixed where entries[.address(address)]?.resident == device { unplan(.address(address)) }
    }

    /// No session with the device is open any more.
    /// - Parameters:
    ///   - isClean: the end was agreed on; false for a connection that broke.
    ///   - isIdle: there was nothing left to say: no reason to dial again soon.
    public mutating func sessionClosed(_ device: DeviceID, isClean: Bool, isIdle: Bool = false, now: Instant) {
        guard let since = connected.removeValue(forKey: device) else { return }
        let wasGood = isIdle || now - since >= DiscoveryLimits.goodSession
        let residences = fixed.map { DialTarget.address($0) }.filter { entries[$0]?.resident == device }
        for target in [.device(device)] + residences {
            guard var entry = entries[target] else { continue }
            entry.failures = wasGood ? 0 : entry.failures + 1
            if wasGood && !isClean { entry.lostAt = now }
            entries[target] = entry
            let wait: Duration
            if wasGood && !isClean && !entry.hasLeft {
                wait = pauses.firstMove(towards: device, among: announced.count)
            } else if isIdle, !friends.contains(device), !entry.isPending {
                wait = pauses.about(DiscoveryLimits.idleStaticPause)
            } else {
                wait = pauses.backoff(entry, now: now)
            }
            plan(target, after: wait, now: now)
        }
    }

    /// Notes that the dial has failed.
    public mutating func dialFailed(_ target: DialTarget, _ failure: DialFailure = .unreachable, now: Instant) {
        guard let address = endDial(target), var entry = entries[target] else { return }
        entry.failures += 1
        entry.isRequested = false
        switch (failure, target) {
        case (.unreachable, _), (.wrongDevice, .address): break
        case (.wrongDevice, .device), (.ourselves, .device): entry.forget(address)
        case (.ourselves, .address): entry.isStatic = false
        }
        entries[target] = entry
        plan(target, after: pauses.backoff(entry, now: now), now: now)
    }

    /// The host has another address, is plugged in again, or has slept: dials that failed before may work now, so all
    /// backoff starts over.
    public mutating func networkChanged(now: Instant) {
        for (target, entry) in entries.sorted(by: { $0.key < $1.key }) {
            entries[target]?.failures = 0
            guard !entry.hasLeft, entry.underWay == nil, entry.due != nil else { continue }
            switch target {
            case .device(let device):
                // Sooner, never later.
                plan(target, after: pauses.firstMove(towards: device, among: announced.count), now: now)
            case .address: plan(target, after: .zero, now: now)
            }
        }
    }

    /// Whether the device is gone without a goodbye, and not for long: it is tried often.
    public func isLost(_ device: DeviceID, now: Instant) -> Bool {
        connected[device] == nil && entries[.device(device)]?.isLost(now: now) == true
    }

    /// Drops waiting items as a reason to dial devices that may not be dialled.
    /// - Returns: those of them for which something waits.
    public mutating func unpend(unless mayDial: (DeviceID) -> Bool) -> Set<DeviceID> {
        var left: Set<DeviceID> = []
        for case (.device(let device), let entry) in entries where entry.isPending && !mayDial(device) {
            left.insert(device)
        }
        for device in left.sorted() {
            entries[.device(device)]?.isPending = false
            if !isWanted(.device(device)) { unplan(.device(device)) }
            forgetStranger(device)
        }
        return left
    }

    /// The device has turned us away for something that passes slowly: all other reasons to dial it wait for a while.
    public mutating func putOff(_ device: DeviceID, now: Instant) {
        let calm = now + pauses.about(DiscoveryLimits.copyPause)
        let residences = fixed.map { DialTarget.address($0) }.filter { entries[$0]?.resident == device }
        for target in [.device(device)] + residences where entries[target] != nil {
            entries[target]?.calmUntil = calm
            unplan(target)
            plan(target, after: .zero, now: now)
        }
    }

    /// From now on no stranger is looked at of our own accord: dials that were planned for that are dropped. Dials that
    /// were asked for, or that something waits for, stay.
    public mutating func lookAtNobody() {
        for target in entries.filter(\.value.isUnseen).map(\.key).sorted() {
            entries[target]?.isUnseen = false
            if !isWanted(target) { unplan(target) }
        }
    }

    // MARK: What the user wants

    /// The devices of all friends: they are kept connected.
    public mutating func setFriends(_ devices: Set<DeviceID>, now: Instant) {
        let changed = friends.symmetricDifference(devices)
        friends = devices
        for device in changed.sorted() {
            forgetStranger(device)
            plan(.device(device), after: pauses.firstMove(towards: device, among: announced.count), now: now)
        }
    }

    /// Where a device was met last, as the store remembers it: tried until it is heard elsewhere.
    public mutating func setLastAddress(_ address: SocketAddress, of device: DeviceID, now: Instant) {
        // An address that is known already is no reason to dial sooner than planned.
        guard device != own, entries[.device(device)]?.metAt != address else { return }
        entries[.device(device), default: DialEntry()].metAt = address
        // A pause after a failure stands: that the device was met there is older news than that it hung up.
        guard entries[.device(device)]?.due == nil else { return }
        plan(.device(device), after: pauses.firstMove(towards: device, among: announced.count), now: now)
    }

    /// Sets peers by address, for example on other subnets. They are dialled at once and again and again, until they
    /// are set otherwise.
    public mutating func setStaticPeers(_ addresses: Set<SocketAddress>, now: Instant) {
        let changed = fixed.symmetricDifference(addresses)
        fixed = addresses
        for target in changed.map({ DialTarget.address($0) }).sorted() {
            guard case .address(let address) = target else { continue }
            entries[target, default: DialEntry()].isStatic = addresses.contains(address)
            plan(target, after: .zero, now: now)
        }
    }

    /// Whether something waits to be delivered to the device: then it is dialled like a friend.
    public mutating func setPending(_ isPending: Bool, for device: DeviceID, now: Instant) {
        guard device != own, isPending || entries[.device(device)] != nil else { return }
        entries[.device(device), default: DialEntry()].isPending = isPending
        forgetStranger(device)
        plan(.device(device), after: .zero, now: now)
        guard isPending, connected[device] == nil else { return }
        // Perhaps nothing but a static address leads to the device.
        for address in fixed where entries[.address(address)]?.resident == device {
            plan(.address(address), after: .zero, now: now)
        }
    }

    /// Dials once, before all others, also where a session is open already.
    /// - Returns: false if no address of the device is known.
    @discardableResult
    public mutating func request(_ target: DialTarget, now: Instant) -> Bool {
        if case .device(let device) = target {
            guard device != own, entries[target]?.candidate != nil else { return false }
        }
        entries[target, default: DialEntry()].isRequested = true
        plan(target, after: .zero, now: now)
        return true
    }

    // MARK: Ends of dials

    /// Ends the dial under way and frees its place. Returns where it went; nil if there was none.
    private mutating func endDial(_ target: DialTarget) -> SocketAddress? {
        guard let address = entries[target]?.underWay else { return nil }
        entries[target]?.underWay = nil
        addressesUnderWay.remove(address)
        strangersUnderWay.remove(target)
        return address
    }

    /// Where a stranger was met is forgotten when it goes: strangers come in any number.
    private mutating func forgetStranger(_ device: DeviceID) {
        guard let entry = entries[.device(device)], !friends.contains(device), !entry.isPending else { return }
        if entry.heardAt == nil { entries[.device(device)]?.metAt = nil }
    }

    // MARK: Choosing

    private func address(of target: DialTarget) -> SocketAddress? {
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

    private func priority(of target: DialTarget) -> DialPriority {
        guard let entry = entries[target] else { return .stranger }
        if entry.isRequested { return .requested }
        switch target {
        case .device(let device): return entry.isPending || friends.contains(device) ? .friend : .stranger
        case .address: return .fixed
        }
    }

    /// Whether there is any reason to dial.
    private func isWanted(_ target: DialTarget) -> Bool {
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
    private mutating func plan(_ target: DialTarget, after delay: Duration, now: Instant) {
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
    private mutating func unplan(_ target: DialTarget) {
        stopWaiting(target)
        if entries[target]?.isEmpty == true { entries[target] = nil }
    }

    private mutating func stopWaiting(_ target: DialTarget) {
        waiting.remove(target)
        waitingStrangers.remove(target)
        entries[target]?.due = nil
    }
}
