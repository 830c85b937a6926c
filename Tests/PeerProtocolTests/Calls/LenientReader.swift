/// Reads a session description as the most lenient of browsers could, whatever ends its lines, whatever case and blanks its names
/// have, and says what is in it that must never reach a browser. It shares no code with the daemon. The fuzz target of
/// descriptions is compiled with it, too.
enum LenientReader {
    private static let attributes: Set<String> = [
        "group", "extmap-allow-mixed", "bundle-only", "ice-ufrag", "ice-pwd", "ice-options", "fingerprint", "setup",
        "mid",
        "sendrecv", "sendonly", "recvonly", "inactive", "rtcp-mux", "rtcp-rsize", "rtcp-xr", "extmap", "rtpmap", "fmtp",
        "rtcp-fb",
        "ssrc", "ssrc-group",
    ]
    private static let extensions = [
        "urn:ietf:params:rtp-hdrext:", "urn:3gpp:video-orientation", "http://www.webrtc.org/experiments/rtp-hdrext/",
        "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01",
        "https://aomediacodec.github.io/av1-rtp-spec/#dependency-descriptor-rtp-header-extension",
    ]

    /// What is wrong with the text of a description; nil if nothing is.
    /// - Parameter fingerprint: the only one that may stand in it, as a description writes it.
    static func objection(to text: String, fingerprint: String) -> String? {
        for line in text.utf8.split(whereSeparator: { $0 == 0x0D || $0 == 0x0A || $0 == 0 }) {
            let raw = String(decoding: line, as: UTF8.self)
            if let problem = objection(line: raw, fingerprint.lowercased()) { return "\(raw): \(problem)" }
        }
        return nil
    }

    private static func objection(line: String, _ fingerprint: String) -> String? {
        let folded = line.lowercased().filter { $0 > " " }
        guard let type = folded.first, folded.dropFirst().first == "=" else { return "no line" }
        let value = String(folded.dropFirst(2))
        switch type {
        case "v", "s", "t": return ["v=0", "s=-", "t=00"].contains(folded) ? nil : "a value of its own"
        case "o":
            guard value.hasPrefix("-"), value.hasSuffix("inip40.0.0.0") else { return "an origin" }
            return value.dropFirst().dropLast(12).allSatisfy(\.isNumber) ? nil : "an origin"
        case "c": return value == "inip40.0.0.0" ? nil : "an address"
        case "m":
            let words = line.split(separator: " ")
            guard words.count > 3, ["m=audio", "m=video"].contains(words[0]), ["0", "9"].contains(words[1]),
                words[2] == "UDP/TLS/RTP/SAVPF"
            else { return "a section" }
            return words[3...].allSatisfy { $0.allSatisfy(\.isNumber) } ? nil : "formats"
        case "a": return objection(attribute: value, of: line, fingerprint)
        default: return "a type of line"
        }
    }

    private static func objection(attribute: String, of line: String, _ fingerprint: String) -> String? {
        let name = attribute.prefix { $0 != ":" }
        guard attributes.contains(String(name)) else { return "an attribute" }
        // Another spelling of a name that is known is unknown to one parser, and known to another.
        guard line.hasPrefix("a=\(name)"), line.count == name.count + 2 || line.dropFirst(name.count + 2).first == ":"
        else {
            return "a spelling"
        }
        let rest = attribute.dropFirst(name.count + 1)
        switch name {
        case "fingerprint": return rest == "sha-256\(fingerprint)" ? nil : "a fingerprint"
        case "extmap":
            let uri = rest.drop { $0.isNumber }
            let known = ["", "/sendrecv", "/sendonly", "/recvonly", "/inactive"].contains { way in
                extensions.contains { uri.hasPrefix(way + $0) }
            }
            return known ? nil : "an extension"
        default: return isAddress(rest) ? "an address" : nil
        }
    }

    /// Whether something in a text can be read as an address: four numbers with dots, or many colons.
    private static func isAddress(_ text: Substring) -> Bool {
        if text.contains("::") || text.count(where: { $0 == ":" }) > 2 { return true }
        return text.split(whereSeparator: { !$0.isNumber && $0 != "." }).contains {
            $0.split(separator: ".").count > 3
        }
    }
}
