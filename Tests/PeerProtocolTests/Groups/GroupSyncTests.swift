import Basics
import PeerProtocol
import Testing
import Vocabulary

/// Goal: whatever breaks, members that can reach each other end up with the same entries, and little is sent where
/// nothing is new.
@Suite("Groups: catching up")
struct GroupSyncTests {
    private static func world(_ scene: LogScene) -> SyncWorld { SyncWorld(scene.sides) }

    @Test("Members with equal logs say so in one frame each")
    func nothingToDo() throws {
        var random = SeededGenerator(seed: 1)
        let scene = try LogScene(2)
        try scene.spread(try scene.sides[0].write("hi"))
        let world = Self.world(scene)
        try world.connect(0, 1)
        try world.settle(using: &random)
        #expect(world.ends.map(\.frames) == [1, 1] && world.ends.allSatisfy { $0.pages == 0 && $0.sync.isIdle })
    }

    @Test("A third member fills a gap while the author is away", arguments: 0..<10 as Range<UInt64>)
    func third(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let scene = try LogScene(3)
        let (anna, ben, cleo) = (scene.sides[0], scene.sides[1], scene.sides[2])
        for number in 0..<5 { try ben.take(try anna.write("\(number)")) }
        let world = Self.world(scene)
        try world.connect(1, 2)
        try world.settle(using: &random)
        #expect(cleo.shown == ben.shown && cleo.storage.tops() == anna.storage.tops())
        #expect(world.ends[0].entries == 5 && world.ends[1].entries == 0)
    }

    @Test("Live entries ahead of missing ones are held, and the missing ones are requested from their sender")
    func liveAhead() throws {
        var random = SeededGenerator(seed: 3)
        let scene = try LogScene(2)
        let (anna, ben) = (scene.sides[0], scene.sides[1])
        let world = Self.world(scene)
        try world.connect(0, 1)
        try world.settle(using: &random)
        for number in 0..<30 { try anna.write("\(number)") }
        try world.live(try anna.write("last"), from: 0, to: 1)
        #expect(ben.shown.isEmpty)
        // The question is sent at once, without a comparison.
        while try world.step(using: &random) {}
        #expect(ben.shown == anna.shown)
    }

