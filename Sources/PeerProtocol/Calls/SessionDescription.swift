import Basics

/// Why a session description of a browser is not taken.
public struct SessionDescriptionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line at fault, from 1; 0 for the whole.
    public let line: Int
    /// What is wrong with it, for programmers.
    public let problem: String

    public var description: String { line == 0 ? problem : "line \(line): \(problem)" }
}

/// A session description (RFC 8866) as the windows of a call exchange it, checked before it is passed on.
///
/// The grammar is narrow: what no browser writes for a call of Kibo is refused. Candidates are taken out; they go beside the
/// description (``CallCandidate``).
public struct SessionDescription: Hashable, Sendable {
    /// The description without candidates; each line ends with CR LF.
    public let text: String
    /// The SHA-256 of the certificate, the same in all its fingerprint lines.
    public let fingerprint: [UInt8]

    /// Checks a description.
    /// - Parameter text: the description as a browser wrote it, or as a peer says that one did.
    public init(checking text: String) throws(SessionDescriptionError) {
        guard text.utf8.count <= PeerLimits.callDescriptionBytes else {
            throw SessionDescriptionError(line: 0, problem: "it has more than \(PeerLimits.callDescriptionBytes) bytes")
        }
        var check = Check()
        var kept: [UInt8] = []
        kept.reserveCapacity(text.utf8.count)
        var number = 0
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // The last line ends like the others.
        guard lines.last?.isEmpty == true else {
            throw SessionDescriptionError(line: lines.count, problem: "the end of a line is missing")
        }
        lines.removeLast()
        for raw in lines {
            number += 1
            let line = raw.last == UInt8(ascii: "\r") ? raw.dropLast() : raw
            do {
                guard try check.take(Array(line), isFirst: number == 1) else { continue }
            } catch {
                throw SessionDescriptionError(line: number, problem: error.problem)
            }
            kept += line
            kept += [0x0D, 0x0A]
        }
        do { fingerprint = try check.finish() } catch {
            throw SessionDescriptionError(line: 0, problem: error.problem)
        }
        self.text = String(decoding: kept, as: UTF8.self)
    }

    private struct Fault: Error {
        let problem: String

        init(_ problem: String) { self.problem = problem }
    }

    /// What the lines so far have said.
    private struct Check {
        private static let media = ["audio", "video", "video"]
        /// Types of lines that browsers write.
        private static let types = Set("vostcbam".utf8)
        private static let longestLine = 1024

        private var sections = 0
        private var fingerprint: [UInt8]?
        private var hasUser = false
        private var hasPassword = false

        /// Checks one line.
        /// - Returns: whether the line stays in the description.
        mutating func take(_ line: [UInt8], isFirst: Bool) throws(Fault) -> Bool {
            guard line.count <= Self.longestLine else { throw Fault("more than \(Self.longestLine) bytes") }
            guard line.allSatisfy({ 0x20...0x7E ~= $0 }) else { throw Fault("not printable ASCII") }
            guard line.count >= 3, line[1] == UInt8(ascii: "="), Self.types.contains(line[0]) else {
                throw Fault("not a line of a session description")
            }
            let value = String(decoding: line[2...], as: UTF8.self)
            if isFirst {
                guard line == Array("v=0".utf8) else { throw Fault("it begins with v=0") }
                return true
            }
            switch line[0] {
            case UInt8(ascii: "v"): throw Fault("only the first line is v=0")
            case UInt8(ascii: "m"): try section(value)
            case UInt8(ascii: "c"):
                guard value == "IN IP4 0.0.0.0" || value == "IN IP6 ::" else { throw Fault("it names an address") }
            case UInt8(ascii: "a"): return try attribute(value)
            default: break
            }
            return true
        }

