import Basics
import ControlProtocol
import Messaging
import PeerProtocol
import Store
import Testing
import Vocabulary

@testable import Daemon

/// Goal: what peers say about friendship, and what the user wants, is right in the real database.
@Suite("Contacts in the database")
struct ContactCommitTests {
    private static func request(_ number: UInt64, _ note: String = "") -> DurableFrame {
        let time = HybridTime(rawValue: UInt64(1) << 60 + number)
        return DurableFrame(
            id: UUIDv7(high: 9, low: number), content: .contactRequest(ContactRequestBody(note: note, time: time)))
    }

    /// Does what the user wants with the friend of the scene.
    @discardableResult
    private static func act(_ action: ContactAction, _ scene: Scene) throws -> ContactRow {
        let friend = scene.friend
        return try scene.write { transaction in
            let row = try #require(try transaction.contact(friend))
            return try ContactChanges(transaction: transaction).act(action, on: row)
        }
    }

    private static func row(_ scene: Scene) throws -> ContactRow {
        try #require(try scene.read { try $0.contact(scene.friend) })
    }

    /// Commits a frame of a stranger, who is another account than the scene's friend.
    private static func hear(
        _ number: UInt8, _ name: String, _ frame: DurableFrame, _ scene: Scene,
        isHere: @escaping @Sendable (AccountID) -> Bool = { _ in false }
    ) throws -> (SimulatedPerson, CommitOutcome, ChangedRows) {
        let person = try SimulatedPerson(number)
        var committer = IncomingCommitter(peer: person.peer, name: name, choices: .stored)
        committer.isHere = isHere
        let done = committer
        let result = try scene.write { try done.commit([frame], in: $0) }
        return (person, try #require(result.outcomes.first?.outcome), scene.changed)
    }

    @Test("A declined request that comes again because its receipt was lost stays declined")
    func repeated() throws {
        let scene = try Scene()
        try Self.act(.remove, scene)
        #expect(try scene.hear(Self.request(1, "one")) == [.stored])
        #expect(try Self.row(scene).relation == .incoming)
        try Self.act(.decline, scene)
        #expect(try scene.hear(Self.request(1, "one")) == [.stored])
        #expect(try Self.row(scene).relation == .none)
        try scene.restart(settingClockBy: .zero)
        #expect(try scene.hear(Self.request(1, "one")) == [.stored])
        #expect(try Self.row(scene).relation == .none)
        #expect(try scene.hear(Self.request(2, "two")) == [.stored])
        #expect(try Self.row(scene).relation == .incoming)
        #expect(try Self.row(scene).note == "two")
    }

    @Test(
        "Removal and block make waiting messages fail with the reason and end transfers; one frame goes out"
    )
    func ending() throws {
        for (action, reason) in [(ContactAction.remove, Reason.notFriends), (.block, .blocked)] {
            let scene = try Scene()
            let friend = scene.friend
            let message = try scene.send("hello")
            let transfer = TransferRow(
                id: UUIDv7(high: 3, low: 3), direction: .incoming, peer: friend, name: "a", size: 5, state: .queued,
                createdAt: WallTime(milliseconds: 1))
            try scene.write { _ = try $0.insert(transfer) }
            try Self.act(action, scene)
            #expect(scene.changed.transfers.map(\.id) == [transfer.id])
            let (row, state, kept) = try scene.read {
                (try $0.message(message), try $0.transfer(transfer.id)?.state, try $0.conversation(with: friend))
            }
            #expect(row?.state == .failed && row?.failureReason == reason)
            #expect(state == .cancelled && kept != nil)
            #expect(try scene.waiting() == (action == .remove ? [.contactRemoval] : []))
        }
    }

    @Test("Only the newest contact frame waits")
    func newest() throws {
        let scene = try Scene()
        try Self.act(.remove, scene)
        try Self.act(.ask(note: "sorry"), scene)
        #expect(try scene.waiting() == [.contactRequest])
        try Self.act(.decline, scene)
        #expect(try scene.waiting() == [.contactRemoval])
    }

    @Test("Beyond a number, strangers whose requests were declined are forgotten, the oldest first")
    func strangers() throws {
        let scene = try Scene()
        let people = try (20...29 as ClosedRange<UInt8>).map { number -> AccountID in
            let (person, outcome, _) = try Self.hear(number, "Stranger", Self.request(UInt64(number)), scene)
            #expect(outcome == .stored)
            scene.peer.clocks.skew += .seconds(1)
            return person.peer.account
        }
        for account in people.dropLast() {
            try scene.write { transaction in
                let row = try #require(try transaction.contact(account))
                _ = try ContactChanges(transaction: transaction).act(.decline, on: row)
            }
        }
        let forgotten = try scene.write { try $0.forgetStrangers(beyond: 4) }
        #expect(Set(forgotten) == Set(people.prefix(5)))
        #expect(
            try scene.read { try $0.contact(people[9])?.relation } == .incoming,
            "a stranger whose request waits is not forgotten")
        #expect(try scene.write { try $0.forgetStrangers(beyond: 4) }.isEmpty)
    }

