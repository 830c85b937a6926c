import Basics
import PeerProtocol
import Testing

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

    @Test("Who was removed can't undo it with entries from before, but for whom they removed")
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
}
