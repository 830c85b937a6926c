import Basics
import Testing
import Vocabulary

@testable import PeerProtocol

/// The daemons of a group's members, with links between them that may break, their disks, and what each of them has written of
/// calls. A window with a certificate of its own sits at each.
struct CallCrowd {
    struct Pair: Hashable, Comparable {
        let from: Int
        let to: Int

        static func < (left: Pair, right: Pair) -> Bool { (left.from, left.to) < (right.from, right.to) }
    }

    let root = EntryHash(hashing: [1])
    let parties: [CallParty]
    var machines: [CallMachine]
    /// Rows of calls, and what was written last of each call.
    var disks: [[UUIDv7: [UInt8]]]
    var records: [[UUIDv7: GroupCallNote]]
    /// Calls that this side has told the group of.
    var announced: [[UUIDv7]]
    /// The members as each side knows them.
    var members: [Set<Int>]
    var policies: [CallPolicy]
    var addresses = CallAddresses(known: [.loopback])
    var now = someInstant
    /// How far each wall clock is ahead.
    var skews: [Duration]
    private(set) var links: Set<Pair> = []
    /// Hints under way, in their order for each pair.
    var underway: [Pair: [Hint]] = [:]
    /// How many hints each side has sent.
    var sent: [Int]
    private var next: UInt64 = 100

    /// - Parameter count: how many members; side 0 has the smallest device.
    init(_ count: Int, isLinked: Bool = true) {
        let people = (1...count).compactMap { try? Person(UInt8($0)) }
        let parties = people.map { CallParty(account: $0.account, device: $0.device) }.sorted { $0.device < $1.device }
        self.parties = parties
        machines = parties.map { CallMachine(own: $0) }
        (disks, records) = (.init(repeating: [:], count: count), .init(repeating: [:], count: count))
        announced = .init(repeating: [], count: count)
        members = .init(repeating: Set(0..<count), count: count)
        policies = .init(repeating: CallPolicy(), count: count)
        skews = .init(repeating: .zero, count: count)
        sent = .init(repeating: 0, count: count)
        if isLinked { linkAll() }
    }

    var sides: Range<Int> { 0..<parties.count }
    func wall(_ side: Int) -> WallTime { someTime + (now - someInstant) + skews[side] }
    func fingerprint(_ side: Int) -> [UInt8] { [UInt8](repeating: UInt8(side + 1), count: 32) }
    func seat(_ side: Int) -> CallSeat { CallSeat(id: id(UInt64(side + 1)), fingerprint: fingerprint(side)) }

    mutating func freshID() -> UUIDv7 {
        next += 1
        return id(next)
    }

    /// The group as a side knows it; nil if it is no member.
    func group(_ side: Int) -> CallGroup? {
        guard members[side].contains(side) else { return nil }
        let others = members[side].subtracting([side]).map { (parties[$0].account, Set([parties[$0].device])) }
        return CallGroup(root: root, members: Dictionary(others) { one, _ in one })
    }

    // MARK: Links and members

    func isLinked(_ one: Int, _ other: Int) -> Bool { links.contains(Pair(from: one, to: other)) }

    mutating func link(_ one: Int, _ other: Int) {
        guard one != other, !isLinked(one, other) else { return }
        for pair in [Pair(from: one, to: other), Pair(from: other, to: one)] { links.insert(pair) }
        for (side, peer) in [(one, other), (other, one)] {
            perform(machines[side].met(parties[peer], now: now, wall: wall(side)), side)
        }
    }

    mutating func linkAll() { for one in sides { for other in sides where one < other { link(one, other) } } }

    mutating func cut(_ one: Int, _ other: Int) {
        guard isLinked(one, other) else { return }
        for pair in [Pair(from: one, to: other), Pair(from: other, to: one)] {
            links.remove(pair)
            underway[pair] = nil
        }
        for (side, peer) in [(one, other), (other, one)] {
            perform(machines[side].lost(parties[peer].device, now: now, wall: wall(side)), side)
        }
    }

    mutating func cut(_ side: Int) { for other in sides { cut(side, other) } }

    /// A side learns who the members are.
    mutating func regroup(_ side: Int, _ new: Set<Int>) {
        members[side] = new
        perform(machines[side].regrouped(root, group(side), now: now, wall: wall(side)), side)
    }

    mutating func perform(_ effects: [CallEffect], _ side: Int) {
        for effect in effects {
            switch effect {
            case .tell(let device, let hint):
                guard let to = parties.firstIndex(where: { $0.device == device }) else {
                    Issue.record("a stranger is told")
                    continue
                }
                // What can't be encoded would never arrive.
                #expect(throws: Never.self) { try hint.encoded() }
                #expect(members[side].contains(to) || !members[side].contains(side), "a former member is told")
                sent[side] += 1
                if isLinked(side, to) { underway[Pair(from: side, to: to), default: []].append(hint) }
            case .keep(let id, let bytes): disks[side][id] = bytes
            case .drop(let id): disks[side][id] = nil
            case .recordOfGroup(let note): records[side][note.call] = note
            case .announce(let note):
                #expect(note.starter == parties[side])
                announced[side].append(note.call)
                records[side][note.call] = note
            case .record: Issue.record("a record between two")
            case .changed: break
            }
        }
    }

    /// Delivers a hint as if the side had said it to the other.
    mutating func deliver(_ hint: Hint, from side: Int, to other: Int) {
        let effects: [CallEffect]
        switch hint {
        case .callState(let body):
            effects = machines[other].heard(
                body, from: parties[side], in: members[other].contains(side) ? group(other) : nil,
                policy: policies[other], now: now, wall: wall(other))
        case .callSignal(let body):
            effects = machines[other].heard(
                body, from: parties[side], addresses: addresses, now: now, wall: wall(other))
        default: effects = []
        }
        perform(effects, other)
    }

