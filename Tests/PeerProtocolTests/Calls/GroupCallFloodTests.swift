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
                call: call, number: number, phase: .joined, media: .sound, time: HybridTime(rawValue: time),
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
}