        private mutating func section(_ value: String) throws(Fault) {
            let words = value.split(separator: " ", omittingEmptySubsequences: false)
            guard sections < Self.media.count, words.first.map(String.init) == Self.media[sections] else {
                throw Fault("the sections are audio, video, video")
            }
            guard words.count >= 4, words.count <= 70, Self.isNumber(words[1], upTo: 65_535) else {
                throw Fault("a section has a port, a protocol and formats")
            }
            guard words[2] == "UDP/TLS/RTP/SAVPF" else { throw Fault("the protocol is UDP/TLS/RTP/SAVPF") }
            guard words[3...].allSatisfy({ Self.isNumber($0, upTo: 127) }) else { throw Fault("formats are numbers") }
            sections += 1
        }

        private mutating func attribute(_ value: String) throws(Fault) -> Bool {
            let name = value.prefix { $0 != ":" }
            let rest = value.dropFirst(name.count + 1)
            switch name {
            case "candidate", "end-of-candidates", "remote-candidates": return false
            case "crypto": throw Fault("keys are agreed by DTLS")
            case "sctp-port", "sctpmap": throw Fault("there are no data channels in calls")
            case "rtcp":
                let words = rest.split(separator: " ")
                guard words.count == 1 || rest.hasSuffix(" IN IP4 0.0.0.0") || rest.hasSuffix(" IN IP6 ::") else {
                    throw Fault("it names an address")
                }
            case "fingerprint": try fingerprint(rest)
            case "ice-ufrag":
                guard Self.isToken(rest, 4...256) else { throw Fault("ice-ufrag has 4 to 256 characters") }
                hasUser = true
            case "ice-pwd":
                guard Self.isToken(rest, 22...256) else { throw Fault("ice-pwd has 22 to 256 characters") }
                hasPassword = true
            default: break
            }
            return true
        }

        private mutating func fingerprint(_ value: Substring) throws(Fault) {
            let words = value.split(separator: " ", omittingEmptySubsequences: false)
            guard words.count == 2, words[0].lowercased() == "sha-256",
                let bytes = CallFingerprint.bytes(String(words[1]))
            else { throw Fault("a fingerprint is that of SHA-256") }
            guard fingerprint == nil || fingerprint == bytes else { throw Fault("all fingerprints are the same") }
            fingerprint = bytes
        }

        consuming func finish() throws(Fault) -> [UInt8] {
            guard sections == Self.media.count else { throw Fault("the sections are audio, video, video") }
            guard hasUser, hasPassword else { throw Fault("ice-ufrag or ice-pwd is missing") }
            guard let fingerprint else { throw Fault("the fingerprint is missing") }
            return fingerprint
        }

        private static func isNumber(_ text: Substring, upTo limit: Int) -> Bool {
            guard 1...5 ~= text.utf8.count, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(text) else {
                return false
            }
            return number <= limit
        }

        /// Characters of ICE (RFC 8839 §5.1).
        private static func isToken(_ text: Substring, _ length: ClosedRange<Int>) -> Bool {
            length ~= text.utf8.count && text.utf8.allSatisfy(CallFingerprint.isICECharacter)
        }
    }
}

/// The SHA-256 of a certificate, as people and session descriptions write it.
public enum CallFingerprint {
    /// Returns the bytes of 32 pairs of hexadecimal digits that are joined by colons; nil for any other text.
    public static func bytes(_ text: String) -> [UInt8]? {
        let pairs = text.split(separator: ":", omittingEmptySubsequences: false)
        guard pairs.count == PeerLimits.callFingerprintBytes, pairs.allSatisfy({ $0.utf8.count == 2 }) else {
            return nil
        }
        return Hex.decode(pairs.joined().lowercased())
    }

    /// Returns the fingerprint as a session description has it.
    public static func text(_ bytes: [UInt8]) -> String {
        let digits = Array(Hex.encode(bytes).uppercased())
        return stride(from: 0, to: digits.count, by: 2).map { String(digits[$0...($0 + 1)]) }.joined(separator: ":")
    }

    static func isICECharacter(_ byte: UInt8) -> Bool {
        0x30...0x39 ~= byte || 0x61...0x7A ~= byte | 0x20 || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
    }
}
