import Basics
import Vocabulary

/// A chat message. The id of its frame is the message's id.
///
/// CBOR `{1: conversation kind, 2: kind, 3: text, 4: hybrid time, 5: sent at, 6: reply to?, 7: attachments?,
/// 8: call?, 9: reply to whose?}`.
public struct MessageBody: Hashable, Sendable {
    public let kind: MessageKind
    /// At most ``SharedLimits/textBytes`` bytes. Anything, also control characters: escape it before showing it.
    public let text: String
    /// The sender's hybrid logical time. Clamp it before filing the message under it.
    public let time: HybridTime
    /// The sender's wall clock when the message was written.
    public let sentAt: WallTime
    public let replyTo: UUIDv7?
    /// Whose message it answers; nil without ``replyTo``, between two people, and from older versions.
    public let replyAuthor: AccountID?
    /// At most ``SharedLimits/attachments``, no transfer twice.
    public let attachments: [AttachmentBody]
    /// The record of a call, present with the kind *call* and only between two people: groups have log entries for
    /// that.
    public let call: CallRecord?

    public init(
        kind: MessageKind, text: String, time: HybridTime, sentAt: WallTime, replyTo: UUIDv7? = nil,
        replyAuthor: AccountID? = nil, attachments: [AttachmentBody] = [], call: CallRecord? = nil
    ) {
        self.kind = kind
        self.text = text
        self.time = time
        self.sentAt = sentAt
        self.replyTo = replyTo
        self.replyAuthor = replyTo == nil ? nil : replyAuthor
        self.attachments = attachments
        self.call = call
    }

    /// - Parameter conversation: the kind of conversation that it came in, which it must name.
    /// - Throws: ``WireError`` for what is not CBOR or breaks a rule; `.unsupported` for a kind of message that this version
    ///   doesn't know, and for another conversation.
    public init(decoding bytes: [UInt8], conversation: ConversationKind) throws(WireError) {
        let body = try BodyReader(bytes)
        guard try body.word(1, "conversation kind") == conversation else {
            throw .unsupported(field: "conversation kind")
        }
        let kind: MessageKind = try body.word(2, "message kind")
        guard kind != .call || conversation == .direct else { throw .unsupported(field: "message kind") }
        var call: CallRecord?
        if let value = body.value(8) { call = try CallRecord(reading: value, field: "call") }
        self.init(
            kind: kind,
            text: try body.text(3, "text", maximumBytes: SharedLimits.textBytes),
            time: HybridTime(rawValue: try body.unsigned(4, "hybrid time")),
            sentAt: try body.time(5, "sent at"),
            replyTo: try body.optionalID(6, "reply to"), replyAuthor: try body.optionalAccount(9, "reply to whose"),
            attachments: try body.optionalList(
                7, "attachments", maximum: SharedLimits.attachments, AttachmentBody.init(reading:field:)) ?? [],
            call: call)
        try check()
    }

    /// - Throws: ``WireError`` where a peer would refuse it.
    public func encoded(conversation: ConversationKind) throws(WireError) -> [UInt8] {
        try check()
        guard kind != .call || conversation == .direct else { throw .unsupported(field: "message kind") }
        var map: CBORMap = [
            3: .text(text), 4: .unsigned(time.rawValue), 5: .integer(sentAt.milliseconds),
        ]
        map[1] = conversation.value
        map[2] = kind.value
        if let replyTo { map[6] = .bytes(replyTo.bytes) }
        if !attachments.isEmpty { map[7] = .array(attachments.map(\.value)) }
        map[8] = call?.value
        map[9] = replyAuthor.map { .bytes($0.bytes) }
        let bytes = CBOR.map(map).encoded()
        let limit = conversation == .direct ? PeerLimits.frameBodyBytes : PeerLimits.logContentBytes
        try FieldRules.bytes(bytes.count, "message", maximum: limit)
        return bytes
    }

    private func check() throws(WireError) {
        try FieldRules.bytes(text.utf8.count, "text", maximum: SharedLimits.textBytes)
        guard sentAt.milliseconds >= 0 else { throw .invalid(field: "sent at") }
        guard replyTo != .zero else { throw .invalid(field: "reply to") }
        try FieldRules.bytes(attachments.count, "attachments", maximum: SharedLimits.attachments)
        guard kind.wire != nil else { throw .unsupported(field: "message kind") }
        guard kind.allows(text) else { throw .invalid(field: "text") }
        guard attachments.isEmpty == (kind != .file) else { throw .invalid(field: "attachments") }
        guard (call != nil) == (kind == .call) else { throw .invalid(field: "call") }
        if let call, call.duration < 0 || call.startedAt.milliseconds < 0 { throw .invalid(field: "call") }
        var seen: Set<UUIDv7> = []
        for attachment in attachments {
            try attachment.check()
            guard seen.insert(attachment.transfer).inserted else { throw .invalid(field: "transfer") }
        }
    }
}

extension MessageBody: WireBody {
    public init(decoding bytes: [UInt8]) throws(WireError) { try self.init(decoding: bytes, conversation: .direct) }

    public func encoded() throws(WireError) -> [UInt8] { try encoded(conversation: .direct) }
}
