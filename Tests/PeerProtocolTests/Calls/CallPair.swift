import Basics
import Testing
import Vocabulary

@testable import PeerProtocol

/// Two daemons with a link between them that may break, their disks, and what each of them has written of calls. A window with a
/// certificate of its own sits at each.
struct CallPair {
    let parties: [CallParty]
    var machines: [CallMachine]
    /// Rows of calls, and records by call.
    var disks: [[UUIDv7: [UInt8]]] = [[:], [:]]
    var records: [[UUIDv7: CallRecord]] = [[:], [:]]
    /// Records that wait to go to the other side.
    var outbox: [[(UUIDv7, CallRecord)]] = [[], []]
    /// Records that the caller's word is there for.
    var heardOf: [Set<UUIDv7>] = [[], []]
    var policies = [CallPolicy(), CallPolicy()]
    var addresses = CallAddresses(known: [.loopback])
    var now = someInstant
    /// How far each wall clock is ahead.
    var skews: [Duration] = [.zero, .zero]
    private(set) var isLinked = false
    /// Hints under way, to the side in front.
    var underway: [(to: Int, hint: Hint)] = []
    var told: [[Hint]] = [[], []]
    private var next: UInt64 = 100

    /// - Parameter numbers: two accounts; device ids come from their keys.
    init(_ numbers: (UInt8, UInt8) = (1, 2), isLinked: Bool = true) {
        let people = [numbers.0, numbers.1].compactMap { try? Person($0) }
        var parties = people.map { CallParty(account: $0.account, device: $0.device) }
        // Side 0 has the smaller device.
        parties.sort { $0.device < $1.device }
        self.parties = parties
        machines = parties.map { CallMachine(own: $0) }
        if isLinked { link() }
    }

    func wall(_ side: Int) -> WallTime { someTime + (now - someInstant) + skews[side] }
    func fingerprint(_ side: Int) -> [UInt8] { [UInt8](repeating: UInt8(side + 1), count: 32) }
    func seat(_ side: Int) -> CallSeat { CallSeat(id: id(UInt64(side + 1)), fingerprint: fingerprint(side)) }

    mutating func freshID() -> UUIDv7 {
        next += 1
        return id(next)
    }

    // MARK: The link

    mutating func link() {
        guard !isLinked else { return }
        isLinked = true
        for side in 0...1 { perform(machines[side].met(parties[1 - side], now: now, wall: wall(side)), side) }
    }

    mutating func cut() {
        guard isLinked else { return }
        isLinked = false
        underway = []
        for side in 0...1 { perform(machines[side].lost(parties[1 - side].device, now: now, wall: wall(side)), side) }
    }

    mutating func perform(_ effects: [CallEffect], _ side: Int) {
        for effect in effects {
            switch effect {
            case .tell(let device, let hint):
                #expect(device == parties[1 - side].device)
                // What can't be encoded would never arrive.
                #expect(throws: Never.self) { try hint.encoded() }
                told[side].append(hint)
                if isLinked { underway.append((1 - side, hint)) }
            case .keep(let id, let bytes): disks[side][id] = bytes
            case .drop(let id): disks[side][id] = nil
            // As the store does: what the caller has said stays.
            case .record(let note) where heardOf[side].contains(note.call): continue
            case .record(let note):
                #expect(records[side][note.call] == nil, "a second record")
                #expect(note.account == parties[1 - side].account)
                records[side][note.call] = note.record
                if note.isOutgoing { outbox[side].append((note.call, note.record)) }
            case .changed: break
            case .recordOfGroup, .announce: Issue.record("a group's")
            }
        }
    }

    /// Delivers a hint as if the side had said it.
    mutating func deliver(_ hint: Hint, from side: Int) {
        let other = 1 - side
        let effects: [CallEffect]
        switch hint {
        case .callState(let body):
            effects = machines[other].heard(
                body, from: parties[side], policy: policies[other], now: now, wall: wall(other))
        case .callSignal(let body):
            effects = machines[other].heard(
                body, from: parties[side], addresses: addresses, now: now, wall: wall(other))
        default: effects = []
        }
        perform(effects, other)
    }

    /// Delivers all that is under way, and what comes of it; then the records.
    mutating func pump() {
        var steps = 0
        while !underway.isEmpty, steps < 1000 {
            steps += 1
            deliverOne()
        }
        #expect(steps < 1000, "the two never come to rest")
        if isLinked { deliverRecords() }
    }

