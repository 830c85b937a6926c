import Basics
import PeerProtocol
import Testing
import Vocabulary

/// Goal: a member whose data are an older copy gets the group and its own chain back, and writes nothing twice.
@Suite("Groups: old copies")
struct OldCopyTests {
    @Test("A member reads its own chain before it knows where that ends, even below where its view begins")
    func ownChain() throws {
        var random = SeededGenerator(seed: 1)
        var scene = try LogScene(3)
        let (anna, cleo) = (scene.sides[0], scene.sides[2])
        for number in 0..<5 { try scene.spread(try cleo.write("\(number)")) }
        try scene.change(.remove(cleo.account))
        let floor = LogPlace(device: cleo.mate.device, sequence: 6)
        try scene.change(.add([cleo.mate.seed], floors: [floor]))

        let old = LogSide(cleo.mate, scene.workshop.graph)
        let world = SyncWorld([anna, scene.sides[1], old])
        try world.connect(0, 2)
        #expect(!world.ends.contains { $0.hasSettled })
        try world.settle(using: &random)
        #expect(world.ends.allSatisfy { $0.hasSettled })
        #expect(old.shown == ["0", "1", "2", "3", "4"])
        #expect(try old.write("next").place == LogPlace(device: cleo.mate.device, sequence: 6))
        #expect(old.forks.isEmpty)
    }

    @Test("For a group that isn't shared the peer is looked up once; what it offers is fetched page by page")
    func offered() throws {
        let root = hash(1)
        var sync = GroupSync()
        let heads = GroupHeadsBody(root: root, heads: [hash(2)], digest: hash(3))
        #expect(sync.receive(.heard(.heads(heads)), now: someInstant) == [.consider(heads)])
        let want = GroupWantBody(root: root, heads: [])
        #expect(sync.receive(.offered(root, heads: []), now: someInstant) == [.send(.want(want))])
        #expect(sync.receive(.offered(root, heads: []), now: someInstant).isEmpty)
        let page = GroupEntriesBody(root: root, membership: [[1]], hasMore: true)
        let question = GroupQuestion(want, settles: false)
        #expect(sync.receive(.heard(.entries(page)), now: someInstant) == [.commit(page, asked: question)])
        let commit = GroupCommit(entries: [], heads: [hash(4)], questions: [], hasNews: false)
        #expect(
            sync.receive(.committed(root, commit), now: someInstant)
                == [.send(.want(GroupWantBody(root: root, heads: [hash(4)])))])
        // The group is shared now, so the peer's earlier message is compared.
        let effects = sync.receive(.shared(root), now: someInstant)
        #expect(effects == [.readHeads(root), .compare(heads)])
    }

    @Test("A peer can have only as many groups looked up as a session allows, and unrequested pages are ignored")
    func bounds() throws {
        var sync = GroupSync()
        var looks = 0
        for number in 0..<UInt64(PeerLimits.groupsConsidered + 50) {
            let heads = GroupHeadsBody(root: hash(number), heads: [], digest: hash(1))
            looks += sync.receive(.heard(.heads(heads)), now: someInstant).count
        }
        #expect(looks == PeerLimits.groupsConsidered)
        let page = GroupEntriesBody(root: hash(1), membership: [[1]])
        #expect(sync.receive(.heard(.entries(page)), now: someInstant).isEmpty)
    }

    @Test("A former member is told how it left, and asks for nothing else")
    func departed() throws {
        let root = hash(1)
        var sync = GroupSync()
        let told = GroupHeadsBody(root: root, heads: [hash(2)], digest: GroupTopsBody.digest(of: []))
        #expect(sync.receive(.departed(root, by: hash(2)), now: someInstant) == [.send(.heads(told))])
        let want = GroupWantBody(root: root, heads: [hash(3)])
        #expect(sync.receive(.heard(.want(want)), now: someInstant) == [.readPage(want)])
        let page = GroupEntriesBody(root: root, membership: [[1]])
        #expect(sync.receive(.page(root, page), now: someInstant) == [.send(.entries(page))])
        let tops = GroupTopsBody(root: root, tops: [], isReply: false)
        #expect(sync.receive(.heard(.tops(tops)), now: someInstant).isEmpty)
    }
}
