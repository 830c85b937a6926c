import Basics

/// Where an entry of a log stands here.
public enum LogState: Hashable, Sendable {
    /// Kept, and not shown yet: something that comes before it isn't here.
    case held
    /// Shown, filed, handed on.
    case delivered
}

/// What a held entry waits for.
public enum LogWait: Hashable, Sendable {
    /// An entry of the log to be delivered.
    case entry(LogReference)
    /// A membership entry to be in the graph.
    case membership(EntryHash)

    public var hash: EntryHash {
        switch self {
        case .entry(let reference): reference.hash
        case .membership(let hash): hash
        }
    }
}

/// A delivered entry, and its number in the order in which entries were delivered here.
public struct LogSlot: Hashable, Sendable {
    public let number: Int64
    public let reference: LogReference

    public init(number: Int64, reference: LogReference) {
        self.number = number
        self.reference = reference
    }
}

/// Two entries of one device that claim the same place: both signed by it, and each proves that the other is not all.
public struct LogFork: Hashable, Sendable {
    public let place: LogPlace
    /// Was here before.
    public let first: EntryHash
    public let second: EntryHash

    public init(place: LogPlace, first: EntryHash, second: EntryHash) {
        self.place = place
        self.first = first
        self.second = second
    }
}

/// The log of one group as it lies on the disk; what ``GroupLog`` works on. Each call sees all that the calls before it wrote.
/// All of one admission is one transaction: if something throws, nothing of it counts.
public protocol GroupLogStorage {
    // MARK: Entries

    /// Nil for an entry that isn't here.
    func state(of hash: EntryHash) throws -> LogState?

    /// The whole entry; without its content where that was dropped or never came.
    func entry(_ hash: EntryHash) throws -> LogEntry?

    /// All entries at a place, held and delivered; more than one where a chain forks.
    func entries(at place: LogPlace) throws -> [(hash: EntryHash, state: LogState)]

    /// The last place of a device's chain that is here, held or delivered; 0 without any.
    func top(of device: DeviceID) throws -> UInt64

    /// Keeps an entry that isn't here, as delivered: with the next number.
    mutating func insert(delivered entry: LogEntry) throws

    /// Keeps an entry that isn't here until nothing of this, which is not empty, is to be waited for any more.
    mutating func insert(held entry: LogEntry, waits: [LogWait]) throws

    /// A held entry, which waits for nothing any more, is delivered: with the next number.
    mutating func deliver(_ hash: EntryHash) throws

    /// Forgets a held entry and what it waits for.
    mutating func discard(_ hash: EntryHash) throws

    /// The content of an entry that came without it.
    mutating func setContent(_ content: [UInt8], of hash: EntryHash) throws

    /// Whether the content of an entry, which is not here, was dropped by this user's wish or the author's, and is not to come
    /// back.
    func isContentUnwanted(_ hash: EntryHash) throws -> Bool

    // MARK: What is held

    /// How many entries are held, and their ``LogEntry/byteCount`` together.
    func heldTotals() throws -> (entries: Int, bytes: Int)

    /// How many entries of one device are held.
    func heldCount(of device: DeviceID) throws -> Int

    /// The held entries that wait for a hash, of either sort.
    func waiters(for hash: EntryHash) throws -> [EntryHash]

    /// One entry waits for one hash no longer.
    /// - Returns: how many it still waits for.
    mutating func endWait(of entry: EntryHash, for hash: EntryHash) throws -> Int

    /// Entries that held ones wait for and that are not here themselves, neither held nor delivered; each once.
    func missing(limit: Int) throws -> [LogReference]

    /// Those of ``missing(limit:)`` in a range, all of them.
    func missing(in range: LogRange) throws -> [LogReference]

    /// Membership entries that held entries wait for; each once.
    func missingMembership(limit: Int) throws -> [EntryHash]

    // MARK: Ends and gaps

    /// Delivered entries that no delivered one of the same chain refers to, ascending: the ends of the chains.
    func tops() throws -> [LogReference]

    /// Delivered entries that no delivered one refers to, those with the latest time first.
    func frontier(limit: Int) throws -> [LogReference]

    /// Whether a delivered entry is among ``tops()`` and in ``frontier(limit:)``.
    mutating func mark(_ hash: EntryHash, isTop: Bool?, isFrontier: Bool?) throws

    /// A delivered entry refers to one that isn't delivered. Noted once; `inChain` holds once it was true.
    mutating func addAbsent(_ reference: LogReference, inChain: Bool) throws

    /// Whether delivered entries refer to this one, which was not delivered, and whether one of its chain does.
    func absent(_ hash: EntryHash) throws -> (isAbsent: Bool, inChain: Bool)

    /// It is delivered now.
    mutating func removeAbsent(_ hash: EntryHash) throws

    /// Entries that delivered ones refer to and that are not here, those noted last first.
    func absent(limit: Int) throws -> [LogReference]

    /// Two entries, both delivered, claim a place. Noted once.
    mutating func addFork(_ fork: LogFork) throws

    // MARK: Handing on

    /// The least number of a delivered entry in a range.
    func firstNumber(in range: LogRange) throws -> Int64?

    /// Delivered entries from a number on, ascending.
    func slots(from number: Int64, limit: Int) throws -> [LogSlot]
}
