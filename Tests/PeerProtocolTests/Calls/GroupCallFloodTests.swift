import Basics
import Testing
import Vocabulary

@testable import PeerProtocol

/// Goal: a member who says whatever they like at full speed costs a bounded number of bells, calls, entries, bytes and frames, and
/// disturbs the others as little as one who may be in the call can.
@Suite("Floods of groups' calls")
struct GroupCallFloodTests {
    private func joined(
        _ call: UUIDv7, _ crowd: CallCrowd, by side: Int, number: UInt64 = 1, time: UInt64 = 5,
        sends: CallSends = [], with: [DeviceID] = []
    ) -> Hint {
        .callState(
            CallStateBody(
                call: call, number: number, phase: .joined, media: .audio, time: HybridTime(rawValue: time),
                root: crowd.root, sends: sends, generation: 1, fingerprint: crowd.fingerprint(side), with: with))
    }

    @Test("A thousand calls in a minute: a handful is known, few ring, none is written without having rung")
    func calls() {
        var crowd = CallCrowd(3)
        for index in 0..<1000 {
            // Ever smaller ids: each would take the place of the one before.
            crowd.deliver(joined(id(UInt64(5000 - index)), crowd, by: 1, sends: .ring), from: 1, to: 0)
            #expect(crowd.machines[0].open.count <= 1)
            crowd.underway = [:]
            crowd.pass(.milliseconds(60), butFor: [])
        }
        #expect(crowd.disks[0].count <= 13)
        #expect(crowd.sent[0] < 100)
        #expect(crowd.machines[0].refused[.tooOften, default: 0] > 900)
    }

    @Test("One who makes up ever smaller calls moves the others three times, and then once a minute")
    func moves() throws {
        var crowd = CallCrowd(3)
        let call = try crowd.ring(from: 0)
        try crowd.join(call, 2)
        var last: UUIDv7? = call
        var moves = 0
        for index in 0..<300 {
            crowd.deliver(joined(id(UInt64(90 - index / 5)), crowd, by: 1), from: 1, to: 0)
            if crowd.machines[0].engaged != last { moves += 1 }
            last = crowd.machines[0].engaged
            #expect(crowd.machines[0].engaged != nil)
            crowd.pass(.milliseconds(100), butFor: [], delivers: false)
        }
        #expect((1...4).contains(moves))
    }

    @Test("States and signals at full speed: dropped beyond the pace, kept within bounds, and the others' arrive")
    func frames() throws {
        var crowd = CallCrowd(4)
        let call = try crowd.ring(from: 0)
        try crowd.join(call, 1, 2)
        let before = crowd.disks[0][call]?.count ?? 0
        for number in 1...3000 as ClosedRange<UInt64> {
            // Each time it says to have joined anew, with people who are not there.
            crowd.deliver(
                joined(call, crowd, by: 1, number: .max - 3000 + number, time: number, with: [crowd.parties[3].device]),
                from: 1, to: 0)
        }
        #expect(crowd.machines[0].refused[.tooOften, default: 0] > 2900)
        let text =
            SampleDescription.text(SampleDescription.lines(crowd.fingerprint(1)))
            + String(repeating: "a=rtcp-fb:96 transport-cc\r\n", count: 950)
        for number in 1...600 as ClosedRange<UInt64> {
            crowd.deliver(
                .callSignal(
                    CallSignalBody(call: call, generation: 1, number: number, kind: .offer, sdp: text, to: 1)),
                from: 1, to: 0)
        }
        #expect((crowd.disks[0][call]?.count ?? 0) - before < PeerLimits.groupCallSignalsKept + 8192)
        try crowd.signal(call, from: 2, to: 0)
        crowd.pump()
        #expect(try crowd.signals(call, of: 0).contains { $0.device == crowd.parties[2].device })
        // What it says costs the others nothing: a state of ours now and then.
        #expect(crowd.sent[0] < 60)
    }

    @Test("One who names this side in calls that it has left gets an answer now and then, not one each time")
    func answers() throws {
        var crowd = CallCrowd(3)
        let larger = try crowd.start(0)
        crowd.deliver(joined(id(50), crowd, by: 1), from: 1, to: 0)
        #expect(crowd.machines[0].engaged == id(50))
        let before = crowd.sent[0]
        for number in 1...1000 as ClosedRange<UInt64> {
            for call in [larger, id(50)] {
                crowd.deliver(
                    joined(call, crowd, by: 2, number: number, with: [crowd.parties[0].device]), from: 2, to: 0)
            }
        }
        try crowd.hangUp(id(50), by: 0)
        for number in 1001...2000 as ClosedRange<UInt64> {
            crowd.deliver(
                joined(id(50), crowd, by: 2, number: number, with: [crowd.parties[0].device]), from: 2, to: 0)
        }
        #expect(crowd.sent[0] - before < 60)
    }

    @Test("One account takes one place, whatever its devices say; what is remembered is bounded")
    func devices() throws {
        var crowd = CallCrowd(3)
        let call = try crowd.ring(from: 0)
        try crowd.join(call, 1)
        for number in 10...60 as ClosedRange<UInt8> {
            guard let person = try? Person(number) else { continue }
            let party = CallParty(account: crowd.parties[2].account, device: person.device)
            _ = crowd.machines[0].met(party, now: crowd.now, wall: crowd.wall(0))
            if case .callState(let body) = joined(call, crowd, by: 2, time: UInt64(number)) {
                _ = crowd.machines[0].heard(
                    body, from: party, in: crowd.group(0), policy: CallPolicy(), now: crowd.now, wall: crowd.wall(0))
            }
        }
        let people = (crowd.view(call, 0)?.participants ?? []).filter { $0.phase?.takesPart == true }
        #expect(people.count == 2 && Set(people.map(\.party.account)).count == 2)
        // One of its devices rings.
        #expect(crowd.machines[0].refused[.tooMuch, default: 0] == 48)
        #expect(crowd.machines[0].engaged == call)
    }

