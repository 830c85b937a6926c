import Basics
import FoundationEssentials
import PeerProtocol
import Testing
import Vocabulary

/// Goal: whoever builds calls from docs/PROTOCOL-CALLS.md alone says what this code says.
@Suite("docs/PROTOCOL-CALLS.md")
struct CallDocumentTests {
    private static func document() throws -> String {
        let here = URL(filePath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return String(decoding: try Data(contentsOf: root.appending(path: "docs/PROTOCOL-CALLS.md")), as: UTF8.self)
    }

    private static func block(_ name: String, of document: String) -> [UInt8]? {
        guard let start = document.range(of: "```hex \(name)\n") else { return nil }
        let rest = document[start.upperBound...]
        guard let end = rest.range(of: "```") else { return nil }
        return Hex.decode(rest[..<end.lowerBound].filter { !$0.isWhitespace })
    }

    private static func vectors() throws -> [(String, [UInt8])] {
        let call = UUIDv7(high: 0x0190_7610_0000_7000, low: 0x8000_0000_0000_0020)
        let time = HybridTime(milliseconds: 1_720_000_000_000, counter: 1)
        let fingerprint = [UInt8](repeating: 0x77, count: 32)
        let states: [(String, CallStateBody)] = [
            (
                "calling",
                CallStateBody(
                    call: call, number: 7, phase: .calling, media: .audio, time: time, sends: .microphone,
                    generation: 1, fingerprint: fingerprint)
            ),
            ("ringing", CallStateBody(call: call, number: 8, phase: .ringing, media: .audio, time: time)),
            (
                "declined",
                CallStateBody(
                    call: call, number: 9, phase: .ended, media: .audio, time: time, reason: .declined)
            ),
            (
                "joined",
                CallStateBody(
                    call: call, number: 10, phase: .joined, media: .audio, time: time,
                    root: EntryHash([UInt8](repeating: 0x88, count: 32)), sends: [.microphone, .ring], generation: 1,
                    fingerprint: fingerprint,
                    with: [try #require(DeviceID(bytes: [UInt8](repeating: 0x99, count: 32)))])
            ),
        ]
        let candidates = [
            CallCandidate(
                priority: 2_122_260_223, address: try #require(IPAddress("192.0.2.1")), port: 40000),
            CallCandidate(
                priority: 2_122_194_687, address: try #require(IPAddress("2001:db8::1")), port: 40001),
        ]
        let signals: [(String, CallSignalBody)] = [
            (
                "candidates",
                CallSignalBody(
                    call: call, generation: 2, number: 3, kind: .candidates, candidates: candidates, to: 1)
            ),
            ("restart", CallSignalBody(call: call, generation: 2, number: 4, kind: .restart, to: 1)),
            ("offer", CallSignalBody(call: call, generation: 1, number: 1, kind: .offer, sdp: "v=0\r\n")),
        ]
        return try states.map { ("frame-call-\($0)", Frame(kind: .callState, body: try $1.encoded()).encoded()) }
            + signals.map { ("frame-call-\($0)", Frame(kind: .callSignal, body: try $1.encoded()).encoded()) }
    }

    @Test("Each vector equals the code's, and decodes to what the page says")
    func blocks() throws {
        let document = try Self.document()
        for (name, bytes) in try Self.vectors() {
            #expect(Self.block(name, of: document) == bytes, "\(name) is \(Hex.encode(bytes))")
        }
        #expect(document.components(separatedBy: "```hex ").count - 1 == (try Self.vectors().count))
    }

    @Test("Each limit is the one that the code checks")
    func limits() throws {
        let document = try Self.document()
        let rows: [(String, Int)] = [
            ("Call state", PeerLimits.callStateBytes), ("Call signal", PeerLimits.callSignalBytes),
            ("Session description", PeerLimits.callDescriptionBytes), ("Candidates", PeerLimits.callCandidates),
            ("Fingerprint", PeerLimits.callFingerprintBytes), ("Calls in all", PeerLimits.calls),
            ("Calls of an account", PeerLimits.callsOfAccount), ("People in a group's call", PeerLimits.callPeople),
            ("End is told for", Int(PeerLimits.callMemory.components.seconds)),
            ("Ring time", Int(PeerLimits.callRingTime.components.seconds)),
        ]
        for (name, number) in rows {
            let line = document.split(separator: "\n").first { $0.hasPrefix("| \(name) | ") }
            let digits = (line ?? "").dropFirst(name.count + 5).prefix { $0.isNumber || $0 == "," }
            #expect(Int(digits.filter { $0 != "," }) == number, "\(name)")
        }
    }

    @Test("Each reason and each outcome stands on the page")
    func words() throws {
        let document = try Self.document()
        for reason in CallEnding.allCases { #expect(document.contains("`\(reason.rawValue)`"), "\(reason)") }
        for outcome in CallOutcome.allCases {
            #expect(document.contains("| \(outcome.wire ?? 99) | \(outcome.rawValue) |"), "\(outcome)")
        }
        for phase in CallPhase.allCases { #expect(document.contains("| \(phase.wire ?? 99) \(phase.rawValue) |")) }
    }
}
