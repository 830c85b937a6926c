import Basics
import PeerProtocol

// Cards and sessions among simulated hosts. Real planners decide which hosts to dial and to ask. A session is an entry
// in a table that ends after its idle time, and a card is one bit.

extension SimulatedSegment {
    // MARK: What the host hears

    mutating func peerExchangeHeard(_ device: DeviceID, at address: SocketAddress, isNew: Bool, by index: Int) {
        let host = hosts[index]
        guard host.peerExchange != nil, let other = hosts.byDevice[device] else { return }
        if host.departed.contains(hosts[other].rank) { name(other, at: index) }
        host.heard(hosts[other], at: address, isNew: isNew, now: now)
    }

    mutating func peerExchangeLost(_ device: DeviceID, by index: Int) {
        guard hosts[index].peerExchange != nil, let other = hosts.byDevice[device] else { return }
        hosts[index].lost(hosts[other], now: now)
    }

    /// Notes that the host has another host's card from now on.
    /// - Returns: false if it had it.
    @discardableResult
    private mutating func name(_ other: Int, at index: Int) -> Bool {
        guard hosts[index].name(hosts[other]) else { return false }
        watched.named(hosts[other].device, by: index, now)
        return true
    }

    // MARK: Dials and sessions

    /// Carries out what the planners have due.
    mutating func pump(_ index: Int) {
        let host = hosts[index]
        guard host.peerExchange != nil else { return }
        carryOut(host.peerExchange?.tick(now: now) ?? [], at: index)
        for effect in host.dials?.tick(now: now) ?? [] {
            guard case .device(let device) = effect.target, let other = hosts.byDevice[device] else { continue }
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
                guard let other = hosts.byDevice[device], sessions.use(.init(index, other), now: now) else { continue }
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
        if sessions.open(.init(index, other), now: now) {
            figures.sessions += 1
            schedule(.mayBeIdle(.init(index, other)), after: PeerLimits.strangerIdleTime)
        }
        opened(at: index, with: other, by: .device(peer.device))
        opened(at: other, with: index, by: nil)
    }

    private mutating func opened(at index: Int, with other: Int, by target: DialTarget?) {
        let host = hosts[index]
        guard host.peerExchange != nil else { return }
        let device = hosts[other].device
        name(other, at: index)
        host.peerExchange?.known(device)
        host.peerExchange?.setConnected(device, true, now: now)
        host.dials?.sessionOpened(device, by: target, now: now)
        perform(host.machine?.setConnected(device, true, now: now) ?? [], at: index)
        pump(index)
        arm(index)
    }

    mutating func mayBeIdle(_ pair: SimulatedSessions.Pair) {
        guard let end = sessions.end(of: pair) else { return }
        guard end <= now else { return schedule(.mayBeIdle(pair), after: end - now) }
        sessions.close(pair)
        closed(at: pair.low, with: pair.high, isIdle: true)
        closed(at: pair.high, with: pair.low, isIdle: true)
    }

    mutating func closed(at index: Int, with other: Int, isIdle: Bool) {
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

    mutating func asked(_ request: PeerExchangeRequestBody, from asker: Int, to index: Int) {
        let host = hosts[index]
        guard host.isUp else { return }
        figures.pages += 1
        let start = request.after.flatMap { hosts.byDevice[$0] }.map { hosts[$0].rank + 1 } ?? 0
        let ranks = request.devices?.compactMap { hosts.byDevice[$0] }.map { hosts[$0].rank }
        let (entries, hasMore) = host.page(from: start, of: ranks)
        schedule(.page(entries, hasMore: hasMore, from: index, to: asker), after: within(shape.delay))
    }

    mutating func came(_ page: [Int], hasMore: Bool, from other: Int, to index: Int) {
        let host = hosts[index]
        guard host.isUp, sessions.use(.init(index, other), now: now) else { return }
        var news = 0
        for rank in page where rank != host.rank {
            let number = hosts.byRank[rank]
            let device = hosts[number].device
            let wasHere = host.machine?.announcement(of: device) != nil
            if !wasHere, let announcement = hosts[other].machine?.announcement(of: device) {
                let teller = hosts[other].address.host
                perform(host.machine?.introduced(announcement, by: teller, now: now) ?? [], at: index)
            }
            guard host.machine?.announcement(of: device) != nil else { continue }
            let isNamed = name(number, at: index)
            if isNamed {
                host.peerExchange?.known(device)
                host.dials?.spare(device, now: now)
            }
            if isNamed || !wasHere { news += 1 }
        }
        // The planner reads only the last entry's key.
        let entries = page.last.map {
            [PeerExchangeBody.Entry(device: hosts[hosts.byRank[$0]].device, announcement: nil, card: nil)]
        }
        let body = PeerExchangeBody(entries: entries ?? [], hasMore: hasMore)
        carryOut(host.peerExchange?.received(body, from: hosts[other].device, news: news, now: now) ?? [], at: index)
        pump(index)
        arm(index)
    }
}
