import Basics
import PeerProtocol
import Testing
import Vocabulary

@Suite("Strong removal")
struct StrongRemovalTests {
    @Test("Two admins who remove each other at the same time are both out")
    func mutual() throws {
        var shop = try Workshop(members: 4, admins: [1, 2])
        let before = shop.graph.heads
        let one = try shop.commit(.remove(shop.account(2)), by: 1, after: before)
        let other = try shop.commit(.remove(shop.account(1)), by: 2, after: before)
        #expect(shop.members == [0, 3])
        #expect(shop.graph.isEffective(one) == true && shop.graph.isEffective(other) == true)
    }

    @Test("Three admins in a circle are all out")
    func circle() throws {
        var shop = try Workshop(members: 5, admins: [1, 2, 3])
        let before = shop.graph.heads
        for (one, other) in [(1, 2), (2, 3), (3, 1)] {
            try shop.commit(.remove(shop.account(other)), by: one, after: before)
        }
        #expect(shop.members == [0, 4])
    }

    @Test("A circle that an owner breaks from outside is no circle")
    func brokenCircle() throws {
        var shop = try Workshop(members: 5, admins: [1, 2, 3])
        let before = shop.graph.heads
        for (one, other) in [(1, 2), (2, 3), (3, 1)] {
            try shop.commit(.remove(shop.account(other)), by: one, after: before)
        }
        try shop.commit(.remove(shop.account(1)), by: 0, after: before)
        // Mate 1's removal of 2 is void, and 2's of 3 stands. So 3's removal of 1 is void too, but 1 is out anyhow.
        #expect(shop.members == [0, 2, 4])
    }

