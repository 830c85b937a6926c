import Basics

/// A message with all that clients are shown of it.
public struct MessageRecord: Hashable, Sendable {
    public var row: MessageRow
    /// None for an incoming one.
    public var recipients: [RecipientRow]
    public var reactions: [ReactionRow]
    public var attachments: [AttachmentRecord]

    public init(
        row: MessageRow, recipients: [RecipientRow] = [], reactions: [ReactionRow] = [],
        attachments: [AttachmentRecord] = []
    ) {
        self.row = row
        self.recipients = recipients
        self.reactions = reactions
        self.attachments = attachments
    }
}

/// What a message shows of a transfer: nothing that changes while bytes flow.
public struct AttachmentRecord: Hashable, Sendable {
    public var transfer: UUIDv7
    public var name: String
    /// Bytes in all.
    public var size: Int64
    public var kind: TransferRow.Kind
    public var mediaType: String
    public var state: TransferRow.State
    public var path: String?
    /// Of what sounds, in milliseconds.
    public var duration: Int64?
    /// An error kind of the control API.
    public var reason: String?
    /// What more there is to say about the reason, for people.
    public var detail: String?
    /// Files of a folder that were left out.
    public var skipped: Int64
    /// When the file was removed for its age.
    public var removedAt: WallTime?
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
        duration = row.duration
        reason = row.reason
        detail = row.detail
        skipped = row.problems
        removedAt = row.life.removedAt
        self.preview = preview
    }
}

/// A conversation with all that clients are shown of it, but for who is there.
public struct ConversationRecord: Hashable, Sendable {
    public var row: ConversationRow
    /// What it is called here: the contact's alias or name, or the group's title.
    public var title: String
    public var lastMessage: MessageRecord?

    public init(row: ConversationRow, title: String, lastMessage: MessageRecord?) {
        self.row = row
        self.title = title
        self.lastMessage = lastMessage
    }
}

/// Bytes that belong to an object and are shown with it, such as a preview; under the object's id. They never change:
/// other bytes have another id.
public struct AssetRecord: Hashable, Sendable {
    public var id: UUIDv7
    public var bytes: [UInt8]

    public init(id: UUIDv7, bytes: [UInt8]) {
        self.id = id
        self.bytes = bytes
    }
}
