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
struct Call: AnyCall {
    let id: UUIDv7
    let wireID: UUIDv7
    let own: CallParty
    /// The other account.
    let account: AccountID
    let caller: CallParty
    let media: CallMedia
    /// The place of its record in the conversation.
    let time: HybridTime
    let startedAt: WallTime

    private(set) var phase: CallPhase
    private(set) var reason: CallEnding?
    private(set) var seat: CallSeat?
    private(set) var peers: [DeviceID: CallPeer] = [:]
    /// The call that took its place when two crossed.
    private(set) var replacedBy: UUIDv7?
    /// Whether it gave way and the other side has not said yet how it ended there: then a record may still be due.
    private var owesRecord = false
    private(set) var generation: UInt64 = 0
    private(set) var sends: CallSends = []
    private(set) var inbox = CallInbox()
    var places = CallPlaces()
    private(set) var clock = CallClock()
    private var news = CallNews()

    var isOutgoing: Bool { caller == own }
    var lastNumber: UInt64 { news.number }
    var isClosing: Bool { clock.isClosing }
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
        (self.id, wireID, self.own, caller, self.account, self.media) = (id, id, own, own, account, media)
        (self.time, startedAt, phase) = (time, moment.wall, .calling)
        for party in devices { peers[party.device] = CallPeer(party, isHere: true, now: moment.now) }
        take(seat, at: moment)
        clock.ring(until: moment.now + ringTime, silentAt: moment.now + PeerLimits.callSilence)
    }

    /// Takes in a call that another account has begun.
    /// - Parameter seat: the window that answers it at once, where two calls have crossed.
    init(
        _ id: UUIDv7, _ body: CallStateBody, from caller: CallParty, to own: CallParty, phase: CallPhase,
        seat: CallSeat? = nil, at moment: CallMoment
    ) {
        (self.id, wireID, self.own, self.caller, account) = (id, body.call, own, caller, caller.account)
        (media, time, startedAt) = (body.media, body.time, moment.wall)
        self.phase = phase
        var peer = CallPeer(caller, isHere: true, now: moment.now)
        _ = peer.hear(body, now: moment.now)
        peers[caller.device] = peer
        clock.ring(until: moment.now + PeerLimits.callRingLongest, silentAt: nil)
        if let seat { join(seat, at: moment) }
        news.note(urgent: true)
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
        take(seat, at: moment)
        clock.joined(now: moment.now)
        talk(moment)
    }

    /// Gives the seat to a window: another one, or the same after a reload. Each time a generation begins, because the connection
    /// between the windows starts again.
    mutating func take(_ seat: CallSeat, at moment: CallMoment) {
        self.seat = seat
        generation += 1
        sends = []
        if generation > 1 { inbox.clear() }
        for device in peers.keys { peers[device]?.beginGeneration() }
        if phase == .away { phase = .joined }
        clock.seated(now: moment.now)
        if phase == .joined, isTaken { clock.reconnects(now: moment.now) }
        news.note(urgent: true)
    }

    mutating func update(_ sends: CallSends) {
        guard sends != self.sends else { return }
        self.sends = sends
        news.note()
    }

    /// Notes that the window is there.
    /// - Parameter connected: the devices with which it has a connection.
    mutating func report(connected: Set<DeviceID>, at moment: CallMoment) {
        clock.seated(now: moment.now)
        if phase == .away {
            phase = .joined
            news.note(urgent: true)
        }
        if clock.report(isConnected: !connected.isEmpty, at: moment) { news.show() }
    }

    mutating func close(at moment: CallMoment) { clock.close(now: moment.now) }

    /// Ends this side's part for this reason; signals are refused from then on.
    mutating func end(_ reason: CallEnding, at moment: CallMoment) {
        guard !isOver else { return }
        let outcome = outcome(reason)
        clock.end(now: moment.now)
        phase = .ended
        self.reason = reason
        inbox.clear()
        news.note(urgent: true)
        // A caller that gave way decides later; the other side writes nothing, as only the caller knows whether there is a record.
        guard replacedBy == nil, reason != .elsewhere || isOutgoing else { return }
        record(outcome, at: moment)
    }

    private mutating func record(_ outcome: CallOutcome, at moment: CallMoment) {
        owesRecord = false
        news.record(
            CallNote(
                id: id, call: wireID, account: account, caller: caller, isOutgoing: isOutgoing, time: time,
                record: CallRecord(
                    media: media, outcome: outcome, startedAt: startedAt, duration: clock.talked(at: moment.now))))
    }

    /// Gives way to a call that crossed this one, which leaves no record if the other side says that it never rang there.
    mutating func giveWay(to other: UUIDv7, at moment: CallMoment) {
        replacedBy = other
        owesRecord = true
        end(.elsewhere, at: moment)
    }

    /// Writes the record of a call that gave way, if the other side has never said what became of it.
    mutating func forget(at moment: CallMoment) { if owesRecord { record(.cancelled, at: moment) } }

    /// Returns what became of the call if it ends for this reason, whichever side gives it.
    private func outcome(_ reason: CallEnding) -> CallOutcome {
        // Both sides have said that they take part, or one that took part has left.
        if reason == .hangup || (isTaken && (phase == .joined || phase == .away)) {
            return reason == .failed && clock.connectedAt == nil ? .failed : .answered
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
        news.show()
    }

    mutating func lost(_ device: DeviceID, at moment: CallMoment) {
        guard peers[device] != nil else { return }
        peers[device]?.lost(now: moment.now)
        news.show()
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
        for signal in peers[device]?.catchUp(generation: self.generation, now: moment.now) ?? [] {
            news.tell(device, .callSignal(signal))
        }
        guard case .news = heard else { return nil }
        news.show()
        news.keep()
        inbox.drop(device, before: body.generation)
        switch body.phase {
        case .joined where phase == .calling: taken(by: device, at: moment)
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
        news.keep()
        if reason != .elsewhere { record(outcome(reason), at: moment) }
    }

    /// Joins the call that a device of the other side has taken, and has the other devices there stop ringing.
    private mutating func taken(by device: DeviceID, at moment: CallMoment) {
        phase = .joined
        clock.joined(now: moment.now)
        for other in peers.keys where other != device {
            news.tell(other, .callState(state(for: other, as: .ended, .elsewhere, at: moment)))
            peers[other] = nil
        }
        news.note(urgent: true)
    }

    private mutating func left(
        _ device: DeviceID, _ before: CallPhase?, _ why: CallEnding, at moment: CallMoment
    ) {
        let wasTaken = before == .joined || before == .away
        // A device that hangs up had taken the call, even where that was not heard: the others there ring for nothing.
        if phase == .calling, !wasTaken, why != .hangup, !peers.values.allSatisfy(\.isOver) { return }
        if wasTaken, phase == .joined || phase == .away {
            // The talk of both is over, and so is this side's part.
            let outcome: CallEnding = why == .failed && clock.connectedAt == nil ? .failed : .hangup
            end(outcome, at: moment)
            reason = why
            return
        }
        end(why, at: moment)
    }

    mutating func hear(
        _ body: CallSignalBody, from party: CallParty, _ addresses: CallAddresses, at moment: CallMoment
    ) -> CallRefused? {
        let device = party.device
        guard !isOver, party.account == account, var peer = peers[device] else { return .unknown }
        defer { peers[device] = peer }
        do {
            try peer.hear(body, generation: generation, now: moment.now)
        } catch {
            return error.why
        }
        news.keep()
        let candidates = addresses.taken(body.candidates, of: party.account, &places)
        if body.kind == .candidates, candidates.isEmpty { return .addresses }
        guard inbox.take(body, from: device, candidates) else { return .tooMuch }
        news.show()
        return nil
    }

    // MARK: Signals of this side

    mutating func send(
        _ kind: CallSignalKind, sdp: String?, candidates: [CallCandidate], to device: DeviceID, at moment: CallMoment
    ) throws(CallObjection) {
        guard var peer = peers[device], !peer.isOver else { throw .noDevice }
        let signal = try peer.send(
            { [wireID, generation] number, to in
                CallSignalBody(
                    call: wireID, generation: generation, number: number, kind: kind, sdp: sdp, candidates: candidates,
                    to: to)
            }, now: moment.now)
        peers[device] = peer
        news.keep()
        if let signal { news.tell(device, .callSignal(signal)) }
    }

    mutating func signals(after index: UInt64) -> (items: [CallSignalItem], next: UInt64) { inbox.read(after: index) }

    // MARK: Time

    var nextDeadline: Instant? {
        if isOver { return clock.forgetAt }
        var deadlines = [clock.nextDeadline]
        if let opens = news.opensAt { deadlines.append(opens) }
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
        case .shown: news.show()
        case .keep: news.keep()
        case .seatEmpty where phase == .calling: end(.cancelled, at: moment)
        case .seatEmpty:
            phase = .away
            news.note(urgent: true)
        case .over(let reason): end(reason, at: moment)
        }
    }

    private mutating func talk(_ moment: CallMoment) {
        if isTaken, phase == .joined || phase == .away { clock.talk(now: moment.now) }
    }

    // MARK: What is told

    private func state(
        for device: DeviceID, as phase: CallPhase? = nil, _ reason: CallEnding? = nil, at moment: CallMoment? = nil
    ) -> CallStateBody {
        let next = moment.map { news.next(after: $0.wall) } ?? news.number
        return CallStateBody(
            call: wireID, number: next, phase: phase ?? self.phase, media: media, time: time,
            reason: reason ?? self.reason, sends: sends, generation: generation, fingerprint: seat?.fingerprint,
            heard: peers[device]?.heard ?? CallHeard())
    }

    /// Tells the device again how this side stands.
    private mutating func tell(_ device: DeviceID) {
        guard news.number > 0 else { return }
        news.tell(device, .callState(state(for: device)))
    }

    /// Returns the effects that this input has brought about.
    mutating func flush(at moment: CallMoment) -> [CallEffect] {
        var states: [CallEffect] = []
        if news.takeTurn(at: moment) {
            for (device, peer) in peers where peer.isHere && (!peer.isOver || !isOver) {
                states.append(.tell(device, .callState(state(for: device))))
            }
        }
        return news.flush(id, states: states) { [self] in .keep(id, memory(at: moment)) }
    }

    func view(at moment: CallMoment) -> CallView { CallView(self, at: moment) }

    // MARK: Memory

    /// - Throws: ``WireError`` for bytes that ``memory(at:)`` has not made.
    init(remembering bytes: [UInt8], at moment: CallMoment) throws(WireError) {
        let memory = try CallMemory(decoding: bytes, now: moment.now)
        (id, wireID, own, caller) = (memory.call, memory.wireID, memory.own, memory.caller)
        (account, media, time, startedAt) = (memory.account, memory.media, memory.time, memory.startedAt)
        (phase, reason, seat, sends) = (memory.phase, memory.reason, memory.seat, memory.sends)
        (generation, inbox, places, replacedBy) = (memory.generation, memory.inbox, memory.places, memory.replacedBy)
        (news, owesRecord) = (CallNews(number: memory.number), memory.owesRecord)
        for peer in memory.peers { peers[peer.party.device] = peer }
        clock = try CallClock(
            remembering: memory.times, phase: phase, startedAt: startedAt, isTaken: isTaken, at: moment)
    }

    private func memory(at moment: CallMoment) -> [UInt8] {
        CallMemory(
            call: id, wireID: wireID, own: own, caller: caller, account: account, media: media, time: time,
            startedAt: startedAt, phase: phase, reason: reason, seat: seat, sends: sends, number: news.number,
            generation: generation, inbox: inbox, places: places, peers: Array(peers.values), replacedBy: replacedBy,
            owesRecord: owesRecord, times: clock.memory(at: moment)
        ).encoded()
    }
}
