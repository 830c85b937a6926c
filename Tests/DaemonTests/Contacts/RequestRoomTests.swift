import Basics
import Messaging
import PeerProtocol
import Store
import Testing
import Vocabulary

@testable import Daemon

/// Goal: a person who asks under many names takes no room from others, and leaves nothing behind when a request has to go.
@Suite("Room for requests")
struct RequestRoomTests {
    private static func account(_ number: Int) throws -> AccountID {
        var bytes = [UInt8](repeating: 7, count: 32)
        for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
        return try #require(AccountID(bytes: bytes))
    }

    /// Stores requests that wait, each a second after the one before.
    private static func fill(
        _ numbers: Range<Int>, from source: (Int) -> String?, as asker: Asker = .nearby, relation: Relation = .incoming,
        _ scene: Scene
    ) throws {
        let sources = numbers.map { ($0, source($0)) }
        try scene.write { transaction in
            for (number, source) in sources {
                var row = ContactRow(
                    account: try Self.account(number), displayName: "Stranger", relation: relation,
                    createdAt: transaction.wallTime + .seconds(number - 2_000))
                row.requestSource = source
                row.asker = asker
                try transaction.save(row)
            }
        }
    }

    private static func ask(
        _ number: UInt8, _ origin: RequestOrigin, _ scene: Scene
    ) throws -> (AccountID, CommitOutcome, ChangedRows) {
        let person = try SimulatedPerson(number)
        var committer = IncomingCommitter(peer: person.peer, name: "Newcomer \(number)", choices: .stored)
        committer.origin = origin
        let done = committer
        let frame = DurableFrame(
            id: UUIDv7(high: 9, low: UInt64(number)),
            content: .contactRequest(ContactRequestBody(note: "", time: HybridTime(rawValue: 1 << 60))))
        let result = try scene.write { try done.commit([frame], in: $0) }
        return (person.peer.account, try #require(result.outcomes.first?.outcome), scene.changed)
    }

    private static func waiting(_ scene: Scene) throws -> [ContactRow] { try scene.read { try $0.contacts(.incoming) } }

    private static func isBusy(_ outcome: CommitOutcome) -> Bool {
        if case .refused(let refusal) = outcome { refusal.reason == .busy } else { false }
    }

    @Test("When the room is full, the oldest of the source with the most goes, and nothing of it is left")
    func full() throws {
        let scene = try Scene()
        let room = MessagingLimits.requestRoom(of: .nearby)
        // One source has 90, the others five each; theirs are the oldest.
        try Self.fill(0..<(room - 90), from: { "192.0.2.\($0 / 5)" }, scene)
        try Self.fill((room - 90)..<room, from: { _ in "198.51.100.1" }, scene)
        let (new, outcome, result) = try Self.ask(40, RequestOrigin(source: "203.0.113.1", asker: .nearby), scene)
        #expect(outcome == .stored)
        let first = try Self.account(room - 90)
        #expect(result.forgotten == [first])
        #expect(try scene.read { try $0.contact(first) } == nil)
        let rows = try Self.waiting(scene)
        #expect(rows.count == room && rows.contains { $0.account == new && $0.requestSource == "203.0.113.1" })
        // Where each source has one, the oldest goes, and never the newcomer.
        try scene.write { transaction in
            for row in try transaction.contacts(.incoming) { try transaction.removeContact(row.account) }
        }
        try Self.fill(0..<room, from: { "10.0.\($0 / 200).\($0 % 200)" }, scene)
        let (last, second, after) = try Self.ask(41, RequestOrigin(source: "203.0.113.2", asker: .nearby), scene)
        let oldest = try Self.account(0)
        #expect(second == .stored && after.forgotten == [oldest])
        #expect(try Self.waiting(scene).contains { $0.account == last })
    }

    @Test("Those nearby, those far away and the members of groups have room of their own")
    func rooms() throws {
        let scene = try Scene()
        let room = MessagingLimits.requestRoom(of: .faraway)
        try Self.fill(0..<room, from: { "2001:db8:0:\($0)::" }, as: .faraway, scene)
        for (number, asker) in [(UInt8(50), Asker.nearby), (51, .mate)] {
            let (_, outcome, result) = try Self.ask(number, RequestOrigin(source: "192.0.2.1", asker: asker), scene)
            #expect(outcome == .stored && result.forgotten.isEmpty)
        }
        let (_, outcome, result) = try Self.ask(52, RequestOrigin(source: "2001:db8:1::", asker: .faraway), scene)
        let oldest = try Self.account(0)
        #expect(outcome == .stored && result.forgotten == [oldest])
        #expect(try Self.waiting(scene).count == room + 2)
    }

    @Test(
        "A source that has asked a hundred times in a day is put off, also if all of that was declined; another isn't")
    func source() throws {
        let scene = try Scene()
        let limit = Int(MessagingLimits.requestsOfSource)
        try Self.fill(0..<(limit - 1), from: { _ in "192.0.2.7" }, scene)
        let origin = RequestOrigin(source: "192.0.2.7", asker: .nearby)
        #expect(try Self.ask(60, origin, scene).1 == .stored)
        let (late, outcome, _) = try Self.ask(61, origin, scene)
        #expect(Self.isBusy(outcome))
        #expect(try scene.read { try $0.contact(late) } == nil)
        // A member of a group of ours at the same address has no more, and another address has its own.
        #expect(Self.isBusy(try Self.ask(62, RequestOrigin(source: "192.0.2.7", asker: .mate), scene).1))
        #expect(try Self.ask(63, RequestOrigin(source: "192.0.2.8", asker: .nearby), scene).1 == .stored)
        let declined = try scene.write { try ContactChanges(transaction: $0).declineAll(from: "192.0.2.7") }
        #expect(declined == limit)
        #expect(try Self.waiting(scene).map(\.requestSource) == ["192.0.2.8"])
        #expect(Self.isBusy(try Self.ask(64, origin, scene).1))
        scene.peer.clocks.skew += .seconds(2 * 24 * 3600)
        #expect(try Self.ask(64, origin, scene).1 == .stored)
        #expect(try scene.write { try ContactChanges(transaction: $0).declineAll() } == 2)
        #expect(try Self.waiting(scene).isEmpty)
    }

    @Test("A source beyond its budget is put off, whatever the policy, and nothing of it is stored")
    func budget() throws {
        for policy in [ContactPolicy.ask, .everyone] {
            let scene = try Scene()
            try scene.write { try $0.setSetting("contacts.policy", to: "\"\(policy.rawValue)\"") }
            let origin = RequestOrigin(source: "192.0.2.7", asker: .nearby, mayAsk: false)
            let (account, outcome, _) = try Self.ask(70, origin, scene)
            #expect(Self.isBusy(outcome))
            #expect(try scene.read { try $0.contact(account) } == nil)
        }
    }

    @Test("Declined requests of one source push no others out of memory")
    func remembered() throws {
        let scene = try Scene()
        try Self.fill(0..<10, from: { "192.0.2.\($0)" }, relation: .none, scene)
        try Self.fill(10..<1_100, from: { _ in "198.51.100.1" }, relation: .none, scene)
        let forgotten = try scene.write {
            try $0.forgetStrangers(beyond: MessagingLimits.rememberedStrangers)
        }
        #expect(Set(forgotten) == Set(try (10..<110).map { try Self.account($0) }))
    }

    @Test("A friend, a person with an alias and one with a conversation never make room")
    func kept() throws {
        let scene = try Scene()
        let room = MessagingLimits.requestRoom(of: .mate)
        try Self.fill(0..<room, from: { _ in "198.51.100.1" }, as: .mate, scene)
        let named = try Self.account(0)
        try scene.write { transaction in
            var row = try #require(try transaction.contact(named))
            row.alias = "Aunt"
            try transaction.save(row)
        }
        let (_, outcome, result) = try Self.ask(80, RequestOrigin(source: "192.0.2.1", asker: .mate), scene)
        // One of them is counted no longer.
        #expect(outcome == .stored && result.forgotten == [])
        let next = try Self.ask(81, RequestOrigin(source: "192.0.2.2", asker: .mate), scene)
        let oldest = try Self.account(1)
        #expect(next.2.forgotten == [oldest])
        #expect(try scene.read { try $0.contact(named)?.relation } == .incoming)
    }
}
