import Basics
import Vocabulary

/// A call of a group, as this device knows it: which devices say that they take part, whether it rings here, and what this side
/// says of itself. It is over when no device takes part; until then this side may join, leave and join again.
struct GroupCall: AnyCall {
    let id: UUIDv7
    let wireID: UUIDv7
    let own: CallParty
    let media: CallMedia
    let startedAt: WallTime
    /// The place of its record: the time of the first state that was heard, or that at which this side began it.
    let time: HybridTime
    /// The account that announced it first; this one if it began the call.
    let teller: AccountID
    /// Who is responsible for the call.
    let payer: CallPayer
    private(set) var peers: GroupCallPeers

    /// The phase of this side; nil if it has neither taken part nor rung here.
    private(set) var part: CallPhase?
    private(set) var reason: CallEnding?
    private(set) var seat: CallSeat?
    /// The others that take part: at most seven, in the order in which they have joined.
    private(set) var company: [CallParty] = []
    /// The call of the group that took its place when two crossed.
    private(set) var replacedBy: UUIDv7?
    /// The device that asked for the ring; nil if it has not rung here.
    private var ringer: CallParty?
    /// When this side joined last; zero if it never did.
    private var joinedAt = HybridTime(rawValue: 0)
    /// Whether this account has begun it.
    private(set) var isOutgoing = false
    /// Whether another device took part while this side did.
    private var hadCompany = false
    private(set) var generation: UInt64 = 0
    private(set) var sends: CallSends = []
    private(set) var inbox = CallInbox(bytesOfDevice: PeerLimits.groupCallSignalsKept)
    var places = CallPlaces()
    private(set) var clock = GroupCallClock()
    private var news: CallNews

    /// Whether this side takes part.
    var isEngaged: Bool { part?.takesPart ?? false }
    var rings: Bool { part == .ringing || part == .waiting }
    var isOver: Bool { !isEngaged && company.isEmpty }
    var lastNumber: UInt64 { news.number }
    var isClosing: Bool { clock.isClosing }
    private var hasJoined: Bool { joinedAt.rawValue > 0 }

    /// Begins a call.
    /// - Parameters:
    ///   - ringTime: how long the others are asked to ring.
    ///   - floor: the numbers of its states are greater than this, since it may be a call that was forgotten.
    init(
        _ id: UUIDv7, from own: CallParty, in group: CallGroup, here: [DeviceID: AccountID], media: CallMedia,
        time: HybridTime, seat: CallSeat, ringTime: Duration, floor: UInt64, at moment: CallMoment
    ) {
        news = CallNews(floor: floor)
        (self.id, wireID, self.own, self.media, self.time) = (id, id, own, media, time)
        (startedAt, teller, payer) = (moment.wall, own.account, .friend(own.account))
        isOutgoing = true
        peers = GroupCallPeers(group, here: here)
        (part, joinedAt) = (.joined, time)
        take(seat, at: moment)
        if group.isSmall { clock.ring(until: moment.now + ringTime) }
        news.announce(note(.answered, startedBy: own, at: moment))
    }

    /// Takes note of a call of which a member has told.
    init(
        _ id: UUIDv7, _ body: CallStateBody, from party: CallParty, to own: CallParty, in group: CallGroup,
        here: [DeviceID: AccountID], payer: CallPayer, floor: UInt64, at moment: CallMoment
    ) {
        news = CallNews(floor: floor)
        (self.id, wireID, self.own, self.payer) = (id, body.call, own, payer)
        (media, time, startedAt, teller) = (body.media, body.time, moment.wall, party.account)
        peers = GroupCallPeers(group, here: here)
        _ = hear(body, from: party, at: moment)
    }

    // MARK: What this side does

    /// Whether the call may ring here because this device asks for it.
    func mayRing(for device: DeviceID) -> Bool {
        part == nil && peers.group.isSmall && company.contains { $0.device == device } && peers.asksToRing(device)
    }

    /// Lets the call ring here, as this device asks for it.
    /// - Parameter isWaiting: whether the user is in another call.
    mutating func ring(for device: DeviceID, isWaiting: Bool, at moment: CallMoment) {
        part = isWaiting ? .waiting : .ringing
        ringer = peers[device]?.party
        clock.ring(until: moment.now + PeerLimits.callRingLongest)
        news.note(urgent: true)
    }