    /// Delivers the first hint of a pair.
    mutating func deliverOne(_ pair: Pair) {
        guard var queue = underway[pair], !queue.isEmpty else { return }
        let hint = queue.removeFirst()
        underway[pair] = queue.isEmpty ? nil : queue
        deliver(hint, from: pair.from, to: pair.to)
    }

    /// Delivers all that is under way, and what comes of it.
    mutating func pump() {
        var steps = 0
        while let pair = underway.keys.min(), steps < 20_000 {
            steps += 1
            deliverOne(pair)
        }
        #expect(steps < 20_000, "they never come to rest")
    }

    // MARK: People

    mutating func start(_ side: Int) throws -> UUIDv7 {
        guard let group = group(side) else { throw CallObjection.noCall }
        let (call, effects) = try machines[side].start(
            freshID(), in: group, media: .audio, seat: seat(side),
            time: HybridTime(milliseconds: wall(side).milliseconds), ringTime: PeerLimits.callRingTime, now: now,
            wall: wall(side))
        perform(effects, side)
        return call
    }

    /// Starts a call and lets all hear of it.
    mutating func ring(from side: Int) throws -> UUIDv7 {
        let call = try start(side)
        pump()
        return call
    }

    mutating func accept(_ call: UUIDv7, by side: Int) throws {
        perform(try machines[side].accept(call, seat: seat(side), now: now, wall: wall(side)), side)
    }

    mutating func join(_ call: UUIDv7, _ sides: Int...) throws {
        for side in sides {
            try accept(call, by: side)
            pump()
        }
    }

    mutating func decline(_ call: UUIDv7, by side: Int) throws {
        perform(try machines[side].decline(call, now: now, wall: wall(side)), side)
    }

    mutating func hangUp(_ call: UUIDv7, by side: Int) throws {
        perform(try machines[side].hangUp(call, now: now, wall: wall(side)), side)
    }

    mutating func leave(_ call: UUIDv7, _ sides: Int...) throws {
        for side in sides {
            try hangUp(call, by: side)
            pump()
        }
    }

    mutating func take(_ call: UUIDv7, by side: Int) throws {
        perform(try machines[side].assign(call, seat: seat(side), now: now, wall: wall(side)), side)
    }

    mutating func report(_ call: UUIDv7, by side: Int, with others: Set<Int> = []) throws {
        perform(
            try machines[side].report(
                call, seat: seat(side).id, connected: Set(others.map { parties[$0].device }), now: now,
                wall: wall(side)), side)
    }

    mutating func signal(_ call: UUIDv7, from side: Int, to other: Int, _ kind: CallSignalKind = .offer) throws {
        let sdp = kind == .offer ? SampleDescription.text(SampleDescription.lines(fingerprint(side))) : nil
        perform(
            try machines[side].signal(
                call, seat: seat(side).id, to: parties[other].device, kind, sdp: sdp, lines: [],
                addresses: CallAddresses(own: [.loopback], local: .loopback), now: now, wall: wall(side)), side)
    }

    mutating func signals(_ call: UUIDv7, of side: Int, after index: UInt64 = 0) throws -> [CallSignalItem] {
        try machines[side].signals(call, seat: seat(side).id, after: index).items
    }

    // MARK: Time and crashes

    /// Lets time pass, with the ticks that are due; all windows that have a seat report, but for these.
    mutating func pass(_ duration: Duration, butFor silent: Set<Int> = Set(0..<64), delivers: Bool = true) {
        let end = now + duration
        var reported = now
        while now < end {
            let due = machines.compactMap(\.nextDeadline).min() ?? end
            now = min(end, max(now, min(due, reported + .seconds(5))))
            for side in sides { perform(machines[side].tick(now: now, wall: wall(side)), side) }
            if now >= reported + .seconds(5) {
                reported = now
                for side in sides where !silent.contains(side) {
                    if let call = machines[side].engaged { try? report(call, by: side) }
                }
            }
            if delivers { pump() }
            // A deadline that stays in the past would hold the clock.
            if due <= now, machines.compactMap(\.nextDeadline).min().map({ $0 <= now }) ?? false {
                for side in sides { perform(machines[side].tick(now: now, wall: wall(side)), side) }
                if delivers { pump() }
            }
        }
    }

    /// Lets time pass while all windows report.
    mutating func talk(_ duration: Duration) { pass(duration, butFor: []) }

    /// Kills a daemon and starts it again from what is on its disk.
    mutating func restart(_ side: Int) {
        let peers = sides.filter { isLinked(side, $0) }
        cut(side)
        machines[side] = CallMachine(
            own: parties[side], remembering: disks[side].keys.sorted().compactMap { disks[side][$0] }, now: now,
            wall: wall(side))
        perform(machines[side].regrouped(root, group(side), now: now, wall: wall(side)), side)
        for peer in peers { link(side, peer) }
    }

    // MARK: Looking

    func view(_ call: UUIDv7, _ side: Int) -> CallView? { machines[side].view(call, now: now, wall: wall(side)) }
    func stages(_ call: UUIDv7) -> [CallStage?] { sides.map { view(call, $0)?.stage } }
    func outcomes(_ call: UUIDv7) -> [CallOutcome?] { sides.map { records[$0][call]?.record.outcome } }

    /// Who takes part, as a side sees it, itself among them.
    func inside(_ call: UUIDv7, _ side: Int) -> Set<Int> {
        guard let view = view(call, side) else { return [] }
        var found = Set(
            view.participants.filter { $0.phase?.takesPart == true }.compactMap { participant in
                parties.firstIndex { $0 == participant.party }
            })
        if machines[side].engaged == call { found.insert(side) }
        return found
    }
}
