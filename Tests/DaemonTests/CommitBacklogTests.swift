import Basics
import Testing

@testable import Daemon
@testable import Runtime

/// A backlog that macros can call: they can't change a value.
private final class Backlog {
    private var value: CommitBacklog<String>

    init(count: Int = 100) {
        value = CommitBacklog(
            CommitBacklog.Limits(count: count, firstPause: .milliseconds(100), longestPause: .seconds(10)))
    }

    var count: Int { value.count }
    var nextDeadline: Instant? { value.nextDeadline }
    func begin(_ key: String) -> UInt64? { value.begin(key) }
    func stored(_ key: String, _ number: UInt64) -> [String] { value.stored(key, number) }
    func refused(_ key: String, _ number: UInt64, now: Instant) -> Bool { value.refused(key, number, now: now) }
    func read(_ key: String, _ number: UInt64) -> [String] { value.stored(key, number, hasWritten: false) }
    func forget(_ key: String, _ number: UInt64, now: Instant) { value.forget(key, number, now: now) }
    func tick(now: Instant) -> [String] { value.tick(now: now) }
}

/// Tests when changes that the disk refused are tried again.
@Suite("Changes that wait for the disk")
struct CommitBacklogTests {
    private let start = Instant(nanoseconds: 1_000_000_000)

    @Test("One change is tried after a pause that doubles; once it is stored all others follow at once")
    func pauses() throws {
        let backlog = Backlog()
        var now = start
        for key in ["a", "b", "c"] {
            let number = try #require(backlog.begin(key))
            #expect(backlog.refused(key, number, now: now))
        }
        var pauses: [Int64] = []
        var tried: [String] = []
        for _ in 0..<9 {
            let deadline = try #require(backlog.nextDeadline)
            #expect(backlog.tick(now: deadline + .milliseconds(-1)).isEmpty)
            pauses.append((deadline - now).milliseconds)
            now = deadline
            let keys = backlog.tick(now: now)
            #expect(keys.count == 1)
            tried += keys
            for key in keys { #expect(backlog.refused(key, UInt64(["a": 1, "b": 2, "c": 3][key] ?? 0), now: now)) }
        }
        #expect(pauses == [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000])
        #expect(tried.prefix(4) == ["a", "b", "c", "a"])
        now = try #require(backlog.nextDeadline)
        #expect(backlog.tick(now: now) == ["a"])
        #expect(backlog.stored("a", 1) == ["b", "c"])
        #expect(backlog.stored("b", 2).isEmpty)
        #expect(backlog.stored("c", 3).isEmpty)
        #expect(backlog.count == 0)
        #expect(backlog.nextDeadline == nil)
    }

    @Test("A newer change of the same key replaces the older, whichever is answered first")
    func newer() throws {
        let backlog = Backlog()
        let old = try #require(backlog.begin("a"))
        let new = try #require(backlog.begin("a"))
        #expect(!backlog.refused("a", old, now: start))
        #expect(backlog.nextDeadline == nil)
        #expect(backlog.refused("a", new, now: start))
        #expect(backlog.begin("a") != nil)
        #expect(backlog.tick(now: start + .seconds(1)).isEmpty, "the newer one is already on its way")
        #expect(backlog.count == 1)
    }

    @Test(
        "A change that only reads doesn't show that the disk is well; an invalid change doesn't hold up the others"
    )
    func others() throws {
        let backlog = Backlog()
        for key in ["a", "b"] {
            let number = try #require(backlog.begin(key))
            #expect(backlog.refused(key, number, now: start))
        }
        let reading = try #require(backlog.begin("c"))
        #expect(backlog.read("c", reading).isEmpty)
        let deadline = try #require(backlog.nextDeadline)
        #expect(backlog.tick(now: deadline) == ["a"])
        backlog.forget("a", 1, now: deadline)
        let next = try #require(backlog.nextDeadline, "b waits for ever")
        #expect(backlog.tick(now: next) == ["b"])
    }

    @Test("A forgotten change is not tried again, and a change beyond the limit is not taken")
    func bounds() throws {
        let backlog = Backlog(count: 2)
        let first = try #require(backlog.begin("a"))
        #expect(backlog.refused("a", first, now: start))
        #expect(backlog.begin("b") != nil)
        #expect(backlog.begin("c") == nil)
        let again = try #require(backlog.begin("a"), "it already has a place")
        backlog.forget("a", first, now: start)
        #expect(backlog.count == 2, "the newer one stays")
        backlog.forget("a", again, now: start)
        #expect(backlog.begin("c") != nil)
        #expect(backlog.nextDeadline == nil)
        // A change of one key takes one place, however often it is refused.
        for _ in 0..<1000 {
            let number = try #require(backlog.begin("c"))
            #expect(backlog.refused("c", number, now: start))
        }
        #expect(backlog.count == 2)
        #expect(backlog.stored("b", 2) == ["c"])
    }
}
