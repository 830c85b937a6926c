import Basics
import PeerProtocol
import Testing
import Vocabulary

@testable import Daemon
@testable import Network

/// Goal: our own chain has time to arrive before we write, and no member can keep us from writing.
@Suite("Groups: how long we wait for members")
struct GroupWaitTests {
    private func wait(_ waited: Int, _ sinceProgress: Int? = nil, isBusy: Bool = false) -> GroupWait {
        GroupWait(
            waited: .seconds(waited), isBusy: isBusy || sinceProgress != nil,
            sinceProgress: sinceProgress.map { .seconds($0) })
    }

    @Test(
        "A silent member gets seconds, one that is answering gets minutes, and no member gets more than half an hour"
    )
    func times() {
        #expect(wait(9).rest(hasAnswer: false) == .seconds(1))
        #expect(wait(10).rest(hasAnswer: false) == .zero)
        #expect(wait(1).rest(hasAnswer: true) == .zero)
        // A member whose first page is under way has the longer time, although another was quicker.
        #expect(wait(1, isBusy: true).rest(hasAnswer: true) == .seconds(9))
        #expect(wait(10, isBusy: true).rest(hasAnswer: true) == .zero)
        for hasAnswer in [true, false] {
            #expect(wait(100, 20).rest(hasAnswer: hasAnswer) == .seconds(280))
            #expect(wait(400, 300).rest(hasAnswer: hasAnswer) == .zero)
            #expect(wait(1799, 0).rest(hasAnswer: hasAnswer) == .seconds(1))
            #expect(wait(1801, 0).rest(hasAnswer: hasAnswer) < .zero)
        }
        // An answer that came long ago doesn't shorten the wait.
        #expect(wait(4, 1000).rest(hasAnswer: false) == .seconds(6))
    }

    @Test("The time of all sessions of a member counts, by group, until we can write in the group")
    func sessions() throws {
        let (anna, ben) = (try Penman(1).account, try Penman(2).account)
        let root = try #require(EntryHash([UInt8](repeating: 1, count: 32)))
        let other = try #require(EntryHash([UInt8](repeating: 2, count: 32)))
        var waits = GroupWaits()
        var sessions = 0
        // There is one session of one second after the other, and each brings no answer.
        while wait(0).rest(hasAnswer: false) > waits.time(of: anna, in: root), sessions < 100 {
            waits.note(waits.time(of: anna, in: root) + .seconds(1), of: anna, in: root)
            sessions += 1
        }
        #expect(sessions == 10)
        waits.note(.seconds(2), of: anna, in: root)
        #expect(waits.time(of: anna, in: root) == .seconds(10))
        #expect(waits.time(of: ben, in: root) == .zero && waits.time(of: anna, in: other) == .zero)
        waits.forget(root)
        #expect(waits.time(of: anna, in: root) == .zero)
    }
}
