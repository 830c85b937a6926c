import Basics
import PeerProtocol
import TestSupport
import Testing

/// The value in a box, because expectations can't call methods that change it.
private final class Fetches {
    private var value = AvatarFetches()

    var count: Int { value.count }
    var nextDeadline: Instant? { value.nextDeadline }
    func answered(_ account: AccountID, _ digest: [UInt8]) -> Bool { value.answered(account, digest) }
    func isAwaited(_ account: AccountID, _ digest: [UInt8]) -> Bool { value.isAwaited(account, digest) }
    func want(_ digest: [UInt8], of account: AccountID, now: Instant) -> [AvatarQuestion] {
        value.want(digest, of: account, now: now)
    }
    func forget(_ account: AccountID, now: Instant) -> [AvatarQuestion] { value.forget(account, now: now) }
    func left(_ account: AccountID, isPresent: Bool = false, now: Instant) -> [AvatarQuestion] {
        value.left(account, isPresent: isPresent, now: now)
    }
    func settle(_ account: AccountID, _ digest: [UInt8], _ outcome: AvatarOutcome, now: Instant) -> [AvatarQuestion] {
        value.settle(account, digest, outcome, now: now)
    }
    func tick(now: Instant) -> [AvatarQuestion] { value.tick(now: now) }
}

@Suite("Which avatars are requested")
struct AvatarFetchesTests {
    private func account(_ number: UInt8) throws -> AccountID {
        try #require(AccountID(bytes: [UInt8](repeating: number, count: 32)))
    }

