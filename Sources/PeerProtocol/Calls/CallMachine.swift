import Basics
import Vocabulary

/// All calls of this device with friends and in groups: which ring, which go on, and what each device is told.
///
///     var calls = CallMachine(own: party)
///     perform(try calls.start(id, …).effects)
///     perform(calls.heard(body, from: party, …))      // and so on; a tick at nextDeadline
///
/// States are whole and repeatable, and signals are numbered: what is lost with a session comes again with the next one.
/// Nothing that a peer sends makes it throw or trap.
public struct CallMachine: Sendable {
    private let own: CallParty
    private var calls = CallTable()
    /// The devices that have a session with this one and can be called, with their accounts.
    private var here: [DeviceID: AccountID] = [:]
    private var bounds = CallBounds()
    /// How many frames of peers were not obeyed, by reason.
    public private(set) var refused: [CallRefused: UInt64] = [:]

    public init(own: CallParty) { self.own = own }

    /// Goes on with the calls that were under way when the daemon last wrote. A call that can't be read is forgotten.
    public init(own: CallParty, remembering memory: [[UInt8]], now: Instant, wall: WallTime) {
        self.init(own: own)
        for bytes in memory { calls.remember(bytes, of: own, at: CallMoment(now: now, wall: wall)) }
    }

    // MARK: What clients ask

    /// Begins a call with the account, or takes its call that rings here just now, since both want to talk.
    ///
    /// - Parameters:
    ///   - id: names the new call and its record.
    ///   - time: the place of the record.
    /// - Returns: the id of the call that was begun or taken, and the effects.
    public mutating func start(
        _ id: UUIDv7, with account: AccountID, media: CallMedia, seat: CallSeat, time: HybridTime, ringTime: Duration,
        now: Instant, wall: WallTime
    ) throws(CallObjection) -> (id: UUIDv7, effects: [CallEffect]) {
        let moment = CallMoment(now: now, wall: wall)
        if let ringing = calls.two.first(where: { $0.rings && $0.account == account }) {
            return (ringing.id, try accept(ringing.id, seat: seat, now: now, wall: wall))
        }
        guard engaged == nil else { throw .busy }
        guard bounds.starts(account, now: now) else { throw .tooOften }
        let devices = here.filter { $0.value == account }.map { CallParty(account: account, device: $0.key) }
        var call = Call(
            id, from: own, to: devices, of: account, media: media, time: time, seat: seat, ringTime: ringTime,
            at: moment)
        // No device of the account is here that could ring: the record tells the account of the call later.
        if devices.isEmpty { call.end(.nobody, at: moment) }
        calls[id] = call
        return (id, calls.flush(id, moment))
    }

    /// Begins a call of a group, or joins the one that is under way there.
    /// - Returns: the id of the call that was begun or taken, and the effects.
    public mutating func start(
        _ id: UUIDv7, in group: CallGroup, media: CallMedia, seat: CallSeat, time: HybridTime, ringTime: Duration,
        now: Instant, wall: WallTime
    ) throws(CallObjection) -> (id: UUIDv7, effects: [CallEffect]) {
        let moment = CallMoment(now: now, wall: wall)
        if let open = calls.open(in: group.root).first {
            return (open.id, try accept(open.id, seat: seat, now: now, wall: wall))
        }
        guard engaged == nil else { throw .busy }
        guard bounds.starts(own.account, now: now) else { throw .tooOften }
        calls[id] = GroupCall(
            id, from: own, in: group, here: here, media: media, time: time, seat: seat, ringTime: ringTime,
            floor: calls.floor, at: moment)
        return (id, calls.flush(id, moment))
    }

    /// Answers a ringing call for a window, or joins a call of a group.
    public mutating func accept(
        _ id: UUIDv7, seat: CallSeat, now: Instant, wall: WallTime
    ) throws(CallObjection) -> [CallEffect] {
        guard let call = calls[id], !call.isOver else { throw .noCall }
        if let engaged, engaged != id { throw .busy }
        return try calls.attempt(id, CallMoment(now: now, wall: wall)) { call, moment throws(CallObjection) in
            try call.accept(seat, at: moment)
        }
    }

