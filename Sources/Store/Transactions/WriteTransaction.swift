import Basics
import Vocabulary

/// The transaction of a job of ``Store/write(_:)``: it sees and changes the state that the group's commit will make
/// durable. It ends with the job, so it must not be kept.
public final class WriteTransaction: ReadTransaction {
    /// This device's hybrid clock, restored when the store opens. Tick it for an event of our own, and let it observe
    /// the times of peers.
    public var clock: HybridClock
    /// The wall clock at the start of the job.
    public internal(set) var wallTime: WallTime
    /// The clock by which the ages of rows are measured.
    var trusted: TrustedClock
    /// This run's mark among all runs of the store that wrote to the event log.
    let logEpoch: UUIDv7
    /// Whether the epoch is stored: by an earlier commit, and by this one.
    var isEpochKept = false
    var beganEpoch = false
    /// Whether a job wants to know if there is room on the disk.
    var triesRoom = false
    var changes = ChangeLog()
    /// What the jobs of this commit put into the outbox, in order.
    var appended: [OutboxRow] = []
    /// The number of the last item ever put into the outbox.
    var lastOutboxSeq: Int64
    /// Whether edits or reactions may wait for messages to come.
    var traces: Traces
    /// What the jobs of this commit have done besides.
    var marks = CommitMarks()
    /// The number of the last message ever stored.
    var lastMessage: Int64
    /// What came unasked, as committed.
    var tally: UnaskedTally
    /// Bytes that came unasked with this commit.
    var counted: [UnaskedTally.Key: Int64] = [:]

    init(
        _ connection: Connection, memory: MemoryCache?, assets: AssetTable, clock: HybridClock, wallTime: WallTime,
        trusted: TrustedClock, logEpoch: UUIDv7, lastOutboxSeq: Int64, lastMessage: Int64, traces: Traces,
        tally: UnaskedTally = UnaskedTally()
    ) {
        self.clock = clock
        self.wallTime = wallTime
        self.trusted = trusted
        self.logEpoch = logEpoch
        self.lastOutboxSeq = lastOutboxSeq
        self.lastMessage = lastMessage
        self.traces = traces
        self.tally = tally
        super.init(connection, memory: memory, assets: assets)
    }

    override func version() -> Int64? { nil }

    /// Marks an object as changed, so that an event about it goes into the log with this commit. The query methods that
    /// change an object do this themselves. Call it for an object that shows something without storing it.
    /// - Parameter parent: the conversation of a message that is deleted.
    public func changed(_ object: StoredObject, _ change: ChangeKind, parent: UUIDv7? = nil) {
        changes.append(object, change, parent: parent)
    }

    /// Marks an object for some only.
    func changed(_ object: StoredObject, _ change: ChangeKind, for hearers: ChangeLog.Hearers) {
        changes.append(object, change, for: hearers)
    }

    /// Marks a message as changed, and says what of it.
    func changed(message id: UUIDv7, _ aspect: MessageAspect) {
        changes.append(.message(id), .update, aspects: MessageAspects(aspect))
    }

    /// Makes this commit write something even if nothing changed. On a disk that was full this shows whether there is
    /// room again.
    public func tryRoom() { triesRoom = true }

    func drainAppended() -> [OutboxRow] {
        defer { appended = [] }
        return appended
    }

    /// Forgets what a job that was undone may have left in the caches.
    func forget() {
        keys.forget()
        conversations.forget()
        chats.forget()
        order = nil
    }
}
