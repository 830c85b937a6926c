import Basics
import Vocabulary

/// How much is held of a group's log.
public struct LogHeld: Hashable, Sendable {
    public var entries = 0
    /// Their ``LogEntry/byteCount`` together.
    public var bytes = 0
    /// How many of them wait for a membership entry, so that we don't know yet whether a member wrote them.
    public var unproven = 0

    public init() {}
}

/// The log of one group on the disk, on which ``GroupLog`` works. Each call sees all that the calls before it wrote.
/// One admission is one transaction: if something throws, nothing of it counts.
///
/// Beside the entries there are three small lists: what held entries wait for (*waits*), which delivered entries no
/// other refers to (*ends*: one of its chain, one at all), and what delivered entries refer to without it being
/// delivered (*absent*).
public protocol GroupLogStorage {
    // MARK: Entries

    /// Nil for an entry that isn't here.
    func state(of hash: EntryHash) throws -> LogState?

    /// The whole entry; without its content where that was dropped or never came.
    func entry(_ hash: EntryHash) throws -> LogEntry?

    /// All entries at a place; there are several if a chain forks.
    func entries(at place: LogPlace) throws -> [(hash: EntryHash, state: LogState)]

    /// The last place of a device's chain that is here, held or delivered; 0 without any.
    func lastSequence(of device: DeviceID) throws -> UInt64

    /// The last place of a device's chain that is delivered; 0 without any.
    func lastDelivered(of device: DeviceID) throws -> UInt64

    /// Keeps an entry that isn't here as delivered, with the next number.
    mutating func insert(delivered entry: LogEntry, isTop: Bool, isFrontier: Bool) throws

    /// Keeps an entry that isn't here, with the present moment and what it waits for, which is something.
    mutating func insert(held entry: LogEntry, waits: [LogWait]) throws

    /// A held entry, which waits for nothing any more, is delivered, with the next number.
    mutating func deliver(_ hash: EntryHash, isTop: Bool, isFrontier: Bool) throws

    /// Forgets a held entry and what it waits for.
    mutating func discard(_ hash: EntryHash) throws

    /// The content of an entry that is here without it.
    mutating func setContent(_ content: [UInt8], of hash: EntryHash) throws

    /// Whether an entry that is here without its content may get it: false where the user or the author has it deleted, or its time
    /// is over.
    func mayHaveContent(_ hash: EntryHash) throws -> Bool

    // MARK: Waits

    func held() throws -> LogHeld

    /// How many entries of one device are held.
    func heldCount(of device: DeviceID) throws -> Int

    /// The held entries that wait for this hash, whichever sort it is of, ascending.
    func waiters(for hash: EntryHash) throws -> [LogReference]

    /// A held entry waits for this hash no longer.
    /// - Returns: how many it still waits for.
    mutating func endWait(of entry: EntryHash, for hash: EntryHash) throws -> Int

    /// A held entry waits for nothing any longer.
    mutating func endWaits(of entry: EntryHash) throws

    /// Entries that are held since before a moment, and whether they wait for a membership entry.
    func held(since moment: WallTime, limit: Int) throws -> [(hash: EntryHash, isUnproven: Bool)]

    /// Entries of the log that held ones wait for and that are not here, neither delivered nor held; each once.
    func missing(limit: Int) throws -> [LogReference]

    /// Those of ``missing(limit:)`` in a range.
    func missing(in range: LogRange, limit: Int) throws -> [LogReference]

    /// Membership entries that held entries wait for; each once.
    func missingMembership() throws -> [EntryHash]

    // MARK: Ends

    /// Delivered entries that no delivered one of the same chain refers to, ascending by place and hash.
    func tops() throws -> [LogReference]

    /// Delivered entries that no delivered one refers to; those with the latest hybrid time first.
    func frontier(limit: Int) throws -> [LogReference]

    /// A delivered entry is not in ``frontier(limit:)`` any more, nor among ``tops()`` if `inChain`.
    mutating func referred(to hash: EntryHash, inChain: Bool) throws

    // MARK: Absent

    /// A delivered entry refers to this one, which isn't delivered. If it is noted already, `inChain` stays or becomes true.
    mutating func addAbsent(_ reference: LogReference, inChain: Bool) throws

    /// Nil unless it is noted; else whether with `inChain`.
    func absent(_ hash: EntryHash) throws -> Bool?

    /// It is delivered now.
    mutating func removeAbsent(_ hash: EntryHash) throws

    /// Entries that are noted and neither delivered nor held; those noted last come first.
    func absent(limit: Int) throws -> [LogReference]

    // MARK: Forks

    /// Keeps a proof. The same may be given again.
    mutating func add(_ fork: LogFork) throws

    // MARK: Handing on

    /// Nil unless it is delivered.
    func slot(of hash: EntryHash) throws -> LogSlot?

    /// The least number of a delivered entry in a range.
    func firstNumber(in range: LogRange) throws -> Int64?

    /// Delivered entries from a number on, ascending.
    func slots(from number: Int64, limit: Int) throws -> [LogSlot]

    /// Delivered entries that came without their content and may have it; each once, those delivered last first.
    func lackingContent(limit: Int) throws -> [EntryHash]
}
