import Basics

/// A chat message. The id of its frame is the message's id.
///
/// CBOR `{1: conversation kind, 2: kind, 3: text, 4: hybrid time, 5: sent at, 6: reply to?, 7: attachments?}`.
public struct MessageBody: Hashable, Sendable {
    /// What a message consists of.
    public enum Kind: UInt64, Hashable, Sendable {
        /// Has a text and no attachments.
        case text = 0
        /// Has attachments, and a text that may be empty.
        case file = 1
    }

    /// Where a message is written, which its bytes say: one that was meant for a person alone is none for a group.
    public enum Conversation: UInt64, Hashable, Sendable {
        /// Between two people.
        case direct = 0
        /// In a group, as the content of an entry of its log.
        case group = 1
    }

    public let kind: Kind
    /// At most ``PeerLimits/textBytes`` bytes. Anything, also control characters: escape it before showing it.
    public let text: String
    /// The sender's hybrid logical time. Clamp it before filing the message under it.
    public let time: HybridTime
    /// The sender's wall clock when the message was written.
    public let sentAt: WallTime
    public let replyTo: UUIDv7?
    /// At most ``PeerLimits/attachments``, no transfer twice.
    public let attachments: [AttachmentBody]

    public init(
        kind: Kind, text: String, time: HybridTime, sentAt: WallTime, replyTo: UUIDv7? = nil,
        attachments: [AttachmentBody] = []
    ) {
        self.kind = kind
        self.text = text
        self.time = time
        self.sentAt = sentAt
        self.replyTo = replyTo
        self.attachments = attachments
    }

    /// - Parameter conversation: where it came from, and must say that it belongs.
    /// - Throws: ``WireError`` for what is not CBOR or breaks a rule; `.unsupported` for a kind of message that this version
    ///   doesn't know, and for another conversation.
    public init(decoding bytes: [UInt8], conversation: Conversation = .direct) throws(WireError) {
        let body = try BodyReader(bytes)
        guard try body.unsigned(1, "conversation kind") == conversation.rawValue else {
            throw .unsupported(field: "conversation kind")
        }
        guard let kind = Kind(rawValue: try body.unsigned(2, "message kind")) else {
            throw .unsupported(field: "message kind")
        }
        var attachments: [AttachmentBody] = []
        if let items = try body.optionalArray(7, "attachments", maximum: PeerLimits.attachments) {
            for item in items { attachments.append(try AttachmentBody(reading: item)) }
        }
        self.init(
            kind: kind,
            text: try body.text(3, "text", maximumBytes: PeerLimits.textBytes),
            time: HybridTime(rawValue: try body.unsigned(4, "hybrid time")),
            sentAt: try body.time(5, "sent at"),
            replyTo: try body.optionalID(6, "reply to"),
            attachments: attachments)
        try check()
    }

    /// - Throws: ``WireError`` where a peer would refuse it.
    public func encoded(conversation: Conversation = .direct) throws(WireError) -> [UInt8] {
        try check()
        var map: CBORMap = [
            1: .unsigned(conversation.rawValue), 2: .unsigned(kind.rawValue), 3: .text(text),
            4: .unsigned(time.rawValue),
            5: .integer(sentAt.milliseconds),
        ]
        if let replyTo { map[6] = .bytes(replyTo.bytes) }
        if !attachments.isEmpty { map[7] = .array(attachments.map(\.value)) }
        let bytes = CBOR.map(map).encoded()
        let limit = conversation == .direct ? PeerLimits.frameBodyBytes : PeerLimits.logContentBytes
        try FieldRules.bytes(bytes.count, "message", maximum: limit)
        return bytes
    }

    private func check() throws(WireError) {
        try FieldRules.bytes(text.utf8.count, "text", maximum: PeerLimits.textBytes)
        guard sentAt.milliseconds >= 0 else { throw .invalid(field: "sent at") }
        guard replyTo != .zero else { throw .invalid(field: "reply to") }
        try FieldRules.bytes(attachments.count, "attachments", maximum: PeerLimits.attachments)
        switch kind {
        case .text:
            guard !text.isEmpty else { throw .invalid(field: "text") }
            guard attachments.isEmpty else { throw .invalid(field: "attachments") }
        case .file:
            guard !attachments.isEmpty else { throw .invalid(field: "attachments") }
        }
        var seen: Set<UUIDv7> = []
        for attachment in attachments {
            try attachment.check()
            guard seen.insert(attachment.transfer).inserted else { throw .invalid(field: "transfer") }
        }
    }
}