    @Test("Both sides get what only the other has, even with a fork in one chain", arguments: 0..<20 as Range<UInt64>)
    func both(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let scene = try LogScene(3)
        let (anna, ben, cleo) = (scene.sides[0], scene.sides[1], scene.sides[2])
        try scene.spread(try anna.write("common"))
        let twin = LogSide(anna.mate, anna.graph)
        try twin.take(try #require(anna.storage.entry(anna.storage.order[0])))
        for number in 0..<4 {
            try ben.take(try anna.write("left \(number)"))
            try cleo.take(try twin.write("right \(number)"))
        }
        for number in 0..<40 {
            try ben.write("ben \(number)")
            try cleo.write("cleo \(number)")
        }
        let world = Self.world(scene)
        world.pageBytes = 2000
        try world.connect(1, 2)
        try world.settle(using: &random)
        #expect(Set(ben.shown) == Set(cleo.shown) && ben.shown.count == 89)
        #expect(ben.storage.tops() == cleo.storage.tops() && !ben.storage.forks.isEmpty && !cleo.storage.forks.isEmpty)
        #expect(ben.storage.held() == LogHeld() && cleo.storage.held() == LogHeld())
    }

    @Test("A newcomer gets the membership first, then what it may see, and no comparison repeats for ever")
    func newcomer() throws {
        var random = SeededGenerator(seed: 5)
        var scene = try LogScene(2)
        let (anna, ben) = (scene.sides[0], scene.sides[1])
        for number in 0..<50 { try ben.take(try anna.write("\(number)")) }
        let start = scene.workshop.graph
        let late = Mate.all[9]
        try scene.change(.add([late.seed], floors: [LogPlace(device: anna.mate.device, sequence: 41)]))
        for number in 0..<10 { try scene.change(.rename("Crew \(number)")) }
        let side = LogSide(late, start)
        let world = SyncWorld(scene.sides + [side])
        world.pageBytes = 1500
        try world.connect(1, 2)
        try world.settle(using: &random)
        #expect(side.graph.state == anna.graph.state)
        #expect(side.shown == (40..<50).map { "\($0)" })
        // Ben's chain has an end that the newcomer will never have; that is settled once.
        try world.connect(0, 2)
        try world.settle(using: &random)
        #expect(side.shown.count == 10)
    }

    @Test("A former member is told nothing but how it went, whatever it asks")
    func removed() throws {
        var random = SeededGenerator(seed: 6)
        var scene = try LogScene(3)
        let cleo = scene.sides[2]
        let before = scene.workshop.graph
        try scene.change(.remove(cleo.account))
        try scene.sides[1].take(try scene.sides[0].write("secret"))
        let side = LogSide(cleo.mate, before)
        var sync = GroupSync()
        let want = GroupWantBody(root: before.root, heads: before.heads, hashes: [hash(1)])
        let nothing: [GroupSyncEffect] = [.send(.entries(GroupEntriesBody(root: before.root)))]
        #expect(sync.receive(.heard(.want(want)), now: someInstant) == nothing)
        let heads = GroupHeadsBody(root: before.root, heads: before.heads, digest: hash(1))
        #expect(sync.receive(.heard(.heads(heads)), now: someInstant) == [.consider(heads)])
        #expect(sync.receive(.heard(.heads(heads)), now: someInstant).isEmpty)
        // The group is no longer shared while a page is read, so the page is not sent.
        _ = sync.receive(.shared(before.root), now: someInstant)
        #expect(sync.receive(.heard(.want(want)), now: someInstant) == [.readPage(want)])
        _ = sync.receive(.unshared(before.root), now: someInstant)
        let page = try scene.sides[0].page(for: want, to: side)
        #expect(sync.receive(.page(before.root, page), now: someInstant).isEmpty)
        let departure = try #require(scene.workshop.graph.lastDeparture(of: cleo.account))
        #expect(page.entries.isEmpty && page.membership == [departure.bytes])
        #expect(page.unavailable == [hash(1)])
        try scene.change(.rename("later"))
        #expect(try scene.sides[0].page(for: want, to: side).membership == [departure.bytes])
        #expect(try scene.sides[0].page(for: want, to: LogSide(Mate.all[4], before)).membership.isEmpty)
        _ = random.next()
    }

    @Test(
        "One question runs at a time; unrequested pages are ignored; an asked peer that is silent is not waited for"
    )
    func discipline() throws {
        let scene = try LogScene(2)
        let root = scene.workshop.graph.root
        var sync = GroupSync()
        _ = sync.receive(.shared(root), now: someInstant)
        let page = GroupEntriesBody(root: root)
        #expect(sync.receive(.heard(.entries(page)), now: someInstant).isEmpty)
        let questions = (1...3).map { GroupQuestion(GroupWantBody(root: root, hashes: [hash($0)]), settles: true) }
        let tops = GroupTopsBody(root: root, tops: [], isReply: true)
        #expect(sync.receive(.planned(root, questions), now: someInstant).isEmpty, "not planned")
        _ = sync.receive(.heard(.tops(tops)), now: someInstant)
        #expect(sync.receive(.planned(root, questions), now: someInstant) == [.send(.want(questions[0].want))])
        _ = sync.receive(.heard(.tops(tops)), now: someInstant)
        #expect(sync.receive(.planned(root, questions), now: someInstant).isEmpty, "it was requested already")
        #expect(
            sync.receive(.heard(.entries(page)), now: someInstant) == [.commit(page, asked: questions[0])])
        #expect(sync.receive(.heard(.entries(page)), now: someInstant).isEmpty)
        let nothing = GroupCommit(entries: [], heads: [], questions: [], hasNews: false)
        #expect(sync.receive(.committed(root, nothing), now: someInstant) == [.send(.want(questions[1].want))])
        let deadline = try #require(sync.nextDeadline)
        #expect(deadline == someInstant + PeerLimits.groupAnswerTime)
        #expect(sync.receive(.tick, now: deadline) == [.send(.want(questions[2].want))])
        // A peer that breaks the rules sends two wants; they are answered one after the other.
        let (first, second) = (questions[0].want, questions[1].want)
        #expect(sync.receive(.heard(.want(first)), now: deadline) == [.readPage(first)])
        #expect(sync.receive(.heard(.want(first)), now: deadline).isEmpty)
        #expect(sync.receive(.heard(.want(second)), now: deadline).isEmpty)
        #expect(sync.receive(.page(root, page), now: deadline) == [.send(.entries(page)), .readPage(second)])
    }

