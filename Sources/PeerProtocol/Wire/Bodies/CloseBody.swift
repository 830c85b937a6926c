import Basics

/// Why a session ends. Numbers of a later version are values like any other.
public struct CloseReason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The daemon stops or locks.
    public static let goodbye = CloseReason(rawValue: 0)
    /// Nothing is left to say to a peer that is no friend.
    public static let idle = CloseReason(rawValue: 1)
    /// Another session between the same devices stays.
    public static let replaced = CloseReason(rawValue: 2)
    /// A session with fresh keys takes over.
    public static let renewed = CloseReason(rawValue: 3)
    /// The other side broke a rule; the text says which.
    public static let protocolError = CloseReason(rawValue: 4)
    /// The other side asks for more than its share, or there is no space for it.
    public static let busy = CloseReason(rawValue: 5)
    /// This peer is not wanted.
    public static let notAllowed = CloseReason(rawValue: 6)
    /// Receipts don't come.
    public static let unresponsive = CloseReason(rawValue: 7)
    /// Another copy of this device's data is connected; the text says where.
    public static let copied = CloseReason(rawValue: 8)

    public var description: String {
        switch self {
        case .goodbye: "goodbye"
        case .idle: "idle"
        case .replaced: "replaced"
        case .renewed: "renewed"
        case .protocolError: "protocol error"
        case .busy: "busy"
        case .notAllowed: "not allowed"
        case .unresponsive: "unresponsive"
        case .copied: "copied"
        default: "reason \(rawValue)"
        }
    }
}

/// The last frame of a session. CBOR `{1: reason, 2: detail?}`. Has no id.
public struct CloseBody: WireBody {
    public let reason: CloseReason
    /// For the log of the other side; cut to ``PeerLimits/detailCharacters`` characters and escaped.
    public let detail: String?

    public init(reason: CloseReason, detail: String? = nil) {
        self.reason = reason
        self.detail = detail.flatMap { Refusal(.invalid, detail: $0).detail }
    }

    public init(decoding bytes: [UInt8]) throws(WireError) {
        let body = try BodyReader(bytes)
        let limit = PeerLimits.detailCharacters
        let detail = try body.optionalText(2, "detail", maximumBytes: limit * 8)
        if let detail { try FieldRules.characters(detail, "detail", maximum: limit) }
        self.init(reason: CloseReason(rawValue: try body.unsigned(1, "reason")), detail: detail)
    }

    public func encoded() -> [UInt8] {
        var map: CBORMap = [1: .unsigned(reason.rawValue)]
        if let detail { map[2] = .text(detail) }
        return CBOR.map(map).encoded()
    }
}
