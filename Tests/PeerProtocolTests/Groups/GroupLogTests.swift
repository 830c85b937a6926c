import Basics
import Crypto
import PeerProtocol
import Testing
import Vocabulary

/// Goal: an answer is never shown before its question, nothing is shown twice, and what can't be had delays nothing.
@Suite("Groups: the log")
struct GroupLogTests {
    @Test("An answer waits for its question, even if that comes from a third member")
    func causal() throws {
        let scene = try LogScene(3)
        let (anna, ben, cleo) = (scene.sides[0], scene.sides[1], scene.sides[2])
        let question = try anna.write("Tea?")
        try ben.take(question)
        let answer = try ben.write("Yes")
        #expect(answer.dependencies == [question.reference])
        #expect(try cleo.take(answer) == .held(missing: [question.reference], membership: []))
        #expect(cleo.shown.isEmpty)
        #expect(try cleo.take(answer) == .duplicate)
        #expect(try cleo.take(question) == .delivered)
        #expect(cleo.shown == ["Tea?", "Yes"])
        #expect(try cleo.take(question) == .duplicate && cleo.take(answer) == .duplicate)
        #expect(cleo.shown.count == 2)
        let third = try cleo.write("Me too")
        #expect(third.dependencies == [answer.reference], "the answer stands for what it refers to")
        #expect(third.previous == nil && third.sequence == 1)
    }

    @Test("A chain that comes backwards is shown forwards, all at once")
    func backwards() throws {
        let scene = try LogScene(2)
        let entries = try (1...20).map { try scene.sides[0].write("\($0)") }
        for entry in entries.reversed() { try scene.sides[1].take(entry) }
        #expect(scene.sides[1].shown == (1...20).map { "\($0)" })
        #expect(scene.sides[1].storage.held() == LogHeld())
        #expect(scene.sides[1].storage.tops() == scene.sides[0].storage.tops())
    }