    /// Declines a call that rings.
    public mutating func decline(_ id: UUIDv7, now: Instant, wall: WallTime) throws(CallObjection) -> [CallEffect] {
        guard let call = calls[id], !call.isOver else { throw .noCall }
        return try calls.attempt(id, CallMoment(now: now, wall: wall)) { call, moment throws(CallObjection) in
            try call.decline(at: moment)
        }
    }

    /// Ends a call, or leaves that of a group: one that rings elsewhere is cancelled, one that rings here is declined.
    public mutating func hangUp(_ id: UUIDv7, now: Instant, wall: WallTime) throws(CallObjection) -> [CallEffect] {
        guard let call = calls[id], !call.isOver else { throw .noCall }
        return calls.change(id, CallMoment(now: now, wall: wall)) { $0.hangUp(at: $1) }
    }

    /// Gives the seat to a window: another one, or the same after a reload.
    public mutating func assign(
        _ id: UUIDv7, seat: CallSeat, now: Instant, wall: WallTime
    ) throws(CallObjection) -> [CallEffect] {
        guard let call = calls[id], call.isEngaged else { throw .noCall }
        return calls.change(id, CallMoment(now: now, wall: wall)) { $0.assign(seat, at: $1) }
    }

    /// Tells the other side what the window sends.
    public mutating func update(
        _ id: UUIDv7, seat: UUIDv7, sends: CallSends, now: Instant, wall: WallTime
    ) throws(CallObjection) -> [CallEffect] {
        try check(id, seat)
        return calls.change(id, CallMoment(now: now, wall: wall)) { call, _ in call.update(sends.intersection(.media)) }
    }

    /// Takes a window's report that it is there, and the devices with which media flow.
    public mutating func report(
        _ id: UUIDv7, seat: UUIDv7, connected: Set<DeviceID>, now: Instant, wall: WallTime
    ) throws(CallObjection) -> [CallEffect] {
        try check(id, seat)
        // The window sent this report before it said that it closes: one that comes back takes the seat again.
        if calls[id]?.isClosing == true { return [] }
        return calls.change(id, CallMoment(now: now, wall: wall)) { $0.report(connected: connected, at: $1) }
    }

    /// Takes a window's word that it closes. If it is only reloaded, it takes its seat again in time; else the call ends.
    public mutating func close(
        _ id: UUIDv7, seat: UUIDv7, now: Instant, wall: WallTime
    ) throws(CallObjection) -> [CallEffect] {
        try check(id, seat)
        return calls.change(id, CallMoment(now: now, wall: wall)) {
            $0.close(at: $1)
            $0.tick(at: $1)
        }
    }

    /// Notes whether anything here can ring. Once nothing has been able to for some seconds, the calls that ring here end.
    public mutating func note(canRing: Bool, now: Instant) { calls.note(canRing: canRing, now: now) }

    /// Sends a signal of the window to a device.
    ///
    /// - Parameters:
    ///   - sdp: the session description as the window wrote it; the candidates in it are left out.
    ///   - lines: the window's candidates, as it wrote them.
    public mutating func signal(
        _ id: UUIDv7, seat: UUIDv7, to device: DeviceID, _ kind: CallSignalKind, sdp: String?, lines: [String],
        addresses: CallAddresses, now: Instant, wall: WallTime
    ) throws(CallObjection) -> [CallEffect] {
        let saying = try CallSaying(
            kind, sdp: sdp, lines: lines, fingerprint: try check(id, seat), addresses: addresses)
        if saying.isEmpty { return [] }
        return try calls.attempt(id, CallMoment(now: now, wall: wall)) { call, moment throws(CallObjection) in
            try call.send(kind, sdp: saying.sdp, candidates: saying.candidates, to: device, at: moment)
        }
    }