    private func digest(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 32) }

    @Test("An avatar is requested once; its answer counts, others don't")
    func once() throws {
        let fetches = Fetches()
        let anna = try account(1)
        #expect(fetches.want(digest(1), of: anna, now: at(0)) == [AvatarQuestion(anna, digest(1))])
        #expect(fetches.want(digest(1), of: anna, now: at(1)).isEmpty, "the same card again")
        let other = try account(2)
        #expect(!fetches.answered(anna, digest(2)) && !fetches.answered(other, digest(1)))
        #expect(fetches.answered(anna, digest(1)))
        #expect(fetches.settle(anna, digest(1), .stored, now: at(2)).isEmpty)
        #expect(!fetches.answered(anna, digest(1)), "once is enough")
        // While a picture is examined the next request does nothing, and no deadline passes.
        let bert = try account(3)
        _ = fetches.want(digest(1), of: bert, now: at(0))
        #expect(fetches.answered(bert, digest(1)) && !fetches.answered(bert, digest(1)))
        #expect(fetches.tick(now: at(400)).isEmpty)
        _ = fetches.settle(bert, digest(1), .stored, now: at(450))
        #expect(fetches.want(digest(1), of: anna, now: at(500)).isEmpty && fetches.nextDeadline == nil)
    }

    @Test("Without an answer the request is repeated, each time later; a new session doesn't make it sooner")
    func silence() throws {
        let fetches = Fetches()
        let anna = try account(1)
        _ = fetches.want(digest(1), of: anna, now: at(0))
        var asked: [Double] = [0]
        var now = 0.0
        while now < 8000 {
            now += 1
            if !fetches.tick(now: at(now)).isEmpty { asked.append(now) }
            if Int(now) % 7 == 0 {
                _ = fetches.left(anna, now: at(now))
                if !fetches.want(digest(1), of: anna, now: at(now)).isEmpty { asked.append(now) }
            }
        }
        let pauses = zip(asked, asked.dropFirst()).map { $1 - $0 }
        #expect(asked.count <= 11, "\(asked)")
        #expect(pauses.allSatisfy { $0 >= 10 })
        #expect((pauses.last ?? 0) > (pauses.first ?? 0))
    }

    @Test("A bad picture is not requested again; another one is, but not at once")
    func bad() throws {
        let fetches = Fetches()
        let mallory = try account(1)
        _ = fetches.want(digest(1), of: mallory, now: at(0))
        _ = fetches.settle(mallory, digest(1), .bad, now: at(1))
        for second in 2..<9 { #expect(fetches.want(digest(1), of: mallory, now: at(Double(second))).isEmpty) }
        _ = fetches.left(mallory, now: at(9))
        #expect(fetches.want(digest(1), of: mallory, now: at(5000)).isEmpty && fetches.nextDeadline == nil)
        #expect(!fetches.want(digest(2), of: mallory, now: at(5001)).isEmpty)
    }

    @Test(
        "A contact that keeps changing or removing its picture is asked at most every ten seconds"
    )
    func flicker() throws {
        for forgets in [false, true] {
            let fetches = Fetches()
            let mallory = try account(1)
            var asked = 0
            for number in 0..<1000 {
                let now = at(Double(number) / 10)
                for question in fetches.want(digest(UInt8(number % 200)), of: mallory, now: now)
                    + fetches.tick(now: now)
                {
                    asked += 1
                    _ = fetches.settle(mallory, question.digest, number % 2 == 0 ? .stored : .bad, now: now)
                }
                if forgets { _ = fetches.forget(mallory, now: now) }
            }
            #expect(2...11 ~= asked, "\(asked) in 100 s")
        }
    }

    @Test("A request whose session ends is repeated soon in another one, whether that is there or comes later")
    func interrupted() throws {
        for isPresent in [true, false] {
            let fetches = Fetches()
            let anna = try account(1)
            #expect(fetches.want(digest(1), of: anna, now: at(0)) == [AvatarQuestion(anna, digest(1))])
            #expect(fetches.left(anna, isPresent: isPresent, now: at(1)).isEmpty)
            #expect(!fetches.answered(anna, digest(1)), "nothing is awaited from a session that is over")
            if !isPresent {
                #expect(fetches.tick(now: at(20)).isEmpty && fetches.nextDeadline == nil)
                #expect(fetches.want(digest(1), of: anna, now: at(20)) == [AvatarQuestion(anna, digest(1))])
            } else {
                #expect(fetches.nextDeadline == at(11))
                #expect(fetches.tick(now: at(11)) == [AvatarQuestion(anna, digest(1))])
            }
            #expect(fetches.answered(anna, digest(1)))
        }
    }

    @Test("Four requests run at once; the others get their turn, even if the asked contacts don't answer or go")
    func turns() throws {
        let fetches = Fetches()
        let all = try (1...10).map { try account($0) }
        let first = all.flatMap { fetches.want(digest(1), of: $0, now: at(0)) }
        #expect(first.map(\.account) == Array(all.prefix(4)))
        #expect(fetches.settle(all[0], digest(1), .stored, now: at(1)).map(\.account) == [all[4]])
        #expect(fetches.left(all[1], now: at(1)).map(\.account) == [all[5]])
        #expect(fetches.settle(all[2], digest(1), .nothing, now: at(1)).map(\.account) == [all[6]])
        let late = fetches.tick(now: at(32)).map(\.account)
        #expect(Set(late).isSuperset(of: all[7...9]), "\(late.count)")
    }

    @Test("No avatar of a former friend is wanted, and nothing is remembered for long")
    func forgotten() throws {
        let fetches = Fetches()
        let anna = try account(1)
        _ = fetches.want(digest(1), of: anna, now: at(0))
        _ = fetches.forget(anna, now: at(1))
        #expect(!fetches.answered(anna, digest(1)) && fetches.nextDeadline == nil)
        _ = fetches.left(anna, now: at(2))
        #expect(fetches.count == 0)
    }

    @Test("In any case at most four run at once, none twice in ten seconds, and all are fetched in the end")
    func random() throws {
        for seed in 0..<40 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let fetches = Fetches()
            let all = try (1...12).map { try account($0) }
            var open: [AccountID: [UInt8]] = [:]
            var lastAsked: [AccountID: Double] = [:]
            var here: [AccountID: [UInt8]] = [:]
            var now = 0.0
            func take(_ questions: [AvatarQuestion]) {
                // These are not awaited any more, because they take too long or another one is wanted.
                open = open.filter { fetches.isAwaited($0.key, $0.value) }
                for question in questions {
                    if let last = lastAsked[question.account], now - last < 9.999 {
                        Issue.record("too early, seed \(seed)")
                    }
                    lastAsked[question.account] = now
                    open[question.account] = question.digest
                }
                if open.count > 4 { Issue.record("\(open.count) at once, seed \(seed)") }
            }
            func step(_ account: AccountID, _ wanted: [UInt8]) {
                switch Int.random(in: 0..<8, using: &random) {
                case 0: take(fetches.want(wanted, of: account, now: at(now)))
                case 1:
                    open[account] = nil
                    take(fetches.left(account, now: at(now)))
                case 2, 3:
                    guard let digest = open[account], fetches.answered(account, digest) else { return }
                    open[account] = nil
                    here[account] = digest
                    take(fetches.settle(account, digest, .stored, now: at(now)))
                case 4:
                    guard let digest = open[account], fetches.answered(account, digest) else { return }
                    open[account] = nil
                    take(fetches.settle(account, digest, .nothing, now: at(now)))
                default:
                    now += Double.random(in: 0...20, using: &random)
                    take(fetches.tick(now: at(now)))
                }
            }
            for _ in 0..<300 {
                guard let account = all.randomElement(using: &random) else { continue }
                step(account, digest(UInt8.random(in: 1...3, using: &random)))
            }
            // From now on all pictures are good and stay.
            for account in all { take(fetches.want(digest(9), of: account, now: at(now))) }
            for _ in 0..<2000 where here.values.filter({ $0 == digest(9) }).count < all.count {
                open = open.filter { fetches.answered($0.key, $0.value) }
                for (account, digest) in open {
                    open[account] = nil
                    here[account] = digest
                    take(fetches.settle(account, digest, .stored, now: at(now)))
                }
                now += 10
                take(fetches.tick(now: at(now)))
            }
            #expect(here.values.allSatisfy { $0 == digest(9) } && here.count == all.count, "seed \(seed)")
        }
    }
}
