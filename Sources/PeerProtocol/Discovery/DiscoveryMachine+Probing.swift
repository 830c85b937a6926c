import Basics

/// Probes: who asks, who answers, who is believed.
extension DiscoveryMachine {
    /// A session with the device is open, or no longer. While there is one, its keep-alive watches the device, and no
    /// probe does.
    /// - Parameter isLost: the session broke instead of being closed.
    public mutating func setConnected(
        _ device: DeviceID, _ isConnected: Bool, isLost: Bool = false, now: Instant
    ) -> [DiscoveryEffect] {
        let isLost = isLost && table.isOpen(device)
        return perform(
            prober.setConnected(device, isConnected, isLost: isLost, now: now, using: &random), now: now)
    }

    /// A known device has sent a datagram about a subject; it is authentic and new.
    mutating func probing(
        _ content: DiscoveryDatagram, about subject: ProbeSubject, from source: SocketAddress, now: Instant
    ) -> [DiscoveryEffect] {
        let actions: [DiscoveryEffect]? =
            switch content.kind {
            case .probe where subject.device == own, .probeRequest where subject.device == own:
                answer(subject, to: source)
            case .probe, .hello, .beacon, .bye: nil
            case .probeRequest: help(content.device, subject, now: now)
            case .probeAck: acknowledged(by: content.device, subject)
            case .suspect: suspected(subject, now: now)
            }
        if actions == nil { metrics.idleProbes += 1 }
        return actions ?? []
    }

    /// By as many bytes as the question had, and to where it came from.
    private mutating func answer(_ subject: ProbeSubject, to source: SocketAddress) -> [DiscoveryEffect]? {
        guard isSpeakingOpenly else { return nil }
        metrics.answers += 1
        let about = ProbeSubject(device: own, incarnation: incarnation, nonce: subject.nonce)
        return [.send(encoded(.probeAck, about: about), to: source)]
    }

    private mutating func help(_ asker: DeviceID, _ subject: ProbeSubject, now: Instant) -> [DiscoveryEffect]? {
        guard isSpeakingOpenly, table.isOpen(subject.device) else { return nil }
        guard mayFollow(subject.device, now: now) else { return [] }
        let indirectProbe = prober.indirectProbe(
            for: asker, askerNonce: subject.nonce, about: subject.device, now: now, using: &random)
        guard let indirectProbe else {
            if prober.isOn { metrics.indirectProbesLeftOut += 1 }
            return nil
        }
        return perform([indirectProbe], now: now)
    }

    private mutating func acknowledged(by device: DeviceID, _ subject: ProbeSubject) -> [DiscoveryEffect]? {
        guard subject.device == device else {
            return prober.vouched(for: subject.device, by: device, nonce: subject.nonce) ? [] : nil
        }
        // That it lives is known already, from the datagram itself.
        guard let (asker, nonce) = prober.answered(device, nonce: subject.nonce) else { return [] }
        guard let there = table[asker], there.isPresent else { return nil }
        metrics.answers += 1
        let about = ProbeSubject(device: device, incarnation: subject.incarnation, nonce: nonce)
        return [.send(encoded(.probeAck, about: about), to: there.source)]
    }

    private mutating func suspected(_ subject: ProbeSubject, now: Instant) -> [DiscoveryEffect]? {
        if subject.device == own {
            guard isSpeakingOpenly, subject.incarnation == incarnation else { return nil }
            let earliest = refutedAt.map { max(now, $0 + DiscoveryLimits.refutationPause) } ?? now
            refutationAt = refutationAt.map { min($0, earliest) } ?? earliest
            return earliest == now ? tick(now: now) : []
        }
        guard let known = table[subject.device], known.isPresent, known.isOpen,
            subject.incarnation >= known.incarnation,
            prober.wouldSuspect(subject.device)
        else { return nil }
        guard mayFollow(subject.device, now: now) else { return [] }
        guard suspicionsBudget.take(now: now) else {
            metrics.suspicionsLeftOut += 1
            return []
        }
        metrics.suspicionsOfOthers += 1
        prober.lookInto(subject.device, among: table.presentCount, now: now, using: &random)
        return []
    }

    /// Makes datagrams of what the prober wants.
    mutating func perform(_ actions: [Prober.Action], now: Instant) -> [DiscoveryEffect] {
        actions.compactMap { action in
            switch action {
            case .probe(let device, let nonce), .probeAgain(let device, let nonce):
                guard let there = table[device], there.isPresent, there.isOpen else { return nil }
                metrics.probes += 1
                let about = ProbeSubject(device: device, incarnation: there.incarnation, nonce: nonce)
                var place = there.source
                if case .probeAgain = action { place = there.other ?? place }
                return .send(encoded(.probe, about: about), to: place)
            case .ask(let helper, let device, let nonce):
                guard let there = table[helper], there.isPresent, let known = table[device] else { return nil }
                let about = ProbeSubject(device: device, incarnation: known.incarnation, nonce: nonce)
                return .send(encoded(.probeRequest, about: about), to: there.source)
            case .accuse(let device):
                guard let known = table[device] else { return nil }
                metrics.suspicions += 1
                let about = ProbeSubject(device: device, incarnation: known.incarnation, nonce: 0)
                return .broadcast(encoded(.suspect, about: about))
            case .giveUp(let device):
                guard let known = table[device], known.isPresent else { return nil }
                metrics.givenUp += 1
                table.leave(device, incarnation: known.incarnation, sequence: known.sequence, now: now)
                return .expired(device: device)
            }
        }
    }
}