    /// Returns the signals for the window after this index, and the index of the last. The ones up to it are forgotten.
    public mutating func signals(
        _ id: UUIDv7, seat: UUIDv7, after index: UInt64
    ) throws(CallObjection) -> (items: [CallSignalItem], next: UInt64) {
        try check(id, seat)
        guard var call = calls[id] else { throw .noCall }
        defer { calls[id] = call }
        return call.signals(after: index)
    }

    /// - Returns: the fingerprint of the window that has the seat.
    @discardableResult
    private func check(_ id: UUIDv7, _ seat: UUIDv7) throws(CallObjection) -> [UInt8] {
        guard let call = calls[id], call.isEngaged else { throw .noCall }
        guard let taken = call.seat, taken.id == seat else { throw .notSeated }
        return taken.fingerprint
    }

    // MARK: What clients see

    /// Returns the state of a call for clients; nil if the call isn't known any more.
    public func view(_ id: UUIDv7, now: Instant, wall: WallTime) -> CallView? {
        calls[id]?.view(at: CallMoment(now: now, wall: wall))
    }

    /// The calls that are not over, the oldest first.
    public var open: [UUIDv7] { calls.open }

    /// The groups with a known call.
    public var roots: Set<EntryHash> { Set(calls.groups.map(\.peers.group.root)) }

    /// The call in which the user talks, or waits for an answer.
    public var engaged: UUIDv7? { calls.engaged }

    // MARK: Sessions

    /// Notes that a session with a device that can be called is open.
    public mutating func met(_ party: CallParty, now: Instant, wall: WallTime) -> [CallEffect] {
        here[party.device] = party.account
        return calls.changeAll(CallMoment(now: now, wall: wall)) { $0.met(party, at: $1) }
    }

    /// Notes that no session with the device is open any more.
    public mutating func lost(_ device: DeviceID, now: Instant, wall: WallTime) -> [CallEffect] {
        here[device] = nil
        bounds.lost(device)
        return calls.changeAll(CallMoment(now: now, wall: wall)) { $0.lost(device, at: $1) }
    }

    /// Whether a device of the account has a session and can be called.
    public func isHere(_ account: AccountID) -> Bool { here.values.contains(account) }

    /// Ends all calls before the daemon's keys go; the reason for those that ring here is ``CallEnding/nobody``.
    public mutating func endAll(now: Instant, wall: WallTime) -> [CallEffect] {
        calls.changeAll(CallMoment(now: now, wall: wall)) { $0.finish(at: $1) }
    }

    /// Ends the calls between two with an account that is no friend any more.
    public mutating func parted(_ account: AccountID, now: Instant, wall: WallTime) -> [CallEffect] {
        calls.changeAll(CallMoment(now: now, wall: wall)) { if $0 is Call { $0.parted(account, at: $1) } }
    }

    /// Takes an account whose word counts no longer, as one that is blocked, out of all calls, in groups too.
    public mutating func shunned(_ account: AccountID, now: Instant, wall: WallTime) -> [CallEffect] {
        calls.changeAll(CallMoment(now: now, wall: wall)) { $0.parted(account, at: $1) }
    }

    /// Tells the calls of a group that its membership has changed.
    /// - Parameter group: nil if this account is no member of it any more.
    public mutating func regrouped(
        _ root: EntryHash, _ group: CallGroup?, now: Instant, wall: WallTime
    ) -> [CallEffect] {
        calls.regroup(root, group, here: here, CallMoment(now: now, wall: wall))
    }

    // MARK: What peers say

    /// Takes a state of a friend's device, or of a member's in a group.
    /// - Parameter group: the group that the state names, if the sender and this account are members of it.
    public mutating func heard(
        _ body: CallStateBody, from party: CallParty, in group: CallGroup? = nil, policy: CallPolicy, now: Instant,
        wall: WallTime
    ) -> [CallEffect] {
        let moment = CallMoment(now: now, wall: wall)
        if body.root != nil {
            guard let group, group.root == body.root else { return refuse(.unknown) }
            return heard(body, from: party, in: group, policy, moment)
        }
        if let id = calls.find(body.call, with: party.account) {
            return obey(id, moment) { $0.hear(body, from: party, at: moment) }
        }
        switch body.phase {
        case .calling: return called(body, by: party, policy, moment)
        case .ended: return []
        case .ringing, .waiting, .joined, .away: return turnAway(body, party.device, .lost, moment)
        }
    }