    mutating func accept(_ seat: CallSeat, at moment: CallMoment) throws(CallObjection) {
        guard !isEngaged else { throw .taken }
        guard company.count < PeerLimits.callPeople else { throw .full }
        clock.ringEnds()
        (part, reason) = (.joined, nil)
        joinedAt = peers.timeToJoin(after: joinedAt, at: moment)
        take(seat, at: moment)
        review(at: moment)
    }

    mutating func decline(at moment: CallMoment) throws(CallObjection) {
        guard !isEngaged else { throw .taken }
        end(.declined, at: moment)
    }

    mutating func hangUp(at moment: CallMoment) { end(rings ? .declined : .hangup, at: moment) }

    mutating func finish(at moment: CallMoment) { end(rings ? .nobody : .hangup, at: moment) }

    mutating func close(at moment: CallMoment) { clock.close(now: moment.now) }

    mutating func take(_ seat: CallSeat, at moment: CallMoment) {
        self.seat = seat
        generation += 1
        sends = []
        inbox.clear()
        peers.beginGeneration()
        if part == .away { part = .joined }
        clock.seated(now: moment.now)
        news.note(urgent: true)
    }

    mutating func update(_ sends: CallSends) {
        guard sends != self.sends else { return }
        self.sends = sends
        news.note()
    }

    mutating func report(connected: Set<DeviceID>, at moment: CallMoment) {
        clock.seated(now: moment.now)
        if part == .away {
            part = .joined
            news.note(urgent: true)
        }
        if peers.connect(connected) { news.show() }
        if !peers.connected.isEmpty { clock.connected(at: moment) }
    }

    /// Ends this side's part, or its ringing. The others may go on.
    private mutating func end(_ why: CallEnding, at moment: CallMoment) {
        guard isEngaged || rings else { return }
        let wasEngaged = isEngaged
        clock.talk(false, now: moment.now)
        clock.left()
        (part, reason) = (.ended, why)
        inbox.clear()
        peers.beginGeneration()
        // The devices where it rings tell this one nothing more.
        peers.forgetIdle()
        news.note(urgent: true)
        if wasEngaged {
            if why != .elsewhere || hadCompany {
                news.record(note(hadCompany || !isOutgoing ? .answered : .unanswered, startedBy: nil, at: moment))
            }
        } else if why != .elsewhere {
            news.record(note(why == .declined ? .declined : .unanswered, startedBy: ringer, at: moment))
        }
        review(at: moment)
    }

    private func note(_ outcome: CallOutcome, startedBy starter: CallParty?, at moment: CallMoment) -> GroupCallNote {
        GroupCallNote(
            id: id, call: wireID, root: peers.group.root, starter: starter, time: time,
            record: CallRecord(
                media: media, outcome: outcome, startedAt: startedAt, duration: clock.talked(at: moment.now)))
    }

    mutating func giveWay(to other: UUIDv7, at moment: CallMoment) {
        replacedBy = other
        end(.elsewhere, at: moment)
        if reason == nil { reason = .elsewhere }
        peers.forgetAll()
        news.show()
        review(at: moment)
    }

    /// Forgets who takes part, so that the call is over here: its place is needed for another one.
    mutating func abandon(at moment: CallMoment) {
        peers.forgetAll()
        news.show()
        review(at: moment)
    }

    // MARK: Who takes part

    /// Works out again which devices take part, and what follows for this side.
    private mutating func review(at moment: CallMoment) {
        let seated = peers.seated(with: isEngaged ? (joinedAt, own) : nil)
        if isEngaged, !seated.contains(own) { return end(.full, at: moment) }
        let others = seated.filter { $0 != own }
        if others != company {
            company = others
            clock.repeatSoon(now: moment.now)
            news.show()
        }
        let talks = isEngaged && !others.isEmpty
        hadCompany = hadCompany || talks
        clock.talk(talks, now: moment.now)
        clock.goesOn(!isOver, now: moment.now)
        if rings, !company.contains(where: { peers.asksToRing($0.device) }) {
            end(.unanswered, at: moment)
        }
    }

