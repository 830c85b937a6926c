import Basics
import Vocabulary

/// A message, sent or received.
public struct MessageRow: Hashable, Sendable {
    /// Names it on this host.
    public var id: UUIDv7
    /// What its sender calls it, where that is another id than ``id``.
    public internal(set) var wire: UUIDv7?
    public var conversation: UUIDv7
    public var sender: AccountID
    public var senderDevice: DeviceID
    public var kind: MessageKind
    public var text: String
    /// The time of sending by the sender's clock.
    public var sentAt: WallTime
    /// When it was stored here; equal to `sentAt` for our own messages.
    public var receivedAt: WallTime
    /// Its position in clock order.
    public var hlc: HybridTime
    public var state: MessageState
    public var replyTo: UUIDv7?
    public var editedAt: WallTime?
    public var deleted: Bool
    /// Whether it belongs to a group and came here only after its author was out.
    public var isLate = false
    /// What is left of a call, for a message of kind *call*.
    public var call: CallRecord?
    /// Of a note: what the device with LocalSend calls itself that gave it.
    public var guest: String?
    /// What the device calls itself that the note was given to; nil for every other message.
    public var givenTo: String?
    /// Whether it is incoming and unread. The store maintains it.
    public internal(set) var unread = false
    /// The hybrid time of the edit that it shows.
    public internal(set) var editTime: HybridTime?
    /// Its number in the order in which messages were stored here; 0 until it is stored.
    public internal(set) var arrival: Int64 = 0
    /// An error kind of the control API.
    public var failureReason: Reason?
    /// Further text about the failure.
    public var detail: String?

    public init(
        id: UUIDv7, conversation: UUIDv7, sender: AccountID, senderDevice: DeviceID, kind: MessageKind = .text,
        text: String,
        sentAt: WallTime, receivedAt: WallTime, hlc: HybridTime, state: MessageState = .queued, replyTo: UUIDv7? = nil,
        editedAt: WallTime? = nil, deleted: Bool = false, failureReason: Reason? = nil, detail: String? = nil
    ) {
        self.id = id
        self.conversation = conversation
        self.sender = sender
        self.senderDevice = senderDevice
        self.kind = kind
        self.text = text
        self.sentAt = sentAt
        self.receivedAt = receivedAt
        self.hlc = hlc
        self.state = state
        self.replyTo = replyTo
        self.editedAt = editedAt
        self.deleted = deleted
        self.failureReason = failureReason
        self.detail = detail
    }

    /// What peers call it; it is the id of its frame, and belongs to the sender's account.
    public var wireID: UUIDv7 { wire ?? id }

    /// Its position in its conversation.
    public func position(in order: MessageOrder) -> MessagePosition {
        switch order {
        case .sent: MessagePosition(key: hlc.rawValue, id: id)
        case .arrival: MessagePosition(key: UInt64(clamping: arrival), id: id)
        }
    }
}

/// One recipient of a message of ours.
public struct RecipientRow: Hashable, Sendable {
    public var message: UUIDv7
    public var account: AccountID
    public var state: MessageState
    /// When it came to this state.
    public var at: WallTime
    /// An error kind, if it failed.
    public var reason: Reason?
    /// When it was first handed to a connection.
    public internal(set) var sentAt: WallTime?
    /// When the other side reported that it has the message.
    public internal(set) var deliveredAt: WallTime?
    /// When the other side reported that its user has seen the message.
    public internal(set) var readAt: WallTime?
    /// Who keeps it for the recipient meanwhile.
    public internal(set) var holder: Holder?
    /// The courier that has brought it, if that is known.
    public internal(set) var courier: AccountID?
}

/// One account's reaction to a message.
public struct ReactionRow: Hashable, Sendable {
    public var account: AccountID
    public var emoji: String
    /// When it was stored here.
    public var at: WallTime
}

/// A page of a conversation, in ascending order.
public struct MessagePage: Hashable, Sendable {
    public var messages: [MessageRow]
    /// Whether there are more messages in the direction of the request.
    public var hasMore: Bool
}

/// The result of inserting a row whose identifier an account has made.
public enum Insertion: Hashable, Sendable {
    /// It is new and was stored.
    case inserted
    /// That account's row with this identifier is or was here already; the caller answers as the first time.
    case duplicate
}