    @Test("A page that can't be committed or read delays nothing else, and is tried again")
    func failures() throws {
        let (root, other) = (hash(90), hash(91))
        var sync = GroupSync()
        func receive(_ input: GroupSyncInput, _ seconds: Double = 0) -> [GroupSyncEffect] {
            sync.receive(input, now: at(seconds))
        }
        for group in [root, other] { _ = receive(.shared(group)) }
        let mine = GroupQuestion(GroupWantBody(root: root, hashes: [hash(1)]), settles: true)
        let others = (2...3).map { GroupQuestion(GroupWantBody(root: other, hashes: [hash($0)]), settles: true) }
        let (page, otherPage) = (GroupEntriesBody(root: root), GroupEntriesBody(root: other))
        let nothing = GroupCommit(entries: [], heads: [], questions: [], hasNews: false)
        #expect(receive(.lacking(root, [mine])) == [.send(.want(mine.want))])
        #expect(receive(.lacking(other, others)).isEmpty)
        #expect(receive(.heard(.entries(page))) == [.commit(page, asked: mine)])
        // The other group's questions get their turn while the disk fails for this one.
        #expect(receive(.failed(.commit(page, asked: mine))) == [.send(.want(others[0].want))])
        #expect(receive(.heard(.entries(otherPage))) == [.commit(otherPage, asked: others[0])])
        #expect(receive(.committed(other, nothing)) == [.send(.want(others[1].want))])
        #expect(receive(.tick, 1).isEmpty, "one question at a time")
        #expect(receive(.heard(.entries(otherPage)), 1) == [.commit(otherPage, asked: others[1])])
        #expect(receive(.committed(other, nothing), 1) == [.send(.want(mine.want))])
        // The pause doubles, up to half a minute, until the page is stored.
        var now = 1.0
        for pause in [2, 4, 8, 16, 30, 30] as [Double] {
            #expect(receive(.heard(.entries(page)), now) == [.commit(page, asked: mine)])
            #expect(receive(.failed(.commit(page, asked: mine)), now).isEmpty && !sync.isIdle)
            #expect(sync.nextDeadline == at(now + pause))
            now += pause
            #expect(receive(.tick, now) == [.send(.want(mine.want))])
        }
        #expect(receive(.heard(.entries(page)), now) == [.commit(page, asked: mine)])
        #expect(receive(.committed(root, nothing), now).isEmpty)
        // The same holds for what the peer asks, unless it asks for something else meanwhile.
        #expect(receive(.heard(.want(mine.want)), now) == [.readPage(mine.want)])
        #expect(receive(.failed(.readPage(mine.want)), now).isEmpty)
        #expect(receive(.tick, now + 1) == [.readPage(mine.want)])
        #expect(receive(.page(root, page), now + 1) == [.send(.entries(page))])
        #expect(receive(.heard(.want(mine.want)), now) == [.readPage(mine.want)])
        #expect(receive(.heard(.want(others[0].want)), now).isEmpty)
        #expect(receive(.failed(.readPage(mine.want)), now) == [.readPage(others[0].want)])
    }

    @Test("A question without an answer is asked again after a while, twice, and then no more")
    func unanswered() throws {
        let root = hash(90)
        let question = GroupQuestion(GroupWantBody(root: root, hashes: [hash(1)]), settles: true)
        var sync = GroupSync()
        _ = sync.receive(.shared(root), now: at(0))
        var now = 0.0
        #expect(sync.receive(.lacking(root, [question]), now: at(now)) == [.send(.want(question.want))])
        for _ in 0..<2 {
            #expect(sync.receive(.tick, now: at(now + 60)).isEmpty && sync.nextDeadline == at(now + 90))
            now += 90
            #expect(sync.receive(.tick, now: at(now)) == [.send(.want(question.want))])
        }
        #expect(sync.receive(.tick, now: at(now + 60)).isEmpty && sync.nextDeadline == nil)
    }

