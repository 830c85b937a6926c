import Basics
import Testing

/// Ages by the trusted clock count the time that certainly went by, whatever happens to the wall clock.
struct TrustedClockTests {
    /// A host with a monotonic clock, a wall clock that may be wrong, and a daemon on it.
    private struct Host {
        var now: Int64 = 1_000_000
        /// The right time, and by how much the wall clock is ahead of it, in milliseconds.
        var right: Int64 = 1_700_000_000_000
        var ahead: Int64 = 0
        var clock = TrustedClock(from: WallTime(milliseconds: 1_700_000_000_000))

        mutating func look() {
            clock.advance(
                now: Instant(nanoseconds: UInt64(now) * 1_000_000), wall: WallTime(milliseconds: right + ahead))
        }

        /// Lets the daemon run and look at the clocks every ten minutes.
        mutating func run(hours: Int64) {
            for _ in 0..<(hours * 6) {
                now += 600_000
                right += 600_000
                look()
            }
        }

        /// Restarts the host after days in which it was off. Its monotonic clock begins anew.
        mutating func restart(afterDays days: Int64, ahead: Int64? = nil) {
            right += days * TrustedClockTests.day
            now = 5_000
            self.ahead = ahead ?? self.ahead
            clock = TrustedClock(
                seen: clock.seen, estimate: clock.estimate, agreed: clock.agreed, absences: clock.absences)
            look()
        }

        /// The age in days of something with that stamp.
        func age(of stamp: Int64) -> Int64 {
            (0...4000).last { stamp <= clock.stamp(before: .milliseconds($0 * TrustedClockTests.day)) } ?? -1
        }
    }

    private static let day: Int64 = 86_400_000

    @Test("With a right clock things age by one day per day, also while the daemon is off")
    func right() {
        var host = Host()
        host.look()
        let first = host.clock.seen
        host.run(hours: 48)
        #expect(host.age(of: first) == 2)
        host.restart(afterDays: 10)
        let second = host.clock.seen
        // Ten days are believed after ten hours of running.
        host.run(hours: 1)
        #expect(host.age(of: first) == 3)
        host.run(hours: 23)
        #expect(host.age(of: first) == 13 && host.age(of: second) == 1)
        #expect(host.clock.stamp(beforeReadable: .seconds(4 * 86_400)) < first, "it ran for three days only")
    }

    @Test("A boot with a clock that is twenty days slow and is then set right makes nothing too old")
    func slow() {
        var host = Host()
        host.look()
        let before = host.clock.seen
        host.run(hours: 24)
        host.restart(afterDays: 1, ahead: -20 * Self.day)
        let fresh = host.clock.seen
        #expect(fresh > before + Self.day)
        host.run(hours: 24)
        #expect(host.clock.wallTime.milliseconds >= host.right - 2 * Self.day, "peers are judged by the estimated time")
        host.ahead = 0
        host.run(hours: 48)
        #expect(host.age(of: fresh) == 3 && host.age(of: before) == 5)
        host.restart(afterDays: 0)
        host.run(hours: 24)
        #expect(host.age(of: fresh) == 4)
    }

    @Test("A clock that was slow from the first day may be set right while the daemon runs or while it is off")
    func slowFromTheStart() {
        var host = Host()
        host.look()
        let first = host.clock.seen
        host.run(hours: 24)
        host.ahead = 20 * Self.day
        host.run(hours: 24)
        #expect(host.age(of: first) == 2, "no time went by when it was set")
        host.restart(afterDays: 0)
        host.run(hours: 24)
        #expect(host.age(of: first) == 3)
    }

    @Test("A clock that is years ahead for an hour makes things older by a day; once set back, it goes on from there")
    func ahead() {
        var host = Host()
        host.look()
        let first = host.clock.seen
        host.run(hours: 24)
        host.restart(afterDays: 0, ahead: 3000 * Self.day)
        host.run(hours: 1)
        #expect((1...2).contains(host.age(of: first)))
        host.ahead = 0
        host.run(hours: 24 * 10)
        #expect((10...12).contains(host.age(of: first)))
        // The same holds where the clock is set ahead, and back, while the daemon runs.
        host.ahead = -500 * Self.day
        host.run(hours: 24)
        host.ahead = 900 * Self.day
        host.run(hours: 1)
        host.ahead = 0
        host.run(hours: 23)
        #expect((12...14).contains(host.age(of: first)))
    }

    @Test("Time in which data can't be read, because the account is locked or the host sleeps, is absence")
    func unreadable() {
        var host = Host()
        host.look()
        let first = host.clock.seen
        host.clock.isReadable = false
        host.run(hours: 48)
        host.clock.isReadable = true
        let second = host.clock.seen
        host.now += 3 * Self.day
        host.right += 3 * Self.day
        host.look()
        let third = host.clock.seen
        host.run(hours: 1)
        #expect(host.age(of: first) == 5 && host.age(of: second) == 3 && host.age(of: third) == 0)
        #expect(host.clock.seen - first < 2 * 3_600_000)
    }

    @Test("Times at the ends of their range trap nothing, and stamps never go back")
    func extremes() {
        var clock = TrustedClock(seen: .max - 5, estimate: .min, agreed: .max)
        var random = SeededRandom(state: 7)
        var now: UInt64 = 0
        var last = clock.seen
        let walls: [Int64] = [.min, .max, 0, -1, 1_700_000_000_000]
        for _ in 0..<1500 {
            now &+= random.next() % 4_000_000_000_000
            clock.advance(
                now: Instant(nanoseconds: now),
                wall: WallTime(milliseconds: walls[Int(random.next() % UInt64(walls.count))]))
            clock.isReadable = random.next() % 2 == 0
            #expect(clock.seen >= last)
            last = clock.seen
            _ = clock.stamp(before: .milliseconds(Int64.max)) < clock.stamp(before: .zero)
        }
        #expect(clock.absences.count <= TrustedClock.absencesKept)
    }

    @Test("Beyond the number of absences that are kept apart, things become a little younger, never older")
    func merging() {
        var host = Host()
        host.look()
        var stamps: [(stamp: Int64, right: Int64)] = []
        for _ in 0..<(TrustedClock.absencesKept + 300) {
            stamps.append((host.clock.seen, host.right))
            host.run(hours: 2)
            host.restart(afterDays: 1)
        }
        host.run(hours: 2)
        #expect(host.clock.absences.count == TrustedClock.absencesKept)
        for (stamp, right) in stamps {
            let truth = (host.right - right) / Self.day
            func isOlder(than days: Int64) -> Bool {
                stamp <= host.clock.stamp(before: .milliseconds(days * Self.day))
            }
            #expect(!isOlder(than: truth + 1) && isOlder(than: max(0, truth - 4)), "\(truth)")
        }
    }

    private struct SeededRandom {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 16
        }
    }
}
