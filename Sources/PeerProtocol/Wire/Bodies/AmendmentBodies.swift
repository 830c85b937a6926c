import Basics
import Vocabulary

/// The author changes the text of a message. CBOR `{1: message, 2: text, 3: hybrid time, 4: edited at}`. Needs a receipt.
///
/// It may come before its message. If there are two edits, the one with the greater time counts.
public struct EditBody: WireBody {
    public let message: UUIDv7
    /// At most ``SharedLimits/textBytes`` bytes; empty only for a message that has attachments.
    public let text: String
    /// The time of the edit, by the author's hybrid clock.
    public let time: HybridTime
    /// By the author's wall clock.
    public let editedAt: WallTime

    public init(message: UUIDv7, text: String, time: HybridTime, editedAt: WallTime) {
        self.message = message
        self.text = text
        self.time = time
        self.editedAt = editedAt
    }

    public init(decoding bytes: [UInt8]) throws(WireError) {
        let body = try BodyReader(bytes)
        self.init(
            message: try body.id(1, "message"),
            text: try body.text(2, "text", maximumBytes: SharedLimits.textBytes),
            time: HybridTime(rawValue: try body.unsigned(3, "hybrid time")), editedAt: try body.time(4, "edited at"))
        guard editedAt.milliseconds >= 0 else { throw .invalid(field: "edited at") }
    }

    public func encoded() throws(WireError) -> [UInt8] {
        guard message != .zero else { throw .invalid(field: "message") }
        guard editedAt.milliseconds >= 0 else { throw .invalid(field: "edited at") }
        try FieldRules.bytes(text.utf8.count, "text", maximum: SharedLimits.textBytes)
        return CBOR.map([
            1: .bytes(message.bytes), 2: .text(text), 3: .unsigned(time.rawValue), 4: .integer(editedAt.milliseconds),
        ]).encoded()
    }
}

/// The author deletes a message for all. CBOR `{1: message, 2: its hybrid time, 3: its sent at}`. Needs a receipt.
///
/// It has the message's place with it, so that a receiver that never got the message shows the same gap as all others.
public struct DeletionBody: WireBody {
    public let message: UUIDv7
    /// The message's own, as in ``MessageBody/time``.
    public let time: HybridTime
    /// The message's own, as in ``MessageBody/sentAt``.
    public let sentAt: WallTime

    public init(message: UUIDv7, time: HybridTime, sentAt: WallTime) {
        self.message = message
        self.time = time
        self.sentAt = sentAt
    }

    public init(decoding bytes: [UInt8]) throws(WireError) {
        let body = try BodyReader(bytes)
        self.init(
            message: try body.id(1, "message"), time: HybridTime(rawValue: try body.unsigned(2, "hybrid time")),
            sentAt: try body.time(3, "sent at"))
        guard sentAt.milliseconds >= 0 else { throw .invalid(field: "sent at") }
    }

    public func encoded() throws(WireError) -> [UInt8] {
        guard message != .zero else { throw .invalid(field: "message") }
        guard sentAt.milliseconds >= 0 else { throw .invalid(field: "sent at") }
        return CBOR.map([1: .bytes(message.bytes), 2: .unsigned(time.rawValue), 3: .integer(sentAt.milliseconds)])
            .encoded()
    }
}

/// An account reacts to a message with one sign, or takes that back. CBOR `{1: message, 2: emoji, 3: hybrid time, 4:
/// removed, 5: whose message it is?}`. Needs a receipt.
///
/// It may come before its message. If two are about the same sign of the same account, the one with the greater time
/// counts.
public struct ReactionBody: WireBody {
    public let message: UUIDv7
    /// One character as people see it, of at most ``PeerLimits/emojiBytes`` bytes.
    public let emoji: String
    /// The time of the reaction, by the hybrid clock of its author.
    public let time: HybridTime
    public let removed: Bool
    /// Whose message it is; nil between two people, and from older versions.
    public var author: AccountID?

    public init(message: UUIDv7, emoji: String, time: HybridTime, removed: Bool, author: AccountID? = nil) {
        self.message = message
        self.emoji = emoji
        self.time = time
        self.removed = removed
        self.author = author
    }

    public init(decoding bytes: [UInt8]) throws(WireError) {
        let body = try BodyReader(bytes)
        self.init(
            message: try body.id(1, "message"),
            emoji: try body.text(2, "emoji", maximumBytes: PeerLimits.emojiBytes),
            time: HybridTime(rawValue: try body.unsigned(3, "hybrid time")), removed: try body.boolean(4, "removed"),
            author: try body.optionalAccount(5, "author"))
        guard Self.isEmoji(emoji) else { throw .invalid(field: "emoji") }
    }

    public func encoded() throws(WireError) -> [UInt8] {
        guard message != .zero else { throw .invalid(field: "message") }
        guard Self.isEmoji(emoji) else { throw .invalid(field: "emoji") }
        var map: CBORMap = [
            1: .bytes(message.bytes), 2: .text(emoji), 3: .unsigned(time.rawValue), 4: .boolean(removed),
        ]
        map[5] = author.map { .bytes($0.bytes) }
        return CBOR.map(map).encoded()
    }

    /// Whether a text is one visible character. Which of them are emoji changes every year; any sign will do.
    public static func isEmoji(_ text: String) -> Bool {
        text.count == 1 && text.utf8.count <= PeerLimits.emojiBytes
            && (ForeignText.isLabel(text, maximumCharacters: PeerLimits.emojiBytes / 8)
                || ForeignText.isTaggedFlag(text))
    }
}

/// Messages that a person has seen. CBOR `{1: [ids]}`. Needs a receipt.
public struct SeenBody: WireBody {
    /// 1 to ``PeerLimits/receiptIDs``.
    public let messages: [UUIDv7]

    public init(messages: [UUIDv7]) { self.messages = messages }

    public init(decoding bytes: [UInt8]) throws(WireError) {
        messages = try BodyReader(bytes).seenMessages(1)
    }

    public func encoded() throws(WireError) -> [UInt8] { CBOR.map([1: try Self.value(messages)]).encoded() }

    /// - Throws: ``WireError`` for a list that a peer would refuse.
    static func value(_ messages: [UUIDv7]) throws(WireError) -> CBOR {
        guard !messages.isEmpty, !messages.contains(.zero) else { throw .invalid(field: "messages") }
        try FieldRules.bytes(messages.count, "messages", maximum: PeerLimits.receiptIDs)
        return .array(messages.map { .bytes($0.bytes) })
    }
}

extension BodyReader {
    /// Messages that a person has seen, as ``SeenBody`` and ``GroupSeenBody`` have them.
    func seenMessages(_ key: UInt64) throws(WireError) -> [UUIDv7] {
        try list(key, "messages", maximum: PeerLimits.receiptIDs, Self.id)
    }
}
