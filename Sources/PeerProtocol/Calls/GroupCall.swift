import Basics
import Vocabulary

/// A call of a group, as this device knows it: which devices say that they take part, whether it rings here, and what this side
/// says of itself. It is over when no device takes part; until then this side may join, leave and join again.
struct GroupCall: CallStateMachine {
    /// The place of its record is the time of the first state that was heard, or that at which this side began it.
    var core: CallCore
    /// The account that announced it first; this one if it began the call.
    let teller: AccountID
    /// Who is responsible for the call.
    let payer: CallPayer
    private(set) var peers: GroupCallPeers

    /// The phase of this side; nil if it has neither taken part nor rung here.
    private(set) var part: CallPhase?
    /// The others that take part: at most seven, in the order in which they have joined.
    private(set) var company: [CallParty] = []
    /// The device that asked for the ring; nil if it has not rung here.
    private var ringer: CallParty?
    /// When this side joined last; zero if it never did.
    private var joinedAt = HybridTime(rawValue: 0)
    /// Whether this account has begun it.
    private(set) var isOutgoing = false
    /// Whether another device took part while this side did.
    private var hadCompany = false
    private(set) var clock = GroupCallClock()

    var times: CallTimes {
        get { clock.times }
        set { clock.times = newValue }
    }

    /// Whether this side takes part.
    var isEngaged: Bool { part?.takesPart ?? false }
    var rings: Bool { part == .ringing || part == .waiting }
    var isOver: Bool { !isEngaged && company.isEmpty }
    private var hasJoined: Bool { joinedAt.rawValue > 0 }

    /// Begins a call.
    /// - Parameters:
    ///   - ringTime: how long the others are asked to ring.
    ///   - floor: the numbers of its states are greater than this, since it may be a call that was forgotten.
    init(
        _ id: UUIDv7, from own: CallParty, in group: CallGroup, here: [DeviceID: AccountID], media: CallMedia,
        time: HybridTime, seat: CallSeat, ringTime: Duration, floor: UInt64, at moment: CallMoment
    ) {
        core = CallCore(
            id, wireID: id, own: own, media: media, time: time, startedAt: moment.wall,
            bytesOfDevice: PeerLimits.groupCallSignalsKept, floor: floor)
        (teller, payer) = (own.account, .friend(own.account))
        isOutgoing = true
        peers = GroupCallPeers(group, here: here)
        (part, joinedAt) = (.joined, time)
        assign(seat, at: moment)
        if group.isSmall { times.ring(until: moment.now + ringTime) }
        core.news.announce(note(.answered, startedBy: own, at: moment))
    }

    /// Takes note of a call that a member has told us about.
    init(
        _ id: UUIDv7, _ body: CallStateBody, from party: CallParty, to own: CallParty, in group: CallGroup,
        here: [DeviceID: AccountID], payer: CallPayer, floor: UInt64, at moment: CallMoment
    ) {
        core = CallCore(
            id, wireID: body.call, own: own, media: body.media, time: body.time, startedAt: moment.wall,
            bytesOfDevice: PeerLimits.groupCallSignalsKept, floor: floor)
        (self.payer, teller) = (payer, party.account)
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
        times.ring(until: moment.now + PeerLimits.callRingLongest)
        core.news.note(urgent: true)
    }

    mutating func accept(_ seat: CallSeat, at moment: CallMoment) throws(CallObjection) {
        guard !isEngaged else { throw .taken }
        guard company.count < PeerLimits.callPeople else { throw .full }
        times.ringEnds()
        (part, core.reason) = (.joined, nil)
        joinedAt = peers.timeToJoin(after: joinedAt, at: moment)
        assign(seat, at: moment)
        review(at: moment)
    }

    mutating func decline(at moment: CallMoment) throws(CallObjection) {
        guard !isEngaged else { throw .taken }
        end(.declined, at: moment)
    }

    mutating func hangUp(at moment: CallMoment) { end(rings ? .declined : .hangup, at: moment) }

    mutating func finish(at moment: CallMoment) { end(rings ? .nobody : .hangup, at: moment) }

    mutating func assign(_ seat: CallSeat, at moment: CallMoment) {
        core.assign(seat)
        peers.beginGeneration()
        if part == .away { part = .joined }
        clock.seated(now: moment.now)
    }

