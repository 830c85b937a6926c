import Basics
import Messaging
import PeerProtocol
import Store
import Testing
import Vocabulary

@testable import Control
@testable import Daemon

/// Goal: what is known of a message without a look at the database is what the database says.
@Suite("What a draft becomes")
struct DraftTests {
    /// - Parameter account: to whom it goes; the friend if it is nil.
    private func draft(
        _ text: String, to account: AccountID? = nil, guest: String? = nil, key: String? = nil, in scene: Scene
    ) -> Draft {
        let peer = scene.peer
        var draft = Draft(
            own: peer.account, device: peer.person.peer.device, text: text, replyTo: nil, key: key,
            now: peer.clocks.wallTime)
        draft.target = .contact(account ?? scene.friend)
        draft.guest = guest
        return draft
    }

    @Test("A message to a friend is shown as it is stored, at once and when it is sent again under its key")
    func shown() throws {
        let scene = try Scene()
        let draft = draft("hello", key: "k", in: scene)
        let shown = try scene.write { try draft.commitShown(in: $0).record }
        #expect(try scene.read { try $0.messageRecord(shown.row.id) } == shown)
        #expect(shown.recipients.map(\.account) == [scene.friend])
        #expect(try scene.write { try draft.commitShown(in: $0) } == (shown, true))
    }

    @Test("What a client is answered without a look at the database is what it would find there")
    func composed() throws {
        let scene = try Scene()
        let draft = draft("hello", in: scene)
        let composer = ObjectComposer(contacts: ContactIndex())
        let (record, order) = try scene.write { (try draft.commitShown(in: $0).record, try $0.messageOrder()) }
        let name = try #require(try scene.read { try $0.ownAccount() }).displayName
        let answer = composer.newMessage(record, order: order, senderName: name)
        #expect(answer.text == "hello" && answer.recipients.count == 1 && answer.recipients[0].heldBy == nil)
        #expect(try scene.read { try composer.message(record.row.id, in: $0) } == answer)
    }

    @Test("A note says which device gave it, in the answer and in the database; a message to a friend names none")
    func guest() throws {
        let scene = try Scene()
        let composer = ObjectComposer(contacts: ContactIndex())
        let name = try #require(try scene.read { try $0.ownAccount() }).displayName
        let cases: [(account: AccountID, kept: String?)] = [(scene.peer.account, "Nice Orange"), (scene.friend, nil)]
        for (account, kept) in cases {
            let draft = draft("hello", to: account, guest: "Nice Orange", in: scene)
            let (record, order) = try scene.write { (try draft.commitShown(in: $0).record, try $0.messageOrder()) }
            let id = record.row.id
            #expect(record.row.guest == kept)
            #expect(try scene.read { try $0.message(id)?.guest } == kept)
            #expect(try scene.read { try $0.messageRecord(id) } == record)
            let answer = composer.newMessage(record, order: order, senderName: name)
            #expect(answer.guest == kept)
            #expect(try scene.read { try composer.message(id, in: $0) } == answer)
        }
    }

    @Test("How we stand with the other side of a conversation is what the conversation and the contact say")
    func standing() throws {
        let scene = try Scene()
        let friend = scene.friend
        let id = try #require(try scene.read { try $0.conversation(with: friend) }).id
        let first = try #require(try scene.read { try $0.standing(in: id) })
        #expect(first.contact == friend && first.group == nil && !first.isNotes)
        let contact = try #require(try scene.read { try $0.contact(friend) })
        #expect(first.relation == .friend && first.relation == contact.relation && first.trust == contact.trust)
        for (relation, trust) in [(Relation.friend, Trust.changed), (.blocked, .unverified), (.none, .verified)] {
            try scene.write { transaction in
                var row = try #require(try transaction.contact(friend))
                (row.relation, row.trust) = (relation, trust)
                try transaction.save(row)
            }
            let standing = try #require(try scene.read { try $0.standing(in: id) })
            #expect(standing.relation == relation && standing.trust == trust)
            #expect(throws: MessagingError.self) {
                try scene.read { try Audience.of(.conversation(id), in: $0) }
            }
        }
        let peer = scene.peer
        let notes = try scene.write { transaction in
            try transaction.openConversation(with: peer.account, newID: UUIDv7(high: 8, low: 8)).id
        }
        let own = try #require(try scene.read { try $0.standing(in: notes) })
        #expect(own.isNotes && own.relation == nil && own.trust == nil)
        #expect(try scene.read { try $0.standing(in: UUIDv7(high: 9, low: 9)) } == nil)
    }

    @Test("Of messages in one commit those behind the end of the friendship are refused")
    func endOfFriendship() throws {
        let scene = try Scene()
        let friend = scene.friend
        let frame = { (number: UInt64) in
            DurableFrame(
                id: UUIDv7(high: 0x0193_0000_0000_7000, low: number),
                content: .message(
                    MessageBody(
                        kind: .text, text: "\(number)", time: HybridTime(milliseconds: 1_735_689_600_000),
                        sentAt: WallTime(milliseconds: 1_735_689_600_000))))
        }
        let end = DurableFrame(
            id: UUIDv7(high: 7, low: 8), content: .contactRemoval(ContactRemovalBody()))
        #expect(
            try scene.hear(frame(1), frame(2), end, frame(3), frame(4)) == [
                .stored, .refused(Refusal(.notFriends)),
            ])
        #expect(try scene.read { try $0.conversation(with: friend)?.unread } == 2)
    }
}
