import Basics
import Crypto
import Vocabulary

/// The calls that a ``CallMachine`` keeps, those between two and those of groups.
struct CallTable: Sendable {
    private var calls: [UUIDv7: any CallStateMachine] = [:]
    /// The greatest number of a state in calls that are forgotten. It is kept because the wall clock may have gone back since.
    private(set) var floor: UInt64 = 0
    /// The time since which nothing here can ring; nil while something can.
    private var quietSince: Instant?

    subscript(_ id: UUIDv7) -> (any CallStateMachine)? {
        get { calls[id] }
        set { calls[id] = newValue }
    }

    // MARK: Names

    /// The call between this account and another one that the two call so. What others call so is another call.
    func find(_ wireID: UUIDv7, with account: AccountID) -> UUIDv7? {
        find(wireID) { ($0 as? Call)?.account == account }
    }

    /// The call of a group that its members call so.
    func find(_ wireID: UUIDv7, in root: EntryHash) -> UUIDv7? {
        find(wireID) { ($0 as? GroupCall)?.peers.group.root == root }
    }

    /// Finds the call that a device means: one in which it takes part, preferably together with this side.
    func find(_ wireID: UUIDv7, of party: CallParty) -> UUIDv7? {
        let concerns = { (call: any CallStateMachine) in
            (call as? Call)?.account == party.account || (call as? GroupCall)?.peers[party.device] != nil
        }
        return find(wireID) { $0.isEngaged && concerns($0) } ?? find(wireID, where: concerns)
    }

    private func find(_ wireID: UUIDv7, where fits: (any CallStateMachine) -> Bool) -> UUIDv7? {
        if let call = calls[wireID], call.wireID == wireID, fits(call) { return wireID }
        return calls.values.first { $0.wireID == wireID && fits($0) }?.id
    }

    /// An id that no call has on this host: that of the wire, or one that follows from it.
    func free(_ wireID: UUIDv7) -> UUIDv7 {
        var (id, hash) = (wireID, wireID.bytes)
        while calls[id] != nil {
            hash = Blake2b.hash(hash)
            id = UUIDv7(bytes: Array(hash.prefix(16))) ?? wireID
        }
        return id
    }

    // MARK: Which there are

    /// The calls that are not over, the oldest first.
    var open: [UUIDv7] {
        calls.values.filter { !$0.isOver }.sorted { ($0.startedAt, $0.id) < ($1.startedAt, $1.id) }.map(\.id)
    }

    /// The call in which the user talks, or waits for an answer; nil without one.
    var engaged: UUIDv7? { calls.values.first(where: \.isEngaged)?.id }

    var two: [Call] { calls.values.compactMap { $0 as? Call } }
    var groups: [GroupCall] { calls.values.compactMap { $0 as? GroupCall } }

    /// Returns the calls of a group that are not over: one, or several that have just crossed, beginning with the one that stays.
    func open(in root: EntryHash) -> [GroupCall] {
        groups.filter { $0.peers.group.root == root && !$0.isOver }.sorted { $0.wireID < $1.wireID }
    }

    /// Whether one more call with the account may be under way.
    func hasRoom(for account: AccountID) -> Bool {
        let open = two.filter { !$0.isOver }
        return open.count < PeerLimits.calls
            && open.count(where: { $0.account == account }) < PeerLimits.callsOfAccount
    }

    var nextDeadline: Instant? { (calls.values.map(\.nextDeadline) + [quietUntil]).compactMap(\.self).min() }

    /// The time at which the calls that ring end because nothing here can ring any more.
    private var quietUntil: Instant? {
        guard let quietSince, calls.values.contains(where: \.rings) else { return nil }
        return quietSince + PeerLimits.callQuietTime
    }

    mutating func note(canRing: Bool, now: Instant) { quietSince = canRing ? nil : quietSince ?? now }

    // MARK: Changes

    /// Changes a call unless it objects.
    mutating func attempt(
        _ id: UUIDv7, _ moment: CallMoment,
        _ body: (inout any CallStateMachine, CallMoment) throws(CallObjection) -> Void
    ) throws(CallObjection) -> [CallEffect] {
        guard var call = calls[id] else { throw .noCall }
        try body(&call, moment)
        calls[id] = call
        return flush(id, moment)
    }