    @Test("A signal of somebody who is not in the call, or for another generation, is not taken")
    func strangers() throws {
        var crowd = CallCrowd(4)
        let call = try crowd.ring(from: 0)
        try crowd.join(call, 1)
        let text = SampleDescription.text(SampleDescription.lines(crowd.fingerprint(2)))
        let body = CallSignalBody(call: call, generation: 1, number: 1, kind: .offer, sdp: text, to: 1)
        crowd.deliver(.callSignal(body), from: 2, to: 0)
        crowd.deliver(.callSignal(body), from: 1, to: 0)
        crowd.deliver(
            .callSignal(
                CallSignalBody(
                    call: call, generation: 1, number: 1, kind: .offer,
                    sdp: SampleDescription.text(SampleDescription.lines(crowd.fingerprint(1))), to: 2)),
            from: 1, to: 0)
        #expect(try crowd.signals(call, of: 0).isEmpty)
        #expect(crowd.machines[0].refused[.unknown] == 1)
        #expect(crowd.machines[0].refused[.fingerprint] == 1)
        #expect(crowd.machines[0].refused[.generation] == 1)
    }

    // MARK: Several groups

    /// A device that hears of calls in many groups, each with the same members.
    private struct Listener {
        var machine: CallMachine
        let people: [CallParty]
        var now = someInstant
        private var number: UInt64 = 1000

        init() throws {
            let parties = try (1...9 as ClosedRange<UInt8>).map { try Person($0) }.map {
                CallParty(account: $0.account, device: $0.device)
            }
            machine = CallMachine(own: parties[0])
            people = Array(parties.dropFirst())
            for party in people { _ = machine.met(party, now: now, wall: someTime) }
        }

        func rings(_ call: UUIDv7) -> Bool {
            machine.view(call, now: now, wall: someTime)?.stage == .incoming
        }

        /// One of the people says that a call of a group goes on, and asks for a ring, or that it is over there.
        mutating func hear(
            _ call: UUIDv7, of person: Int, in group: UInt8, _ phase: CallPhase, for payer: CallPayer? = nil
        ) {
            number += 1
            let members = Dictionary(uniqueKeysWithValues: people.prefix(6).map { ($0.account, Set([$0.device])) })
            let root = EntryHash(hashing: [group])
            let body = CallStateBody(
                call: call, number: number, phase: phase, media: .audio, time: HybridTime(rawValue: 5), root: root,
                reason: phase == .ended ? .hangup : nil, sends: phase == .ended ? [] : .ring, generation: 1,
                fingerprint: [UInt8](repeating: 1, count: 32))
            _ = machine.heard(
                body, from: people[person], in: CallGroup(root: root, members: members),
                policy: CallPolicy(payer: payer), now: now, wall: someTime)
        }
    }

    @Test("Calls that are over take no place: after twenty of them in a minute another group's call rings")
    func ended() throws {
        var listener = try Listener()
        for person in 0..<5 {
            for number in 0..<4 {
                let call = id(UInt64(100 + person * 10 + number))
                listener.hear(call, of: person, in: 1, .joined)
                #expect(listener.rings(call))
                listener.hear(call, of: person, in: 1, .ended)
            }
        }
        listener.hear(id(900), of: 5, in: 2, .joined)
        #expect(listener.rings(id(900)))
        // One that comes back takes a place again, and one account has four.
        listener.hear(id(200), of: 0, in: 10, .joined)
        for number in 0..<4 { listener.hear(id(UInt64(100 + number)), of: 0, in: 1, .joined) }
        let open = listener.machine.open.count
        listener.hear(id(201), of: 0, in: 11, .joined)
        for group in 12..<20 as Range<UInt8> { listener.hear(id(UInt64(200 + Int(group))), of: 0, in: group, .joined) }
        #expect(listener.machine.open.count <= open + PeerLimits.groupCallsOfAccount)
        #expect(listener.machine.open.contains(id(900)))
    }

    @Test("People who are no friends ring together as often as one account may")
    func madeUp() throws {
        var listener = try Listener()
        let giver = CallPayer.giver(listener.people[0].account)
        var rings = 0
        for person in 0..<6 {
            for number in 0..<8 {
                let call = id(UInt64(100 + person * 10 + number))
                listener.hear(call, of: person, in: 1, .joined, for: person == 0 ? nil : giver)
                if listener.rings(call) { rings += 1 }
                listener.hear(call, of: person, in: 1, .ended, for: person == 0 ? nil : giver)
            }
        }
        // Six of the friend, and six of all that it has made up.
        #expect(rings == 12)
        // They have used up nothing of another friend's, in another group.
        listener.hear(id(900), of: 5, in: 2, .joined)
        #expect(listener.rings(id(900)))
    }

    @Test("Where all places are taken, whoever answers for the most calls makes room, and nobody has more than four")
    func room() throws {
        var listener = try Listener()
        for group in 0..<40 as Range<UInt8> {
            listener.hear(id(UInt64(100 + Int(group))), of: Int(group) % 4, in: group, .joined)
        }
        #expect(listener.machine.open.count == PeerLimits.groupCalls)
        listener.hear(id(900), of: 4, in: 90, .joined)
        #expect(listener.rings(id(900)))
        #expect(listener.machine.open.count == PeerLimits.groupCalls)
    }
}
