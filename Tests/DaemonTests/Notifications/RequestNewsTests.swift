import Basics
import Testing
import Vocabulary

@testable import Notifications

/// Goal: however many ask to be friends, the user is told a few times, and of all of them.
@Suite("Telling of requests")
struct RequestNewsTests {
    private static func account(_ number: Int) throws -> AccountID {
        var bytes = [UInt8](repeating: 9, count: 32)
        for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
        return try #require(AccountID(bytes: bytes))
    }

    private static let start = Instant(nanoseconds: 1_000_000_000_000)

    @Test("A thousand requests in six seconds: five are told of one by one, and the others in one")
    func flood() throws {
        var news = RequestNews()
        var single = 0
        var sums: [(fresh: Int, all: Int)] = []
        for number in 0..<1000 {
            let now = Self.start + .milliseconds(number * 6)
            if let sum = news.sum(now: now) { sums.append(sum) }
            if news.came(try Self.account(number), now: now) { single += 1 }
        }
        #expect(single == 5 && sums.isEmpty)
        let due = try #require(news.nextDeadline)
        #expect(due - Self.start <= .seconds(11))
        let told = news.sum(now: due)
        let sum = try #require(told)
        #expect(sum.fresh == 995 && sum.all == 995)
        let next = news.sum(now: due + .seconds(1))
        #expect(news.nextDeadline == nil && next == nil)
        #expect(NotificationText.requests(sum.all) == "995 more people want to become friends")
        #expect(NotificationText.requests(1) == "One more person wants to become friends")
    }

    @Test(
        "A flood of a day makes a bounded number of sums, each with what is new; those who are answered count no longer"
    )
    func day() throws {
        var news = RequestNews()
        var told = 0
        for number in 0..<86_400 {
            let now = Self.start + .seconds(number)
            if news.sum(now: now) != nil { told += 1 }
            if news.came(try Self.account(number), now: now) { told += 1 }
            if number >= 100 { _ = news.went(try Self.account(number - 100)) }
        }
        #expect(told < 2 * 86_400 / 300 + 10, "\(told)")
        var other = RequestNews()
        for number in 0..<7 { _ = other.came(try Self.account(number), now: Self.start) }
        // The first five were told of one by one; with the last of the others their sum is of no use any more.
        var gone: [Bool] = []
        for number in [0, 5, 6] { gone.append(other.went(try Self.account(number))) }
        #expect(gone == [false, false, true])
        let none = other.sum(now: Self.start + .seconds(60))
        #expect(none == nil)
    }

    @Test("A later sum takes the place of the one before, with its own number")
    func places() throws {
        var board = NotificationBoard()
        for count in [3, 7] {
            board.add(Notification(place: .requests, title: "Kibo", body: NotificationText.requests(count)))
        }
        let order = board.next(now: Self.start)
        guard case .show(let shown)? = order else {
            Issue.record("nothing is shown")
            return
        }
        #expect(shown.title == "Kibo" && shown.body.hasPrefix("7 more people") && board.places == 1)
        #expect(NotificationPlace(tag: NotificationPlace.requests.tag) == .requests)
    }

    @Test("Some people who ask in the course of an hour are told of one by one")
    func usual() throws {
        var news = RequestNews()
        for number in 0..<12 {
            let isSingle = news.came(try Self.account(number), now: Self.start + .seconds(number * 300))
            #expect(isSingle)
        }
        #expect(news.nextDeadline == nil)
    }
}