    // MARK: Sessions and members

    mutating func met(_ party: CallParty, at moment: CallMoment) {
        guard peers.met(party) else { return }
        if hasJoined || peers.takesPart(party.device) { tell(party.device) }
        news.show()
    }

    mutating func lost(_ device: DeviceID, at moment: CallMoment) {
        guard peers.lost(device, now: moment.now) else { return }
        clock.repeatSoon(now: moment.now)
        news.show()
    }

    mutating func parted(_ account: AccountID, at moment: CallMoment) {
        for device in peers.part(account) { drop(device) }
        review(at: moment)
    }

    /// Takes over the group's new membership.
    /// - Parameters:
    ///   - group: nil if this account is no member any more.
    ///   - here: all devices that have a session with this one and can be called.
    mutating func regroup(_ group: CallGroup?, here: [DeviceID: AccountID], at moment: CallMoment) {
        if group == nil { end(.notAllowed, at: moment) }
        let (came, went) = peers.regroup(
            group ?? CallGroup(root: peers.group.root, members: [:]), here: here)
        for device in went { drop(device) }
        if hasJoined { for device in came { tell(device) } }
        news.show()
        review(at: moment)
    }

    private mutating func drop(_ device: DeviceID) {
        peers.forget(device)
        inbox.drop(device, before: .max)
        if part != nil { news.keep() }
    }

    // MARK: What others say

    mutating func hear(_ body: CallStateBody, from party: CallParty, at moment: CallMoment) -> CallRefused? {
        let device = party.device
        guard replacedBy == nil, body.root == peers.group.root, body.phase != .calling, peers.isMember(party.account)
        else { return .unknown }
        if peers[device] == nil {
            // The end of a device that was not known to take part changes nothing.
            guard body.phase != .ended else { return nil }
            guard peers.makeRoom(for: party.account) else { return .tooMuch }
            peers[device] = CallPeer(party, isHere: peers.here[device] != nil, numbersAnew: true, now: moment.now)
        }
        guard var peer = peers[device], peer.party == party else { return .unknown }
        let before = peer.state?.time
        let heard = peer.hear(body, now: moment.now)
        peers[device] = peer
        if case .refused(let why) = heard { return why }
        for signal in peers[device]?.catchUp(generation: generation, now: moment.now) ?? [] {
            news.tell(device, .callSignal(signal))
        }
        if !isEngaged, body.with.contains(own.device) {
            // The device has not heard that this side is out.
            if part == nil { (part, reason) = (.ended, .lost) }
            news.keep()
            if news.number == 0 { news.count(at: moment) }
            tell(device)
        }
        guard case .news = heard else { return nil }
        news.show()
        if part != nil { news.keep() }
        inbox.drop(device, before: body.time == before ? body.generation : .max)
        if !body.phase.takesPart { peers.disconnect(device) }
        // The device that asked for the ring has gone to another call, so the user has missed nothing.
        if rings, ringer == party, body.reason == .elsewhere { end(.elsewhere, at: moment) }
        if rings, body.phase.takesPart, body.time != before { tell(device) }
        review(at: moment)
        return nil
    }

    mutating func hear(
        _ body: CallSignalBody, from party: CallParty, _ addresses: CallAddresses, at moment: CallMoment
    ) -> CallRefused? {
        guard isEngaged, company.contains(party), var peer = peers[party.device] else { return .unknown }
        defer { peers[party.device] = peer }
        do { try peer.hear(body, generation: generation, now: moment.now) } catch { return error.why }
        news.keep()
        let candidates = addresses.taken(body.candidates, of: party.account, &places)
        if body.kind == .candidates, candidates.isEmpty { return .addresses }
        guard inbox.take(body, from: party.device, candidates) else { return .tooMuch }
        news.show()
        return nil
    }

    // MARK: Signals of this side

    mutating func send(
        _ kind: CallSignalKind, sdp: String?, candidates: [CallCandidate], to device: DeviceID, at moment: CallMoment
    ) throws(CallObjection) {
        guard company.contains(where: { $0.device == device }), var peer = peers[device] else { throw .noDevice }
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
        [clock.nextDeadline, news.opensAt, peers.nextDeadline].compactMap(\.self).min()
    }

