import Basics
import PeerProtocol
import Testing
import Vocabulary

/// Goal: a member that is entitled to an entry gets it from any member that has it, and others don't.
@Suite("Groups: what each member is given")
struct LogServingTests {
    /// What one side gets of the first members' chains from another side.
    private static func given(_ side: LogSide, by holder: LogSide, of mates: [Mate]) throws -> [String] {
        let page = try holder.page(for: holder.everything(of: mates), to: side)
        return try page.entries.map { item in
            guard case .message(let body)? = try item.entry().body() else { return "–" }
            return body.text
        }
    }

    @Test("Removed members, strangers, readded members, and late ones with and without history get what they may")
    func entitlement() throws {
        var scene = try LogScene(3)
        let (anna, ben, cleo) = (scene.sides[0], scene.sides[1], scene.sides[2])
        let mates = Array(Mate.all[..<3])
        for number in 1...3 { try scene.spread(try anna.write("old \(number)")) }
        #expect(try Self.given(cleo, by: ben, of: mates) == ["old 1", "old 2", "old 3"])
        let stranger = LogSide(Mate.all[20], anna.graph)
        #expect(try Self.given(stranger, by: ben, of: mates).isEmpty)
        try scene.change(.remove(cleo.account))
        #expect(try Self.given(cleo, by: ben, of: mates).isEmpty, "a former member doesn't even get its old entries")
        for number in 1...2 { try ben.take(try anna.write("without \(number)")) }
        // The member is added again. It gets its entries from before and what comes now, but nothing from between.
        try scene.change(.add([cleo.mate.seed], floors: [LogPlace(device: anna.mate.device, sequence: 6)]))
        try ben.take(try anna.write("new"))
        #expect(try Self.given(cleo, by: ben, of: mates) == ["old 1", "old 2", "old 3", "new"])
        // These are added late, one with one message of history, one with all.
        let (late, early) = (Mate.all[7], Mate.all[8])
        try scene.change(.add([late.seed], floors: [LogPlace(device: anna.mate.device, sequence: 5)]))
        #expect(try Self.given(LogSide(late, anna.graph), by: ben, of: mates) == ["without 2", "new"])
        try scene.change(.add([early.seed], floors: []))
        #expect(try Self.given(LogSide(early, anna.graph), by: ben, of: mates).count == 6)
        // A chain that the adding member didn't know is visible from its beginning.
        try anna.take(try ben.write("mine"))
        #expect(try Self.given(LogSide(late, anna.graph), by: anna, of: mates).last == "mine")
    }

    @Test("By hash as by place, entries that may not be given are unavailable, and it isn't told whether they exist")
    func byHash() throws {
        var scene = try LogScene(2)
        let (anna, ben) = (scene.sides[0], scene.sides[1])
        let entries = try (1...3).map { try anna.write("\($0)") }
        for entry in entries { try ben.take(entry) }
        let late = Mate.all[7]
        try scene.change(.add([late.seed], floors: [LogPlace(device: anna.mate.device, sequence: 3)]))
        let side = LogSide(late, anna.graph)
        let want = GroupWantBody(root: anna.graph.root, hashes: entries.map(\.hash) + [hash(5)])
        let page = try ben.page(for: want, to: side)
        #expect(try page.entries.map { try $0.entry().hash } == [entries[2].hash])
        #expect(page.unavailable == [entries[0].hash, entries[1].hash, hash(5)].sorted())
        #expect(!page.hasMore)
        // The answer to an account that is no member says the same of everything.
        let nobody = try ben.page(for: want, to: LogSide(Mate.all[30], anna.graph))
        #expect(nobody.entries.isEmpty && nobody.unavailable.count == 4 && nobody.membership.isEmpty)
        // Entries from before the member's time are not awaited.
        try side.take(page)
        #expect(side.shown == ["3"])
    }