    @Test("A removed member can't undo its removal with backdated entries, but counters hit the remover")
    func backdating() throws {
        var shop = try Workshop(members: 6, admins: [1, 2])
        let before = shop.graph.heads
        try shop.commit(.remove(shop.account(1)), by: 2, after: before)
        // Mate 1 claims to have done all this before.
        let early = someTime.milliseconds + 1
        let rename = try shop.commit(.rename("Mine"), by: 1, after: before, time: early)
        let add = try shop.commit(.add([shop.mates[7].seed], floors: []), by: 1, after: [rename], time: early)
        let bystander = try shop.commit(.remove(shop.account(3)), by: 1, after: before, time: early)
        let promotion = try shop.commit(.role(shop.account(4), .admin), by: 1, after: before, time: early)
        #expect(shop.members == [0, 2, 3, 4, 5] && shop.graph.state.name == "Crew" && shop.role(4) == .member)
        for hash in [rename, add, bystander, promotion] { #expect(shop.graph.isEffective(hash) == false) }
        let revenge = try shop.commit(.remove(shop.account(2)), by: 1, after: before, time: early)
        #expect(shop.graph.isEffective(revenge) == true)
        #expect(shop.members == [0, 3, 4, 5])
        #expect(shop.graph.isEffective(bystander) == false)
    }

    @Test("An admin can't remove the owner that removed it")
    func owner() throws {
        var shop = try Workshop(members: 4, admins: [1])
        let before = shop.graph.heads
        try shop.commit(.remove(shop.account(1)), by: 0)
        #expect(try shop.refusal(.remove(shop.account(0)), by: 1, after: before) == .notAllowed)
    }

    @Test("A backdated accomplice hits only the member that removed it, too")
    func accomplice() throws {
        var shop = try Workshop(members: 6, admins: [1, 2])
        let before = shop.graph.heads
        try shop.commit(.remove(shop.account(1)), by: 0, after: before)
        let promotion = try shop.commit(.role(shop.account(5), .admin), by: 1, after: before)
        let blow = try shop.commit(.remove(shop.account(2)), by: 5, after: [promotion])
        let noise = try shop.commit(.rename("Ours"), by: 5, after: [blow])
        #expect(shop.members == [0, 2, 3, 4, 5] && shop.role(5) == .member && shop.graph.state.name == "Crew")
        for hash in [promotion, blow, noise] { #expect(shop.graph.isEffective(hash) == false) }
    }

    @Test("What a member did before its removal stays")
    func before() throws {
        var shop = try Workshop(members: 4, admins: [1])
        try shop.commit(.rename("Theirs"), by: 1)
        try shop.commit(.add([shop.mates[7].seed], floors: []), by: 1)
        try shop.commit(.remove(shop.account(1)), by: 0)
        #expect(shop.graph.state.name == "Theirs" && shop.members == [0, 2, 3, 7])
    }

    @Test("Removal wins over a concurrent addition and promotion of the same member")
    func removalWins() throws {
        var shop = try Workshop(members: 5, admins: [1, 2])
        let before = shop.graph.heads
        try shop.commit(.role(shop.account(3), .admin), by: 1, after: before)
        try shop.commit(.remove(shop.account(3)), by: 2, after: before)
        #expect(shop.members == [0, 1, 2, 4])
        // The member is added in two branches, and removed again in one of them.
        let now = shop.graph.heads
        let first = try shop.commit(.add([shop.mates[7].seed], floors: []), by: 1, after: now)
        let both = try shop.commit(.add([shop.mates[7].seed, shop.mates[8].seed], floors: []), by: 2, after: now)
        let word = try shop.commit(.device, by: 7, device: 1, after: [both])
        try shop.commit(.remove(shop.account(7)), by: 1, after: [first])
        #expect(shop.members == [0, 1, 2, 4, 8])
        #expect(shop.graph.isEffective(both) == true && shop.graph.isEffective(word) == false)
    }

    @Test("A demotion wins over a promotion, and takes away only the rights in question")
    func demotion() throws {
        var shop = try Workshop(members: 5, admins: [2], owners: [1])
        let before = shop.graph.heads
        let rename = try shop.commit(.rename("Theirs"), by: 1, after: before)
        let owner = try shop.commit(.role(shop.account(3), .owner), by: 1, after: before)
        let higher = try shop.commit(.role(shop.account(2), .owner), by: 1, after: before)
        try shop.commit(.role(shop.account(1), .admin), by: 0, after: before)
        // Mate 1 is still an admin and may rename; only owners make owners.
        #expect(shop.role(1) == .admin && shop.graph.state.name == "Theirs" && shop.graph.isEffective(rename) == true)
        #expect(shop.role(3) == .member && shop.role(2) == .admin)
        #expect(shop.graph.isEffective(owner) == false && shop.graph.isEffective(higher) == false)
        let now = shop.graph.heads
        try shop.commit(.role(shop.account(2), .member), by: 0, after: now)
        let promotion = try shop.commit(.role(shop.account(2), .owner), by: 0, device: 1, after: now)
        #expect(shop.role(2) == .member && shop.graph.isEffective(promotion) == false)
    }

    @Test("A member that left at the same time has left, and a removed member's new device harms none")
    func leaving() throws {
        var shop = try Workshop(members: 4, admins: [1])
        let before = shop.graph.heads
        let leave = try shop.commit(.leave, by: 2, after: before)
        let device = try shop.commit(.device, by: 3, device: 1, after: before)
        try shop.commit(.remove(shop.account(2)), by: 1, after: before)
        try shop.commit(.remove(shop.account(3)), by: 1, after: before)
        #expect(shop.members == [0, 1] && shop.graph.isEffective(leave) == true)
        #expect(shop.graph.isEffective(device) == true)
        #expect(shop.graph.state.account(of: shop.mates[3].certificates[1].device) == nil)
    }

    @Test("A removal that turns out to hold also voids what was done while it seemed void")
    func revived() throws {
        var shop = try Workshop(members: 8, admins: [1, 2, 3])
        let before = shop.graph.heads
        let removal = try shop.commit(.remove(shop.account(1)), by: 2, after: before)
        let counter = try shop.commit(.remove(shop.account(2)), by: 3, after: before)
        // 3 removed 2, so 2's removal of 1 is void, and 1 continues in good faith.
        #expect(shop.members == [0, 1, 3, 4, 5, 6, 7])
        let rename = try shop.commit(.rename("Good faith"), by: 1)
        #expect(shop.graph.state.name == "Good faith")
        // Now it turns out that an owner had removed 3 before.
        try shop.commit(.remove(shop.account(3)), by: 0, after: before)
        #expect(shop.members == [0, 2, 4, 5, 6, 7] && shop.graph.state.name == "Crew")
        #expect(shop.graph.isEffective(removal) == true && shop.graph.isEffective(counter) == false)
        #expect(shop.graph.isEffective(rename) == false)
    }

    @Test("What depends on a void addition is void, and a member added by two stays")
    func additions() throws {
        var shop = try Workshop(members: 4, admins: [1, 2])
        let before = shop.graph.heads
        let floors = [LogPlace(device: shop.mates[0].device, sequence: 40)]
        let lower = [LogPlace(device: shop.mates[0].device, sequence: 30)]
        let bad = try shop.commit(.add([shop.mates[7].seed, shop.mates[8].seed], floors: lower), by: 1, after: before)
        let word = try shop.commit(.device, by: 8, device: 1, after: [bad])
        try shop.commit(.add([shop.mates[7].seed], floors: floors), by: 2, after: before)
        // The member was added twice and sees what either addition allows.
        #expect(shop.graph.state.members[shop.account(7)]?.floors == [shop.mates[0].device: 30])
        try shop.commit(.remove(shop.account(1)), by: 0, after: before)
        #expect(shop.members == [0, 2, 3, 7])
        #expect(shop.graph.state.members[shop.account(7)]?.floors == [shop.mates[0].device: 40])
        #expect(shop.graph.isEffective(word) == false)
    }

    @Test("A removal that all knew doesn't affect later additions")
    func again() throws {
        var shop = try Workshop(members: 4, admins: [1, 2])
        try shop.commit(.remove(shop.account(3)), by: 1)
        let before = shop.graph.heads
        try shop.commit(.add([shop.mates[3].seed], floors: []), by: 1, after: before)
        try shop.commit(.add([shop.mates[3].seed], floors: []), by: 2, after: before)
        try shop.commit(.device, by: 3, device: 1)
        #expect(shop.members == [0, 1, 2, 3])
    }
}
