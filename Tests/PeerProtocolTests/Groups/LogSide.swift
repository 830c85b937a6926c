import Basics
import Crypto
import PeerProtocol
import Testing
import Vocabulary

/// A member's daemon in miniature, with its graph and its log.
final class LogSide {
    let mate: Mate
    var graph: GroupGraph
    var log: GroupLog<MemoryLog>
    /// The texts in the order in which they were shown.
    private(set) var shown: [String] = []
    private(set) var outcome = LogOutcome()
    private(set) var forks: [LogFork] = []
    private(set) var refusals: [Refusal] = []
    private(set) var completed: [String] = []
    private var random: SeededGenerator
    private var clock: UInt64 = 0

    init(_ mate: Mate, _ graph: GroupGraph) {
        (self.mate, self.graph) = (mate, graph)
        log = GroupLog(root: graph.root, storage: MemoryLog())
        random = SeededGenerator(seed: UInt64(mate.account.bytes[0]) << 8 | UInt64(mate.account.bytes[1]))
    }

    var account: AccountID { mate.account }
    var storage: MemoryLog { log.storage }

    /// Writes a message.
    @discardableResult
    func write(_ text: String, seconds: Int64 = 0) throws -> LogEntry {
        let at = WallTime(milliseconds: someTime.milliseconds + seconds * 1000)
        clock = max(clock + 1, HybridTime(milliseconds: at.milliseconds).rawValue)
        let time = HybridTime(rawValue: clock)
        let entry = try log.append(
            .message, id: UUIDv7(at: at, using: &random), content: LogContent.message(textMessage(text)).encoded(),
            graph: graph, key: mate.key, time: time, at: at)
        shown.append(text)
        return entry
    }

    /// Takes an entry as bytes, as it comes live.
    @discardableResult
    func take(_ entry: LogEntry, withContent: Bool = true) throws -> LogAdmission {
        let body = GroupEntryBody(withContent ? entry : entry.withoutContent())
        let entry = try GroupEntryBody(decoding: body.encoded()).entry()
        let (admission, outcome) = try log.admit(entry, graph: graph, own: account)
        note(outcome)
        return admission
    }

    @discardableResult
    func take(_ page: GroupEntriesBody, asked want: GroupWantBody? = nil, settles: Bool = true) throws -> LogOutcome {
        let page = try GroupEntriesBody(decoding: page.encoded())
        for bytes in page.membership { learn(try MembershipEntry(decoding: bytes)) }
        let question = GroupQuestion(want ?? GroupWantBody(root: graph.root, heads: []), settles: settles)
        let outcome = try log.admit(LogPage(checking: page, asked: question), graph: graph, own: account)
        note(outcome)
        return outcome
    }

    /// Takes a membership entry and what it releases.
    @discardableResult
    func learn(_ entry: MembershipEntry) -> GroupInsertion {
        let insertion = graph.insert(entry)
        if insertion == .inserted, let outcome = try? log.graphGrew(graph) { note(outcome) }
        return insertion
    }

    func giveUp(since moment: WallTime) throws { note(try log.giveUp(heldSince: moment)) }

    private func note(_ outcome: LogOutcome) {
        shown += outcome.delivered.map(Self.text)
        clock = max(clock, outcome.delivered.map(\.time.rawValue).max() ?? 0)
        completed += outcome.completed.map(Self.text)
        forks += outcome.forks
        refusals += outcome.refused.map(\.refusal)
        self.outcome = outcome
    }

    private static func text(_ entry: LogEntry) -> String {
        guard let body = try? entry.body() else { return "–" }
        if case .message(let message) = body { return message.text }
        return "?"
    }

    /// The page that another side gets if it asks for everything.
    func page(
        for want: GroupWantBody, to side: LogSide, bytes: Int = PeerLimits.groupPageBytes
    ) throws
        -> GroupEntriesBody
    {
        try LogServing(log).page(for: want, to: side.account, graph: graph, maximumBytes: bytes)
    }

    /// A question for all entries of these mates.
    func everything(of mates: [Mate]) throws -> GroupWantBody {
        GroupWantBody(
            root: graph.root,
            ranges: try mates.map { try #require(LogRange(device: $0.device, from: 1, to: PeerLimits.logSequence)) })
    }
}

/// A group and a log for each of its first members.
struct LogScene {
    var workshop: Workshop
    var sides: [LogSide]

    init(_ count: Int, history: Int = 0) throws {
        workshop = try Workshop(members: count, history: history)
        let graph = workshop.graph
        sides = Mate.all[..<count].map { LogSide($0, graph) }
    }

    /// Makes a change by mate 0 that all sides learn.
    mutating func change(_ operation: GroupOperation) throws {
        let hash = try workshop.commit(operation, by: 0)
        let entry = try #require(workshop.graph.entry(hash))
        for side in sides { side.learn(entry) }
    }

    /// Gives an entry to all sides but the author.
    func spread(_ entry: LogEntry) throws {
        for side in sides where side.mate.device != entry.device { try side.take(entry) }
    }
}

extension LogAdmission {
    var refusal: Refusal? { if case .refused(let refusal) = self { refusal } else { nil } }
}
