import Basics
import Vocabulary

/// A frame that waits for a peer's acknowledgement.
public struct OutboxRow: Hashable, Sendable {
    /// Grows over the store's whole life. It is the order of sending, and the cursor of
    /// ``ReadTransaction/outbox(for:after:limit:maximumBytes:)``.
    public var seq: Int64
    /// The frame's id, which for a message is the message's.
    public var id: UUIDv7
    public var account: AccountID
    /// The frame's kind.
    public var kind: UInt16
    /// The frame's body as it goes over the wire.
    public var body: [UInt8]
    /// The message that the frame carries, if any.
    public var message: UUIDv7?
    /// The group that the frame belongs to, if any.
    public internal(set) var group: UUIDv7?
    public var createdAt: WallTime
    public var attempts: Int64
    public var lastAttempt: WallTime?
    /// Why the other side could not take the frame at the last attempt: an error kind.
    public internal(set) var reason: Reason?
    public internal(set) var detail: String?
}

/// An item that left the outbox.
public struct OutboxReceipt: Hashable, Sendable {
    public var id: UUIDv7
    /// The frame's kind.
    public var kind: UInt16
    /// Whether it carried a message.
    public var isMessage: Bool
}
