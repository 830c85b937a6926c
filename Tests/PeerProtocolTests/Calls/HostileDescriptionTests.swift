import Basics
import TestSupport
import Testing

@testable import PeerProtocol

/// Goal: what reaches a browser was written by a daemon, from fields that it knows, and names no host: however a peer spells what it
/// wants the browser to read, and whichever browser that is.
@Suite("Hostile session descriptions")
struct HostileDescriptionTests {
    private static let print = CallFingerprint.text(SampleDescription.fingerprint)
    private static let other = CallFingerprint.text([UInt8](repeating: 3, count: 32))
    private static let candidate = "1 1 udp 2122260223 192.0.2.7 40000 typ host"

    /// Lines that a browser may read, or that some browser may: none of them may reach one.
    static let hostile = [
        "a=candidate:\(candidate)", "a=Candidate:\(candidate)", "a=CANDIDATE:\(candidate)", "a= candidate:\(candidate)",
        "a=candidate \(candidate)", "a=candidate: \(candidate)", "a=candidate :\(candidate)",
        "a=  CANDIDATE  :\(candidate)",
        "a=candidate:1 1 TCP 1518280447 192.0.2.7 443 typ host tcptype passive", "a=:candidate:\(candidate)",
        "a=candidate:1 1 udp 5 192.0.2.7 9 typ relay raddr 192.0.2.8 rport 9", "a=candidate", "a=end-of-candidates",
        "a=End-Of-Candidates", "a=remote-candidates:1 192.0.2.7 9", "a=Remote-Candidates:1 192.0.2.7 9",
        "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:abc", "a=Crypto:1 AES_CM_128_HMAC_SHA1_80 inline:abc",
        "a= crypto:1 AES_CM_128_HMAC_SHA1_80 inline:abc", "a=crypto 1 AES_CM_128_HMAC_SHA1_80 inline:abc",
        "a=Fingerprint:sha-256 \(other)", "a=FINGERPRINT:sha-256 \(other)", "a= fingerprint:sha-256 \(other)",
        "a=fingerprint sha-256 \(other)", "a=fingerprint :sha-256 \(other)", "a=ice-lite", "a=Ice-Lite", "a=ice-lite:1",
        "a=identity:eyJpZHAiOnsiZG9tYWluIjoiMTkyLjAuMi43In19", "a=Identity:eyJpZHAi", "a=tls-id:abcdefghijklmnopqrst",
        "a=rtcp:9 IN IP4 192.0.2.7", "a=rtcp:40001", "a=RTCP:9 IN IP4 192.0.2.7", "a=rtcp: 9 IN IP6 2001:db8::7",
        "c=IN IP4 192.0.2.7", "c=IN IP6 2001:db8::7", "c= IN IP4 192.0.2.7", "c=in ip4 192.0.2.7/127",
        "a=sctp-port:5000", "a=sctpmap:5000 webrtc-datachannel 1024", "a=max-message-size:1", "a=rid:1 send",
        "a=simulcast:send 1",
        "a=ice-options:ice2 renomination", "a=Ice-Options:x", "a=ice-pacing:1", "a=ice-mismatch", "a=setup :active",
        "a=Setup:active",
        "a=msid:- 192.0.2.7", "a=msid-semantic:WMS 192.0.2.7", "a=ssrc:1 msid:- 192.0.2.7", "a=ssrc:1 cname:192.0.2.7",
        "a=ssrc:0 cname:a", "a=ssrc:4294967296 cname:a", "a=ssrc-group:FID 1", "a=ssrc-group:FID 1 192.0.2.7",
        "a=extmap:3 http://192.0.2.7/x", "a=extmap:3 urn:ietf:params:rtp-hdrext:sdes:mid http://192.0.2.7/",
        "a=extmap:0 urn:ietf:params:rtp-hdrext:sdes:mid", "a=extmap:3/x urn:ietf:params:rtp-hdrext:sdes:mid",
        "a=fmtp:111 host=192.0.2.7", "a=fmtp:111 minptime=192.0.2.7", "a=fmtp:5 minptime=10", "a=fmtp:111",
        "a=fmtp:111 ",
        "a=rtpmap:111 192.0.2.7/8000", "a=rtpmap:5 opus/48000", "a=rtpmap:111 opus", "a=rtpmap:111 opus/48000/2/9",
        "a=rtcp-fb:111 x 192.0.2.7", "a=rtcp-fb:111 nack 192.0.2.7", "a=rtcp-fb:5 nack", "a=rtcp-xr:192.0.2.7",
        "a=rtcp-mux:192.0.2.7", "a=sendrecv:192.0.2.7", "a=imageattr:96 send *", "a=x:y", "a=x",
        "a=a=candidate:\(candidate)",
        "b=AS:4000", "b=TIAS:192.0.2.7", "s=192.0.2.7", "t=1 2", "a=framerate:1", "a=ptime:20",
        "a=X-candidate:\(candidate)",
    ]

    private func written(_ lines: [String]) throws -> SessionDescription {
        let description = try SessionDescription(checking: SampleDescription.text(lines))
        #expect(LenientReader.objection(to: description.text, fingerprint: Self.print) == nil)
        #expect(description.fingerprint == SampleDescription.fingerprint)
        #expect(try SessionDescription(checking: description.text) == description, "it is written the same way again")
        return description
    }

