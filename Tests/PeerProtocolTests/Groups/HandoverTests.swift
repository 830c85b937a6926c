import Basics
import PeerProtocol
import Testing

@Suite("A group without an owner")
struct HandoverTests {
    @Test("When the last owner leaves, the most senior admin becomes owner, whichever was promoted first")
    func admin() throws {
        var shop = try Workshop(members: 4, admins: [3, 2])
        try shop.commit(.leave, by: 0)
        #expect(shop.role(2) == .owner && shop.role(3) == .admin && shop.role(1) == .member)
        // The new owner has an owner's rights.
        try shop.commit(.role(shop.account(1), .owner), by: 2)
        #expect(shop.role(1) == .owner)
    }

    @Test("Without admins the most senior member becomes owner; a member added later is junior")
    func member() throws {
        var shop = try Workshop(members: 2)
        try shop.commit(.add([shop.mates[7].seed, shop.mates[6].seed], floors: []), by: 0)
        try shop.commit(.leave, by: 1)
        try shop.commit(.add([shop.mates[1].seed], floors: []), by: 0)
        try shop.commit(.leave, by: 0)
        #expect([7, 6, 1].map { shop.role($0) } == [.owner, .member, .member])
        try shop.commit(.leave, by: 7)
        #expect([6, 1].map { shop.role($0) } == [.owner, .member])
        try shop.commit(.leave, by: 6)
        try shop.commit(.leave, by: 1)
        #expect(shop.members.isEmpty)
    }

    @Test("If one of two owners leaves, nothing changes")
    func two() throws {
        var shop = try Workshop(members: 3, admins: [2], owners: [1])
        try shop.commit(.leave, by: 0)
        #expect([1, 2].map { shop.role($0) } == [.owner, .admin])
    }

    @Test("Two owners remove, demote or leave at the same time")
    func concurrent() throws {
        var shop = try Workshop(members: 4, admins: [2], owners: [1])
        let before = shop.graph.heads
        var other = shop
        try shop.commit(.remove(shop.account(1)), by: 0, after: before)
        try shop.commit(.remove(shop.account(0)), by: 1, after: before)
        #expect(shop.members == [2, 3] && shop.role(2) == .owner)
        try other.commit(.role(other.account(1), .admin), by: 0, after: before)
        try other.commit(.role(other.account(0), .member), by: 1, after: before)
        // Both demotions hold. In between one was the only owner, and then there was none: the most senior admin is
        // mate 1 or 2.
        #expect(other.members == [0, 1, 2, 3])
        #expect(other.graph.state.members.values.filter { $0.role == .owner }.count == 1)
        #expect(other.role(0) == .member)
    }

    @Test("An owner by handover keeps what it did, even if another member was promoted at the same time")
    func late() throws {
        var shop = try Workshop(members: 4)
        let before = shop.graph.heads
        let leave = try shop.commit(.leave, by: 0, after: before)
        #expect(shop.role(1) == .owner)
        let rename = try shop.commit(.rename("Mine"), by: 1, after: [leave])
        // The old owner's other device promoted mate 2 before it learned that.
        try shop.commit(.role(shop.account(2), .owner), by: 0, device: 1, after: before)
        #expect(shop.graph.state.name == "Mine" && shop.graph.isEffective(rename) == true)
        #expect(shop.graph.state.members.values.contains { $0.role == .owner })
        #expect(shop.members == [1, 2, 3])
    }
}
