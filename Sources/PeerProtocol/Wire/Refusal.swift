import Basics
import Vocabulary

/// A reason, and an explanation for people.
public struct Refusal: Hashable, Sendable {
    public let reason: Reason
    /// At most ``PeerLimits/detailCharacters`` characters on one line; longer ones are cut, foreign characters that
    /// names may not have are escaped.
    public let detail: String?
    /// Whether the same frame may be taken another time, without anybody changing it. A reason of a later version doesn't pass.
    public let isPassing: Bool

    public init(_ reason: Reason, detail: String? = nil) {
        self.reason = reason
        self.detail = detail.map { Self.tidied($0) }
        isPassing = reason.isPassing
    }

    /// Reads a reason that a peer has sent. An unknown reason of a later version becomes ``Reason/internal``, with its
    /// token as the detail if there is no other.
    ///
    /// Nil for a token that is none: it has 1 to ``PeerLimits/reasonBytes`` of `a–z`, `0–9` and `_`.
    public init?(token: String, detail: String?) {
        guard 1...PeerLimits.reasonBytes ~= token.utf8.count,
            token.utf8.allSatisfy({ Self.letters.contains($0) || Self.digits.contains($0) || $0 == 0x5F })
        else { return nil }
        let known = Reason(rawValue: token)
        reason = Reason(code: token)
        self.detail = (detail ?? (known == nil ? token : nil)).map { Self.tidied($0) }
        isPassing = known?.isPassing ?? false
    }

    private static let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    private static func tidied(_ text: String) -> String {
        let escaped = ForeignText.escaped(String(text.prefix(PeerLimits.detailCharacters)))
        var out = ""
        // Eight bytes a character are what a decoder grants; a cluster of more is left out whole.
        for character in escaped.prefix(PeerLimits.detailCharacters)
        where out.utf8.count + character.utf8.count <= PeerLimits.detailCharacters * 8 {
            out.append(character)
        }
        return out
    }
}
