import Basics
import Testing
import Vocabulary

@testable import PeerProtocol

/// Goal: a call has one certificate on each side. A description that names another one, or two, is refused.
@Suite("Fingerprints of calls")
struct CallFingerprintTests {
    @Test("A fingerprint is 32 pairs of digits, in either case")
    func text() {
        let text = CallFingerprint.text(SampleDescription.fingerprint)
        #expect(text.hasPrefix("00:01:02:"))
        #expect(text.hasSuffix(":1E:1F"))
        #expect(CallFingerprint.bytes(text) == SampleDescription.fingerprint)
        #expect(CallFingerprint.bytes(text.lowercased()) == SampleDescription.fingerprint)
        for bad in [
            "", "00", String(text.dropLast(3)), text + ":00", text.replacing("1F", with: "1G"),
            text.replacing(":", with: ""),
        ] {
            #expect(CallFingerprint.bytes(bad) == nil)
        }
    }

    @Test("Two fingerprints in one description are refused, and so are another hash and none")
    func several() {
        var lines = SampleDescription.lines()
        let other = [UInt8](repeating: 3, count: 32)
        lines.append("a=fingerprint:sha-256 \(CallFingerprint.text(other))")
        #expect(throws: SessionDescriptionError.self) {
            try SessionDescription(checking: SampleDescription.text(lines))
        }
        lines = SampleDescription.lines().filter { !$0.contains("fingerprint") }
        #expect(throws: SessionDescriptionError.self) {
            try SessionDescription(checking: SampleDescription.text(lines))
        }
        lines.append("a=fingerprint:sha-1 \(CallFingerprint.text(other))")
        #expect(throws: SessionDescriptionError.self) {
            try SessionDescription(checking: SampleDescription.text(lines))
        }
    }

    @Test(
        "The sender's daemon refuses a description with another certificate than its window's, the receiver's one with another than the state's"
    )
    func pinned() throws {
        var pair = CallPair()
        let call = try pair.ring(from: 0)
        try pair.accept(call, by: 1)
        let other = [UInt8](repeating: 3, count: 32)
        let foreign = SampleDescription.text(SampleDescription.lines(other))
        #expect(throws: CallObjection.fingerprint) { try pair.signal(call, from: 0, .offer, sdp: foreign) }
        // A daemon that doesn't check passes it on all the same; the other side drops it, and goes on with what follows.
        let forged = CallSignalBody(call: call, generation: 1, number: 1, kind: .offer, sdp: foreign, to: 1)
        pair.deliver(.callSignal(forged), from: 0)
        #expect(pair.machines[1].refused[.fingerprint] == 1)
        #expect(try pair.signals(call, of: 1).isEmpty)
        let honest = CallSignalBody(
            call: call, generation: 1, number: 2, kind: .offer,
            sdp: SampleDescription.text(SampleDescription.lines(pair.fingerprint(0))), to: 1)
        pair.deliver(.callSignal(honest), from: 0)
        #expect(try pair.signals(call, of: 1).count == 1)
    }

    @Test("A state can't change the certificate of its generation")
    func kept() throws {
        var pair = CallPair()
        let call = try pair.ring(from: 0)
        let changed = CallStateBody(
            call: call, number: .max, phase: .calling, media: .audio, time: HybridTime(rawValue: 5), generation: 1,
            fingerprint: [UInt8](repeating: 3, count: 32))
        pair.deliver(.callState(changed), from: 0)
        #expect(pair.machines[1].refused[.fingerprint] == 1)
    }
}
