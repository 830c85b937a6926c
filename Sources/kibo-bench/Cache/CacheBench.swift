import Basics
import Store
import TestSupport
import Threads

/// What the memory cache in front of the database saves: the same reads with and without it, on the store's reading
/// thread, without JSON and sockets.
struct CacheBench {
    private static let memories = [0, 1 << 20, 4 << 20, 16 << 20]

    let messages: Int
    let conversations: Int
    let rounds: Int

    func run() throws {
        let directory = try TemporaryDirectory(prefix: "kibo-cache")
        let town = Town(messages: messages, conversations: conversations)
        try Session(directory: directory.path, memory: 0).with { session in
            try town.fill(session)
            let rows = try pages(session, town) { transaction, id in
                let page = try transaction.messages(in: id, limit: 50)
                return try page.messages.map { try transaction.record(of: $0) }.count
            }
            report("\(messages) messages in \(conversations) conversations, \(rounds) reads of each kind; median, mean")
            report("microseconds of the reading thread:")
            report("  page of 50 by rows, past the cache: \(rows)")
        }
        for memory in Self.memories {
            try Session(directory: directory.path, memory: memory).with { session in
                report("memory of \(memory >> 20) MiB:")
                try measure(session, town)
            }
        }
    }

    private func measure(_ session: Session, _ town: Town) throws {
        line("page of 50, any conversation", session, try pages(session, town, read: Self.page))
        var random = SeededGenerator(seed: 2)
        // Nine of ten reads go to one of ten conversations, as people's do.
        let few = try session.times(rounds, { town.conversation(fewOf: &random) }, Self.page)
        line("page of 50, mostly the same ten", session, few)
        let any = try session.times(rounds, { town.message(&random) }, Self.message)
        line("message.get, any message", session, any)
        let late = try session.times(rounds, { town.lateMessage(&random) }, Self.message)
        line("message.get, the last thousand", session, late)
        for limit in [50, conversations] {
            let list: @Sendable (ReadTransaction, UUIDv7) throws -> Int = { transaction, _ in
                try transaction.conversationPositions(limit: limit).map {
                    try transaction.conversationRecord($0.position.id)
                }
                .count
            }
            let times = try session.times(max(rounds / 10, 20), { town.conversation(&random) }, list)
            line("list of \(limit) conversations", session, times)
        }
    }

    private func pages(
        _ session: Session, _ town: Town, read: @escaping @Sendable (ReadTransaction, UUIDv7) throws -> Int
    ) throws -> String {
        var random = SeededGenerator(seed: 1)
        return try session.times(rounds, { town.conversation(&random) }, read)
    }

    private static let page: @Sendable (ReadTransaction, UUIDv7) throws -> Int = { transaction, id in
        try transaction.messageRecords(in: id, limit: 50).records.count
    }

    private static let message: @Sendable (ReadTransaction, UUIDv7) throws -> Int = { transaction, id in
        try transaction.messageRecord(id) == nil ? 0 : 1
    }

    private func line(_ what: String, _ session: Session, _ text: String) {
        report("  " + what.padded(34) + text.padded(18, left: true) + "   " + session.share())
    }
}

/// An open store with a way for a thread to wait for it.
final class Session {
    let store: Store
    private var seen: (hits: Int64, misses: Int64) = (0, 0)

    init(directory: String, memory: Int) throws {
        store = try Store.open(directory: directory, clocks: SystemClocks(), memory: memory)
    }

    func with(_ body: (Session) throws -> Void) throws {
        defer { store.close() }
        try body(self)
    }

    func write(_ body: @escaping @Sendable (WriteTransaction) throws -> Void) throws {
        let end = JobQueue<Result<Void, any Error>>()
        store.commit(body) { end.put($0) }
        try end.waitAndDrain()?.first?.get()
    }

    /// Median and mean of the time that a read takes on its thread, after as many unmeasured reads for warming up.
    func times(
        _ rounds: Int, _ id: () -> UUIDv7, _ body: @escaping @Sendable (ReadTransaction, UUIDv7) throws -> Int
    ) throws -> String {
        var microseconds: [Double] = []
        for round in 0..<2 * rounds {
            if round == rounds { seen = store.memory?.counts ?? (0, 0) }
            let id = id()
            let end = JobQueue<Result<Duration, any Error>>()
            store.read {
                let clocks = SystemClocks()
                let begin = clocks.now
                _ = try body($0, id)
                return clocks.now - begin
            } completion: {
                end.put($0)
            }
            let duration = try end.waitAndDrain()?.first?.get() ?? .zero
            if round >= rounds { microseconds.append(duration.inMilliseconds * 1000) }
        }
        let mean = microseconds.reduce(0, +) / Double(microseconds.count)
        return Figures.text(Figures(microseconds).median, digits: 1) + ", " + Figures.text(mean, digits: 1)
    }

    /// The cache's hits in the last measurement, and what it holds.
    func share() -> String {
        guard let memory = store.memory else { return "" }
        let now = memory.counts
        let (hits, asked) = (now.hits - seen.hits, now.hits + now.misses - seen.hits - seen.misses)
        guard asked > 0 else { return "" }
        return "\(100 * hits / asked) % hits, \(memory.bytes >> 10) KiB held"
    }
}
