import Basics
import Vocabulary

/// Both clocks at the moment of an input.
struct CallMoment: Sendable {
    let now: Instant
    let wall: WallTime
}

/// One call of this device with another account: what this side says of itself, and the other side's devices.
///
/// Its methods change it and note what has to be told; ``flush(at:)`` returns all of that once, at the end of an input.
struct Call: CallStateMachine {
    var core: CallCore
    /// The other account.
    let account: AccountID
    let caller: CallParty

    private(set) var phase: CallPhase
    private(set) var peers: [DeviceID: CallPeer] = [:]
    /// Whether it gave way and the other side has not said yet how it ended there: then a record may still be due.
    private var owesRecord = false
    private(set) var clock = CallClock()

    var times: CallTimes {
        get { clock.times }
        set { clock.times = newValue }
    }
    var isOutgoing: Bool { caller == own }
    var isOver: Bool { phase == .ended }
    /// Whether this side takes part: it talks, or waits until it can.
    var isEngaged: Bool { phase == .calling || phase == .joined || phase == .away }
    var rings: Bool { phase == .ringing || phase == .waiting }
    /// Whether the other side takes part, or did.
    var isTaken: Bool { peers.values.contains(where: \.takesPart) }

    /// Begins a call from this device to these devices of the other account.
    init(
        _ id: UUIDv7, from own: CallParty, to devices: [CallParty], of account: AccountID, media: CallMedia,
        time: HybridTime, seat: CallSeat, ringTime: Duration, at moment: CallMoment
    ) {
        core = CallCore(
            id, wireID: id, own: own, media: media, time: time, startedAt: moment.wall,
            bytesOfDevice: PeerLimits.callSignalsKept)
        (caller, self.account, phase) = (own, account, .calling)
        for party in devices { peers[party.device] = CallPeer(party, isHere: true, now: moment.now) }
        assign(seat, at: moment)
        clock.ring(until: moment.now + ringTime, silentAt: moment.now + PeerLimits.callSilence)
    }

    /// Takes in a call that another account has begun.
    /// - Parameter seat: the window that answers it at once, where two calls have crossed.
    init(
        _ id: UUIDv7, _ body: CallStateBody, from caller: CallParty, to own: CallParty, phase: CallPhase,
        seat: CallSeat? = nil, at moment: CallMoment
    ) {
        core = CallCore(
            id, wireID: body.call, own: own, media: body.media, time: body.time, startedAt: moment.wall,
            bytesOfDevice: PeerLimits.callSignalsKept)
        (self.caller, account, self.phase) = (caller, caller.account, phase)
        var peer = CallPeer(caller, isHere: true, now: moment.now)
        _ = peer.hear(body, now: moment.now)
        peers[caller.device] = peer
        clock.ring(until: moment.now + PeerLimits.callRingLongest, silentAt: nil)
        if let seat { join(seat, at: moment) }
        core.news.note(urgent: true)
    }

    // MARK: What this side does

    mutating func accept(_ seat: CallSeat, at moment: CallMoment) throws(CallObjection) {
        guard rings else { throw isOutgoing ? .own : .taken }
        join(seat, at: moment)
    }

    mutating func decline(at moment: CallMoment) throws(CallObjection) {
        guard !isOutgoing else { throw .own }
        guard rings else { throw .taken }
        end(.declined, at: moment)
    }

    /// Ends the call: one that rings elsewhere is cancelled, one that rings here is declined.
    mutating func hangUp(at moment: CallMoment) {
        end(phase == .calling ? .cancelled : rings ? .declined : .hangup, at: moment)
    }

    /// Ends the call; the reason for one that rings here is ``CallEnding/nobody``.
    mutating func finish(at moment: CallMoment) {
        end(rings ? .nobody : phase == .calling ? .cancelled : .hangup, at: moment)
    }

    /// Takes the call for a window.
    mutating func join(_ seat: CallSeat, at moment: CallMoment) {
        phase = .joined
        assign(seat, at: moment)
        clock.joined(now: moment.now)
        talk(moment)
    }

    mutating func assign(_ seat: CallSeat, at moment: CallMoment) {
        core.assign(seat)
        for device in peers.keys { peers[device]?.beginGeneration() }
        if phase == .away { phase = .joined }
        times.seated(now: moment.now)
        if phase == .joined, isTaken { clock.reconnects(now: moment.now) }
    }

    /// Notes that the window is there.
    /// - Parameter connected: the devices with which it has a connection.
    mutating func report(connected: Set<DeviceID>, at moment: CallMoment) {
        times.seated(now: moment.now)
        if phase == .away {
            phase = .joined
            core.news.note(urgent: true)
        }
        if clock.report(isConnected: !connected.isEmpty, at: moment) { core.news.show() }
    }

    /// Ends this side's part for this reason; signals are refused from then on.
    mutating func end(_ reason: CallEnding, at moment: CallMoment) {
        guard !isOver else { return }
        let outcome = outcome(reason)
        clock.end(now: moment.now)
        phase = .ended
        core.reason = reason
        core.inbox.clear()
        core.news.note(urgent: true)
        // A caller that gave way decides later; the other side writes nothing, as only the caller knows whether there is a record.
        guard replacedBy == nil, reason != .elsewhere || isOutgoing else { return }
        note(outcome, at: moment)
    }

