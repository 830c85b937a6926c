import Basics
import Messaging
import PeerProtocol
import Store
import Testing
import Vocabulary

@testable import Daemon

/// Goal: a note goes to nobody and comes from nobody: nothing of it waits for a peer, and no frame, whoever claims to have sent it,
/// reads, changes or makes one.
@Suite("Notes between oneself and oneself")
struct NotesTests {
    private let time = WallTime(milliseconds: 1_735_689_600_000)

    private func note(_ text: String, in scene: Scene, replyTo: UUIDv7? = nil) throws -> MessageRow {
        let peer = scene.peer
        return try scene.write { transaction in
            var draft = Draft(
                own: peer.account, device: peer.person.peer.device, text: text, replyTo: replyTo, key: nil,
                now: transaction.wallTime)
            draft.target = .contact(peer.account)
            return try draft.commit(in: transaction)
        }
    }

    /// The number of accounts for which something waits.
    private func outbox(_ scene: Scene) throws -> Int { try scene.read { try $0.pendingAccounts().count } }

    @Test("A note is kept at once; it is edited, answered, reacted to and deleted without a frame")
    func life() throws {
        let scene = try Scene()
        let own = scene.peer.account
        let first = try note("first", in: scene)
        #expect(first.state == .sent && !first.unread)
        #expect(try scene.read { try $0.recipients(of: first.id) } == [])
        let answer = try note("second", in: scene, replyTo: first.id)
        #expect(answer.conversation == first.conversation && answer.replyTo == first.id)
        #expect(try scene.read { try $0.conversation(first.conversation)?.kind } == .notes)
        #expect(try scene.amend { try $0.edit(first.id, text: "changed").text } == "changed")
        try scene.amend { try $0.react(first.id, emoji: "👍", removed: false) }
        #expect(try scene.read { try $0.reactions(to: first.id).map(\.account) } == [own])
        try scene.amend { try $0.react(first.id, emoji: "👍", removed: true) }
        #expect(throws: MessagingError.underWay(first.id)) { try scene.amend { try $0.retry(first.id) } }
        let (row, hasMore) = try scene.amend {
            try $0.markRead(first.conversation, upTo: answer.id, arrival: nil, tells: true)
        }
        #expect(row.unread == 0 && !hasMore)
        // For all or only here: nobody else has it, and no mark of it is left.
        #expect(try scene.amend { try $0.deleteForAll(first.id).deleted })
        try scene.amend { _ = try $0.deleteForMe(answer.id) }
        #expect(try scene.read { try $0.messages(in: first.conversation, limit: 9).messages } == [])
        for id in [first.id, answer.id] {
            #expect(throws: MessagingError.noMessage(id)) { try scene.amend { try $0.deleteForAll(id) } }
        }
        #expect(try outbox(scene) == 0)
        #expect(try scene.read { try $0.contact(own) } == nil)
    }

