/// A section of a description: audio, the camera's video, or the screen's.
struct DescriptionSection {
    /// Attributes that say how media are sent. Names and values that browsers write for calls; all others are left out.
    private static let feedback: Set<Substring> = ["nack", "nack pli", "ccm fir", "goog-remb", "transport-cc"]
    private static let parameters: Set<Substring> = [
        "minptime", "useinbandfec", "usedtx", "stereo", "sprop-stereo", "maxplaybackrate", "maxaveragebitrate", "cbr",
        "apt",
        "level-asymmetry-allowed", "packetization-mode", "profile-level-id", "profile-id", "profile", "level-idx",
        "tier",
        "level-id", "tier-flag", "tx-mode", "max-fs", "max-fr", "repair-window",
    ]
    private static let extensions: Set<Substring> = [
        "urn:ietf:params:rtp-hdrext:ssrc-audio-level", "urn:ietf:params:rtp-hdrext:csrc-audio-level",
        "urn:ietf:params:rtp-hdrext:toffset", "urn:ietf:params:rtp-hdrext:sdes:mid",
        "urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id", "urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id",
        "urn:3gpp:video-orientation", "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time",
        "http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time",
        "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay",
        "http://www.webrtc.org/experiments/rtp-hdrext/video-content-type",
        "http://www.webrtc.org/experiments/rtp-hdrext/video-timing",
        "http://www.webrtc.org/experiments/rtp-hdrext/color-space",
        "http://www.webrtc.org/experiments/rtp-hdrext/video-layers-allocation00",
        "http://www.webrtc.org/experiments/rtp-hdrext/corruption-detection",
        "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01",
        "https://aomediacodec.github.io/av1-rtp-spec/#dependency-descriptor-rtp-header-extension",
    ]
    private static let directions: Set<Substring> = ["sendrecv", "sendonly", "recvonly", "inactive"]

    private let kind: String
    /// Whether its port is 0: it is refused, or has no way of its own.
    private let isOff: Bool
    private let formats: [UInt64]
    private(set) var transport = DescriptionTransport()
    private(set) var mid: String?
    private var isBundleOnly = false
    private var sharesPort = false
    private var reportsBriefly = false
    private var mixesExtensions = false
    /// What it says about formats, extensions and sources, rebuilt here, in the sender's order.
    private var lines: [String] = []

    init(kind: String, isOff: Bool, formats: [UInt64]) {
        (self.kind, self.isOff, self.formats) = (kind, isOff, formats)
    }

    /// Takes an attribute, if it is one that calls need.
    mutating func ingest(_ name: Substring, _ value: Substring?) throws(DescriptionFault) {
        switch (name, value) {
        case ("mid", .some(let value)):
            guard DescriptionText.isName(value, 1...16, more: "-_") else {
                throw .init("a mid has up to 16 letters and digits")
            }
            try DescriptionText.set(&mid, value)
        case ("bundle-only", nil): isBundleOnly = true
        case ("rtcp-mux", nil): sharesPort = true
        case ("rtcp-rsize", nil): reportsBriefly = true
        case ("extmap-allow-mixed", nil): mixesExtensions = true
        case ("rtcp-xr", "rcvr-rtt=all"): lines.append("a=rtcp-xr:rcvr-rtt=all")
        case ("rtpmap", .some(let value)): add("rtpmap", format(value, Self.encoding))
        case ("fmtp", .some(let value)): add("fmtp", format(value, Self.settings))
        case ("rtcp-fb", .some(let value)):
            let feedback: (Substring) -> String? = { Self.feedback.contains($0) ? String($0) : nil }
            add(
                "rtcp-fb",
                value.hasPrefix("* ") ? feedback(value.dropFirst(2)).map { "* \($0)" } : format(value, feedback))
        case ("extmap", .some(let value)): add("extmap", Self.extension(value))
        case ("ssrc", .some(let value)): add("ssrc", Self.source(value))
        case ("ssrc-group", .some(let value)): add("ssrc-group", Self.sources(value))
        default: try transport.ingest(name, value)
        }
    }

    private mutating func add(_ name: String, _ value: String?) {
        if let value { lines.append("a=\(name):\(value)") }
    }

