import Basics

/// An object about which there are events.
public enum StoredObject: Hashable, Sendable, CustomStringConvertible {
    case account
    case contact(AccountID)
    case conversation(UUIDv7)
    case message(UUIDv7)
    case group(UUIDv7)
    case transfer(UUIDv7)
    /// By its name.
    case setting(String)

    public var description: String {
        switch self {
        case .account: "account"
        case .contact(let id): "contact \(id)"
        case .conversation(let id): "conversation \(id)"
        case .message(let id): "message \(id)"
        case .group(let id): "group \(id)"
        case .transfer(let id): "transfer \(id)"
        case .setting(let name): "setting \(name)"
        }
    }
}

/// What happened to an object.
public enum ChangeKind: Int64, StoredEnumeration, CaseIterable, Sendable {
    case insert = 0
    case update = 1
    case delete = 2
}

/// An object and what all jobs of one commit together did to it.
public struct ObjectChange: Hashable, Sendable {
    public var object: StoredObject
    public var change: ChangeKind

    public init(object: StoredObject, change: ChangeKind) {
        self.object = object
        self.change = change
    }
}

/// An event of the durable log.
public struct EventRecord: Hashable, Sendable {
    /// Grows by one with each event, over all runs.
    public var seq: Int64
    public var at: WallTime
    /// Such as `message.added`.
    public var type: String
    public var change: ChangeKind
    /// The whole object as JSON, as it was at the commit.
    public var data: [UInt8]

    public init(seq: Int64, at: WallTime, type: String, change: ChangeKind, data: [UInt8]) {
        self.seq = seq
        self.at = at
        self.type = type
        self.change = change
        self.data = data
    }
}

/// What one commit made durable that others wait for.
public struct CommitRecord: Hashable, Sendable {
    /// In the order of their numbers.
    public var events: [EventRecord]
    /// What was put into the outbox, in the order of sending. Only here is that order certain: callers of jobs hear of
    /// their ends on threads of their own.
    public var outbox: [OutboxRow]
}

/// A named reader of the log.
public struct ConsumerRow: Hashable, Sendable {
    public var name: String
    /// It has dealt with all events up to this.
    public var acknowledged: Int64
}

/// Turns a change into an event: the daemon's, since it is the control API that gives objects their JSON form.
public protocol EventComposer: Sendable {
    /// Called on the store's thread right before the commit; `transaction` sees the state that is being committed. For
    /// a deletion the object is gone already. Must not write.
    /// - Returns: the event's type and its data as JSON; nil if nobody is to hear of it.
    /// - Throws: anything; the whole group is then undone, so throw only for what can't happen.
    func compose(_ change: ObjectChange, in transaction: ReadTransaction) throws -> (type: String, data: [UInt8])?
}
