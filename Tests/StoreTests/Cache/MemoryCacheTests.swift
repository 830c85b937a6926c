import Basics
import Testing
import Vocabulary

@testable import Store

@Suite("Memory cache")
struct MemoryCacheTests {
    private let key = CacheKey.message(Sample.id(1))

    private func item(_ text: String, _ number: UInt64 = 1) -> CacheItem {
        .message(MessageRecord(row: Sample.message(number, text: text)))
    }

    private func event(_ seq: Int64, _ object: StoredObject, _ change: ChangeKind = .update) -> EventRecord {
        EventRecord(seq: seq, at: WallTime(milliseconds: 0), object: object, change: change)
    }

    private func changed(_ seq: Int64, _ number: UInt64 = 1) -> [EventRecord] {
        [event(seq, .message(Sample.id(number)))]
    }

    @Test("A value that a snapshot read before a commit is refused afterwards if the commit changed it")
    func staleFill() {
        let cache = MemoryCache(limit: 1 << 20, version: 10)
        cache.committed(changed(11))
        cache.set(item("old"), at: 10)
        #expect(cache.get(key, at: 11) == nil)
        #expect(cache.get(key, at: 10) == nil)
        cache.set(item("other", 2), at: 10)
        #expect(cache.get(.message(Sample.id(2)), at: 11) == item("other", 2))
    }

    @Test("A snapshot newer than the last reported commit bypasses the memory")
    func earlyReader() {
        let cache = MemoryCache(limit: 1 << 20, version: 10)
        cache.set(item("old"), at: 10)
        #expect(cache.get(key, at: 11) == nil)
        cache.set(item("new"), at: 11)
        #expect(cache.get(key, at: 10) == item("old"))
        cache.committed(changed(11))
        #expect(cache.get(key, at: 11) == nil)
    }

    @Test("An old snapshot does not get what a newer one has read")
    func oldReader() {
        let cache = MemoryCache(limit: 1 << 20, version: 10)
        cache.committed(changed(11))
        cache.set(item("new"), at: 11)
        #expect(cache.get(key, at: 10) == nil)
        #expect(cache.get(key, at: 11) == item("new"))
        cache.committed(changed(12, 2))
        #expect(cache.get(key, at: 12) == item("new"))
    }

    @Test("A deleted conversation takes everything along, because no commit names its messages")
    func deletedConversation() {
        let cache = MemoryCache(limit: 1 << 20, version: 10)
        cache.set(item("one"), at: 10)
        cache.committed([event(11, .conversation(Sample.conversation), .delete)])
        #expect(cache.get(key, at: 11) == nil)
        cache.set(item("one"), at: 10)
        #expect(cache.get(key, at: 11) == nil)
    }

    @Test("A large value, and any value where the limit is zero, is not kept")
    func bounds() {
        let cache = MemoryCache(limit: 64 << 10, version: 1)
        cache.set(item(String(repeating: "x", count: 16 << 10)), at: 1)
        #expect(cache.get(key, at: 1) == nil)
        for number in 0..<1000 { cache.set(item("hello", UInt64(number)), at: 1) }
        #expect(cache.bytes <= 64 << 10)
        let off = MemoryCache(limit: 0, version: 1)
        off.set(item("x"), at: 1)
        #expect(off.get(key, at: 1) == nil)
    }

    @Test("Only a limited number of changes is remembered; what is older than those is unknown")
    func recentChanges() {
        var changes = RecentChanges(limit: 2, since: 5)
        let keys = (1...3).map { CacheKey.message(Sample.id($0)) }
        #expect(changes.mayHaveChanged(keys[0], since: 4))
        #expect(!changes.mayHaveChanged(keys[0], since: 5))
        changes.note(keys[0], at: 6)
        changes.note(keys[1], at: 7)
        changes.note(keys[0], at: 8)
        #expect(changes.mayHaveChanged(keys[0], since: 7))
        #expect(!changes.mayHaveChanged(keys[2], since: 6))
        changes.note(keys[2], at: 9)
        #expect(changes.mayHaveChanged(keys[1], since: 6))
        #expect(!changes.mayHaveChanged(keys[1], since: 7))
        #expect(changes.mayHaveChanged(keys[0], since: 7))
    }

    /// The test models the database as a list of states, with readers that keep theirs and commits that are reported
    /// late.
    @Test("A snapshot always gets its own data, whatever happens in between", arguments: 0..<200 as Range<UInt64>)
    func interleavings(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let cache = MemoryCache(limit: Int.random(in: 8...40, using: &random) * 1000, version: 0)
        var states: [[UInt64: String]] = [[:]]
        var told = 0
        var readers: [(version: Int, pending: [UInt64])] = []
        var hits = 0
        for step in 0..<3000 {
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                // This is a commit. The log has one event for each, so that versions are places in the list.
                var state = states[states.count - 1]
                let number = UInt64.random(in: 0..<6, using: &random)
                state[number] = Int.random(in: 0..<5, using: &random) == 0 ? nil : "step \(step)"
                states.append(state)
            case 1..<3 where told < states.count - 1:
                told += 1
                let number = (0..<6).first { states[told][$0] != states[told - 1][$0] } ?? 0
                cache.committed(changed(Int64(told), number))
            case 3: readers.append((states.count - 1, []))
            case 4 where !readers.isEmpty: readers.remove(at: Int.random(in: 0..<readers.count, using: &random))
            case 6..<10 where !readers.isEmpty:
                let index = Int.random(in: 0..<readers.count, using: &random)
                let number = UInt64.random(in: 0..<6, using: &random)
                let version = readers[index].version
                let found = cache.get(.message(Sample.id(number)), at: Int64(version))
                if let found {
                    hits += 1
                    #expect(found == states[version][number].map { item($0, number) })
                } else if states[version][number] != nil {
                    readers[index].pending.append(number)
                }
            default:
                // A value that was read earlier is put in only now.
                guard !readers.isEmpty else { continue }
                let index = Int.random(in: 0..<readers.count, using: &random)
                guard let number = readers[index].pending.popLast() else { continue }
                let version = readers[index].version
                if let text = states[version][number] { cache.set(item(text, number), at: Int64(version)) }
            }
        }
        #expect(hits > 0)
    }
}