    func isForgotten(now: Instant) -> Bool { isOver && clock.forgetAt.map { $0 <= now } ?? true }

    mutating func tick(at moment: CallMoment) {
        for device in peers.late(moment.now) { drop(device) }
        review(at: moment)
        switch clock.tick(moment.now) {
        case .nothing: break
        case .rung: if rings { end(.unanswered, at: moment) } else { news.note(urgent: true) }
        case .seatEmpty:
            part = .away
            _ = peers.connect([])
            news.note(urgent: true)
        case .lost: end(.lost, at: moment)
        case .closed: end(.hangup, at: moment)
        case .again: news.note()
        case .keep: news.keep()
        }
    }

    // MARK: What is told

    private func state(for device: DeviceID) -> CallStateBody {
        let asksToRing = isEngaged && isOutgoing && clock.isRinging
        let others = isEngaged ? company.filter { peers[$0.device]?.isHere == true } : []
        return CallStateBody(
            call: wireID, number: news.number, phase: part ?? .ended, media: media, time: hasJoined ? joinedAt : time,
            root: peers.group.root, reason: part == .ended ? reason : nil,
            sends: asksToRing ? sends.union(.ring) : sends, generation: generation,
            fingerprint: seat?.fingerprint, heard: peers[device]?.heard ?? CallHeard(),
            with: others.map(\.device).sorted())
    }

    /// Tells the device again how this side stands.
    mutating func tell(_ device: DeviceID) {
        guard news.number > 0, peers.here[device] != nil else { return }
        news.tell(device, .callState(state(for: device)))
    }

    mutating func flush(at moment: CallMoment) -> [CallEffect] {
        var states: [CallEffect] = []
        if news.takeTurn(at: moment) {
            // A side that has never taken part speaks only to the devices that do.
            let listeners = peers.here.keys.filter { hasJoined || peers.takesPart($0) }
            states = listeners.sorted().map { .tell($0, .callState(state(for: $0))) }
        }
        return news.flush(id, states: states) { [self] in part == nil ? nil : .keep(id, memory(at: moment)) }
    }

    func view(at moment: CallMoment) -> CallView { CallView(self, at: moment) }
}

// MARK: Memory

extension GroupCall {
    /// - Throws: ``WireError`` for bytes that ``memory(at:)`` has not made.
    init(remembering bytes: [UInt8], at moment: CallMoment) throws(WireError) {
        let memory = try GroupCallMemory(decoding: bytes, now: moment.now)
        (id, wireID, own, media, time) = (memory.call, memory.wireID, memory.own, memory.media, memory.time)
        (startedAt, teller, payer) = (memory.startedAt, memory.teller, .friend(memory.teller))
        peers = GroupCallPeers(memory.root, remembering: memory.peers)
        (part, reason, seat, sends) = (memory.part, memory.reason, memory.seat, memory.sends)
        (joinedAt, isOutgoing, hadCompany) = (memory.joinedAt, memory.isOwn, memory.hadCompany)
        (ringer, replacedBy, inbox, places) = (memory.ringer, memory.replacedBy, memory.inbox, memory.places)
        (news, generation) = (CallNews(number: memory.number), memory.generation)
        clock = try GroupCallClock(
            remembering: memory.times, takesPart: isEngaged, startedAt: startedAt, at: moment)
        review(at: moment)
    }

    private func memory(at moment: CallMoment) -> [UInt8] {
        GroupCallMemory(
            call: id, wireID: wireID, own: own, root: peers.group.root, media: media, time: time,
            startedAt: startedAt, teller: teller, part: part ?? .ended, reason: reason, seat: seat, sends: sends,
            number: news.number, generation: generation, inbox: inbox, places: places,
            peers: peers.all.filter(\.takesPart), joinedAt: joinedAt, isOwn: isOutgoing, hadCompany: hadCompany,
            ringer: ringer, replacedBy: replacedBy, times: clock.memory(at: moment)
        ).encoded()
    }
}