    mutating func report(connected: Set<DeviceID>, at moment: CallMoment) {
        clock.seated(now: moment.now)
        if part == .away {
            part = .joined
            core.news.note(urgent: true)
        }
        if peers.connect(connected) { core.news.show() }
        if !peers.connected.isEmpty { times.connected(at: moment) }
    }

    /// Ends this side's part, or its ringing. The others may go on.
    private mutating func end(_ why: CallEnding, at moment: CallMoment) {
        guard isEngaged || rings else { return }
        let wasEngaged = isEngaged
        clock.left(now: moment.now)
        (part, core.reason) = (.ended, why)
        core.inbox.clear()
        peers.beginGeneration()
        // The devices where it rings tell this one nothing more.
        peers.forgetIdle()
        core.news.note(urgent: true)
        if wasEngaged {
            if why != .elsewhere || hadCompany {
                core.news.record(note(hadCompany || !isOutgoing ? .answered : .unanswered, startedBy: nil, at: moment))
            }
        } else if why != .elsewhere {
            core.news.record(note(why == .declined ? .declined : .unanswered, startedBy: ringer, at: moment))
        }
        review(at: moment)
    }

    private func note(_ outcome: CallOutcome, startedBy starter: CallParty?, at moment: CallMoment) -> GroupCallNote {
        GroupCallNote(
            id: id, call: wireID, root: peers.group.root, starter: starter, time: time,
            record: record(outcome, at: moment))
    }

    mutating func giveWay(to other: UUIDv7, at moment: CallMoment) {
        core.replacedBy = other
        end(.elsewhere, at: moment)
        if reason == nil { core.reason = .elsewhere }
        peers.forgetAll()
        core.news.show()
        review(at: moment)
    }

    /// Forgets who takes part, so that the call is over here: its place is needed for another one.
    mutating func abandon(at moment: CallMoment) {
        peers.forgetAll()
        core.news.show()
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
            core.news.show()
        }
        let talks = isEngaged && !others.isEmpty
        hadCompany = hadCompany || talks
        times.talk(talks, now: moment.now)
        clock.goesOn(!isOver, now: moment.now)
        if rings, !company.contains(where: { peers.asksToRing($0.device) }) {
            end(.unanswered, at: moment)
        }
    }

    // MARK: Sessions and members

    mutating func met(_ party: CallParty, at moment: CallMoment) {
        guard peers.met(party) else { return }
        if hasJoined || peers.takesPart(party.device) { tell(party.device) }
        core.news.show()
    }

    mutating func lost(_ device: DeviceID, at moment: CallMoment) {
        guard peers.lost(device, now: moment.now) else { return }
        clock.repeatSoon(now: moment.now)
        core.news.show()
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
        core.news.show()
        review(at: moment)
    }

    private mutating func drop(_ device: DeviceID) {
        peers.forget(device)
        core.inbox.drop(device, before: .max)
        if part != nil { core.news.keep() }
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
        let unheard = peers[device]?.catchUp(generation: core.generation, now: moment.now) ?? []
        for signal in unheard {
            core.news.tell(device, .callSignal(signal))
        }
        if !isEngaged, body.with.contains(own.device) {
            // The device has not heard that this side is out.
            if part == nil { (part, core.reason) = (.ended, .lost) }
            core.news.keep()
            if core.news.number == 0 { core.news.count(at: moment) }
            tell(device)
        }
        guard case .news = heard else { return nil }
        core.news.show()
        if part != nil { core.news.keep() }
        core.inbox.drop(device, before: body.time == before ? body.generation : .max)
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
        return core.hear(body, from: &peer, addresses, now: moment.now)
    }

    // MARK: Signals of this side

    mutating func send(
        _ kind: CallSignalKind, sdp: String?, candidates: [CallCandidate], to device: DeviceID, at moment: CallMoment
    ) throws(CallObjection) {
        guard company.contains(where: { $0.device == device }), var peer = peers[device] else { throw .noDevice }
        try core.send(kind, sdp: sdp, candidates: candidates, to: &peer, now: moment.now)
        peers[device] = peer
    }

    // MARK: Time

    var nextDeadline: Instant? {
        [clock.nextDeadline, core.news.opensAt, peers.nextDeadline].compactMap(\.self).min()
    }

    func isForgotten(now: Instant) -> Bool { isOver && clock.forgetAt.map { $0 <= now } ?? true }

    mutating func tick(at moment: CallMoment) {
        for device in peers.late(moment.now) { drop(device) }
        review(at: moment)
        switch clock.tick(moment.now) {
        case .nothing: break
        case .over(.rung): if rings { end(.unanswered, at: moment) } else { core.news.note(urgent: true) }
        case .seatEmpty:
            part = .away
            _ = peers.connect([])
            core.news.note(urgent: true)
        case .over(.lost): end(.lost, at: moment)
        case .over(.closed): end(.hangup, at: moment)
        case .again: core.news.note()
        case .keep: core.news.keep()
        }
    }

    // MARK: What is told

    private func state(for device: DeviceID) -> CallStateBody {
        let asksToRing = isEngaged && isOutgoing && times.ringUntil != nil
        let others = isEngaged ? company.filter { peers[$0.device]?.isHere == true } : []
        return CallStateBody(
            call: wireID, number: core.news.number, phase: part ?? .ended, media: media,
            time: hasJoined ? joinedAt : time,
            root: peers.group.root, reason: part == .ended ? reason : nil,
            sends: asksToRing ? sends.union(.ring) : sends, generation: generation,
            fingerprint: seat?.fingerprint, heard: peers[device]?.heard ?? CallHeard(),
            with: others.map(\.device).sorted())
    }

    /// Tells the device again how this side stands.
    mutating func tell(_ device: DeviceID) {
        guard core.news.number > 0, peers.here[device] != nil else { return }
        core.news.tell(device, .callState(state(for: device)))
    }

    mutating func flush(at moment: CallMoment) -> [CallEffect] {
        var states: [CallEffect] = []
        if core.news.acquireTurn(at: moment) {
            // A side that has never taken part speaks only to the devices that do.
            let listeners = peers.here.keys.filter { hasJoined || peers.takesPart($0) }
            states = listeners.sorted().map { .tell($0, .callState(state(for: $0))) }
        }
        return core.news.flush(id, states: states) { [self] in part == nil ? nil : .keep(id, memory(at: moment)) }
    }

    func view(at moment: CallMoment) -> CallView { CallView(self, at: moment) }
}

