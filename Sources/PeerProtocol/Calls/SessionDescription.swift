import Basics

/// Why a session description of a browser is not taken.
public struct SessionDescriptionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line at fault, from 1; 0 for the whole.
    public let line: Int
    /// What is wrong with it, for programmers.
    public let problem: String

    public var description: String { line == 0 ? problem : "line \(line): \(problem)" }
}

/// A session description (RFC 8866) as the windows of a call exchange it: read into the fields that calls need, and written again from
/// them alone.
///
/// No text of a peer is passed on as it came. Browsers read names in any case and with blanks before and behind them, and know fields
/// that make them send packets or load pages from elsewhere; what isn't spelled as browsers spell it for a call of Kibo isn't known
/// here, and what isn't known is left out. Candidates are such lines: they go beside the description (``CallCandidate``).
public struct SessionDescription: Hashable, Sendable {
    /// The description as it is written here; each line ends with CR LF. It names no host. Reading it gives the same one.
    public let text: String
    /// The SHA-256 of the certificate, the only one in ``text``.
    public let fingerprint: [UInt8]

    /// Reads a description.
    /// - Parameter text: the description as a browser wrote it, or as a peer says that one did.
    public init(checking text: String) throws(SessionDescriptionError) {
        guard text.utf8.count <= PeerLimits.callDescriptionBytes else { throw Self.tooLong }
        var fields = DescriptionFields()
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
            do { try fields.ingest(Array(line), isFirst: number == 1) } catch {
                throw SessionDescriptionError(line: number, problem: error.problem)
            }
        }
        let written: (text: String, fingerprint: [UInt8])
        do { written = try fields.written() } catch { throw SessionDescriptionError(line: 0, problem: error.problem) }
        guard written.text.utf8.count <= PeerLimits.callDescriptionBytes else { throw Self.tooLong }
        (self.text, fingerprint) = written
    }

    private static let tooLong = SessionDescriptionError(
        line: 0, problem: "it has more than \(PeerLimits.callDescriptionBytes) bytes")
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
