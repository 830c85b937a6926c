// The Wire room: what two daemons say to each other inside the secure channel, as values and as bytes. Frames, the CBOR
// bodies inside them, and the limits on every field. May use Basics and the signatures and certificates of Crypto;
// knows nothing of sockets, sessions or storage. docs/PROTOCOL.md describes every byte of it.

import Basics

/// What a frame is about. Unknown kinds are values like any other, so that a newer peer can be answered.
public struct FrameKind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let ping = FrameKind(rawValue: 1)
    public static let pong = FrameKind(rawValue: 2)
    public static let close = FrameKind(rawValue: 3)
    public static let receipt = FrameKind(rawValue: 4)
    public static let card = FrameKind(rawValue: 16)
    public static let contactRequest = FrameKind(rawValue: 17)
    public static let contactAnswer = FrameKind(rawValue: 18)
    public static let contactRemoval = FrameKind(rawValue: 19)
    public static let avatarRequest = FrameKind(rawValue: 20)
    public static let avatar = FrameKind(rawValue: 21)
    public static let peerExchangeRequest = FrameKind(rawValue: 22)
    public static let peerExchange = FrameKind(rawValue: 23)
    public static let reachRequest = FrameKind(rawValue: 24)
    public static let reach = FrameKind(rawValue: 25)
    public static let discoveryKeys = FrameKind(rawValue: 26)
    public static let presence = FrameKind(rawValue: 32)
    public static let typing = FrameKind(rawValue: 33)
    public static let message = FrameKind(rawValue: 48)
    public static let edit = FrameKind(rawValue: 49)
    public static let deletion = FrameKind(rawValue: 50)
    public static let reaction = FrameKind(rawValue: 51)
    public static let seen = FrameKind(rawValue: 52)
    public static let groupHeads = FrameKind(rawValue: 64)
    public static let groupTops = FrameKind(rawValue: 65)
    public static let groupWant = FrameKind(rawValue: 66)
    public static let groupEntries = FrameKind(rawValue: 67)
    public static let groupChange = FrameKind(rawValue: 68)
    public static let groupEntry = FrameKind(rawValue: 69)
    public static let groupSeen = FrameKind(rawValue: 70)
    public static let groupTyping = FrameKind(rawValue: 71)
    public static let fileStatus = FrameKind(rawValue: 80)

    /// Whether it is about a group: taken from friends and from whom we share a group with.
    public var isOfGroups: Bool { 64...79 ~= rawValue }

    public var description: String {
        switch self {
        case .ping: "ping"
        case .pong: "pong"
        case .close: "close"
        case .receipt: "receipt"
        case .card: "card"
        case .contactRequest: "contactRequest"
        case .contactAnswer: "contactAnswer"
        case .contactRemoval: "contactRemoval"
        case .avatarRequest: "avatarRequest"
        case .avatar: "avatar"
        case .peerExchangeRequest: "peerExchangeRequest"
        case .peerExchange: "peerExchange"
        case .reachRequest: "reachRequest"
        case .reach: "reach"
        case .discoveryKeys: "discoveryKeys"
        case .presence: "presence"
        case .typing: "typing"
        case .message: "message"
        case .edit: "edit"
        case .deletion: "deletion"
        case .reaction: "reaction"
        case .seen: "seen"
        case .groupHeads: "groupHeads"
        case .groupTops: "groupTops"
        case .groupWant: "groupWant"
        case .groupEntries: "groupEntries"
        case .groupChange: "groupChange"
        case .groupEntry: "groupEntry"
        case .groupSeen: "groupSeen"
        case .groupTyping: "groupTyping"
        case .fileStatus: "fileStatus"
        default: "kind \(rawValue)"
        }
    }
}

/// One unit of a session: a kind, an identifier and a body.
///
/// On the wire: `kind u16 ‖ flags u16 ‖ body length u32 ‖ id 16 bytes ‖ body`, integers big-endian. Flags are sent as
/// zero and not looked at.
public struct Frame: Hashable, Sendable {
    public let kind: FrameKind
    /// Names what must not be lost; zero for what needs no receipt.
    public let id: UUIDv7
    /// CBOR, or nothing for ping and pong. At most ``PeerLimits/frameBodyBytes`` bytes.
    public let body: [UInt8]

    public init(kind: FrameKind, id: UUIDv7 = .zero, body: [UInt8] = []) {
        self.kind = kind
        self.id = id
        self.body = body
    }

    /// Whether the sender waits for a receipt.
    public var needsReceipt: Bool { id != .zero }

    /// Bytes on the wire.
    public var encodedCount: Int { PeerLimits.frameHeaderBytes + body.count }

    /// Appends header and body. The body must be within ``PeerLimits/frameBodyBytes``: every encoder of this module
    /// sees to it.
    public func append(to out: inout [UInt8]) {
        Self.append(kind: kind, id: id, body: body, to: &out)
    }

    /// Header and body.
    public func encoded() -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(encodedCount)
        append(to: &out)
        return out
    }

    static func append(kind: FrameKind, id: UUIDv7, body: [UInt8], to out: inout [UInt8]) {
        precondition(body.count <= PeerLimits.frameBodyBytes, "a frame's encoder made too long a body")
        out.appendBigEndian(kind.rawValue)
        out.appendBigEndian(0 as UInt16)
        out.appendBigEndian(UInt32(body.count))
        out.appendBigEndian(id.high)
        out.appendBigEndian(id.low)
        out.append(contentsOf: body)
    }
}