// MARK: Memory

extension GroupCall {
    /// - Throws: ``WireError`` for bytes that ``memory(at:)`` has not made.
    init(remembering bytes: [UInt8], at moment: CallMoment) throws(WireError) {
        let body = try BodyReader(bytes)
        core = try CallCore(remembering: body, bytesOfDevice: PeerLimits.groupCallSignalsKept)
        guard let root = try body.optionalHash(21, "root") else { throw .missing(field: "root") }
        teller = try body.callAccount(22)
        payer = .friend(teller)
        peers = GroupCallPeers(root, remembering: try body.callPeers(numbersAnew: true, now: moment.now))
        part = try body.word(10, "part") as CallPhase
        joinedAt = HybridTime(rawValue: try body.unsigned(23, "joined"))
        (isOutgoing, hadCompany) = (try body.boolean(24, "own"), try body.boolean(25, "company"))
        ringer = try Self.ringer(body.value(26))
        clock = GroupCallClock(
            remembering: try body.callTimes(startedAt: startedAt, at: moment), takesPart: isEngaged, now: moment.now)
        review(at: moment)
    }

    private static func ringer(_ value: CBOR?) throws(WireError) -> CallParty? {
        guard let value else { return nil }
        let pair = try BodyReader.tuple(value, 2, "ringer")
        guard case .bytes(let bytes) = pair[0], let account = AccountID(bytes: bytes) else {
            throw .invalid(field: "ringer")
        }
        return CallParty(account: account, device: try BodyReader.device(pair[1], "ringer"))
    }

    private func memory(at moment: CallMoment) -> [UInt8] {
        var map = core.memory(
            phase: part ?? .ended, peers: peers.all.filter(\.takesPart), times: times, at: moment)
        map[21] = .bytes(peers.group.root.bytes)
        map[22] = .bytes(teller.bytes)
        map[23] = .unsigned(joinedAt.rawValue)
        map[24] = .boolean(isOutgoing)
        map[25] = .boolean(hadCompany)
        map[26] = ringer.map { .array([.bytes($0.account.bytes), .bytes($0.device.bytes)]) }
        return CBOR.map(map).encoded()
    }
}
