import Basics
import Crypto
import PeerProtocol
import Testing
import Vocabulary

@Suite("Rights in a group")
struct GroupRightsTests {
    /// 0 and 1 are owners, 2 and 3 admins, 4 and 5 members; 7 is a stranger.
    private func shop() throws -> Workshop { try Workshop(members: 6, admins: [2, 3], owners: [1]) }

    private func rows() throws -> [(
        String, GroupOperation, owner: Reason?, admin: Reason?, member: Reason?
    )] {
        let mates = Mate.all
        let (owner, admin, member) = (mates[1].account, mates[3].account, mates[5].account)
        return [
            ("rename", .rename("n"), nil, nil, .notAllowed),
            ("describe", .describe("d"), nil, nil, .notAllowed),
            ("avatar", .avatar(nil), nil, nil, .notAllowed),
            ("history", .history(9), nil, nil, .notAllowed),
            ("add", .add([mates[8].seed], floors: []), nil, nil, .notAllowed),
            ("add a member", .add([mates[5].seed], floors: []), .alreadyExists, .alreadyExists, .alreadyExists),
            ("remove a member", .remove(member), nil, nil, .notAllowed),
            ("remove an admin", .remove(admin), nil, nil, .notAllowed),
            ("remove an owner", .remove(owner), nil, .notAllowed, .notAllowed),
            ("remove nobody", .remove(mates[7].account), .notFound, .notFound, .notFound),
            ("member to admin", .role(member, .admin), nil, nil, .notAllowed),
            ("member to owner", .role(member, .owner), nil, .notAllowed, .notAllowed),
            ("admin to owner", .role(admin, .owner), nil, .notAllowed, .notAllowed),
            ("admin to member", .role(admin, .member), nil, nil, .notAllowed),
            ("owner to admin", .role(owner, .admin), nil, .notAllowed, .notAllowed),
            ("owner to member", .role(owner, .member), nil, .notAllowed, .notAllowed),
            ("the same role", .role(member, .member), .alreadyExists, .alreadyExists, .alreadyExists),
            ("a role for nobody", .role(mates[7].account, .admin), .notFound, .notFound, .notFound),
            ("leave", .leave, nil, nil, nil),
        ]
    }