    @Test("A line that isn't known is left out, wherever it stands", arguments: hostile)
    func leftOut(line: String) throws {
        let clean = try written(SampleDescription.lines())
        let places = SampleDescription.lines().indices.dropFirst() + [SampleDescription.lines().count]
        for place in places {
            var lines = SampleDescription.lines()
            lines.insert(line, at: place)
            let description = try written(lines)
            #expect(description.text == clean.text, "before line \(place + 1)")
        }
    }

    @Test("What would end a line for one reader and not for another one is refused")
    func ends() {
        for end in ["\r", "\0", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\t", "\r\r\n", "\n\r"] {
            for place in SampleDescription.lines().indices {
                var lines = SampleDescription.lines()
                lines[place] += "\(end)a=candidate:\(Self.candidate)"
                #expect(throws: SessionDescriptionError.self, "\(end.debugDescription) in line \(place + 1)") {
                    try SessionDescription(checking: SampleDescription.text(lines))
                }
            }
        }
    }

    @Test("Ports, addresses and names of the sender's choosing are written over")
    func destinations() throws {
        let clean = try written(SampleDescription.lines()).text
        for (before, after) in [
            ("o=- 4611731400430051336 2 IN IP4 127.0.0.1", "o=192.0.2.7 4611731400430051336 2 IN IP6 2001:db8::7"),
            ("c=IN IP4 0.0.0.0", "c=IN IP4 192.0.2.7"), ("c=IN IP6 ::", "c=IN IP6 2001:db8::7"), ("s=-", "s=192.0.2.7"),
            ("m=audio 9 ", "m=audio 40000 "), ("m=video 9 ", "m=video 1 "),
            ("a=rtcp:9 IN IP4 0.0.0.0", "a=rtcp:7 IN IP4 192.0.2.7"),
        ] {
            let lines = SampleDescription.lines().map { $0.replacing(before, with: after) }
            #expect(lines != SampleDescription.lines())
            #expect(try written(lines).text == clean, "\(after)")
        }
    }

    @Test("A fingerprint that counts is the pinned one, at each place where it stands")
    func fingerprints() throws {
        let before = SampleDescription.lines()
        for place in before.indices.dropFirst() {
            var lines = before
            lines.insert("a=fingerprint:sha-256 \(Self.other)", at: place)
            #expect(throws: SessionDescriptionError.self) {
                try SessionDescription(checking: SampleDescription.text(lines))
            }
            lines[place] = "a=fingerprint:SHA-256 \(Self.print.lowercased())"
            #expect(try written(lines).text == written(before).text)
        }
        // One for the whole description stands in each section afterwards, with the credentials.
        let own = before.filter { $0.hasPrefix("a=ice-") || $0.hasPrefix("a=fingerprint") }
        let shared = Array(before[..<5]) + own[..<4] + before[5...].filter { !own.contains($0) }
        #expect(try written(shared).text == written(before).text)
    }

    @Test("What a section says twice in two ways is refused")
    func ambiguous() {
        let last = SampleDescription.lines().count
        for line in [
            "a=mid:7", "a=ice-ufrag:abcd", "a=ice-pwd:abcdefghijklmnopqrstuvwx", "a=mid:1", "a=mid:192.0.2.7", "a=mid:",
            "a=ice-ufrag:a.b.c",
        ] {
            var lines = SampleDescription.lines()
            lines.insert(line, at: last)
            #expect(throws: SessionDescriptionError.self, "\(line)") {
                try SessionDescription(checking: SampleDescription.text(lines))
            }
        }
        for (first, second) in [("a=sendonly", "a=recvonly"), ("a=setup:active", "a=setup:passive")] {
            #expect(throws: SessionDescriptionError.self) {
                try SessionDescription(checking: SampleDescription.text(SampleDescription.lines() + [first, second]))
            }
        }
    }

    /// What browsers have written for calls of a page, with a line for each attribute: `Tests/Recorded/descriptions`.
    @Test(
        "What Chromium and Firefox write for calls keeps all that they need",
        arguments: [
            "offer-of-chromium", "offer-of-firefox", "answer-of-chromium-to-chromium", "answer-of-chromium-to-firefox",
            "answer-of-firefox-to-chromium", "answer-of-firefox-to-firefox",
        ])
    func browsers(name: String) throws {
        let path = "\(#filePath)".replacing(
            "PeerProtocolTests/Calls/HostileDescriptionTests.swift", with: "Recorded/descriptions/")
        let text = try TextFile.text(path + name + ".sdp")
        let description = try SessionDescription(checking: text)
        #expect(
            LenientReader.objection(to: description.text, fingerprint: CallFingerprint.text(description.fingerprint))
                == nil)
        #expect(try SessionDescription(checking: description.text) == description)
        /// Sections, and what stands in them in order of the alphabet.
        func parts(_ text: String) -> [[String]] {
            text.replacing("\r\n", with: "\n").split(separator: "\nm=").map {
                $0.split(separator: "\n").map(String.init).sorted()
            }
        }
        // Streams are named by nobody, no address is, and what stands for all sections is written in each.
        let ends = Set(["a=rtcp", "a=msid", "a=msid-semantic", "a=fingerprint", "a=ice-options", "c=IN IP4 0.0.0.0"])
        for (before, after) in zip(parts(text), parts(description.text)) {
            let kept = before.filter { line in
                !ends.contains(String(line.prefix { $0 != ":" })) && !line.contains(" msid:") && line.first != "o"
            }
            #expect(kept.filter { !after.contains($0) } == [], "what \(name) has and its copy has not")
        }
        #expect(parts(description.text).count == 4)
        #expect(description.text.utf8.count <= text.utf8.count + 2_000)
    }
}
