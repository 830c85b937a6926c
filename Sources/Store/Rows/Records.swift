import Basics
import Vocabulary

/// A message with everything that clients are shown of it.
public struct MessageRecord: Hashable, Sendable {
    public var row: MessageRow
    /// The recipients; none for an incoming message.
    public var recipients: [RecipientRow] = []
    public var reactions: [ReactionRow] = []
    public var attachments: [AttachmentRecord] = []
    /// Whether it mentions this account, and nobody here has read it.
    public var isMention = false
}

extension MessageRecord {
    /// The record of a message without attachments that was stored just now for one recipient.
    public init(ofNew row: MessageRow, to recipient: AccountID) {
        self.init(
            row: row,
            recipients: [RecipientRow(message: row.id, account: recipient, state: row.state, at: row.sentAt)])
    }
}

/// What a message shows of a transfer: nothing that changes while bytes flow.
public struct AttachmentRecord: Hashable, Sendable {
    public var transfer: UUIDv7
    public var name: String
    /// The number of bytes in all.
    public var size: Int64
    public var kind: AttachmentKind
    public var mediaType: String
    public var state: TransferState
    public var path: String?
    /// As ``TransferRow/nameHere``.
    public var nameHere: String?
    /// The duration of audio in milliseconds.
    public var duration: Int64?
    /// An error kind of the control API.
    public var reason: Reason?
    /// Further text about the reason, for the user.
    public var detail: String?
    /// The number of files of a folder that were left out.
    public var skipped: Int64
    /// When the file was removed for its age.
    public var removedAt: WallTime?
    /// Why the offer is held back, if it is.
    public var heldBack: HoldReason?
    public var unlisted: [String]
    /// A small picture that came with the offer.
    public var preview: [UInt8]?

    public init(_ row: TransferRow, preview: [UInt8]? = nil) {
        transfer = row.id
        name = row.name
        size = row.size
        kind = row.kind
        mediaType = row.mediaType
        state = row.state
        path = row.path
        nameHere = row.nameHere
        duration = row.duration
        reason = row.reason
        detail = row.detail
        skipped = row.problems
        removedAt = row.life.removedAt
        heldBack = row.life.heldBack
        unlisted = row.unlisted
        self.preview = preview
    }
}

/// A conversation with everything that clients are shown of it, except for presence.
public struct ConversationRecord: Hashable, Sendable {
    public var row: ConversationRow
    /// The title shown here: the contact's alias or name, or the group's title.
    public var title: String
    public var lastMessage: MessageRecord?
}

/// Bytes that belong to an object and are shown with it under its id, such as a preview. They never change: other bytes
/// have another id.
public struct AssetRecord: Hashable, Sendable {
    public var id: UUIDv7
    public var bytes: [UInt8]
}