    @Test("After a membership entry that is finally refused, no more membership is requested, but the log is")
    func refusedMembership() throws {
        let root = hash(90)
        let device = try #require(DeviceID(bytes: [UInt8](repeating: 3, count: 32)))
        let ranges = [LogRange(device: device, from: 1, to: 9)].compactMap { $0 }
        let question = GroupQuestion(GroupWantBody(root: root, heads: [hash(1)], ranges: ranges), settles: true)
        let again = GroupQuestion(GroupWantBody(root: root, heads: [hash(1)]), settles: false)
        let page = GroupEntriesBody(root: root, membership: [[1]], hasMore: true)
        var sync = GroupSync()
        _ = sync.receive(.shared(root), now: at(0))
        #expect(sync.receive(.lacking(root, [question]), now: at(0)) == [.send(.want(question.want))])
        #expect(sync.receive(.heard(.entries(page)), now: at(0)) == [.commit(page, asked: question)])
        #expect(sync.receive(.lacking(root, [again]), now: at(0)).isEmpty)
        let commit = GroupCommit(
            entries: [], heads: [hash(1)], questions: [again], hasNews: false, refusesMembership: true)
        let rest = GroupWantBody(root: root, ranges: ranges)
        #expect(sync.receive(.committed(root, commit), now: at(0)) == [.send(.want(rest))])
        _ = sync.receive(.heard(.entries(GroupEntriesBody(root: root))), now: at(0))
        let done = GroupCommit(entries: [], heads: [hash(1)], questions: [again], hasNews: false)
        #expect(sync.receive(.committed(root, done), now: at(0)).isEmpty)
        #expect(sync.receive(.lacking(root, [again]), now: at(0)).isEmpty)
        // In another session, or once the group is shared anew, it is requested again.
        _ = sync.receive(.unshared(root), now: at(0))
        _ = sync.receive(.shared(root), now: at(0))
        #expect(sync.receive(.lacking(root, [again]), now: at(0)) == [.send(.want(again.want))])
    }

    @Test("The time of the last progress of a request is known, even while our own disk refuses it")
    func progress() throws {
        let root = hash(90)
        let questions = (1...3).map { GroupQuestion(GroupWantBody(root: root, hashes: [hash($0)]), settles: true) }
        let page = GroupEntriesBody(root: root)
        func commit(_ hasNews: Bool) -> GroupCommit {
            GroupCommit(entries: [], heads: [], questions: [], hasNews: hasNews)
        }
        var sync = GroupSync()
        _ = sync.receive(.shared(root), now: at(0))
        _ = sync.receive(.lacking(root, questions), now: at(0))
        // A peer that only owes answers is no reason to wait.
        #expect(sync.progress(of: root) == nil)
        _ = sync.receive(.heard(.entries(page)), now: at(1))
        _ = sync.receive(.failed(.commit(page, asked: questions[0])), now: at(2))
        #expect(sync.progress(of: root) == at(2))
        _ = sync.receive(.heard(.entries(page)), now: at(2.5))
        _ = sync.receive(.committed(root, commit(true)), now: at(2.5))
        #expect(sync.progress(of: root) == at(2.5))
        _ = sync.receive(.heard(.entries(page)), now: at(2.6))
        _ = sync.receive(.committed(root, commit(false)), now: at(2.6))
        // The first request waits for its time.
        #expect(sync.progress(of: root) == at(2.5))
        _ = sync.receive(.tick, now: at(10))
        _ = sync.receive(.heard(.entries(page)), now: at(10))
        _ = sync.receive(.committed(root, commit(false)), now: at(10))
        #expect(sync.progress(of: root) == nil && sync.progress(of: hash(91)) == nil)
    }

