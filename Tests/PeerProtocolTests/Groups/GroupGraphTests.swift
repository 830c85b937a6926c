import Basics
import Crypto
import PeerProtocol
import Testing
import Vocabulary

@Suite("Membership graph")
struct GroupGraphTests {
    @Test("A new group has its founder, members and settings")
    func create() throws {
        let shop = try Workshop(members: 3, history: 50)
        let state = shop.graph.state
        #expect(state.name == "Crew" && state.description.isEmpty && state.avatar == nil && state.history == 50)
        #expect(state.createdAt == someTime && shop.members == [0, 1, 2] && shop.graph.count == 1)
        #expect([0, 1, 2].map { shop.role($0) } == [.owner, .member, .member])
        #expect(state.account(of: shop.mates[2].device) == shop.account(2))
        #expect(state.members[shop.account(2)]?.name == "mate 2" && state.members[shop.account(0)]?.name == "mate 0")
        #expect(shop.graph.heads == [shop.graph.root])
    }

    @Test("The last change counts")
    func changes() throws {
        var shop = try Workshop(members: 3)
        let digest = [UInt8](repeating: 3, count: 32)
        for operation in [
            GroupOperation.rename("One"), .rename("Two"), .describe("text"), .avatar(digest), .history(7),
        ] { try shop.commit(operation, by: 0) }
        let state = shop.graph.state
        #expect(state.name == "Two" && state.description == "text" && state.avatar == digest && state.history == 7)
        try shop.commit(.avatar(nil), by: 0)
        #expect(shop.graph.state.avatar == nil)
    }

    @Test("The later one of two concurrent names counts, by its author's clock and then by its hash")
    func concurrentNames() throws {
        var shop = try Workshop(members: 3, admins: [1])
        let before = shop.graph.heads
        try shop.commit(.rename("Late"), by: 1, after: before, time: someTime.milliseconds + 5000)
        try shop.commit(.rename("Early"), by: 0, after: before, time: someTime.milliseconds + 1000)
        #expect(shop.graph.state.name == "Late" && shop.graph.heads.count == 2)
        // An author that knows both has the last word, whatever its clock shows.
        try shop.commit(.rename("After"), by: 0, time: someTime.milliseconds - 9000)
        #expect(shop.graph.state.name == "After" && shop.graph.heads.count == 1)
        let now = shop.graph.heads
        let left = try shop.commit(.rename("Left"), by: 0, after: now, time: someTime.milliseconds + 9000)
        let right = try shop.commit(.rename("Right"), by: 1, after: now, time: someTime.milliseconds + 9000)
        #expect(shop.graph.state.name == (left > right ? "Left" : "Right"))
    }

    @Test("An entry waits for the entries that it follows, and is taken once")
    func missing() throws {
        var shop = try Workshop(members: 3)
        let one = try shop.entry(.rename("One"), by: 0)
        let two = try shop.entry(.rename("Two"), by: 0, after: [one.hash])
        #expect(shop.graph.insert(two) == .missing([one.hash]))
        #expect(shop.graph.count == 1 && shop.graph.entry(two.hash) == nil && shop.graph.isEffective(two.hash) == nil)
        #expect(shop.graph.insert(one) == .inserted)
        #expect(shop.graph.insert(two) == .inserted)
        #expect(shop.graph.insert(one) == .duplicate)
        #expect(shop.graph.entry(two.hash)?.operation == .rename("Two") && shop.graph.isEffective(two.hash) == true)
    }

    @Test("Another group's entries are refused")
    func otherGroup() throws {
        var shop = try Workshop(members: 3)
        let other = try GroupGraph(create: try Workshop.create(shop.mates[0], with: [shop.mates[4]]))
        let entry = try other.make(
            .rename("x"), certificate: shop.mates[0].certificate, key: shop.mates[0].key,
            time: HybridTime(milliseconds: 1), at: someTime)
        guard case .refused = shop.graph.insert(entry) else {
            Issue.record("taken")
            return
        }
        let create = try #require(other.entry(other.root))
        guard case .refused = shop.graph.insert(create) else {
            Issue.record("a second beginning")
            return
        }
        // These have the right root under another id, and the other way round.
        for group in [(other.group, shop.graph.root), (shop.graph.group, other.root)] {
            let mixed = try MembershipEntry.make(
                .rename("x"), group: group, parents: shop.graph.heads, by: shop.account(0),
                certificate: shop.mates[0].certificate, key: shop.mates[0].key, time: HybridTime(milliseconds: 1),
                at: someTime)
            guard case .refused = shop.graph.insert(mixed) else {
                Issue.record("taken")
                return
            }
        }
    }

