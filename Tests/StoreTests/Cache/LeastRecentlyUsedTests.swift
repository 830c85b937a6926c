import Basics
import Testing

@testable import Store

@Suite("Least recently used")
struct LeastRecentlyUsedTests {
    private typealias Cache = LeastRecentlyUsed<Int, Int>

    @Test("The least recently used values go first, and only as many as must")
    func order() {
        var cache = Cache(limit: 3 * (10 + Cache.overhead))
        for key in 1...3 { cache.set(key, key, bytes: 10) }
        cache.use(1)
        cache.set(4, 4, bytes: 10)
        #expect(cache.peek(2) == nil)
        #expect([1, 3, 4].map { cache.peek($0) } == [1, 3, 4])
        cache.set(5, 5, bytes: 2 * (10 + Cache.overhead) - Cache.overhead)
        #expect([3, 1].map { cache.peek($0) } == [nil, nil])
        #expect([4, 5].map { cache.peek($0) } == [4, 5])
    }

    @Test("A value larger than the limit is not kept, and the value that it would replace goes")
    func tooLarge() {
        var cache = Cache(limit: 1000)
        cache.set(1, 1, bytes: 10)
        cache.set(2, 2, bytes: 10)
        cache.set(2, 3, bytes: 5000)
        #expect(cache.peek(2) == nil)
        #expect(cache.bytes == cache.count * (10 + Cache.overhead))
    }

    @Test("The cache behaves like a list in the order of use", arguments: 0..<20 as Range<UInt64>)
    func model(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let limit = 20 * (50 + Cache.overhead)
        var cache = Cache(limit: limit)
        // The newest entry is last.
        var list: [(key: Int, value: Int, bytes: Int)] = []
        for step in 0..<2000 {
            let key = Int.random(in: 0..<40, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                let bytes = Int.random(in: 0..<200, using: &random)
                cache.set(key, step, bytes: bytes)
                list.removeAll { $0.key == key }
                list.append((key, step, bytes + Cache.overhead))
                while list.reduce(0, { $0 + $1.bytes }) > limit { list.removeFirst() }
            case 4..<8:
                cache.use(key)
                if let place = list.firstIndex(where: { $0.key == key }) { list.append(list.remove(at: place)) }
            case 8:
                let removed = cache.remove(key)
                let place = list.firstIndex { $0.key == key }
                #expect(removed == place.map { list.remove(at: $0).value })
            default:
                #expect(cache.peek(key) == list.first { $0.key == key }?.value)
            }
            #expect(cache.count == list.count)
            #expect(cache.bytes == list.reduce(0) { $0 + $1.bytes })
        }
        for key in 0..<40 { #expect(cache.peek(key) == list.first { $0.key == key }?.value) }
    }
}
