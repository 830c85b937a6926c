import Basics

extension DialPlanner {
    // MARK: What discovery tells

    /// The device has announced itself (``DiscoveryEffect/heard(device:address:isNew:)``). Whatever failed before may
    /// work now, so its backoff starts over.
    public mutating func heard(_ device: DeviceID, at address: SocketAddress, isNew: Bool, now: Instant) {
        guard device != own else { return }
        let target = DialTarget.device(device)
        let wasAnnounced = !announced.insert(device).inserted
        var entry = entries[target] ?? DialEntry()
        entry.heardAt = address
        entry.failures = 0
        entry.hasLeft = false
        if isNew {
            if let since = connected[device] {
                // Started anew while we still believe in a session with its former life: no need to wait until that
                // session's keep-alive finds out. A fresh session may already be the new one.
                if wasAnnounced, now - since >= DiscoveryLimits.crossingDials { entry.isRequested = true }
            }
        }
        entries[target] = entry
        plan(target, after: firstMove(towards: device), now: now)
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
        plan(target, after: backoff(entry, now: now), now: now)
    }

    /// Dials a stranger once, with a few attempts.
    /// - Parameter atOnce: not only when it has had time to dial us.
    public mutating func look(at device: DeviceID, atOnce: Bool = false, now: Instant) {
        guard device != own, entries[.device(device)] != nil, connected[device] == nil else { return }
        entries[.device(device)]?.isUnseen = true
        entries[.device(device)]?.failures = 0
        plan(.device(device), after: atOnce ? .zero : firstMove(towards: device), now: now)
    }

    /// There is no need to look at the device any more: somebody else has shown its card.
    public mutating func spare(_ device: DeviceID, now: Instant) {
        guard entries[.device(device)]?.isUnseen == true else { return }
        entries[.device(device)]?.isUnseen = false
        if !isWanted(.device(device)) { unplan(.device(device)) }
    }

    // MARK: What the connections tell

    /// A session with the device is open.
    /// - Parameter target: of the dial that led to it; nil if the peer has dialled. Call it for a dial whose session
    ///   lost the tie break too: the dial is over. If somebody else answered than the device that was dialled for, the
    ///   dial counts as ``DialFailure/wrongDevice``, and the session as one of who answered.
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
        entries[reached]?.isUnseen = false
        entries[reached]?.isRequested = false
        entries[reached]?.hasLeft = false
        entries[reached]?.lostAt = nil
        entries[reached]?.calmUntil = nil
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
                wait = firstMove(towards: device)
            } else if isIdle, !friends.contains(device), !entry.isPending {
                let pause = DiscoveryLimits.idleStaticPause
                wait = pause * 3 / 4 + .random(in: pause / 2, using: &random)
            } else {
                wait = backoff(entry, now: now)
            }
            plan(target, after: wait, now: now)
        }
    }

    /// The dial has come to nothing.
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
        plan(target, after: backoff(entry, now: now), now: now)
    }

    // MARK: What the user wants

    /// The devices of all friends: they are kept connected.
    public mutating func setFriends(_ devices: Set<DeviceID>, now: Instant) {
        let changed = friends.symmetricDifference(devices)
        friends = devices
        for device in changed.sorted() {
            forgetStranger(device)
            plan(.device(device), after: firstMove(towards: device), now: now)
        }
    }

    /// Where a device was met last, as the store remembers it: tried until it is heard elsewhere.
    public mutating func setLastAddress(_ address: SocketAddress, of device: DeviceID, now: Instant) {
        // What is known already is no reason to dial sooner than planned.
        guard device != own, entries[.device(device)]?.metAt != address else { return }
        entries[.device(device), default: DialEntry()].metAt = address
        // A pause after a failure stands: that the device was met there is older news than that it hung up.
        guard entries[.device(device)]?.due == nil else { return }
        plan(.device(device), after: firstMove(towards: device), now: now)
    }

    /// Peers by address, on other subnets for example: dialled at once and ever again, until they are set otherwise.
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
        // Somebody whom nothing but a static address leads to.
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

    // MARK: Keeping the books

    /// Ends the dial under way and frees its place. Returns where it went; nil if there was none.
    private mutating func endDial(_ target: DialTarget) -> SocketAddress? {
        guard let address = entries[target]?.underWay else { return nil }
        entries[target]?.underWay = nil
        addressesUnderWay.remove(address)
        strangersUnderWay.remove(target)
        return address
    }

    /// Where a stranger was met is forgotten when it goes: strangers come in any number.
    mutating func forgetStranger(_ device: DeviceID) {
        guard let entry = entries[.device(device)], !friends.contains(device), !entry.isPending else { return }
        if entry.heardAt == nil { entries[.device(device)]?.metAt = nil }
    }
}
