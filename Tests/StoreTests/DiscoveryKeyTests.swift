import Basics
import Testing
import Vocabulary

@testable import Store

@Suite("Discovery keys")
struct DiscoveryKeyTests {
    private func row(_ account: AccountID, _ number: UInt32, held: UInt32 = 0) -> DiscoveryKeyRow {
        DiscoveryKeyRow(
            account: account, number: number, shared: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 32),
            pair: [UInt8](repeating: 200, count: 32), held: held)
    }

    private func contact(_ account: AccountID, _ relation: Relation) -> ContactRow {
        ContactRow(account: account, displayName: "Ben", relation: relation, createdAt: WallTime(milliseconds: 3))
    }

    @Test("Keys are kept only for contacts that we want to recognise, the last ones; they go with the friendship")
    func kept() async throws {
        let fixture = try await Fixture(conversation: false)
        for relation in [Relation.none, .blocked] {
            try await fixture.store.commit { try $0.save(contact(Sample.friend, relation)) }
            #expect(try await fixture.store.commit { try !$0.save(row(Sample.friend, 1)) })
        }
        #expect(try await fixture.store.commit { try !$0.save(row(Sample.other, 1)) })
        // Nothing at all is kept for unknown accounts, however many of them send keys.
        let path = fixture.directory.database
        func known() throws -> Int64? {
            try Connection(path: path, purpose: .reader).integer(SQL("SELECT count(*) FROM key"))
        }
        let before = try known()
        for stranger in 100..<200 as Range<UInt8> {
            #expect(try await fixture.store.commit { try !$0.save(row(Sample.account(stranger), 1)) })
        }
        #expect(try known() == before)
        for (number, relation) in [Relation.incoming, .requested, .friend].enumerated() {
            let row = row(Sample.friend, .max - UInt32(number), held: UInt32(number))
            try await fixture.store.commit { try $0.save(contact(Sample.friend, relation)) }
            #expect(try await fixture.store.commit { try $0.save(row) })
            #expect(try await fixture.store.read { try $0.discoveryKeys() } == [row])
        }
        // A smaller number is also accepted, because the peer's database may have been restored from a copy.
        #expect(try await fixture.store.commit { try $0.save(row(Sample.friend, 2, held: .max)) })
        #expect(try await fixture.store.read { try $0.discoveryKeys() } == [row(Sample.friend, 2, held: .max)])
        for end in [Relation.none, .blocked] {
            try await fixture.store.commit {
                try $0.save(contact(Sample.friend, .friend))
                _ = try $0.save(row(Sample.friend, 2))
                try $0.save(contact(Sample.friend, end))
            }
            #expect(try await fixture.store.read { try $0.discoveryKeys() }.isEmpty)
        }
        try await fixture.store.commit {
            try $0.save(contact(Sample.friend, .friend))
            _ = try $0.save(row(Sample.friend, 2))
            try $0.removeContact(Sample.friend)
        }
        #expect(try await fixture.store.read { try $0.discoveryKeys() }.isEmpty)
        fixture.store.close()
    }

    @Test("In a restored older database, the next key number has never been given before")
    func restored() async throws {
        let fixture = try await Fixture(conversation: false)
        func lose() async throws -> UInt32 {
            try await fixture.store.commit { try $0.save(contact(Sample.friend, .friend)) }
            try await fixture.store.commit { try $0.save(contact(Sample.friend, .none)) }
            return try await fixture.store.read { try $0.discoveryKeyNumber() }
        }
        let minutes = UInt32(fixture.clocks.wallTime.milliseconds / 60_000)
        #expect(try await lose() == minutes)
        var last = minutes
        for _ in 0..<5 { last = try await lose() }
        #expect(last == minutes + 5)
        // Ten minutes later, a copy from the beginning would continue with a number beyond all of these.
        fixture.clocks.advance(.seconds(600))
        #expect(try await lose() == minutes + 10)
        fixture.store.close()
    }

    @Test("Our own key's number grows only when a contact that had the key is no friend any more")
    func number() async throws {
        let fixture = try await Fixture(conversation: false)
        func number() async throws -> UInt32 { try await fixture.store.read { try $0.discoveryKeyNumber() } }
        #expect(try await number() == 1)
        var expected: UInt32 = 1
        var before = Relation.none
        var random = SeededGenerator(seed: 3)
        for _ in 0..<60 {
            let relation = Relation.allCases.randomElement(using: &random) ?? .none
            let had = before == .friend || before == .requested
            let has = relation == .friend || relation == .requested
            let minutes = UInt32(fixture.clocks.wallTime.milliseconds / 60_000)
            if had, !has { expected = max(expected + 1, minutes) }
            before = relation
            try await fixture.store.commit { try $0.save(contact(Sample.friend, relation)) }
            #expect(try await number() == expected)
        }
        try await fixture.store.commit { try $0.save(contact(Sample.friend, .friend)) }
        try await fixture.store.commit { _ = try $0.removeContact(Sample.friend) }
        #expect(try await number() == expected + 1)
        let again = try fixture.reopen()
        #expect(try await again.read { try $0.discoveryKeyNumber() } == expected + 1)
        again.close()
    }
}