    mutating func deliverOne() {
        guard !underway.isEmpty else { return }
        let (to, hint) = underway.removeFirst()
        deliver(hint, from: 1 - to)
    }

    /// The caller's messages: they come surely, and the caller's word counts.
    mutating func deliverRecords() {
        for side in 0...1 {
            for (id, record) in outbox[side] {
                records[1 - side][id] = record
                heardOf[1 - side].insert(id)
            }
            outbox[side] = []
        }
    }

    // MARK: People

    mutating func start(_ side: Int) throws -> UUIDv7 {
        let new = freshID()
        let (call, effects) = try machines[side].start(
            new, with: parties[1 - side].account, media: .audio, seat: seat(side),
            time: HybridTime(milliseconds: wall(side).milliseconds), ringTime: PeerLimits.callRingTime, now: now,
            wall: wall(side))
        perform(effects, side)
        return call
    }

    /// Starts a call and lets it ring.
    mutating func ring(from side: Int) throws -> UUIDv7 {
        let call = try start(side)
        pump()
        return call
    }

    mutating func accept(_ call: UUIDv7, by side: Int) throws {
        perform(try machines[side].accept(call, seat: seat(side), now: now, wall: wall(side)), side)
        pump()
    }

    mutating func decline(_ call: UUIDv7, by side: Int) throws {
        perform(try machines[side].decline(call, now: now, wall: wall(side)), side)
        pump()
    }

    mutating func hangUp(_ call: UUIDv7, by side: Int) throws {
        perform(try machines[side].hangUp(call, now: now, wall: wall(side)), side)
        pump()
    }

    mutating func report(_ call: UUIDv7, by side: Int, isConnected: Bool = true) throws {
        perform(
            try machines[side].report(
                call, seat: seat(side).id, connected: isConnected ? [parties[1 - side].device] : [], now: now,
                wall: wall(side)), side)
        pump()
    }

    mutating func signal(
        _ call: UUIDv7, from side: Int, _ kind: CallSignalKind, sdp: String? = nil, lines: [String] = []
    ) throws {
        perform(
            try machines[side].signal(
                call, seat: seat(side).id, to: parties[1 - side].device, kind, sdp: sdp, lines: lines,
                addresses: CallAddresses(own: [.loopback], local: .loopback), now: now, wall: wall(side)), side)
        pump()
    }

    mutating func signals(_ call: UUIDv7, of side: Int, after index: UInt64 = 0) throws -> [CallSignalItem] {
        try machines[side].signals(call, seat: seat(side).id, after: index).items
    }

    func sdp(_ side: Int) -> String { SampleDescription.text(SampleDescription.lines(fingerprint(side))) }

    // MARK: Time and crashes

    /// Lets time pass, with the ticks that are due.
    mutating func pass(_ duration: Duration) {
        let end = now + duration
        while let due = machines.compactMap(\.nextDeadline).min(), due <= end {
            now = max(now, due)
            tick()
        }
        now = end
        tick()
    }

    private mutating func tick() {
        for side in 0...1 { perform(machines[side].tick(now: now, wall: wall(side)), side) }
        pump()
    }

    /// Lets time pass while both windows report.
    mutating func talk(_ call: UUIDv7, _ duration: Duration) throws {
        let end = now + duration
        while now < end {
            for side in 0...1 where machines[side].open.contains(call) { try report(call, by: side) }
            pass(min(.seconds(5), end - now))
        }
    }

    /// Kills a daemon and starts it again from what is on its disk.
    mutating func restart(_ side: Int) {
        cut()
        machines[side] = CallMachine(
            own: parties[side], remembering: disks[side].keys.sorted().compactMap { disks[side][$0] }, now: now,
            wall: wall(side))
    }

    // MARK: Looking

    func view(_ call: UUIDv7, _ side: Int) -> CallView? { machines[side].view(call, now: now, wall: wall(side)) }
    func stages(_ call: UUIDv7) -> [CallStage?] { [view(call, 0)?.stage, view(call, 1)?.stage] }
    func outcomes(_ call: UUIDv7) -> [CallOutcome?] { records.map { $0[call]?.outcome } }
}
