import Basics
import Testing
import Vocabulary

@testable import PeerProtocol

/// Goal: a friend who rings without end costs a bounded number of bells, records and bytes, and so does one who floods a call.
@Suite("Floods of calls")
struct CallFloodTests {
    private static func calling(_ call: UUIDv7, number: UInt64 = 1) -> Hint {
        .callState(
            CallStateBody(
                call: call, number: number, phase: .calling, media: .sound, time: HybridTime(rawValue: 5),
                generation: 1, fingerprint: [UInt8](repeating: 1, count: 32)))
    }

    @Test("Of a thousand new calls in a minute at most twelve are noticed, and two ring at a time")
    func rings() throws {
        var pair = CallPair()
        for index in 0..<1000 {
            pair.deliver(Self.calling(id(UInt64(1000 + index))), from: 0)
            #expect(pair.machines[1].open.count <= PeerLimits.callsOfAccount)
            pair.underway = []
            pair.pass(.milliseconds(60))
        }
        #expect(pair.records[1].count <= 13)
        #expect(pair.disks[1].count <= 13)
        // Those beyond the limit are turned away, and that no faster than a few a second.
        #expect(pair.told[1].count < 300)
    }

    @Test("States and signals faster than allowed are dropped, and what is kept is bounded")
    func frames() throws {
        var pair = CallPair()
        let call = try pair.ring(from: 0)
        try pair.accept(call, by: 1)
        for number in 0..<2000 { pair.deliver(Self.calling(call, number: UInt64.max - 2000 + UInt64(number)), from: 0) }
        #expect(pair.machines[1].refused[.tooOften, default: 0] > 1900)
        let before = pair.disks[1][call]?.count ?? 0
        for number in 1...600 {
            let sdp =
                SampleDescription.text()
                + String(repeating: "a=rtcp-fb:96 transport-cc\r\n", count: 950)
            pair.deliver(
                .callSignal(
                    CallSignalBody(call: call, generation: 1, number: UInt64(number), kind: .offer, sdp: sdp, to: 1)),
                from: 0)
            pair.pass(.milliseconds(20))
        }
        let size = pair.disks[1][call]?.count ?? 0
        #expect(size - before < PeerLimits.callSignalsKept + 4096)
    }

    @Test("A window that sends too much is refused")
    func window() throws {
        var pair = CallPair()
        let call = try pair.ring(from: 0)
        try pair.accept(call, by: 1)
        var refusals = 0
        for _ in 0..<200 {
            do { try pair.signal(call, from: 1, .restart) } catch CallObjection.tooOften { refusals += 1 }
        }
        #expect((130...140).contains(refusals))
    }

    @Test("Here, too, one makes six calls at once and not more")
    func own() throws {
        var pair = CallPair()
        for _ in 0..<6 {
            let call = try pair.ring(from: 0)
            #expect(throws: CallObjection.busy) { try pair.start(0) }
            try pair.hangUp(call, by: 0)
        }
        #expect(throws: CallObjection.tooOften) { try pair.start(0) }
    }
}