    /// Takes a signal of a device.
    public mutating func heard(
        _ body: CallSignalBody, from party: CallParty, addresses: CallAddresses, now: Instant, wall: WallTime
    ) -> [CallEffect] {
        let moment = CallMoment(now: now, wall: wall)
        guard let id = calls.find(body.call, of: party) else { return refuse(.unknown) }
        return obey(id, moment) { $0.hear(body, from: party, addresses, at: moment) }
    }

    /// Whether the record of a call that the account sends is stored now. Where nothing was heard of the call, it counts as a
    /// new one.
    public mutating func acceptsRecord(of id: UUIDv7, from account: AccountID, now: Instant) -> Bool {
        calls.find(id, with: account) != nil || bounds.begins(.friend(account), now: now)
    }

    private mutating func obey(
        _ id: UUIDv7, _ moment: CallMoment, _ hear: (inout any CallStateMachine) -> CallRefused?
    ) -> [CallEffect] {
        guard var call = calls[id] else { return refuse(.unknown) }
        let why = hear(&call)
        calls[id] = call
        return (why.map { refuse($0) } ?? []) + calls.flush(id, moment)
    }

    /// Takes the first state of a call that was not known: lets it ring, or ends it.
    private mutating func called(
        _ body: CallStateBody, by party: CallParty, _ policy: CallPolicy, _ moment: CallMoment
    ) -> [CallEffect] {
        guard bounds.begins(.friend(party.account), now: moment.now) else {
            // Only the caller has a record of this call.
            refused[.tooOften, default: 0] &+= 1
            return turnAway(body, party.device, .busy, moment)
        }
        guard policy.isAllowed else { return turnAway(body, party.device, .notAllowed, moment) }
        if let mine = calls.two.first(where: { $0.phase == .calling && $0.account == party.account }) {
            // Two calls have crossed: the one whose caller has the smaller device id stays.
            guard party.device < own.device, let seat = mine.seat else {
                return turnAway(body, party.device, .elsewhere, moment)
            }
            let id = calls.free(body.call)
            var call = Call(id, body, from: party, to: own, phase: .joined, seat: seat, at: moment)
            call.core.places = mine.core.places
            calls[id] = call
            return calls.change(mine.id, moment) { $0.giveWay(to: id, at: $1) } + calls.flush(id, moment)
        }
        let isEngaged = engaged != nil
        let isBusy = isEngaged && !policy.ringsWhileBusy || !calls.hasRoom(for: party.account)
        guard !isBusy else { return missed(body, party, .busy, moment) }
        guard policy.canRing else { return missed(body, party, .nobody, moment) }
        calls.note(canRing: true, now: moment.now)
        let id = calls.free(body.call)
        calls[id] = Call(id, body, from: party, to: own, phase: isEngaged ? .waiting : .ringing, at: moment)
        return calls.flush(id, moment)
    }

    /// Ends and records a call that can't ring, but that the user is to know of.
    private mutating func missed(
        _ body: CallStateBody, _ party: CallParty, _ reason: CallEnding, _ moment: CallMoment
    ) -> [CallEffect] {
        var call = Call(calls.free(body.call), body, from: party, to: own, phase: .ringing, at: moment)
        call.end(reason, at: moment)
        calls[call.id] = call
        return calls.flush(call.id, moment)
    }

    /// Answers a state of a call that is not taken with its end, and remembers nothing of the call.
    private mutating func turnAway(
        _ body: CallStateBody, _ device: DeviceID, _ reason: CallEnding, _ moment: CallMoment
    ) -> [CallEffect] {
        guard bounds.answers(device, now: moment.now) else { return refuse(.tooOften) }
        let end = CallStateBody(
            call: body.call, number: max(1, HybridTime(milliseconds: moment.wall.milliseconds).rawValue), phase: .ended,
            media: body.media, time: body.time, reason: reason)
        return [.tell(device, .callState(end))]
    }