    @Test("Pages of 64 KiB come in the order of delivery, nothing twice or left out, and resume by what came")
    func paging() throws {
        let scene = try LogScene(4)
        let (anna, ben, cleo, dora) = (scene.sides[0], scene.sides[1], scene.sides[2], scene.sides[3])
        let long = String(repeating: "x", count: 3000)
        for number in 0..<60 {
            let author = [anna, ben, cleo][number % 3]
            try scene.spread(try author.write("\(number) \(long)"))
        }
        let late = LogSide(dora.mate, dora.graph)
        var question: GroupQuestion? = GroupQuestion(try anna.everything(of: Mate.all[..<3].map { $0 }), settles: true)
        var pages = 0
        while let asked = question {
            let page = try anna.page(for: asked.want, to: late)
            let bytes = try page.encoded().count
            #expect(bytes <= PeerLimits.groupPageBytes + 4096)
            pages += 1
            let checked = LogPage(checking: page, asked: asked)
            let (admitted, heldBefore) = (try late.take(page, asked: asked.want), late.storage.held())
            #expect(
                admitted.delivered.count == page.entries.count && heldBefore == LogHeld(),
                "each behind what it refers to")
            question =
                page.hasMore
                ? asked.rest(after: page, entries: checked.entries.map(\.reference), heads: late.graph.heads) : nil
        }
        #expect(pages > 2 && late.shown == dora.shown)
        // An entry that is longer than a page comes alone.
        let huge = try anna.write(String(repeating: "y", count: SharedLimits.textBytes))
        try ben.take(huge)
        let page = try ben.page(for: GroupWantBody(root: anna.graph.root, hashes: [huge.hash]), to: late)
        #expect(page.entries.count == 1 && !page.hasMore)
    }

    @Test("The membership comes first, alone while there is more of it")
    func membershipFirst() throws {
        var scene = try LogScene(2)
        let (anna, ben) = (scene.sides[0], scene.sides[1])
        let late = LogSide(ben.mate, ben.graph)
        try ben.take(try anna.write("hi"))
        for number in 0..<20 { try scene.change(.rename("Crew \(number)")) }
        let range = try #require(LogRange(device: anna.mate.device, from: 1, to: 9))
        var want = GroupWantBody(root: anna.graph.root, heads: late.graph.heads, ranges: [range])
        let first = try anna.page(for: want, to: late, bytes: 1000)
        #expect(first.hasMore && !first.membership.isEmpty && first.entries.isEmpty)
        try late.take(first)
        #expect(late.graph.count == 1 + first.membership.count)
        let rest = GroupQuestion(want, settles: true).rest(after: first, entries: [], heads: late.graph.heads)
        want = try #require(rest?.want)
        #expect(want.heads == late.graph.heads && want.ranges == [range])
        let second = try anna.page(for: want, to: late)
        #expect(!second.hasMore && second.entries.count == 1)
        try late.take(second)
        #expect(late.graph.state == anna.graph.state && late.shown == ["hi"])
    }

    @Test("With more heads than a frame names, the membership still comes to its end", arguments: [0, 40, 290])
    func manyHeads(lead: Int) throws {
        var scene = try LogScene(4)
        let anna = scene.sides[0]
        let start = [scene.workshop.graph.root]
        let late = LogSide(scene.sides[1].mate, anna.graph)
        for number in 0..<300 {
            let entry = try scene.workshop.entry(.history(number), by: 0, after: start)
            #expect(anna.learn(entry) == .inserted)
            // What the other side has besides is at another place.
            if number >= 300 - lead { #expect(late.learn(entry) == .inserted) }
        }
        try late.learn(scene.workshop.entry(.unknown(99), by: 2, after: start))
        var question: GroupQuestion? = GroupQuestion(late.log.wantMembership(late.graph), settles: false)
        var pages = 0
        while let asked = question {
            let want = try GroupWantBody(decoding: asked.want.encoded())
            let page = try anna.page(for: want, to: late, bytes: 4096)
            try late.take(page, asked: want)
            question = page.hasMore ? asked.rest(after: page, entries: [], heads: late.graph.heads) : nil
            pages += 1
            try #require(pages < 300)
        }
        #expect(late.graph.count == anna.graph.count + 1 && late.graph.heads.count == 301)
    }

    @Test("A question that brings nothing is not asked again")
    func vain() throws {
        let scene = try LogScene(2)
        let anna = scene.sides[0]
        let question = GroupQuestion(try anna.everything(of: [anna.mate]), settles: true)
        let empty = GroupEntriesBody(root: anna.graph.root, hasMore: true)
        #expect(question.rest(after: empty, entries: [], heads: []) == nil)
        // Entries withheld from the beginning on count as progress; those withheld elsewhere don't.
        let (low, high) = try (
            #require(LogRange(device: anna.mate.device, from: 1, to: 4)),
            #require(LogRange(device: anna.mate.device, from: 90, to: 91))
        )
        let page = GroupEntriesBody(root: anna.graph.root, withheld: [low, high], hasMore: true)
        #expect(question.rest(after: page, entries: [], heads: [])?.want.ranges.first?.from == 5)
    }
}
