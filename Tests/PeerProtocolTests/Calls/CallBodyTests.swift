import Basics
import Testing
import Vocabulary

@testable import PeerProtocol

/// Goal: what one side encodes the other decodes to the same, and what breaks a rule is refused by both.
@Suite("Bodies of calls")
struct CallBodyTests {
    private static let call = UUIDv7(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)
    private static let fingerprint = [UInt8](repeating: 9, count: 32)

    private static func state(
        number: UInt64 = 1, _ phase: CallPhase = .joined, reason: CallEnding? = nil, generation: UInt64 = 1,
        fingerprint: [UInt8]? = fingerprint
    ) -> CallStateBody {
        CallStateBody(
            call: call, number: number, phase: phase, media: .video, time: HybridTime(rawValue: 5), root: nil,
            reason: reason, sends: [.microphone, .screen], generation: generation, fingerprint: fingerprint,
            heard: CallHeard(generation: 3, number: 4))
    }

    private static func signal(
        generation: UInt64 = 1, number: UInt64 = 1, _ kind: CallSignalKind, sdp: String? = nil, candidates: Int = 0,
        to: UInt64? = nil
    ) -> CallSignalBody {
        CallSignalBody(
            call: call, generation: generation, number: number, kind: kind, sdp: sdp,
            candidates: (0..<candidates).map {
                CallCandidate(priority: .max, address: .v6(high: 1, low: UInt64($0), scope: 0), port: 65_535)
            }, to: to)
    }

    @Test("A state comes back as it was, with each phase")
    func states() throws {
        for phase in CallPhase.allCases {
            let body = Self.state(phase, reason: phase == .ended ? .hangup : nil)
            #expect(try CallStateBody(decoding: body.encoded()) == body)
        }
        let bare = CallStateBody(
            call: Self.call, number: 1, phase: .ringing, media: .audio, time: HybridTime(rawValue: 5))
        #expect(try CallStateBody(decoding: bare.encoded()) == bare)
    }

    @Test("The longest state fits into its limit twice")
    func length() throws {
        let body = CallStateBody(
            call: Self.call, number: .max, phase: .ended, media: .video, time: HybridTime(rawValue: .max),
            root: EntryHash(Self.fingerprint), reason: .notAllowed, sends: CallSends(rawValue: .max),
            generation: .max, fingerprint: Self.fingerprint, heard: CallHeard(generation: .max, number: .max))
        #expect(try body.encoded().count * 2 <= PeerLimits.callStateBytes)
    }

    @Test("A state that breaks a rule is neither sent nor taken")
    func badStates() {
        let bad = [
            Self.state(number: 0), Self.state(.ended), Self.state(.joined, reason: .hangup),
            Self.state(generation: 0), Self.state(fingerprint: nil), Self.state(generation: 0, fingerprint: nil),
            Self.state(fingerprint: [1, 2]),
        ]
        for body in bad { #expect(throws: WireError.self) { try body.encoded() } }
    }

    @Test("A reason of a later version is a failure, a state of a later version is not understood")
    func later() throws {
        var map: CBORMap = [
            1: .bytes(Self.call.bytes), 2: .unsigned(1), 3: .unsigned(5), 4: .unsigned(0), 5: .unsigned(1),
            7: .text("moved"), 8: .unsigned(0), 9: .unsigned(0), 11: .array([.unsigned(0), .unsigned(0)]),
            99: .text("more"),
        ]
        #expect(try CallStateBody(decoding: CBOR.map(map).encoded()).reason == .failed)
        map[3] = .unsigned(6)
        #expect(throws: WireError.unsupported(field: "state")) { try CallStateBody(decoding: CBOR.map(map).encoded()) }
        map[3] = .unsigned(5)
        map[11] = .array([.unsigned(0)])
        #expect(throws: WireError.invalid(field: "heard")) { try CallStateBody(decoding: CBOR.map(map).encoded()) }
    }

    @Test("A signal comes back as it was, and each kind has its own fields")
    func signals() throws {
        let good = [
            Self.signal(.offer, sdp: "v=0\r\n"), Self.signal(.answer, sdp: "v=0\r\n", to: 2),
            Self.signal(.candidates, candidates: 16, to: 1), Self.signal(.restart),
        ]
        for body in good { #expect(try CallSignalBody(decoding: body.encoded()) == body) }
        let bad = [
            Self.signal(.offer), Self.signal(.candidates), Self.signal(.restart, sdp: "v=0\r\n"),
            Self.signal(.candidates, candidates: 17), Self.signal(.restart, candidates: 1),
            Self.signal(generation: 0, .restart), Self.signal(number: 0, .restart), Self.signal(.restart, to: 0),
            Self.signal(.offer, sdp: String(repeating: "a", count: PeerLimits.callDescriptionBytes + 1)),
        ]
        for body in bad { #expect(throws: WireError.self) { try body.encoded() } }
        let longest = String(repeating: "a", count: PeerLimits.callDescriptionBytes)
        #expect(try Self.signal(.offer, sdp: longest).encoded().count <= PeerLimits.callSignalBytes)
    }

    @Test("Candidates have an address of 4 or 16 bytes and a port")
    func candidates() {
        func decode(_ item: [CBOR]) throws -> CallSignalBody {
            try CallSignalBody(
                decoding: CBOR.map([
                    1: .bytes(Self.call.bytes), 2: .unsigned(1), 3: .unsigned(1), 4: .unsigned(2),
                    6: .array([.array(item)]),
                ]).encoded())
        }
        #expect(throws: Never.self) { try decode([.unsigned(1), .bytes([1, 2, 3, 4]), .unsigned(9)]) }
        for item: [CBOR] in [
            [.unsigned(1), .bytes([1, 2, 3]), .unsigned(9)], [.unsigned(1), .bytes([1, 2, 3, 4]), .unsigned(0)],
            [.unsigned(1), .bytes([1, 2, 3, 4]), .unsigned(65_536)], [.unsigned(1), .bytes([1, 2, 3, 4])],
            [.unsigned(1 << 32), .bytes([1, 2, 3, 4]), .unsigned(9)],
        ] {
            #expect(throws: WireError.self) { try decode(item) }
        }
    }

    @Test("A message of kind call has its record, no text and no files, and none in a group")
    func record() throws {
        let record = CallRecord(
            media: .video, outcome: .declined, startedAt: WallTime(milliseconds: 7), duration: 8)
        func message(_ kind: MessageKind, text: String = "", call: CallRecord?) -> MessageBody {
            MessageBody(
                kind: kind, text: text, time: HybridTime(rawValue: 5), sentAt: WallTime(milliseconds: 6), call: call)
        }
        let good = message(.call, call: record)
        #expect(try MessageBody(decoding: good.encoded()) == good)
        #expect(throws: WireError.self) { try good.encoded(conversation: .group) }
        for bad in [
            message(.call, call: nil), message(.text, text: "hi", call: record),
            message(.call, text: "hi", call: record),
        ] {
            #expect(throws: WireError.self) { try bad.encoded() }
        }
        for outcome in CallOutcome.allCases {
            let record = CallRecord(media: .audio, outcome: outcome, startedAt: WallTime(milliseconds: 1), duration: 2)
            #expect(CallRecord(stored: record.stored) == record)
        }
        #expect(CallRecord(stored: "0 0 1") == nil)
        #expect(CallRecord(stored: "0 99 1 1") == nil)
    }
}