    @Test("Every operation is tried by an owner, an admin, a member and a stranger")
    func table() throws {
        var shop = try shop()
        for row in try rows() {
            #expect(try shop.refusal(row.1, by: 0) == row.owner, "\(row.0) by an owner")
            #expect(try shop.refusal(row.1, by: 2) == row.admin, "\(row.0) by an admin")
            #expect(try shop.refusal(row.1, by: 4) == row.member, "\(row.0) by a member")
            #expect(try shop.refusal(row.1, by: 7) == .notAllowed, "\(row.0) by a stranger")
            // The user's own commands get the same answers.
            for (author, expected) in [(0, row.owner), (2, row.admin), (4, row.member)] {
                #expect(
                    shop.graph.permits(row.1, by: shop.account(author))?.reason == expected, "\(row.0) by \(author)")
            }
        }
    }

    @Test("Members can't remove themselves, and the only owner stays one")
    func oneself() throws {
        var shop = try shop()
        for author in [0, 2] { #expect(try shop.refusal(.remove(shop.account(author)), by: author) == .invalid) }
        #expect(try shop.refusal(.role(shop.account(2), .member), by: 2) == nil)
        try shop.commit(.role(shop.account(1), .member), by: 0)
        #expect(try shop.refusal(.role(shop.account(0), .member), by: 0) == .notAllowed)
        try shop.commit(.role(shop.account(1), .owner), by: 0)
        #expect(try shop.refusal(.role(shop.account(0), .member), by: 0) == nil)
    }

    @Test("A removed or former member can do nothing more, and may be added again")
    func removed() throws {
        for operation in [GroupOperation.remove(Mate.all[4].account), .leave] {
            var shop = try shop()
            try shop.commit(operation, by: operation == .leave ? 4 : 2)
            for another in [GroupOperation.leave, .device, .rename("x")] {
                #expect(try shop.refusal(another, by: 4, device: 1) == .notAllowed)
            }
            let floor = LogPlace(device: shop.mates[0].device, sequence: 12)
            let hash = try shop.commit(.add([shop.mates[4].seed], floors: [floor]), by: 2)
            let member = try #require(shop.graph.state.members[shop.account(4)])
            #expect(member.since == hash && member.floors == [shop.mates[0].device: 12] && member.role == .member)
            #expect(member.addedBy == shop.account(2) && member.name == shop.mates[4].name)
            #expect(try shop.refusal(.device, by: 4, device: 1) == nil)
        }
    }

    @Test("An entry is judged by what its author knew, not by what is known here")
    func ownPast() throws {
        var shop = try shop()
        let before = shop.graph.heads
        try shop.commit(.role(shop.account(4), .admin), by: 0)
        #expect(try shop.refusal(.rename("x"), by: 4) == nil)
        #expect(try shop.refusal(.rename("x"), by: 4, after: before) == .notAllowed)
    }

    @Test("A second device belongs to its owner from its first entry on")
    func devices() throws {
        var shop = try shop()
        let device = shop.mates[4].certificates[1].device
        #expect(shop.graph.state.account(of: device) == nil)
        try shop.commit(.device, by: 4, device: 1)
        #expect(shop.graph.state.account(of: device) == shop.account(4))
        #expect(shop.graph.state.members[shop.account(4)]?.certificates == shop.mates[4].certificates)
        // Once is enough, but an author that doesn't know of it repeats it.
        for device in [0, 1] { #expect(try shop.refusal(.device, by: 4, device: device) == .alreadyExists) }
        #expect(try shop.refusal(.device, by: 4, device: 1, after: [shop.graph.root]) == nil)
        #expect(try shop.refusal(.device, by: 0) == .alreadyExists)
        // Mate 8 comes with its own certificate for the device of mate 4.
        let thief = try SigningKey(seed: Person.secret(200, 1))
        let stolen = try DeviceCertificate.issue(by: thief, for: device, name: "mine", created: someTime)
        let seed = GroupSeed(certificate: stolen, name: "thief")
        #expect(try shop.refusal(.add([seed], floors: []), by: 0) == .notAllowed)
        // A member that leaves takes its devices along.
        try shop.commit(.leave, by: 4)
        #expect(shop.graph.state.account(of: device) == nil)
        #expect(shop.graph.state.account(of: shop.mates[4].device) == nil)
    }

    @Test("A member has at most sixteen devices")
    func manyDevices() throws {
        var shop = try shop()
        let many = try Mate(4, devices: 17)
        func entry(_ number: Int) throws -> MembershipEntry {
            try shop.graph.make(
                .device, certificate: many.certificates[number], key: many.keys[number],
                time: HybridTime(milliseconds: 1), at: someTime)
        }
        for number in 1..<16 { #expect(shop.graph.insert(try entry(number)) == .inserted) }
        guard case .refused(let refusal) = shop.graph.insert(try entry(16)) else {
            Issue.record("the seventeenth passed")
            return
        }
        #expect(refusal.reason == .tooLarge)
    }

    @Test("A member makes at most a hundred entries that its next one follows, and can always leave")
    func flood() throws {
        var shop = try shop()
        let before = shop.graph.heads
        for number in 0..<UInt64(PeerLimits.groupEntriesOfMember) { try shop.commit(.unknown(1000 + number), by: 4) }
        let full = shop.graph.heads
        #expect(try shop.refusal(.unknown(99), by: 4) == .tooLarge)
        #expect(try shop.refusal(.device, by: 4, device: 1) == .tooLarge)
        #expect(try shop.refusal(.leave, by: 4) == nil)
        // Only what the entry follows counts, for each member separately.
        #expect(try shop.refusal(.unknown(99), by: 4, after: before) == nil)
        #expect(try shop.refusal(.unknown(99), by: 5) == nil)
        try shop.commit(.role(shop.account(4), .admin), by: 0)
        #expect(try shop.refusal(.unknown(99), by: 4) == nil)
        #expect(try shop.refusal(.unknown(99), by: 4, after: full) == .tooLarge)
        // What members did as admins doesn't count against them later.
        for number in 0...PeerLimits.groupEntriesOfMember { try shop.commit(.history(number), by: 2) }
        try shop.commit(.role(shop.account(2), .member), by: 0)
        #expect(try shop.refusal(.unknown(99), by: 2) == nil)
    }

    @Test("A group has at most 256 members")
    func full() throws {
        let founder = Mate.all[0]
        let others = try (1..<257).map { try Mate(1000 + $0, devices: 1) }
        #expect(throws: WireError.tooLong(field: "members", limit: 255)) {
            try Workshop.create(founder, with: others)
        }
        var graph = try GroupGraph(create: try Workshop.create(founder, with: Array(others[..<254])))
        func add(_ seeds: [GroupSeed]) throws -> GroupInsertion {
            graph.insert(
                try graph.make(
                    .add(seeds, floors: []), certificate: founder.certificate, key: founder.key,
                    time: HybridTime(milliseconds: 1), at: someTime))
        }
        #expect(graph.permits(.add(others[254...].map(\.seed), floors: []), by: founder.account)?.reason == .tooLarge)
        guard case .refused = try add(others[254...].map(\.seed)) else {
            Issue.record("257 passed")
            return
        }
        #expect(try add([others[254].seed]) == .inserted)
        #expect(graph.state.members.count == 256)
        guard case .refused = try add([others[255].seed]) else {
            Issue.record("257 passed")
            return
        }
    }
}