    @Test("The policy decides about each request; nothing of a refused request is stored")
    func policies() throws {
        let scene = try Scene()
        for (number, policy) in ContactPolicy.allCases.enumerated() {
            try scene.write { try $0.setSetting("contacts.policy", to: "\"\(policy.rawValue)\"") }
            let (person, outcome, _) = try Self.hear(UInt8(40 + number), "Stranger", Self.request(1), scene)
            let row = try scene.read { try $0.contact(person.peer.account) }
            switch policy {
            case .ask: #expect(outcome == .stored && row?.relation == .incoming)
            case .everyone: #expect(outcome == .stored && row?.relation == .friend)
            case .nobody:
                #expect(row == nil)
                guard case .refused(let refusal) = outcome else {
                    Issue.record("the request was taken")
                    return
                }
                #expect(refusal.reason == .notAllowed && !refusal.reason.isPassing)
            }
        }
    }

    @Test("If a stranger with a friend's name asks, the friend's key counts as changed, unless the friend is here")
    func namesake() throws {
        let scene = try Scene()
        let name = try Self.row(scene).displayName
        _ = try Self.hear(50, name.uppercased(), Self.request(1), scene) { _ in true }
        #expect(try Self.row(scene).trust == .unverified)
        let (person, _, result) = try Self.hear(51, name.uppercased(), Self.request(1), scene)
        #expect(try Self.row(scene).trust == .changed)
        #expect(try Self.row(scene).namesake == person.peer.account)
        let since = try #require(try Self.row(scene).changedAt)
        #expect(Set(result.contacts.map(\.account)) == [person.peer.account, scene.friend])
        #expect(throws: MessagingError.self) { try scene.send("hello") }
        // The first such stranger counts until the user has decided; then another may.
        _ = try Self.hear(52, name, Self.request(1), scene)
        #expect(try Self.row(scene).namesake == person.peer.account)
        #expect(try Self.row(scene).changedAt == since)
        try scene.write { try ContactTrust.dismissed(person.peer.account, in: $0) }
        #expect(scene.changed.contacts.map(\.account) == [scene.friend])
        #expect(scene.changed.contacts.first?.changedAt == nil)
        try scene.send("hello")
        _ = try Self.hear(51, name, Self.request(2), scene)
        #expect(try Self.row(scene).trust == .unverified)
        _ = try Self.hear(53, name, Self.request(1), scene)
        #expect(try Self.row(scene).trust == .changed)
        // With the policy `everyone` the user still decides about these requests.
        try scene.write { try $0.setSetting("contacts.policy", to: "\"everyone\"") }
        for (number, shown) in [(54, name), (55, "Somebody")] as [(UInt8, String)] {
            let (person, outcome, _) = try Self.hear(number, shown, Self.request(1), scene)
            let relation = try scene.read { try $0.contact(person.peer.account)?.relation }
            #expect(outcome == .stored && relation == (shown == name ? .incoming : .friend))
        }
    }

    @Test(
        "If the new key is the friend's, the conversation moves to it; if it has a conversation already, that one stays"
    )
    func newKey() throws {
        for hasConversation in [false, true] {
            let scene = try Scene()
            let friend = scene.friend
            let (old, own) = (UUIDv7(high: 7, low: 7), UUIDv7(high: 8, low: 8))
            let message = try scene.send("hello")
            let name = try Self.row(scene).displayName
            let (person, _, _) = try Self.hear(60, name, Self.request(1), scene)
            let other = person.peer.account
            if hasConversation {
                try scene.write { _ = try $0.openConversation(with: other, newID: own) }
            }
            let new = try scene.write { transaction in
                try ContactTrust.trustNewKey(of: friend, name: name, in: ContactChanges(transaction: transaction))
            }
            #expect(new.account == other && new.relation == .friend)
            #expect(new.conversation == (hasConversation ? own : old))
            #expect(try Self.row(scene).relation == .none)
            #expect(try Self.row(scene).conversation == (hasConversation ? old : nil))
            let (row, recipients) = try scene.read {
                (try $0.message(message), try $0.recipients(of: message).map(\.account))
            }
            #expect(row?.conversation == old && row?.state == .failed)
            #expect(row?.failureReason == (hasConversation ? .notFriends : .keyChanged))
            #expect(recipients == [hasConversation ? friend : other])
        }
    }
}