    @Test("Past states can be computed")
    func past() throws {
        var shop = try Workshop(members: 3)
        var steps: [(heads: [EntryHash], name: String)] = [(shop.graph.heads, "Crew")]
        for number in 0..<60 {
            try shop.commit(.rename("name \(number)"), by: 0)
            steps.append((shop.graph.heads, "name \(number)"))
        }
        for step in steps.reversed() { #expect(shop.graph.state(at: step.heads)?.name == step.name) }
        let unknown = try #require(EntryHash([UInt8](repeating: 1, count: 32)))
        #expect(shop.graph.state(at: [unknown]) == nil && shop.graph.state(at: []) == nil)
        #expect(shop.graph.state(at: [shop.graph.root, unknown]) == nil)
    }

    @Test("Missing entries come in an order in which they can be taken, page by page")
    func lacking() throws {
        var shop = try Workshop(members: 4, admins: [1, 2])
        let old = shop.graph
        for number in 0..<30 {
            let parents = number % 3 == 0 ? old.heads : shop.graph.heads
            try shop.commit(.rename("name \(number)"), by: number % 3, after: Array(parents.prefix(16)))
        }
        var (copy, pages) = (old, 0)
        while true {
            let page = shop.graph.entries(lackedBy: copy.heads, maximumBytes: 2000)
            for entry in page.entries {
                #expect([.inserted, .duplicate].contains(copy.insert(entry)))
            }
            pages += 1
            #expect(!page.entries.isEmpty && page.entries.reduce(0) { $0 + $1.bytes.count } <= 2000)
            if !page.hasMore { break }
        }
        #expect(copy.heads == shop.graph.heads && copy.state == shop.graph.state && pages > 5)
        #expect(shop.graph.entries(lackedBy: copy.heads, maximumBytes: 1).entries.isEmpty)
        // An entry that is larger than the page comes alone.
        let page = shop.graph.entries(lackedBy: [], maximumBytes: 1)
        #expect(page.entries.map(\.hash) == [shop.graph.root] && page.hasMore)
        // Heads that are unknown here tell nothing.
        let unknown = try #require(EntryHash([UInt8](repeating: 1, count: 32)))
        #expect(shop.graph.entries(lackedBy: [unknown], maximumBytes: 1 << 20).entries.count == shop.graph.count)
    }

    @Test("A graph from disk is the same in any order; one with a gap is refused")
    func loading() throws {
        var shop = try Workshop(members: 4, admins: [1, 2])
        for number in 0..<20 {
            let heads = number % 4 == 0 ? [shop.graph.root] : shop.graph.heads
            try shop.commit(
                number % 4 == 0 ? .unknown(100 + UInt64(number)) : .rename("\(number)"), by: number % 3, after: heads)
        }
        var random = SeededGenerator(seed: 5)
        for _ in 0..<5 {
            let loaded = try GroupGraph(entries: shop.graph.entries.shuffled(using: &random))
            #expect(loaded.state == shop.graph.state && loaded.heads == shop.graph.heads)
            #expect(loaded.count == shop.graph.count)
        }
        var gap = shop.graph.entries
        gap.remove(at: 3)
        #expect(throws: WireError.missing(field: "parents")) { try GroupGraph(entries: gap) }
        #expect(throws: WireError.missing(field: "create")) { try GroupGraph(entries: Array(gap.dropFirst())) }
    }

    @Test("A later graph tells what became void, and how members left")
    func story() throws {
        var shop = try Workshop(members: 6, admins: [1, 2])
        let before = shop.graph.heads
        let rename = try shop.commit(.rename("Theirs"), by: 1)
        let kept = try shop.commit(.rename("Ours"), by: 2)
        let earlier = shop.graph
        #expect(shop.graph.undone(since: earlier).isEmpty && shop.graph.lastDeparture(of: shop.account(1)) == nil)
        let removal = try shop.commit(.remove(shop.account(1)), by: 0, after: before)
        #expect(shop.graph.undone(since: earlier).map(\.hash) == [rename] && shop.graph.isEffective(kept) == true)
        #expect(shop.graph.undone(since: shop.graph).isEmpty && earlier.undone(since: earlier).isEmpty)
        #expect(shop.graph.lastDeparture(of: shop.account(1))?.hash == removal)
        #expect(shop.graph.lastDeparture(of: shop.account(7)) == nil, "this account was never a member")
        // This member left and was removed at the same time; leaving counts.
        let here = shop.graph.heads
        let leave = try shop.commit(.leave, by: 3, after: here)
        try shop.commit(.remove(shop.account(3)), by: 0, after: here)
        #expect(shop.graph.lastDeparture(of: shop.account(3))?.hash == leave)
        try shop.commit(.add([shop.mates[3].seed], floors: []), by: 0)
        #expect(shop.graph.lastDeparture(of: shop.account(3)) == nil)
        let again = try shop.commit(.remove(shop.account(3)), by: 0)
        #expect(shop.graph.lastDeparture(of: shop.account(3))?.hash == again)
    }

    @Test("A full group takes removals, even if leaving members have filled it")
    func full() throws {
        var shop = try Workshop(members: 30, admins: [1])
        let before = shop.graph.heads
        let limit = PeerLimits.groupEntries
        while shop.graph.count < limit { try shop.commit(.rename("Crew"), by: shop.graph.count % 2) }
        #expect(try shop.refusal(.rename("x"), by: 0) == .tooLarge)
        #expect(try shop.refusal(.add([shop.mates[35].seed], floors: []), by: 0) == .tooLarge)
        #expect(shop.graph.permits(.rename("x"), by: shop.account(0))?.reason == .tooLarge)
        for operation in [GroupOperation.leave, .remove(shop.account(5))] {
            #expect(shop.graph.permits(operation, by: shop.account(0)) == nil)
        }
        let removal = try shop.commit(.remove(shop.account(2)), by: 0)
        // One member leaves again and again, each time without knowing of the last time.
        while shop.graph.count < PeerLimits.groupEntriesWithLeaves { try shop.commit(.leave, by: 3, after: before) }
        #expect(try shop.refusal(.leave, by: 3, after: before) == .tooLarge)
        #expect(try shop.refusal(.remove(shop.account(4)), by: 0, after: [removal]) == nil)
        try shop.commit(.remove(shop.account(4)), by: 0, after: [removal])
        #expect(!shop.members.contains(3) && !shop.members.contains(4))
        // The graph is loaded from disk in another order.
        let loaded = try GroupGraph(entries: shop.graph.entries.sorted { $0.hash < $1.hash })
        #expect(loaded.heads == shop.graph.heads && loaded.state == shop.graph.state)
    }

    @Test("A group's membership has a bound in bytes; members can always leave and be removed")
    func bytes() throws {
        var shop = try Workshop(members: 3)
        let before = shop.graph.heads
        let name = String(repeating: "\u{1F1E9}\u{1F1EA}", count: 128)
        let crowd = try (0..<250).map { number in
            GroupSeed(certificate: try Mate(2000 + number, devices: 1).certificate, name: name)
        }
        // The same people are added again and again by authors that don't know of each other.
        var refused: Refusal?
        for _ in 0..<60 where refused == nil {
            let entry = try shop.entry(.add(crowd, floors: []), by: 0, after: before)
            if case .refused(let refusal) = shop.graph.insert(entry) { refused = refusal }
        }
        #expect(refused?.reason == .tooLarge)
        #expect((15 << 20)...PeerLimits.groupMembershipBytes ~= shop.graph.byteCount)
        #expect(shop.graph.permits(.rename("x"), by: shop.account(0))?.reason == .tooLarge)
        #expect(shop.graph.permits(.remove(shop.account(1)), by: shop.account(0)) == nil)
        let text = GroupOperation.describe(String(repeating: "\u{1F1E9}\u{1F1EA}", count: 512))
        while try shop.refusal(text, by: 0, after: before) == nil { try shop.commit(text, by: 0, after: before) }
        try shop.commit(.remove(shop.account(1)), by: 0, after: before)
        try shop.commit(.leave, by: 2, after: before)
        #expect(shop.role(1) == nil && shop.role(2) == nil && shop.role(0) == .owner)
        #expect(shop.graph.byteCount == shop.graph.entries.reduce(0) { $0 + $1.bytes.count })
    }

    @Test("With more heads than an entry may name, those that give the author its rights come first")
    func manyHeads() throws {
        var shop = try Workshop(members: 30)
        let root = [shop.graph.root]
        try shop.commit(.role(shop.account(29), .admin), by: 0, after: root)
        let grant = shop.graph.heads
        for author in 1..<29 { try shop.commit(.device, by: author, device: 1, after: root) }
        #expect(shop.graph.heads.count == 29)
        let parents = shop.graph.parentsForNext(by: shop.account(29))
        #expect(parents.count == 16 && parents == parents.sorted() && parents.contains(grant[0]))
        #expect(shop.graph.permits(.rename("x"), by: shop.account(29)) == nil)
        let entry = try shop.graph.make(
            .rename("x"), certificate: shop.mates[29].certificate, key: shop.mates[29].key,
            time: HybridTime(milliseconds: 1), at: someTime)
        #expect(shop.graph.insert(entry) == .inserted)
        #expect(shop.graph.heads.count == 14)
        // The time is later than all that it follows, though the clock stood at nothing.
        #expect(entry.time > HybridTime(milliseconds: someTime.milliseconds))
    }
}