    mutating func change(
        _ id: UUIDv7, _ moment: CallMoment, _ body: (inout any CallStateMachine, CallMoment) -> Void
    ) -> [CallEffect] {
        guard var call = calls[id] else { return [] }
        body(&call, moment)
        calls[id] = call
        return flush(id, moment)
    }

    mutating func changeAll(
        _ moment: CallMoment, _ body: (inout any CallStateMachine, CallMoment) -> Void
    ) -> [CallEffect] {
        calls.keys.sorted().flatMap { change($0, moment, body) }
    }

    /// Changes a call of a group; does nothing if there is none with this id.
    mutating func change(
        group id: UUIDv7, _ moment: CallMoment, _ body: (inout GroupCall, CallMoment) -> Void
    ) -> [CallEffect] {
        change(id, moment) { call, moment in
            guard var group = call as? GroupCall else { return }
            body(&group, moment)
            call = group
        }
    }

    /// Applies a group's new membership to its calls; nil if this account is no longer a member.
    mutating func regroup(
        _ root: EntryHash, _ group: CallGroup?, here: [DeviceID: AccountID], _ moment: CallMoment
    ) -> [CallEffect] {
        groups.filter { $0.peers.group.root == root }.map(\.id).sorted().flatMap { id in
            change(group: id, moment) { $0.regroup(group, here: here, at: $1) }
        }
    }

    /// Makes room for one more call of a group. Calls that are over take up none; the limits on new calls bound how
    /// many of those there are. If there is no room, the one who is responsible for the most calls loses the newest of
    /// them in which this side doesn't take part.
    /// - Returns: nil if this one is responsible for as many calls as it may be, or if no call can be dropped.
    mutating func makeRoom(for payer: CallPayer, _ moment: CallMoment) -> [CallEffect]? {
        let open = groups.filter { !$0.isOver }
        let counts = Dictionary(grouping: open, by: \.payer).mapValues(\.count)
        let mine = counts[payer] ?? 0
        guard mine < PeerLimits.groupCallsOfAccount else { return nil }
        guard open.count >= PeerLimits.groupCalls else { return [] }
        let others = open.filter { !$0.isEngaged && counts[$0.payer] ?? 0 > mine + 1 }
        guard
            let last = others.max(by: {
                (counts[$0.payer] ?? 0, $0.startedAt, $0.id) < (counts[$1.payer] ?? 0, $1.startedAt, $1.id)
            })
        else { return nil }
        return change(group: last.id, moment) { $0.abandon(at: $1) }
    }

    /// Takes in a call as it was written; one that can't be read, or is of another device, is forgotten.
    mutating func remember(_ bytes: [UInt8], of own: CallParty, at moment: CallMoment) {
        let call: (any CallStateMachine)? =
            (try? Call(remembering: bytes, at: moment)) ?? (try? GroupCall(remembering: bytes, at: moment))
        if let call, call.own == own { calls[call.id] = call }
    }

    mutating func flush(_ id: UUIDv7, _ moment: CallMoment) -> [CallEffect] { calls[id]?.flush(at: moment) ?? [] }

    mutating func tick(_ moment: CallMoment) -> [CallEffect] {
        var effects = changeAll(moment) { $0.tick(at: $1) }
        if let quietUntil, quietUntil <= moment.now {
            effects += changeAll(moment) { if $0.rings { $0.finish(at: $1) } }
        }
        return effects + tidy(moment)
    }

    /// Forgets the calls that need not be remembered any more.
    private mutating func tidy(_ moment: CallMoment) -> [CallEffect] {
        var effects: [CallEffect] = []
        for id in calls.keys.sorted() where calls[id]?.isForgotten(now: moment.now) == true {
            effects += change(id, moment) { $0.forget(at: $1) }
            floor = max(floor, calls[id]?.lastNumber ?? 0)
            calls[id] = nil
            effects.append(.drop(id))
        }
        return effects
    }
}