    private mutating func note(_ outcome: CallOutcome, at moment: CallMoment) {
        owesRecord = false
        core.news.record(
            CallNote(
                id: id, call: wireID, account: account, caller: caller, isOutgoing: isOutgoing, time: time,
                record: record(outcome, at: moment)))
    }

    /// Gives way to a call that crossed this one, which leaves no record if the other side says that it never rang there.
    mutating func giveWay(to other: UUIDv7, at moment: CallMoment) {
        core.replacedBy = other
        owesRecord = true
        end(.elsewhere, at: moment)
    }

    /// Writes the record of a call that gave way, if the other side has never said what became of it.
    mutating func forget(at moment: CallMoment) { if owesRecord { note(.cancelled, at: moment) } }

    /// Returns what became of the call if it ends for this reason, whichever side gives it.
    private func outcome(_ reason: CallEnding) -> CallOutcome {
        // Both sides have said that they take part, or one that took part has left.
        if reason == .hangup || (isTaken && (phase == .joined || phase == .away)) {
            return reason == .failed && times.connectedAt == nil ? .failed : .answered
        }
        return reason.outcome
    }

    // MARK: Sessions

    /// Notes that a session with a device of the other account is open, and tells it how this side stands.
    mutating func met(_ party: CallParty, at moment: CallMoment) {
        guard party.account == account, isOutgoing || party.device == caller.device else { return }
        if peers[party.device] == nil {
            guard phase == .calling else { return }
            peers[party.device] = CallPeer(party, isHere: true, now: moment.now)
        }
        peers[party.device]?.met()
        tell(party.device)
        core.news.show()
    }

    mutating func lost(_ device: DeviceID, at moment: CallMoment) {
        guard peers[device] != nil else { return }
        peers[device]?.lost(now: moment.now)
        core.news.show()
    }

    mutating func parted(_ account: AccountID, at moment: CallMoment) {
        if account == self.account { end(.lost, at: moment) }
    }

    // MARK: What the other side says

    mutating func hear(_ body: CallStateBody, from party: CallParty, at moment: CallMoment) -> CallRefused? {
        let device = party.device
        guard party.account == account, body.root == nil, var peer = peers[device] else { return .unknown }
        let (before, generation) = (peer.phase, peer.state?.generation ?? 0)
        let heard = peer.hear(body, now: moment.now)
        peers[device] = peer
        if case .refused(let why) = heard { return why }
        if isOver {
            // The device has not heard that this side is out.
            if body.phase != .ended { tell(device) } else if owesRecord { settle(body.reason ?? .failed, at: moment) }
            return nil
        }
        let unheard = peers[device]?.catchUp(generation: core.generation, now: moment.now) ?? []
        for signal in unheard {
            core.news.tell(device, .callSignal(signal))
        }
        guard case .news = heard else { return nil }
        core.news.show()
        core.news.keep()
        core.inbox.drop(device, before: body.generation)
        switch body.phase {
        case .joined where phase == .calling: answered(by: device, at: moment)
        case .ended: left(device, before, body.reason ?? .failed, at: moment)
        // A window on the other side was reloaded, so the connection starts again.
        case .joined where generation > 0 && body.generation > generation && phase == .joined:
            clock.reconnects(now: moment.now)
        default: break
        }
        talk(moment)
        return nil
    }

    /// Decides on the record of a call that gave way, by the reason of the other side: any but ``CallEnding/elsewhere`` says that it rang.
    private mutating func settle(_ reason: CallEnding, at moment: CallMoment) {
        owesRecord = false
        core.news.keep()
        if reason != .elsewhere { note(outcome(reason), at: moment) }
    }

    /// Joins the call that a device of the other side has taken, and has the other devices there stop ringing.
    private mutating func answered(by device: DeviceID, at moment: CallMoment) {
        phase = .joined
        clock.joined(now: moment.now)
        for other in peers.keys where other != device {
            core.news.tell(other, .callState(state(for: other, as: .ended, .elsewhere, at: moment)))
            peers[other] = nil
        }
        core.news.note(urgent: true)
    }

    private mutating func left(
        _ device: DeviceID, _ before: CallPhase?, _ why: CallEnding, at moment: CallMoment
    ) {
        let wasTaken = before == .joined || before == .away
        // A device that hangs up had taken the call, even where that was not heard: the others there ring for nothing.
        if phase == .calling, !wasTaken, why != .hangup, !peers.values.allSatisfy(\.isOver) { return }
        if wasTaken, phase == .joined || phase == .away {
            // The talk of both is over, and so is this side's part.
            let outcome: CallEnding = why == .failed && times.connectedAt == nil ? .failed : .hangup
            end(outcome, at: moment)
            core.reason = why
            return
        }
        end(why, at: moment)
    }

