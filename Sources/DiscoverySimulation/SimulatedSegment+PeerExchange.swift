import Basics
import PeerProtocol

// Cards and sessions among simulated hosts. Real planners decide which hosts to dial and to ask. A session is an entry
// in a table that ends after its idle time, and a card is one bit.

extension SimulatedSegment {
    /// Two hosts that have a session.
    struct Pair: Hashable {
        let low: Int
        let high: Int

        init(_ one: Int, _ other: Int) {
            low = min(one, other)
            high = max(one, other)
        }
    }

    /// The share of pairs, of a listener and another host that are both up, in which the listener has the other's card.
    package var familiarity: Double {
        let up = hosts.count(where: \.isUp)
        let known = hosts.reduce(0) { $0 + $1.named.count }
        return Double(known) / Double(max(1, hosts.count { $0.machine != nil } * (up - 1)))
    }

    mutating func startPeerExchange(_ host: SimulatedHost) {
        guard shape.hasPeerExchange else { return }
        host.peerExchange = PeerExchangePlanner(own: host.device, random: SeededGenerator(seed: random.next()))
        host.dials = DialPlanner(own: host.device, random: SeededGenerator(seed: random.next()))
        host.peerExchange?.start(now: now)
        host.digest = host.card
        host.machine?.peerExchange = host.digest
    }

    /// Ends a crashed host's sessions. The far ends notice at once, as with a process that was killed.
    mutating func endSessions(of index: Int) {
        for pair in sessions.keys.filter({ $0.low == index || $0.high == index }).sorted(by: {
            ($0.low, $0.high) < ($1.low, $1.high)
        }) {
            sessions[pair] = nil
            let other = pair.low == index ? pair.high : pair.low
            closed(at: other, with: index, isIdle: false)
        }
    }

    // MARK: What the host hears

    mutating func peerExchangeHeard(_ device: DeviceID, at address: SocketAddress, isNew: Bool, by index: Int) {
        let host = hosts[index]
        guard host.peerExchange != nil, let other = byDevice[device] else { return }
        host.dials?.heard(device, at: address, isNew: isNew, now: now)
        let theirs = host.machine?.peerExchange(of: device) ?? .empty
        if host.departed.contains(hosts[other].rank) { name(other, at: host) }
        host.peerExchange?.heard(device, differs: theirs != .empty && theirs != host.digest, now: now)
        if host.named.contains(hosts[other].rank) { host.peerExchange?.known(device) }
    }

    mutating func peerExchangeLost(_ device: DeviceID, by index: Int) {
        let host = hosts[index]
        guard host.peerExchange != nil, let other = byDevice[device] else { return }
        host.dials?.left(device, isGoodbye: false, now: now)
        host.peerExchange?.left(device)
        guard host.named.remove(hosts[other].rank) else { return }
        host.departed.insert(hosts[other].rank)
        show(host, hosts[other].card)
    }

    /// Notes that the host has another host's card from now on.
    @discardableResult
    private mutating func name(_ other: Int, at host: SimulatedHost) -> Bool {
        host.departed.remove(hosts[other].rank)
        guard host.named.insert(hosts[other].rank) else { return false }
        if hosts[other].device == watched, let index = byDevice[host.device], namedIt[index] == nil {
            namedIt[index] = now
        }
        show(host, hosts[other].card)
        return true
    }

    private func show(_ host: SimulatedHost, _ change: PeerExchangeDigest) {
        host.digest = PeerExchangeDigest(high: host.digest.high ^ change.high, low: host.digest.low ^ change.low)
        host.machine?.peerExchange = host.digest
    }

    // MARK: Dials and sessions

    /// Carries out what the planners have due.
    mutating func pump(_ index: Int) {
        let host = hosts[index]
        guard host.peerExchange != nil else { return }
        carryOut(host.peerExchange?.tick(now: now) ?? [], at: index)
        for effect in host.dials?.tick(now: now) ?? [] {
            guard case .device(let device) = effect.target, let other = byDevice[device] else { continue }
            figures.dials += 1
            schedule(.dialled(from: index, run: host.incarnation, to: other), after: within(1_000...30_000))
        }
    }

    mutating func carryOut(_ effects: [PeerExchangeEffect], at index: Int) {
        for effect in effects {
            switch effect {
            case .connect(let device):
                if hosts[index].machine?.mayFollow(device, now: now) ?? true {
                    hosts[index].dials?.look(at: device, atOnce: true, now: now)
                }
            case .look(let device):
                if hosts[index].machine?.mayFollow(device, now: now) ?? true {
                    hosts[index].dials?.look(at: device, now: now)
                }
            case .ask(let device, let request):
                guard let other = byDevice[device], sessions[Pair(index, other)] != nil else { continue }
                sessions[Pair(index, other)] = now
                schedule(.asked(request, from: index, to: other), after: within(shape.delay))
            }
        }
    }

