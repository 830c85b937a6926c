import Basics
import Vocabulary

/// An object about which there are events.
public enum StoredObject: Hashable, Sendable, CustomStringConvertible {
    case account
    case contact(AccountID)
    case conversation(UUIDv7)
    case message(UUIDv7)
    case group(UUIDv7)
    case transfer(UUIDv7)
    /// A setting, by its key.
    case setting(String)

    public var description: String {
        switch self {
        case .account: "account"
        case .contact(let id): "contact \(id)"
        case .conversation(let id): "conversation \(id)"
        case .message(let id): "message \(id)"
        case .group(let id): "group \(id)"
        case .transfer(let id): "transfer \(id)"
        case .setting(let key): "setting \(key)"
        }
    }
}

/// An object and the combined effect on it of all jobs of one commit.
public struct ObjectChange: Hashable, Sendable {
    public var object: StoredObject
    public var change: ChangeKind
    /// The conversation of a message that is gone, because its row can't tell any more.
    public var parent: UUIDv7?
    /// Of an update of a message: what of it changed.
    public var aspects: MessageAspects = []
}

/// An event of the durable log. It says what changed, not how it looks: the reader looks at the object, which is at
/// least as new as the event. What was deleted from the disk is not in the log either.
public struct EventRecord: Hashable, Sendable {
    /// The event's number. It grows by one with each event, over all runs.
    public var seq: Int64
    public var at: WallTime
    public var object: StoredObject
    public var change: ChangeKind
    /// The conversation of a message that is gone.
    public var parent: UUIDv7?
    /// Of an update of a message: what of it changed.
    public var aspects: MessageAspects = []
}

/// What one commit made durable and others wait for.
public struct CommitRecord: Hashable, Sendable {
    /// In the order of their numbers.
    public var events: [EventRecord]
    /// The items put into the outbox, in the order of sending. Only here is that order certain, because callers of jobs
    /// learn of their ends on threads of their own.
    public var outbox: [OutboxRow]
    /// What the services hold in memory and have to bring in line.
    public var rows = ChangedRows()
    public var marks = CommitMarks()
}

/// What a commit has done that no event tells.
public struct CommitMarks: Hashable, Sendable {
    /// Whether something was deleted, so that what the files still hold of it has to be overwritten soon.
    public var hasDeletions = false
    /// Whether a conversation was muted for a time.
    public var hasMuteEnd = false
    /// Whether who carries parcels, or what is kept for others, may be another than before.
    public var hasCourierChange = false
    /// Whether files that go with parcels have come or gone, here or at couriers.
    public var hasSealedFiles = false
}

/// The rows that one commit changed, as it left them: of the objects that services hold in memory too, in the order of
/// their first change.
public struct ChangedRows: Hashable, Sendable {
    public var contacts: [ContactRow] = []
    /// The accounts that are no contacts any more.
    public var forgotten: [AccountID] = []
    public var groups: [WholeGroup] = []
    /// The transfers whose state is another one, and not by those who run them.
    public var transfers: [TransferRow] = []

    public var isEmpty: Bool { contacts.isEmpty && forgotten.isEmpty && groups.isEmpty && transfers.isEmpty }
}

/// A named reader of the log.
public struct ConsumerRow: Hashable, Sendable {
    public var name: String
    /// The number of the last event that it has processed.
    public var acknowledged: Int64
}