    mutating func hear(
        _ body: CallSignalBody, from party: CallParty, _ addresses: CallAddresses, at moment: CallMoment
    ) -> CallRefused? {
        guard !isOver, party.account == account, var peer = peers[party.device] else { return .unknown }
        defer { peers[party.device] = peer }
        return core.hear(body, from: &peer, addresses, now: moment.now)
    }

    // MARK: Signals of this side

    mutating func send(
        _ kind: CallSignalKind, sdp: String?, candidates: [CallCandidate], to device: DeviceID, at moment: CallMoment
    ) throws(CallObjection) {
        guard var peer = peers[device], !peer.isOver else { throw .noDevice }
        try core.send(kind, sdp: sdp, candidates: candidates, to: &peer, now: moment.now)
        peers[device] = peer
    }

    // MARK: Time

    var nextDeadline: Instant? {
        if isOver { return clock.forgetAt }
        var deadlines = [clock.nextDeadline]
        if let opens = core.news.opensAt { deadlines.append(opens) }
        for peer in peers.values {
            if rings, let lost = peer.lostAt { deadlines.append(lost + PeerLimits.callRingLost) }
            if let away = peer.awaySince { deadlines.append(away + PeerLimits.callAwayTime) }
        }
        return deadlines.compactMap(\.self).min()
    }

    /// Whether the call is over and its end need not be remembered any more.
    func isForgotten(now: Instant) -> Bool { isOver && clock.forgetAt.map { $0 <= now } ?? true }

    mutating func tick(at moment: CallMoment) {
        let now = moment.now
        guard !isOver else { return }
        if rings, peers.values.contains(where: { $0.lostAt.map { $0 + PeerLimits.callRingLost <= now } ?? false }) {
            return end(.lost, at: moment)
        }
        if phase == .joined || phase == .away,
            peers.values.contains(where: { $0.awaySince.map { $0 + PeerLimits.callAwayTime <= now } ?? false })
        {
            return end(.lost, at: moment)
        }
        switch clock.tick(phase: phase, isTaken: isTaken, isPeerAway: peers.values.contains { $0.phase == .away }, now)
        {
        case .nothing: break
        case .shown: core.news.show()
        case .keep: core.news.keep()
        case .seatEmpty where phase == .calling: end(.cancelled, at: moment)
        case .seatEmpty:
            phase = .away
            core.news.note(urgent: true)
        case .over(let reason): end(reason, at: moment)
        }
    }

    private mutating func talk(_ moment: CallMoment) {
        if isTaken, phase == .joined || phase == .away { times.talk(true, now: moment.now) }
    }

    // MARK: What is told

    private func state(
        for device: DeviceID, as phase: CallPhase? = nil, _ reason: CallEnding? = nil, at moment: CallMoment? = nil
    ) -> CallStateBody {
        let next = moment.map { core.news.next(after: $0.wall) } ?? core.news.number
        return CallStateBody(
            call: wireID, number: next, phase: phase ?? self.phase, media: media, time: time,
            reason: reason ?? self.reason, sends: sends, generation: generation, fingerprint: seat?.fingerprint,
            heard: peers[device]?.heard ?? CallHeard())
    }

    /// Tells the device again how this side stands.
    private mutating func tell(_ device: DeviceID) {
        guard core.news.number > 0 else { return }
        core.news.tell(device, .callState(state(for: device)))
    }

    /// Returns the effects that this input has brought about.
    mutating func flush(at moment: CallMoment) -> [CallEffect] {
        var states: [CallEffect] = []
        if core.news.acquireTurn(at: moment) {
            for (device, peer) in peers where peer.isHere && (!peer.isOver || !isOver) {
                states.append(.tell(device, .callState(state(for: device))))
            }
        }
        return core.news.flush(id, states: states) { [self] in .keep(id, memory(at: moment)) }
    }

    func view(at moment: CallMoment) -> CallView { CallView(self, at: moment) }

    // MARK: Memory

    /// - Throws: ``WireError`` for bytes that ``memory(at:)`` has not made.
    init(remembering bytes: [UInt8], at moment: CallMoment) throws(WireError) {
        let body = try BodyReader(bytes)
        core = try CallCore(remembering: body, bytesOfDevice: PeerLimits.callSignalsKept)
        caller = CallParty(account: try body.callAccount(5), device: try body.device(6, "caller"))
        (account, phase) = (try body.callAccount(4), try body.word(10, "phase"))
        owesRecord = try body.boolean(20, "owes")
        for peer in try body.callPeers(numbersAnew: false, now: moment.now) { peers[peer.party.device] = peer }
        clock = CallClock(
            remembering: try body.callTimes(startedAt: startedAt, at: moment), phase: phase, isTaken: isTaken,
            now: moment.now)
    }

    private func memory(at moment: CallMoment) -> [UInt8] {
        var map = core.memory(phase: phase, peers: Array(peers.values), times: times, at: moment)
        map[4] = .bytes(account.bytes)
        map[5] = .bytes(caller.account.bytes)
        map[6] = .bytes(caller.device.bytes)
        map[20] = .boolean(owesRecord)
        return CBOR.map(map).encoded()
    }
}