    @Test("Any order gives the same result: everything is shown, causes first", arguments: 0..<40 as Range<UInt64>)
    func anyOrder(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let scene = try LogScene(5)
        var all: [LogEntry] = []
        for number in 0..<40 {
            let author = Int.random(in: 0..<4, using: &random)
            let entry = try scene.sides[author].write("\(number)", seconds: Int64.random(in: 0...100, using: &random))
            all.append(entry)
            // These members get the entry at once.
            for other in 0..<4 where other != author && Bool.random(using: &random) {
                try scene.sides[other].take(entry)
            }
        }
        let late = scene.sides[4]
        for entry in all.shuffled(using: &random) { try late.take(entry) }
        #expect(late.shown.count == 40)
        var seen: Set<EntryHash> = []
        for hash in late.storage.order {
            let entry = try #require(late.storage.entry(hash))
            for reference in entry.references { #expect(seen.contains(reference.hash)) }
            seen.insert(hash)
        }
        #expect(late.storage.absences.isEmpty && late.storage.missing(limit: 10).isEmpty)
        let frontier = Set(late.storage.frontier(limit: 100))
        let referred = Set(all.flatMap(\.references))
        #expect(frontier == Set(all.map(\.reference)).subtracting(referred))
    }

    @Test("After more than sixteen concurrent entries the next ones join them all")
    func manyAtOnce() throws {
        let scene = try LogScene(22)
        let reader = scene.sides[0]
        for side in scene.sides[1...20] { try reader.take(try side.write("hi")) }
        let first = try reader.write("one")
        #expect(first.dependencies.count == PeerLimits.logDependencies)
        let second = try reader.write("two")
        #expect(second.dependencies.count == 4)
        #expect(try reader.write("three").dependencies.isEmpty)
    }

    @Test("A former member can't write; what a member wrote stays")
    func authors() throws {
        var scene = try LogScene(3)
        let (anna, ben, cleo) = (scene.sides[0], scene.sides[1], scene.sides[2])
        let before = try cleo.write("before")
        let leaver = LogSide(cleo.mate, cleo.graph)
        try scene.change(.remove(cleo.account))
        // A stranger has the group's id and all that is public about it.
        let stranger = Mate.all[30]
        let position = LogEntry.Position(
            root: anna.graph.root, sequence: 1, previous: nil, heads: anna.graph.heads, dependencies: [])
        let forged = try LogEntry.make(
            .message, id: id(1), content: [1], at: position, key: stranger.key, time: HybridTime(milliseconds: 1),
            at: someTime)
        let refusal = try #require(anna.take(forged).refusal)
        #expect(refusal.reason == .notAllowed)
        // These entries of the removed member are from after the removal reached it, and from before.
        let after = try LogEntry.make(
            .message, id: id(2), content: [1], at: position, key: cleo.mate.key, time: HybridTime(milliseconds: 1),
            at: someTime)
        #expect(try ben.take(after).refusal != nil)
        #expect(throws: GroupLogError.notMember) { try cleo.write("still here?") }
        #expect(try ben.take(before) == .delivered, "it is judged by what its author knew")
        _ = leaver
        // This entry belongs to another group.
        let other = try LogEntry.make(
            .message, id: id(3), content: [1],
            at: LogEntry.Position(root: hash(9), sequence: 1, previous: nil, heads: [hash(9)], dependencies: []),
            key: anna.mate.key, time: HybridTime(milliseconds: 1), at: someTime)
        let wrong = try #require(ben.take(other).refusal)
        #expect(wrong.reason == .invalid)
    }

    @Test("An entry that names unknown membership entries waits for them, and is judged then")
    func unknownHeads() throws {
        var scene = try LogScene(2)
        let (anna, ben) = (scene.sides[0], scene.sides[1])
        let newcomer = Mate.all[5]
        let hash = try scene.workshop.commit(.add([newcomer.seed], floors: []), by: 0)
        let addition = try #require(scene.workshop.graph.entry(hash))
        let side = LogSide(newcomer, scene.workshop.graph)
        let hello = try side.write("hello")
        #expect(try ben.take(hello) == .held(missing: [], membership: [hash]))
        #expect(ben.storage.held().unproven == 1)
        let more = try side.write("more")
        #expect(try ben.take(more) == .held(missing: [], membership: [hash]))
        ben.learn(addition)
        #expect(ben.shown == ["hello", "more"])
        // This author names the entry but is no member.
        let position = LogEntry.Position(
            root: anna.graph.root, sequence: 1, previous: nil, heads: [hash], dependencies: [])
        let forged = try LogEntry.make(
            .message, id: id(1), content: [1], at: position, key: Mate.all[31].key, time: HybridTime(milliseconds: 1),
            at: someTime)
        #expect(try anna.take(forged) == .held(missing: [], membership: [hash]))
        anna.learn(addition)
        #expect(anna.shown.isEmpty && anna.refusals.map(\.reason) == [.notAllowed])
        #expect(anna.storage.state(of: forged.hash) == nil)
    }

    @Test("Two entries at one place are both shown, kept and passed on, and prove the fork")
    func forks() throws {
        let scene = try LogScene(3)
        let (anna, ben, cleo) = (scene.sides[0], scene.sides[1], scene.sides[2])
        let first = try anna.write("one")
        try ben.take(first)
        // The device was restored from a backup and writes its second entry twice.
        let restored = LogSide(anna.mate, anna.graph)
        try restored.take(first)
        let (left, right) = (try anna.write("two"), try restored.write("zwei"))
        #expect(left.place == right.place && left.hash != right.hash)
        #expect(try ben.take(left) == .delivered && ben.take(right) == .delivered)
        #expect(ben.shown == ["one", "two", "zwei"])
        let fork = LogFork(place: left.place, first: left.hash, second: right.hash)
        #expect(ben.forks == [fork] && ben.storage.forks == [fork])
        #expect(ben.storage.tops() == [left.reference, right.reference].sorted())
        // Each branch continues by its own hash, and both chains are passed on.
        try ben.take(try restored.write("drei"))
        #expect(ben.shown.last == "drei")
        try cleo.take(ben.page(for: ben.everything(of: [anna.mate]), to: cleo))
        #expect(Set(cleo.shown) == ["one", "two", "zwei", "drei"] && cleo.forks.count == 1)
        #expect(cleo.storage.tops() == ben.storage.tops())
        // The device itself learns what it had forgotten, and continues after it.
        try restored.take(left)
        #expect(restored.forks.count == 1)
    }

    @Test("A device that lost its last entries continues after those that others show it, without a fork")
    func restored() throws {
        let scene = try LogScene(2)
        let (anna, ben) = (scene.sides[0], scene.sides[1])
        for number in 1...5 { try ben.take(try anna.write("\(number)")) }
        let restored = LogSide(anna.mate, anna.graph)
        try restored.take(ben.page(for: ben.everything(of: [anna.mate]), to: anna))
        let next = try restored.write("6")
        #expect(next.sequence == 6)
        #expect(try ben.take(next) == .delivered && ben.forks.isEmpty)
    }

    @Test("The number of entries of a device at one place is limited")
    func manyForks() throws {
        let scene = try LogScene(2)
        let (anna, ben) = (scene.sides[0], scene.sides[1])
        for number in 0..<PeerLimits.forksAtPlace {
            let other = LogSide(anna.mate, anna.graph)
            #expect(try ben.take(other.write("\(number)")) == .delivered)
        }
        let refusal = try #require(ben.take(LogSide(anna.mate, anna.graph).write("too many")).refusal)
        #expect(refusal.reason == .notAllowed && ben.storage.order.count == PeerLimits.forksAtPlace)
        // The first two of them are the proof, and the user is told once.
        #expect(ben.forks.count == 1 && ben.storage.forks == Set(ben.forks))
    }

    @Test("Entries that the other side can't give are not awaited any more, and are filed if they come after all")
    func withheld() throws {
        let scene = try LogScene(3)
        let (anna, ben, cleo) = (scene.sides[0], scene.sides[1], scene.sides[2])
        let entries = try (1...4).map { try anna.write("\($0)") }
        let range = try #require(LogRange(device: anna.mate.device, from: 1, to: 3))
        try cleo.take(entries[3])
        #expect(cleo.shown.isEmpty)
        try cleo.take(GroupEntriesBody(root: anna.graph.root, withheld: [range]))
        #expect(cleo.shown == ["4"])
        #expect(cleo.storage.absent(limit: 9) == [entries[2].reference])
        // Other entries that refer to it don't wait either.
        try ben.take(try #require(entries.first))
        for entry in entries { try ben.take(entry) }
        #expect(try cleo.take(entries[2]) == .held(missing: [entries[1].reference], membership: []))
        try cleo.take(entries[0])
        try cleo.take(entries[1])
        #expect(cleo.shown == ["4", "1", "2", "3"])
        #expect(cleo.storage.absences.isEmpty && cleo.storage.tops() == [entries[3].reference])
        #expect(cleo.storage.frontier(limit: 9) == [entries[3].reference])
        // The hash tells, or the end of an answer that should have held it.
        let other = LogSide(Mate.all[1], anna.graph)
        try other.take(entries[3])
        let want = GroupWantBody(root: anna.graph.root, hashes: [entries[2].hash])
        try other.take(GroupEntriesBody(root: anna.graph.root), asked: want, settles: false)
        #expect(other.shown.isEmpty, "an answer that doesn't settle leaves the entry waiting")
        try other.take(GroupEntriesBody(root: anna.graph.root), asked: want, settles: true)
        #expect(other.shown == ["4"])
    }

    @Test("What no member gives for a day is shown without, and what can't be judged is dropped")
    func giveUp() throws {
        let scene = try LogScene(2)
        let (anna, ben) = (scene.sides[0], scene.sides[1])
        let entries = try (1...4).map { try anna.write("\($0)") }
        try ben.take(entries[3])
        try ben.take(entries[1])
        let unproven = try LogEntry.make(
            .message, id: id(1), content: [1],
            at: LogEntry.Position(
                root: anna.graph.root, sequence: 1, previous: nil, heads: [hash(77)], dependencies: []),
            key: Mate.all[9].key, time: HybridTime(milliseconds: 1), at: someTime)
        try ben.take(unproven)
        try ben.giveUp(since: someTime)
        #expect(ben.shown.isEmpty)
        try ben.giveUp(since: someTime + PeerLimits.heldTime)
        #expect(ben.shown == ["2", "4"] && ben.storage.state(of: unproven.hash) == nil)
        #expect(ben.storage.held() == LogHeld())
    }

    @Test(
        "Held entries are bounded in all, for one device and for unjudged ones; they are refused for now only"
    )
    func bounds() throws {
        let scene = try LogScene(3)
        let (anna, ben) = (scene.sides[0], scene.sides[1])
        let entries = try (0...PeerLimits.heldEntriesOfDevice).map { try anna.write("\($0)") }
        // The second entry comes first: all of them wait for the first one.
        for entry in entries.dropFirst() { #expect(try ben.take(entry) != .duplicate) }
        #expect(ben.storage.held().entries == PeerLimits.heldEntriesOfDevice)
        let next = try anna.write("too many")
        let refusal = try #require(ben.take(next).refusal)
        #expect(refusal.reason.isPassing)
        try ben.take(try #require(entries.first))
        #expect(try ben.take(next) == .delivered, "it is taken once there is room")
        #expect(ben.shown.count == PeerLimits.heldEntriesOfDevice + 2)
        for number in 0...UInt64(PeerLimits.heldUnproven) {
            let entry = try LogEntry.make(
                .message, id: id(1), content: [1],
                at: LogEntry.Position(
                    root: anna.graph.root, sequence: 1, previous: nil, heads: [hash(number)], dependencies: []),
                key: scene.sides[2].mate.key, time: HybridTime(milliseconds: 1), at: someTime)
            let admission = try ben.take(entry)
            if number < UInt64(PeerLimits.forksAtPlace) { continue }
            #expect(admission.refusal != nil)
        }
    }

    @Test("One device can't take all places for entries with unknown heads")
    func unprovenQuota() throws {
        let scene = try LogScene(3)
        let ben = scene.sides[1]
        func give(_ number: UInt64, by mate: Mate) throws -> LogAdmission {
            try ben.take(
                LogEntry.make(
                    .message, id: id(1), content: [1],
                    at: LogEntry.Position(
                        root: ben.graph.root, sequence: number, previous: number == 1 ? nil : hash(number),
                        heads: [hash(900)], dependencies: []),
                    key: mate.key, time: HybridTime(milliseconds: 1), at: someTime))
        }
        for number in 1...UInt64(PeerLimits.heldUnprovenOfDevice) {
            #expect(try give(number, by: Mate.all[9]).refusal == nil)
        }
        #expect(try give(1000, by: Mate.all[9]).refusal?.reason == .busy)
        for mate in Mate.all[10..<13] {
            for number in 1...UInt64(PeerLimits.heldUnprovenOfDevice) {
                #expect(try give(number, by: mate).refusal == nil)
            }
        }
        #expect(try give(1, by: Mate.all[14]).refusal?.reason == .busy)
        #expect(ben.storage.held().unproven == PeerLimits.heldUnproven)
    }

    @Test("An entry without its content keeps its place; the content is filled in unless it was removed on purpose")
    func redaction() throws {
        let scene = try LogScene(3)
        let (anna, ben, cleo) = (scene.sides[0], scene.sides[1], scene.sides[2])
        let (first, second) = (try anna.write("secret"), try anna.write("plain"))
        for side in [ben, cleo] {
            #expect(try side.take(first, withContent: false) == .delivered)
            #expect(try side.take(second) == .delivered)
            #expect(side.shown == ["–", "plain"])
            #expect(side.storage.lackingContent(limit: 9) == [first.hash])
        }
        #expect(try ben.take(first) == .completed && ben.completed == ["secret"])
        #expect(try ben.take(first) == .duplicate)
        cleo.log.storage.unwanted.insert(first.hash)
        #expect(try cleo.take(first) == .duplicate && cleo.completed.isEmpty)
        // An entry without content here continues without it, and the chain is proved all the same.
        let page = try cleo.page(for: cleo.everything(of: [anna.mate]), to: ben)
        #expect(page.entries.map { $0.content == nil } == [true, false])
        for entry in page.entries { #expect(throws: Never.self) { try entry.entry() } }
    }
}
