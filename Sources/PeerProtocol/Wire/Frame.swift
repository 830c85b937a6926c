// The Wire folder has what two daemons say to each other inside the secure channel, as values and as bytes: frames, the
// CBOR bodies inside them, and the limits on every field. It may use Basics and the signatures and certificates of
// Crypto, and knows nothing of sockets and storage. docs/PROTOCOL.md describes every byte of it.

import Basics

/// Says what a frame is about. Unknown kinds are values like any other, so that a newer peer can be answered.
public struct FrameKind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let ping = FrameKind(rawValue: 1)
    public static let pong = FrameKind(rawValue: 2)
    public static let close = FrameKind(rawValue: 3)
    public static let receipt = FrameKind(rawValue: 4)
    public static let card = FrameKind(rawValue: 16)

    /// The kinds by which a session itself is kept. ``Hint`` and ``DurableFrame`` have the others.
    static let session: [FrameKind: String] = [
        .ping: "ping", .pong: "pong", .close: "close", .receipt: "receipt", .card: "card",
    ]

    /// Whether it is about a group: friends may send it, and members of a group of ours.
    public var isOfGroups: Bool { 64...79 ~= rawValue }

    /// The peers from which it is taken.
    public var gate: FrameGate {
        if let rule = Hint.rules[self] { return rule.from }
        if let rule = DurableFrame.rules[self] { return rule.gate }
        if Self.session[self] != nil { return .everyone }
        return isOfGroups ? .friendsAndGroupMates : .friends
    }

    public var description: String {
        Hint.rules[self]?.name ?? DurableFrame.rules[self]?.name ?? Self.session[self] ?? "kind \(rawValue)"
    }
}

/// What the body of a frame says.
public protocol WireBody: Hashable, Sendable {
    /// - Throws: ``WireError`` for bytes that break a rule of docs/PROTOCOL.md.
    init(decoding bytes: [UInt8]) throws(WireError)

    /// The body's bytes.
    /// - Throws: ``WireError`` where a peer would refuse it.
    func encoded() throws(WireError) -> [UInt8]
}

/// One unit of a session: a kind, an identifier and a body.
///
/// On the wire: `kind u16 ‖ flags u16 ‖ body length u32 ‖ id 16 bytes ‖ body`, integers big-endian. Flags are sent as
/// zero and not looked at.
public struct Frame: Hashable, Sendable {
    public let kind: FrameKind
    /// Names a frame that must not be lost; zero for one that needs no receipt.
    public let id: UUIDv7
    /// The body is CBOR, and empty for ping and pong. It has at most ``PeerLimits/frameBodyBytes`` bytes.
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