    mutating func dialled(from index: Int, run: UInt32, to other: Int) {
        let host = hosts[index]
        let peer = hosts[other]
        guard host.isUp, host.incarnation == run else { return }
        guard peer.isUp else {
            host.dials?.dialFailed(.device(peer.device), now: now)
            host.peerExchange?.unreachable(peer.device, now: now)
            return pump(index)
        }
        let isNew = sessions.updateValue(now, forKey: Pair(index, other)) == nil
        if isNew {
            figures.sessions += 1
            schedule(.mayBeIdle(Pair(index, other)), after: PeerLimits.strangerIdleTime)
        }
        opened(at: index, with: other, by: .device(peer.device))
        opened(at: other, with: index, by: nil)
    }

    private mutating func opened(at index: Int, with other: Int, by target: DialTarget?) {
        let host = hosts[index]
        guard host.peerExchange != nil else { return }
        let device = hosts[other].device
        name(other, at: host)
        host.peerExchange?.known(device)
        host.peerExchange?.setConnected(device, true, now: now)
        host.dials?.sessionOpened(device, by: target, now: now)
        perform(host.machine?.setConnected(device, true, now: now) ?? [], at: index)
        pump(index)
        arm(index)
    }

    mutating func mayBeIdle(_ pair: Pair) {
        guard let used = sessions[pair] else { return }
        let end = used + PeerLimits.strangerIdleTime
        guard end <= now else { return schedule(.mayBeIdle(pair), after: end - now) }
        sessions[pair] = nil
        closed(at: pair.low, with: pair.high, isIdle: true)
        closed(at: pair.high, with: pair.low, isIdle: true)
    }

    private mutating func closed(at index: Int, with other: Int, isIdle: Bool) {
        let host = hosts[index]
        guard host.peerExchange != nil else { return }
        let device = hosts[other].device
        host.peerExchange?.setConnected(device, false, now: now)
        host.dials?.sessionClosed(device, isClean: isIdle, isIdle: isIdle, now: now)
        perform(host.machine?.setConnected(device, false, isLost: !isIdle, now: now) ?? [], at: index)
        pump(index)
        arm(index)
    }

    // MARK: Pages

    /// The number of entries that fit into a stranger's frame.
    private static var pageEntries: Int { 26 }

    mutating func asked(_ request: PeerExchangeRequestBody, from asker: Int, to index: Int) {
        let host = hosts[index]
        guard host.isUp else { return }
        figures.pages += 1
        var found: [Int] = []
        var hasMore = false
        let start = request.after.flatMap { byDevice[$0] }.map { hosts[$0].rank + 1 } ?? 0
        if let devices = request.devices {
            let ranks = devices.compactMap { byDevice[$0] }.map { hosts[$0].rank }.filter {
                $0 >= start && (host.named.contains($0) || $0 == host.rank)
            }.sorted()
            found = Array(ranks.prefix(Self.pageEntries))
            hasMore = ranks.count > found.count
        } else {
            var next = host.named.first(from: start)
            while let rank = next, found.count < Self.pageEntries {
                found.append(rank)
                next = host.named.first(from: rank + 1)
            }
            hasMore = next != nil
        }
        schedule(.page(found, hasMore: hasMore, from: index, to: asker), after: within(shape.delay))
    }

    mutating func came(_ page: [Int], hasMore: Bool, from other: Int, to index: Int) {
        let host = hosts[index]
        guard host.isUp, sessions[Pair(index, other)] != nil else { return }
        sessions[Pair(index, other)] = now
        var news = 0
        for rank in page where rank != host.rank {
            let number = byRank[rank]
            let device = hosts[number].device
            let wasHere = host.machine?.announcement(of: device) != nil
            if !wasHere, let announcement = hosts[other].machine?.announcement(of: device) {
                let teller = hosts[other].address.host
                perform(host.machine?.introduced(announcement, by: teller, now: now) ?? [], at: index)
            }
            guard host.machine?.announcement(of: device) != nil else { continue }
            let isNamed = name(number, at: host)
            if isNamed {
                host.peerExchange?.known(device)
                host.dials?.spare(device, now: now)
            }
            if isNamed || !wasHere { news += 1 }
        }
        // The planner reads only the last entry's key.
        let entries = page.last.map {
            [PeerExchangeBody.Entry(device: hosts[byRank[$0]].device, announcement: nil, card: nil)]
        }
        let body = PeerExchangeBody(entries: entries ?? [], hasMore: hasMore)
        carryOut(host.peerExchange?.received(body, from: hosts[other].device, news: news, now: now) ?? [], at: index)
        pump(index)
        arm(index)
    }
}