    @Test("What can't be read is read again, but nothing of a group that isn't shared any more")
    func failedReads() throws {
        let root = hash(90)
        var sync = GroupSync()
        func receive(_ input: GroupSyncInput, _ seconds: Double = 0) -> [GroupSyncEffect] {
            sync.receive(input, now: at(seconds))
        }
        let heads = GroupHeadsBody(root: root, heads: [hash(1)], digest: hash(2))
        let newer = GroupHeadsBody(root: root, heads: [hash(1)], digest: hash(3))
        let tops = GroupTopsBody(root: root, tops: [], isReply: false)
        let work: [GroupSyncEffect] = [.readHeads(root), .compare(heads), .plan(root, tops: []), .readTops(root)]
        _ = receive(.shared(root))
        _ = receive(.heard(.heads(heads)))
        _ = receive(.heard(.tops(tops)))
        for effect in work { #expect(receive(.failed(effect)).isEmpty && !sync.isIdle) }
        // What the peer has sent meanwhile is what counts.
        #expect(receive(.heard(.heads(newer)), 0.5).isEmpty)
        #expect(receive(.tick, 1) == [.readHeads(root)])
        #expect(receive(.tick, 2) == [.compare(newer)])
        #expect(receive(.tick, 4) == [.plan(root, tops: [])])
        #expect(receive(.tick, 8) == [.readTops(root)])
        #expect(receive(.failed(.readTops(root)), 8).isEmpty)
        #expect(receive(.unshared(root), 9).isEmpty && sync.nextDeadline == nil)
        #expect(receive(.tick, 100).isEmpty && receive(.failed(.readTops(root)), 100).isEmpty)
    }

    @Test("A question about a group that is missing or not shared is answered at once, as for an empty one")
    func unknownGroup() throws {
        let want = GroupWantBody(root: hash(90), heads: [hash(1)])
        var sync = GroupSync()
        let nothing: [GroupSyncEffect] = [.send(.entries(GroupEntriesBody(root: want.root)))]
        #expect(sync.receive(.heard(.want(want)), now: someInstant) == nothing)
        _ = sync.receive(.shared(want.root), now: someInstant)
        _ = sync.receive(.unshared(want.root), now: someInstant)
        #expect(sync.receive(.heard(.want(want)), now: someInstant) == nothing)
        // The group is looked up once for its heads, even after the disk has refused it.
        let heads = GroupHeadsBody(root: want.root, heads: [hash(1)], digest: hash(1))
        #expect(sync.receive(.heard(.heads(heads)), now: someInstant) == [.consider(heads)])
        #expect(sync.receive(.failed(.consider(heads)), now: someInstant).isEmpty)
        #expect(sync.receive(.tick, now: someInstant + .seconds(1)) == [.consider(heads)])
    }

    @Test("What came by catching up is announced to the others after a pause, once for many entries")
    func announced() throws {
        var random = SeededGenerator(seed: 8)
        let scene = try LogScene(3)
        for number in 0..<20 { try scene.sides[0].write("\(number)") }
        let world = Self.world(scene)
        world.pageBytes = 1000
        try world.connect(1, 2)
        try world.settle(using: &random)
        let before = world.ends.map(\.frames).reduce(0, +)
        try world.connect(0, 1)
        try world.settle(using: &random)
        #expect(scene.sides[2].shown == scene.sides[0].shown, "the middle member passed them on")
        let frames = world.ends.prefix(2).map(\.frames).reduce(0, +) - before
        #expect(frames < 60)
    }

    @Test(
        "After partitions, cuts within pages and lost live messages, all members have everything in the end",
        arguments: 0..<40 as Range<UInt64>)
    func storms(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 3...6, using: &random)
        let scene = try LogScene(count)
        let world = Self.world(scene)
        world.pageBytes = Int.random(in: 500...5000, using: &random)
        var written = 0
        for _ in 0..<400 {
            let (one, other) = (Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random))
            switch Int.random(in: 0..<20, using: &random) {
            case 0 where one != other: try world.connect(one, other)
            case 1: world.cut(one, other)
            case 19: world.failing = Int.random(in: 0...40, using: &random)
            case 2...4:
                let entry = try scene.sides[one].write("\(written)", seconds: Int64.random(in: 0...9, using: &random))
                written += 1
                for end in world.ends where end.side == one && Int.random(in: 0..<4, using: &random) > 0 {
                    try world.live(entry, from: one, to: end.other)
                }
            default: _ = try world.step(using: &random)
            }
        }
        // In the end the disks have room again.
        world.failing = 0
        for one in 0..<count - 1 {
            world.cut(one, one + 1)
            try world.connect(one, one + 1)
        }
        try world.settle(using: &random)
        for side in scene.sides {
            #expect(side.shown.count == written && Set(side.shown).count == written)
            #expect(side.storage.held() == LogHeld() && side.storage.absences.isEmpty)
            #expect(side.storage.tops() == scene.sides[0].storage.tops())
            var seen: Set<EntryHash> = []
            for hash in side.storage.order {
                #expect(side.storage.entry(hash)?.references.allSatisfy { seen.contains($0.hash) } == true)
                seen.insert(hash)
            }
        }
    }
}