    @Test("An answer among the notes can't name a message of another conversation")
    func answers() throws {
        let scene = try Scene()
        let said = try scene.send("to the friend")
        #expect(throws: MessagingError.noMessageHere(said, field: "replyTo")) {
            try note("about it", in: scene, replyTo: said)
        }
    }

    @Test("Notes go with their conversation, and the next one begins another")
    func forgotten() throws {
        let scene = try Scene()
        let first = try note("first", in: scene)
        try scene.write { transaction in
            #expect(try transaction.remove(conversation: first.conversation))
            while try transaction.removeDoomed(limit: 10) {}
        }
        #expect(try scene.read { try $0.conversation(with: scene.peer.account) } == nil)
        let next = try note("next", in: scene)
        #expect(next.conversation != first.conversation)
        #expect(try scene.read { try $0.conversation(next.conversation)?.kind } == .notes)
    }

    // MARK: Frames

    /// All that a peer can say about a message that it knows the id of.
    private func frames(about note: MessageRow) -> [DurableFrame] {
        let later = HybridTime(milliseconds: time.milliseconds + 86_400_000)
        let contents: [DurableFrame.Content] = [
            .edit(EditBody(message: note.id, text: "not mine", time: later, editedAt: time)),
            .deletion(DeletionBody(message: note.id, time: later, sentAt: time)),
            .reaction(ReactionBody(message: note.id, emoji: "👎", time: later, removed: false)),
            .seen(SeenBody(messages: [note.id])),
        ]
        let said = MessageBody(kind: .text, text: "not mine", time: later, sentAt: time)
        return contents.enumerated().map { DurableFrame(id: UUIDv7(high: 9, low: UInt64($0)), content: $1) }
            + [DurableFrame(id: note.id, content: .message(said))]
    }

    private func expectUntouched(_ note: MessageRow, _ scene: Scene) throws {
        try scene.read { transaction in
            let row = try #require(try transaction.message(note.id))
            #expect(row.text == note.text && row.state == .sent && !row.deleted && row.editedAt == nil)
            #expect(try transaction.reactions(to: note.id) == [] && transaction.recipients(of: note.id) == [])
            #expect(try transaction.messages(in: note.conversation, limit: 9).messages.map(\.id) == [note.id])
            #expect(try transaction.conversation(note.conversation)?.unread == 0)
        }
    }

    @Test("A friend who knows a note's id changes nothing of it")
    func friend() throws {
        let scene = try Scene()
        let note = try note("mine", in: scene)
        let outcomes = try frames(about: note).map { try #require(try scene.hear($0).first) }
        let isRefused = outcomes.map { if case .refused = $0 { true } else { false } }
        // That something was seen is taken, and means nothing for a message that was never sent to the friend.
        // And a message under its id is a message of the friend's, like any other.
        #expect(isRefused == [true, true, true, false, false], "\(outcomes)")
        try expectUntouched(note, scene)
    }

    /// Such a peer has a copy of our keys.
    @Test("Frames in the name of our own account are refused as those of a stranger")
    func ourselves() throws {
        let scene = try Scene()
        let note = try note("mine", in: scene)
        let committer = IncomingCommitter(peer: scene.peer.person.peer, name: "Me", choices: .stored)
        let new = MessageBody(kind: .text, text: "new", time: HybridTime(milliseconds: time.milliseconds), sentAt: time)
        for frame in frames(about: note) + [DurableFrame(id: UUIDv7(high: 1, low: 77), content: .message(new))] {
            let outcome = try scene.write { try committer.commit([frame], in: $0).outcomes.first?.outcome }
            guard case .refused(let refusal)? = outcome else {
                Issue.record("\(frame): \(String(describing: outcome))")
                continue
            }
            #expect(refusal.reason == .notFriends)
        }
        // Nor does such a peer become a contact, which could write here.
        let asks = DurableFrame(id: UUIDv7(high: 1, low: 78), content: .contactRequest(ContactRequestBody(note: "me")))
        let outcome = try scene.write { try committer.commit([asks], in: $0).outcomes.first?.outcome }
        if case .refused(let refusal)? = outcome {
            #expect(refusal.reason == .notAllowed)
        } else {
            Issue.record("\(String(describing: outcome))")
        }
        #expect(try scene.read { try $0.contact(scene.peer.account) } == nil)
        try expectUntouched(note, scene)
        #expect(try outbox(scene) == 0)
    }

    @Test("A friend can neither take, end nor offer anew what a note names")
    func files() throws {
        let scene = try Scene()
        let note = try note("mine", in: scene)
        let file = UUIDv7(high: 2, low: 2)
        let own = scene.peer.account
        try scene.write { transaction in
            var row = TransferRow(
                id: file, direction: .outgoing, peer: own, conversation: note.conversation, message: note.id,
                name: "a.txt",
                size: 5, state: .done, path: "/tmp/a.txt", createdAt: time)
            row.finishedAt = time
            let insertion = try transaction.insert(row)
            #expect(insertion == .inserted)
        }
        for status in [FileStatusBody.Status.accepted, .cancelled, .done, .paused] {
            let frame = DurableFrame(
                id: UUIDv7(high: 8, low: status.rawValue),
                content: .fileStatus(FileStatusBody(transfer: file, status: status)))
            let outcome = try scene.hear(frame).first
            guard case .refused(let refusal)? = outcome, refusal.reason == .notFound else {
                Issue.record("\(status): \(String(describing: outcome))")
                continue
            }
        }
        let offer = AttachmentBody(
            transfer: file, name: "b.txt", size: 6, kind: .document, mediaType: "text/plain", fileCount: 1)
        let body = MessageBody(
            kind: .file, text: "", time: HybridTime(milliseconds: time.milliseconds), sentAt: time, attachments: [offer]
        )
        #expect(try outbox(scene) == 0)
        // An offer under its id is one of the friend's, and another one here.
        #expect(try scene.hear(DurableFrame(id: UUIDv7(high: 1, low: 5), content: .message(body))) == [.stored])
        let theirs = try #require(try scene.read { try $0.transfer(file, from: scene.friend) })
        #expect(theirs.name == "b.txt" && theirs.id != file)
        let row = try #require(try scene.read { try $0.transfer(file) })
        #expect(row.state == .done && row.name == "a.txt" && row.path == "/tmp/a.txt")
    }
}
