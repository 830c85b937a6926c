import Basics
import PeerProtocol
import Testing

/// Goal: members that the author can't reach get news within seconds, at a cost per member that doesn't grow with the
/// group.
@Suite("Groups: news")
struct GroupNewsTests {
    private func world(_ count: Int) throws -> NewsWorld {
        let world = try NewsWorld(count, seed: UInt64(count))
        world.connect(degree: 16)
        world.run(for: .seconds(30))
        return world
    }

    @Test("In a minute of talk the author can't reach a tenth of the members", arguments: [3, 32, 256])
    func talk(count: Int) throws {
        var random = SeededGenerator(seed: 7)
        let world = try world(count)
        let before = world.frames
        for _ in 0..<60 {
            let author = Int.random(in: 0..<count, using: &random)
            let deaf = Set((0..<count).shuffled(using: &random).prefix(max(1, count / 10)))
            world.write(author, to: (0..<count).filter { !deaf.contains($0) })
            world.run(for: .seconds(1))
        }
        let perMinute = world.frames - before
        world.run(for: .seconds(30))
        #expect(world.isComplete)
        #expect(world.latest <= .seconds(5), "\(count) members: \(world.latest), \(perMinute) frames")
        // Each member reports what it has to some partners, and to those that have chosen it, at most every two
        // seconds. Where that differs both send more. The number of members doesn't matter.
        #expect(perMinute <= 420 * count, "\(count) members: \(perMinute) frames, latest \(world.latest)")
    }

    @Test("One message that only three members have spreads, and then nothing more is sent", arguments: [3, 32, 256])
    func word(count: Int) throws {
        let world = try world(count)
        var before = world.frames
        world.run(for: .seconds(600))
        #expect(world.frames == before, "nothing is sent if nothing is new")
        before = world.frames
        world.write(0, to: [count / 3, count / 2, count - 1])
        world.run(for: .seconds(60))
        #expect(world.isComplete)
        #expect(world.latest <= .seconds(15), "\(count) members: \(world.latest), \(world.frames - before) frames")
        #expect(world.frames - before <= 40 * count, "\(count) members: \(world.frames - before) frames")
        before = world.frames
        world.run(for: .seconds(600))
        #expect(world.frames == before)
    }

    @Test("Some sessions are partners; a partner that ends is replaced, other sessions change nothing")
    func partners() {
        var random = SeededGenerator(seed: 1)
        var partners = GroupPartners<Int>()
        let (root, other) = (hash(1), hash(2))
        for session in 0..<10 {
            let changes = partners.shared(root, with: session, using: &random)
            #expect(changes.count == (session < PeerLimits.groupPartners ? 1 : 0))
            #expect(partners.shared(root, with: session, using: &random).isEmpty, "known")
        }
        #expect(partners.shared(other, with: 4, using: &random).map(\.session) == [4])
        #expect(partners.ended(9, using: &random).isEmpty && partners.chosen(of: root) == [0, 1, 2])
        let ended = partners.ended(1, using: &random)
        #expect(ended.count == 1 && ended[0].root == root && ended[0].change.isPartner)
        #expect(partners.chosen(of: root).count == PeerLimits.groupPartners && !partners.chosen(of: root).contains(1))
        for session in [0, 2, 3, 4, 5, 6, 7, 8] { _ = partners.unshared(root, with: session, using: &random) }
        #expect(partners.chosen(of: root).isEmpty && partners.chosen(of: other) == [4])
    }

    @Test("A member tells the peers it chose, and news go to peers that either side chose or that say nothing about it")
    func wanted() throws {
        let root = hash(1)
        var sync = GroupSync()
        func receive(_ input: GroupSyncInput, _ seconds: Double = 0) -> [GroupSyncEffect] {
            sync.receive(input, now: at(seconds))
        }
        func heads(_ digest: UInt64, _ wants: Bool?) -> GroupHeadsBody {
            GroupHeadsBody(root: root, heads: [root], digest: hash(digest), wantsNews: wants)
        }
        _ = receive(.shared(root))
        #expect(receive(.heads(heads(5, nil))) == [.send(.heads(heads(5, false)))])
        // This is a peer of an earlier version.
        _ = receive(.news(root, within: .seconds(2)))
        #expect(sync.nextDeadline == at(2))
        #expect(receive(.tick, 2) == [.readHeads(root)])
        #expect(receive(.heads(heads(6, nil)), 2) == [.send(.heads(heads(6, false)))])
        // This peer doesn't want news until we do.
        _ = receive(.heard(.heads(heads(6, false))), 3)
        _ = receive(.compared(root, isSame: true, questions: []), 3)
        #expect(receive(.news(root, within: .seconds(2)), 3).isEmpty && sync.nextDeadline == nil)
        #expect(receive(.partner(root, true), 4) == [.readHeads(root)])
        #expect(receive(.heads(heads(6, nil)), 4) == [.send(.heads(heads(6, true)))])
        _ = receive(.news(root, within: .seconds(2)), 5)
        #expect(sync.nextDeadline == at(7))
        // What the peer reports meanwhile is not reported back to it.
        _ = receive(.heard(.heads(heads(7, true))), 6)
        _ = receive(.compared(root, isSame: true, questions: []), 6)
        #expect(receive(.tick, 7) == [.readHeads(root)])
        #expect(receive(.heads(heads(7, nil)), 7).isEmpty)
        // The frame is encoded and decoded.
        let body = heads(8, true)
        #expect(try GroupHeadsBody(decoding: body.encoded()) == body)
        #expect(try GroupHeadsBody(decoding: heads(8, nil).encoded()).wantsNews == nil)
    }
}
