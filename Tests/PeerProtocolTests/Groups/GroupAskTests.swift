import Basics
import PeerProtocol
import Testing
import Vocabulary

/// Goal: a member that may not write yet needn't wait for one that says nothing, and no peer can make it ask without end.
@Suite("Groups: asking a member that says nothing")
struct GroupAskTests {
    private let now = Instant(nanoseconds: 1)
    private func hash(_ number: UInt64) -> EntryHash { EntryHash(hashing: [UInt8](String(number).utf8)) }

    @Test("A member that has said nothing is asked for its ends of chains, once, and its answer settles the group")
    func silent() throws {
        let root = hash(1)
        var sync = GroupSync()
        #expect(sync.receive(.shared(root), now: now) == [.readHeads(root)])
        let heads = GroupHeadsBody(root: root, heads: [root], digest: GroupTopsBody.digest(of: []), wantsNews: false)
        #expect(sync.receive(.heads(heads), now: now) == [.send(.heads(heads))])
        #expect(sync.receive(.ask(root), now: now) == [.readTops(root)])
        #expect(sync.receive(.ask(root), now: now).isEmpty)
        let ours = GroupTopsBody(root: root, tops: [], isReply: false)
        #expect(sync.receive(.tops(root, []), now: now) == [.send(.tops(ours))])
        let theirs = GroupTopsBody(root: root, tops: [], isReply: true)
        #expect(sync.receive(.heard(.tops(theirs)), now: now) == [.plan(root, tops: [])])
        #expect(sync.receive(.planned(root, []), now: now) == [.settled(root)])
        #expect(sync.receive(.ask(root), now: now).isEmpty)
    }

    @Test("One that has spoken is not asked, nor about a group that is not shared")
    func spoken() throws {
        let root = hash(1)
        var sync = GroupSync()
        #expect(sync.receive(.ask(root), now: now).isEmpty)
        _ = sync.receive(.shared(root), now: now)
        let heads = GroupHeadsBody(root: root, heads: [root], digest: hash(2))
        #expect(sync.receive(.heard(.heads(heads)), now: now) == [.compare(heads)])
        #expect(sync.receive(.ask(root), now: now).isEmpty)
    }

    @Test("Groups that aren't here are asked for once each, and only so many in a session")
    func offers() throws {
        var sync = GroupSync()
        var wants = 0
        for number in 0..<UInt64(PeerLimits.groupsConsidered + 50) {
            for _ in 0..<2 {
                let effects = sync.receive(.offered(hash(number), heads: []), now: now)
                guard case .send(.want(let want))? = effects.first else { continue }
                wants += 1
                // The peer answers that it has nothing, and nothing comes of it.
                let page = GroupEntriesBody(root: want.root)
                _ = sync.receive(.heard(.entries(page)), now: now)
                let commit = GroupCommit(entries: [], heads: [], questions: [], hasNews: false)
                _ = sync.receive(.committed(want.root, commit), now: now)
            }
        }
        #expect(wants == PeerLimits.groupsConsidered)
    }
}
