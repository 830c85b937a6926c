import Basics
import Testing

@testable import PeerProtocol

/// A session description as a browser writes it, cut short.
enum SampleDescription {
    static let fingerprint = [UInt8](0..<32)

    static func lines(_ fingerprint: [UInt8] = fingerprint) -> [String] {
        let print = "a=fingerprint:sha-256 \(CallFingerprint.text(fingerprint))"
        let ice = ["a=ice-ufrag:Wb4/", "a=ice-pwd:0123456789012345678901+/", "a=ice-options:trickle", print]
        return ["v=0", "o=- 4611731400430051336 2 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE 0 1 2"]
            + [
                "m=audio 9 UDP/TLS/RTP/SAVPF 111 63 9 0", "c=IN IP4 0.0.0.0", "a=rtcp:9 IN IP4 0.0.0.0",
                "a=candidate:1 1 udp 2122260223 192.0.2.1 40000 typ host", "a=end-of-candidates",
            ] + ice + ["a=mid:0", "a=rtpmap:111 opus/48000/2", "m=video 9 UDP/TLS/RTP/SAVPF 96", "c=IN IP6 ::"] + ice
            + ["a=mid:1", "m=video 0 UDP/TLS/RTP/SAVPF 96 97", "b=AS:4000"] + ice + ["a=mid:2"]
    }

    static func text(_ lines: [String] = lines()) -> String { lines.map { $0 + "\r\n" }.joined() }
}

/// Goal: a session description of a browser passes, without its candidates; anything that could lead a browser elsewhere, agree on
/// keys in another way, or is no session description, doesn't.
@Suite("Session descriptions")
struct SessionDescriptionTests {
    private func refused(_ change: (inout [String]) -> Void, _ name: String) {
        var lines = SampleDescription.lines()
        change(&lines)
        #expect(throws: SessionDescriptionError.self, "\(name)") {
            try SessionDescription(checking: SampleDescription.text(lines))
        }
    }

    @Test("That of a browser is taken, without its candidates, and taken again as it is")
    func good() throws {
        let description = try SessionDescription(checking: SampleDescription.text())
        #expect(description.fingerprint == SampleDescription.fingerprint)
        #expect(!description.text.contains("candidate"))
        #expect(description.text.contains("a=mid:2\r\n"))
        #expect(try SessionDescription(checking: description.text) == description)
        let unix = SampleDescription.lines().map { $0 + "\n" }.joined()
        #expect(try SessionDescription(checking: unix) == description)
    }

    @Test("What is odd is refused, with the number of its line")
    func bad() {
        refused({ $0[0] = "v=1" }, "version")
        refused({ $0.insert("v=0", at: 3) }, "version twice")
        refused({ $0.append("m=application 9 UDP/DTLS/SCTP webrtc-datachannel") }, "data channel")
        refused({ $0.append("m=video 9 UDP/TLS/RTP/SAVPF 96") }, "four sections")
        refused({ $0.removeAll { $0.hasPrefix("m=video 0") } }, "two sections")
        refused({ $0[5] = "m=video 9 UDP/TLS/RTP/SAVPF 96" }, "order")
        refused({ $0[5] = "m=audio 9 RTP/AVP 0" }, "not encrypted")
        refused({ $0[5] = "m=audio 9 UDP/TLS/RTP/SAVPF x" }, "format")
        refused({ $0[5] = "m=audio 99999 UDP/TLS/RTP/SAVPF 9" }, "port")
        refused({ $0[5] = "m=audio 9 UDP/TLS/RTP/SAVPF 9 9" }, "format twice")
        refused({ $0[1] = "o=- x 2 IN IP4 127.0.0.1" }, "origin")
        refused({ $0.remove(at: 1) }, "no origin")
        refused({ $0.removeAll { $0.hasPrefix("a=ice-pwd") } }, "no password")
        refused({ $0.append("a=ice-ufrag:abc") }, "short name")
        refused({ $0.append("a=ice-pwd:" + String(repeating: "a", count: 257)) }, "long password")
        refused({ $0.append("a=ice-pwd:0123456789012345678901\"") }, "password with a quote")
        refused({ $0.append("a=x:" + String(repeating: "a", count: 1024)) }, "long line")
        refused({ $0.append("a=x:\u{7}") }, "control character")
        refused({ $0.append("a=x:é") }, "not ASCII")
        refused({ $0.append("k=clear:abc") }, "type")
        refused({ $0.append("") }, "empty line")
        refused({ $0.append("a") }, "no value")
        refused({ $0 = [] }, "nothing")
        let cut = SampleDescription.text().dropLast(2)
        #expect(throws: SessionDescriptionError.self) { try SessionDescription(checking: String(cut)) }
        let long = SampleDescription.text() + String(repeating: "a=x:y\r\n", count: 5000)
        #expect(throws: SessionDescriptionError.self) { try SessionDescription(checking: long) }
        var lines = SampleDescription.lines()
        lines[6] = "k=clear:abc"
        let error = #expect(throws: SessionDescriptionError.self) {
            try SessionDescription(checking: SampleDescription.text(lines))
        }
        #expect(error?.line == 7)
    }
}
