// Compiled with: Tests/PeerProtocolTests/Calls/LenientReader.swift
import Basics

@testable import PeerProtocol

/// Session descriptions, as a peer says that a browser wrote them. What is written of one names no host and has nothing in it that any
/// browser could read as a candidate, a key or another unknown field, whatever case and blanks it overlooks; it is written the same way
/// again.
enum FuzzTarget {
    private static let fingerprint = CallFingerprint.text([UInt8](repeating: 7, count: 32))
    private static let ice = "a=ice-ufrag:abcd\r\na=ice-pwd:abcdefghijklmnopqrstuv\r\n"
    private static let head = "v=0\r\no=- 1 2 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\n"

    /// Descriptions with what browsers write, and with what a peer could want a browser to read.
    static let seeds: [[UInt8]] = {
        let spelled = [
            "candidate:", "Candidate:", " candidate:", "candidate ", "remote-candidates:", "crypto:", "Crypto:",
            "identity:", "Fingerprint:",
        ]
        let hostile =
            spelled.map { "a=\($0)1 1 udp 5 192.0.2.7 9 typ host\r\n" } + [
                "c=IN IP4 192.0.2.7\r\n", "a=rtcp:9 IN IP6 2001:db8::7\r\n",
            ]
        let video = [
            "a=rtpmap:96 VP8/90000\r\na=rtcp-fb:96 nack pli\r\na=rtcp-fb:* ccm fir\r\na=fmtp:96 max-fs=12288;max-fr=60\r\n",
            "a=rtpmap:97 rtx/90000\r\na=fmtp:97 apt=96\r\na=ssrc-group:FID 1 2\r\na=ssrc:1 cname:{a-b}\r\n",
            "a=extmap:3/recvonly urn:ietf:params:rtp-hdrext:sdes:mid\r\na=extmap:4 http://www.webrtc.org/experiments/rtp-hdrext/playout-delay\r\n",
            "a=setup:actpass\r\na=sendrecv\r\na=rtcp-mux\r\na=rtcp-rsize\r\na=bundle-only\r\na=extmap-allow-mixed\r\na=rtcp-xr:rcvr-rtt=all\r\n",
        ]
        let print = "a=fingerprint:sha-256 \(fingerprint)\r\n"
        return ([""] + hostile).map { line in
            let sound =
                "m=audio 9 UDP/TLS/RTP/SAVPF 111 63\r\na=mid:0\r\na=rtpmap:111 opus/48000/2\r\na=fmtp:63 111/111\r\n\(line)"
            let sections =
                sound + "m=video 9 UDP/TLS/RTP/SAVPF 96 97\r\na=mid:1\r\n\(video.joined())"
                + "m=video 0 UDP/TLS/RTP/SAVPF 96\r\na=mid:2\r\n"
            return Array((head + "a=group:BUNDLE 0 1 2\r\n" + ice + print + line + sections).utf8)
        }
    }()

    static func run(_ bytes: [UInt8]) {
        guard let value = try? SessionDescription(checking: String(decoding: bytes, as: UTF8.self)) else { return }
        let problem = LenientReader.objection(to: value.text, fingerprint: CallFingerprint.text(value.fingerprint))
        if let problem { fatalError("session description: \(problem)") }
        require((try? SessionDescription(checking: value.text)) == value, "session description")
    }
}
