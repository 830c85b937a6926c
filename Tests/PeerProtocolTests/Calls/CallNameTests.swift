import Basics
import Testing
import Vocabulary

@testable import PeerProtocol

/// Goal: a person who knows the id of other people's call, and calls somebody under it first, takes nothing from that call.
@Suite("Calls under one id")
struct CallNameTests {
    private func state(_ call: UUIDv7, _ phase: CallPhase = .calling, number: UInt64 = 1) -> CallStateBody {
        CallStateBody(
            call: call, number: number, phase: phase, media: .audio, time: HybridTime(rawValue: 5),
            reason: phase == .ended ? .cancelled : nil, generation: 1, fingerprint: [UInt8](repeating: 9, count: 32))
    }

    @Test("A member calls under the id of the group's call before that is known: both are, and each goes its way")
    func group() throws {
        var crowd = CallCrowd(3)
        let call = try crowd.start(0)
        let (mallory, wall) = (crowd.parties[2], crowd.wall(1))
        func say(_ body: CallStateBody) -> [CallEffect] {
            crowd.machines[1].heard(body, from: mallory, policy: CallPolicy(), now: crowd.now, wall: wall)
        }
        _ = say(state(call))
        #expect(crowd.machines[1].open == [call] && crowd.view(call, 1)?.account == mallory.account)
        crowd.pump()
        let open = crowd.machines[1].open
        let theirs = try #require(open.first { $0 != call })
        #expect(open.count == 2 && crowd.view(theirs, 1)?.root == crowd.root)
        #expect(crowd.view(theirs, 1)?.stage == .incoming)
        // What ends the one doesn't end the other.
        let ended = say(state(call, .ended, number: 2))
        #expect(
            ended.contains { if case .record(let note) = $0 { note.call == call && note.id == call } else { false } })
        #expect(crowd.machines[1].open == [theirs])
        try crowd.join(theirs, 1)
        #expect(crowd.inside(call, 0) == [0, 1] && crowd.inside(theirs, 1) == [0, 1])
        try crowd.signal(theirs, from: 1, to: 0)
        try crowd.signal(call, from: 0, to: 1)
        crowd.pump()
        #expect(try crowd.signals(call, of: 0).count == 1)
        #expect(try crowd.signals(theirs, of: 1).count == 1)
        // It is known under the same id after a restart.
        crowd.restart(1)
        crowd.pump()
        #expect(crowd.machines[1].open == [theirs])
        try crowd.take(theirs, by: 1)
        crowd.pump()
        #expect(crowd.inside(call, 0) == [0, 1])
        try crowd.leave(theirs, 1)
        #expect(crowd.inside(call, 0) == [0] && crowd.records[1][call]?.id == theirs)
    }

    @Test("Two friends call under one id: both ring, and each is answered and ended by itself")
    func two() throws {
        var machine = CallMachine(own: try party(1))
        let (first, second) = (try party(2), try party(3))
        func hear(_ body: CallStateBody, from party: CallParty) -> [CallEffect] {
            machine.heard(body, from: party, policy: CallPolicy(), now: someInstant, wall: someTime)
        }
        let call = id(7)
        for party in [first, second] {
            let effects = hear(state(call), from: party)
            let told = effects.compactMap { effect -> CallStateBody? in
                if case .tell(party.device, .callState(let body)) = effect { body } else { nil }
            }
            #expect(told.map(\.call) == [call] && told.first?.phase == .ringing)
        }
        #expect(machine.open.count == 2 && machine.open.contains(call))
        _ = hear(state(call, .ended, number: 2), from: first)
        let other = try #require(machine.open.first)
        #expect(machine.open == [other] && other != call)
        let effects = try machine.decline(other, now: someInstant, wall: someTime)
        let notes = effects.compactMap { effect -> CallNote? in if case .record(let note) = effect { note } else { nil }
        }
        #expect(notes.map(\.call) == [call] && notes.first?.caller == second && notes.first?.id == other)
        // A third account's word counts for neither.
        _ = hear(state(call, .ringing, number: 9), from: try party(4))
        #expect(machine.open.isEmpty)
    }

    private func party(_ number: UInt8) throws -> CallParty {
        let person = try Person(number)
        return CallParty(account: person.account, device: person.device)
    }
}
