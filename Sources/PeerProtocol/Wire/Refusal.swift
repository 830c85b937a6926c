import Basics

/// A short token that says why something was refused or failed: the error kinds of the control API, plus whatever a
/// later version adds. 1 to 32 characters of `a–z`, `0–9` and `_`.
public struct ReasonKind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    /// Nil for anything that is not such a token.
    public init?(rawValue: String) {
        guard 1...PeerLimits.reasonBytes ~= rawValue.utf8.count,
            rawValue.utf8.allSatisfy({ Self.letters.contains($0) || Self.digits.contains($0) || $0 == 0x5F })
        else { return nil }
        self.rawValue = rawValue
    }

    private init(known: String) { rawValue = known }

    private static let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    /// The frame is for friends only.
    public static let notFriends = ReasonKind(known: "not_friends")
    /// The receiver knows no such kind of frame, message or conversation.
    public static let unsupported = ReasonKind(known: "unsupported")
    /// A body that breaks the rules.
    public static let invalid = ReasonKind(known: "invalid")
    public static let tooLarge = ReasonKind(known: "too_large")
    public static let alreadyExists = ReasonKind(known: "already_exists")
    public static let notFound = ReasonKind(known: "not_found")
    public static let notAllowed = ReasonKind(known: "not_allowed")
    public static let noSpace = ReasonKind(known: "no_space")
    public static let typeNotAllowed = ReasonKind(known: "type_not_allowed")
    public static let cancelled = ReasonKind(known: "cancelled")
    public static let busy = ReasonKind(known: "busy")
    public static let `internal` = ReasonKind(known: "internal")

    public var description: String { rawValue }
}

/// A reason and what more there is to say to people.
public struct Refusal: Hashable, Sendable {
    public let reason: ReasonKind
    /// At most ``PeerLimits/detailCharacters`` characters on one line; longer ones are cut, foreign characters that
    /// names may not have are escaped.
    public let detail: String?

    public init(_ reason: ReasonKind, detail: String? = nil) {
        self.reason = reason
        self.detail = detail.map { Self.tidied($0) }
    }

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