    private mutating func refuse(_ why: CallRefused) -> [CallEffect] {
        refused[why, default: 0] &+= 1
        return []
    }

    // MARK: Groups

    private mutating func heard(
        _ body: CallStateBody, from party: CallParty, in group: CallGroup, _ policy: CallPolicy, _ moment: CallMoment
    ) -> [CallEffect] {
        var effects: [CallEffect] = []
        let payer = policy.payer ?? .friend(party.account)
        let existing = calls.find(body.call, in: group.root)
        let id = existing ?? calls.free(body.call)
        if existing == nil {
            // A call need not be known because of a device that doesn't take part in it.
            guard body.phase.takesPart else { return [] }
            // The members in this call hear of the open one, which has the smaller id and stays.
            if let open = calls.open(in: group.root).first, open.wireID < body.call { return refuse(.unknown) }
            guard bounds.begins(payer, now: moment.now) else { return refuse(.tooOften) }
            guard let room = calls.makeRoom(for: payer, moment) else { return refuse(.tooMuch) }
            calls[id] = GroupCall(
                id, body, from: party, to: own, in: group, here: here, payer: payer, floor: calls.floor, at: moment)
            effects = room + calls.flush(id, moment)
        } else {
            if let call = calls[id] as? GroupCall, call.isOver, body.phase.takesPart {
                // It goes on, and takes a place again.
                guard let room = calls.makeRoom(for: call.payer, moment) else { return refuse(.tooMuch) }
                effects = room
            }
            effects += obey(id, moment) { $0.hear(body, from: party, at: moment) }
        }
        if let call = calls[id] as? GroupCall, call.replacedBy != nil, body.with.contains(own.device),
            bounds.answers(party.device, now: moment.now)
        {
            // The device has not heard that this side has gone to another call.
            effects += calls.change(group: id, moment) { call, _ in call.tell(party.device) }
        }
        effects += settle(group.root, by: payer, moment)
        guard let call = calls[id] as? GroupCall, call.mayRing(for: party.device), policy.isAllowed,
            policy.canRing, policy.ringsGroups
        else { return effects }
        let isEngaged = engaged != nil
        if isEngaged, !policy.ringsWhileBusy { return effects }
        calls.note(canRing: true, now: moment.now)
        return effects
            + calls.change(group: id, moment) { $0.ring(for: party.device, isWaiting: isEngaged, at: $1) }
    }

    /// Settles calls of a group that have crossed: the one with the smallest id stays, and this side moves there from another.
    private mutating func settle(
        _ root: EntryHash, by payer: CallPayer, _ moment: CallMoment
    ) -> [CallEffect] {
        let open = calls.open(in: root)
        guard let first = open.first, open.count > 1 else { return [] }
        var effects: [CallEffect] = []
        for other in open.dropFirst() {
            let seat = other.isEngaged ? other.seat : nil
            if seat != nil, first.company.count >= PeerLimits.callPeople || !bounds.moves(payer, now: moment.now) {
                continue
            }
            effects += calls.change(other.id, moment) { $0.giveWay(to: first.id, at: $1) }
            guard let seat else { continue }
            effects += calls.change(group: first.id, moment) { call, _ in call.core.places.inherit(other.core.places) }
            effects += (try? accept(first.id, seat: seat, now: moment.now, wall: moment.wall)) ?? []
        }
        return effects
    }

    // MARK: Time

    /// The time at which the next tick is due; nil while there are no calls.
    public var nextDeadline: Instant? { calls.nextDeadline }

    public mutating func tick(now: Instant, wall: WallTime) -> [CallEffect] {
        let moment = CallMoment(now: now, wall: wall)
        bounds.tidy(now: now)
        return calls.tick(moment)
    }
}
