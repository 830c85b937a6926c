import Basics
import Vocabulary

/// What a job of ``Store/write(_:)`` works with: it sees and changes the state that the group's commit will make
/// durable. Not to be kept: it ends with the job.
public final class WriteTransaction: ReadTransaction {
    /// This device's hybrid clock, restored when the store opens. Tick it for an event of our own, let it observe a
    /// peer's.
    public var clock: HybridClock
    /// The wall clock at the start of the job.
    public internal(set) var wallTime: WallTime
    /// By which things grow old.
    var trusted: TrustedClock
    /// This run of the store, among those that wrote to the event log.
    let epoch: UUIDv7
    /// Whether it is written down: by an earlier commit, and by this one.
    var isEpochKept = false
    var beganEpoch = false
    /// Somebody wants to know whether there is room on the disk.
    var triesRoom = false
    var changes = ChangeLog()
    /// What the jobs of this commit put into the outbox, in order.
    var appended: [OutboxRow] = []
    /// The number of the last item ever put into the outbox.
    var lastOutboxSeq: Int64
    /// What may wait for messages to come.
    var traces: Traces
    /// Something was deleted whose bytes are to leave the files soon.
    var wantsPurge = false
    /// The number of the last message ever stored.
    var lastMessage: Int64

    init(
        _ connection: Connection, cache: CompositeCache, clock: HybridClock, wallTime: WallTime, trusted: TrustedClock,
        epoch: UUIDv7,
        lastOutboxSeq: Int64, lastMessage: Int64, traces: Traces
    ) {
        self.clock = clock
        self.wallTime = wallTime
        self.trusted = trusted
        self.epoch = epoch
        self.lastOutboxSeq = lastOutboxSeq
        self.lastMessage = lastMessage
        self.traces = traces
        super.init(connection, cache: cache)
    }

    override func version() -> Int64? { nil }

    /// Marks an object as changed, so that an event about it goes into the log with this commit. The query methods that
    /// change an object do it themselves; this is for what an object shows but doesn't store itself.
    /// - Parameter parent: the conversation of a message that is deleted.
    public func changed(_ object: StoredObject, _ change: ChangeKind, parent: UUIDv7? = nil) {
        changes.append(object, change, parent: parent)
    }

    /// Writes something with this commit, whatever else it does: on a disk that was full that shows whether there is room.
    public func tryRoom() { triesRoom = true }

    func takeAppended() -> [OutboxRow] {
        defer { appended = [] }
        return appended
    }

    /// Forgets what an undone job may have left behind.
    func forget() {
        keys.forget()
        conversations.forget()
        chats.forget()
        order = nil
    }
}