    /// An attribute about one of this section's formats.
    private func format(_ value: Substring, _ read: (Substring) -> String?) -> String? {
        let word = value.prefix { $0 != " " }
        guard let number = DescriptionText.number(word, most: 127), formats.contains(number), word.count < value.count
        else {
            return nil
        }
        return read(value.dropFirst(word.count + 1)).map { "\(number) \($0)" }
    }

    /// `NAME/CLOCK` or `NAME/CLOCK/CHANNELS`.
    private static func encoding(_ text: Substring) -> String? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard 2...3 ~= parts.count, DescriptionText.isName(parts[0], 1...24, more: "-"),
            let clock = DescriptionText.number(parts[1], most: 1_000_000)
        else { return nil }
        guard parts.count == 3 else { return "\(parts[0])/\(clock)" }
        return DescriptionText.number(parts[2], most: 255).map { "\(parts[0])/\(clock)/\($0)" }
    }

    /// Settings of a format that are known, joined by `;`, or numbers that are joined by `/` or `-`.
    private static func settings(_ text: Substring) -> String? {
        guard text.contains("=") else {
            let parts = text.split(omittingEmptySubsequences: false) { "/-,".contains($0) }
            let isRead = 1...8 ~= parts.count && parts.allSatisfy { DescriptionText.number($0, most: 255) != nil }
            return isRead ? String(text) : nil
        }
        var kept: [String] = []
        for part in text.split(separator: ";") {
            let part = part.drop { $0 == " " }
            let name = part.prefix { $0 != "=" }
            let value = part.dropFirst(name.count + 1)
            guard parameters.contains(name), 1...16 ~= value.utf8.count, value.allSatisfy(\.isHexDigit) else {
                continue
            }
            kept.append("\(name)=\(value)")
        }
        return kept.isEmpty ? nil : kept.joined(separator: ";")
    }

    /// `NUMBER URI` or `NUMBER/DIRECTION URI`.
    private static func `extension`(_ text: Substring) -> String? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, extensions.contains(words[1]) else { return nil }
        let parts = words[0].split(separator: "/", omittingEmptySubsequences: false)
        guard 1...2 ~= parts.count, let number = DescriptionText.number(parts[0], most: 255), number > 0 else {
            return nil
        }
        guard parts.count == 2 else { return "\(number) \(words[1])" }
        return directions.contains(parts[1]) ? "\(number)/\(parts[1]) \(words[1])" : nil
    }

    /// `NUMBER cname:NAME`.
    private static func source(_ text: Substring) -> String? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, let number = sourceNumber(words[0]), words[1].hasPrefix("cname:") else { return nil }
        let name = words[1].dropFirst("cname:".count)
        return DescriptionText.isName(name, 1...64, more: "+/{}-") ? "\(number) cname:\(name)" : nil
    }

    /// `FID NUMBER NUMBER`: a video stream, and the one that repeats it.
    private static func sources(_ text: Substring) -> String? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[0] == "FID" || words[0] == "FEC-FR", let first = sourceNumber(words[1]),
            let second = sourceNumber(words[2])
        else { return nil }
        return "\(words[0]) \(first) \(second)"
    }

    private static func sourceNumber(_ text: Substring) -> UInt64? {
        DescriptionText.number(text, most: UInt64(UInt32.max)).flatMap { $0 > 0 ? $0 : nil }
    }

    /// Writes the section.
    /// - Parameter transport: its own, with what holds for all sections.
    func write(to text: inout [String], _ transport: DescriptionTransport, _ fingerprint: [UInt8]) {
        let numbers = formats.map(String.init).joined(separator: " ")
        text += ["m=\(kind) \(isOff ? 0 : 9) UDP/TLS/RTP/SAVPF \(numbers)", "c=IN IP4 0.0.0.0"]
        if isBundleOnly { text.append("a=bundle-only") }
        transport.write(to: &text, fingerprint)
        if let mid { text.append("a=mid:\(mid)") }
        if sharesPort { text.append("a=rtcp-mux") }
        if reportsBriefly { text.append("a=rtcp-rsize") }
        if mixesExtensions { text.append("a=extmap-allow-mixed") }
        text += lines
    }
}
