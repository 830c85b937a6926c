import Basics
import PeerProtocol
import Store
import Testing

@testable import Daemon

/// Failures that the simulation has found, each in as few steps as it takes.
@Suite("Found by the simulation")
struct FoundTests {
    private let time = WallTime(milliseconds: 1_735_689_600_000)

    private func message(
        _ number: UInt64, text: String = "hello", counter: UInt16 = 0, file: UInt64? = nil
    ) -> DurableFrame {
        let files = file.map {
            AttachmentBody(
                transfer: UUIDv7(high: 2, low: $0), name: "a.txt", size: 5, kind: .document, mediaType: "text/plain",
                fileCount: 1)
        }
        let body = MessageBody(
            kind: file == nil ? .text : .file, text: text,
            time: HybridTime(milliseconds: time.milliseconds, counter: counter), sentAt: time,
            attachments: files.map { [$0] } ?? [])
        return DurableFrame(id: UUIDv7(high: 1, low: number), content: .message(body))
    }

    @Test("An edit and a reaction count after a restart with a clock that was set back")
    func clockSetBack() throws {
        let scene = try Scene()
        let id = try scene.send("first")
        try scene.amend { try $0.edit(id, text: "second") }
        try scene.amend { try $0.react(id, emoji: "👍", removed: false) }
        try scene.restart(settingClockBy: .seconds(-3600))
        #expect(try scene.amend { try $0.edit(id, text: "third").text } == "third")
        try scene.amend { try $0.react(id, emoji: "👍", removed: true) }
        #expect(try scene.read { try $0.reactions(to: id) } == [])
    }

    @Test("A deletion for all reaches the friend, though its tombstone or the conversation is removed before")
    func deletionOutlivesItsTombstone() throws {
        let scene = try Scene()
        for isWhole in [false, true] {
            let id = try scene.send("secret")
            try scene.amend { try $0.deleteForAll(id) }
            if isWhole { try scene.deleteConversation() } else { try scene.amend { try $0.deleteForMe(id) } }
            #expect(try scene.waiting().contains(.deletion))
            let ids = try scene.read { try $0.outbox(for: scene.friend, limit: 9, maximumBytes: 1 << 20) }.map(\.id)
            try scene.write { try $0.acknowledge(ids, by: scene.friend) }
            #expect(try scene.waiting() == [])
        }
    }

    @Test("A repeated frame from a deleted conversation doesn't bring the conversation back")
    func repeatsOpenNothing() throws {
        for keepsRows in [false, true] {
            let scene = try Scene()
            let deletion = DurableFrame(
                id: UUIDv7(high: 3, low: 3),
                content: .deletion(
                    DeletionBody(
                        message: UUIDv7(high: 1, low: 1), time: HybridTime(milliseconds: time.milliseconds),
                        sentAt: time)))
            try scene.hear(message(1, file: 1))
            try scene.deleteConversation(keepingRows: keepsRows)
            #expect(try scene.hear(message(1, file: 1), deletion) == [.stored])
            #expect(try scene.read { try $0.conversation(with: scene.friend) } == nil)
            #expect(try scene.hear(message(2)) == [.stored])
            #expect(try scene.read { try $0.conversation(with: scene.friend)?.unread } == 1)
        }
    }

    @Test("A message with a file that comes again after it was deleted here is no failure for its sender")
    func repeatedFile() throws {
        let scene = try Scene()
        try scene.hear(message(1, file: 1))
        try scene.amend { try $0.deleteForMe(UUIDv7(high: 1, low: 1)) }
        #expect(try scene.hear(message(1, file: 1)) == [.stored])
        // Another message can't have this message's transfer.
        #expect(try scene.hear(message(2, file: 1)) != [.stored])
    }

    @Test("Frames about a message that was removed here leave nothing behind")
    func strays() throws {
        for keepsRows in [false, true] {
            let scene = try Scene()
            let own = try scene.send("mine")
            try scene.hear(message(1))
            if keepsRows {
                try scene.deleteConversation(keepingRows: true)
            } else {
                for id in [own, UUIDv7(high: 1, low: 1)] { try scene.amend { try $0.deleteForMe(id) } }
            }
            let late = HybridTime(milliseconds: time.milliseconds + 1000)
            let edit = EditBody(message: UUIDv7(high: 1, low: 1), text: "secret", time: late, editedAt: time)
            let reaction = ReactionBody(message: own, emoji: "👍", time: late, removed: false)
            #expect(
                try scene.hear(
                    DurableFrame(id: UUIDv7(high: 3, low: 1), content: .edit(edit)),
                    DurableFrame(id: UUIDv7(high: 3, low: 2), content: .reaction(reaction))) == [.stored])
            try scene.write { while try $0.removeDoomed(limit: 10) {} }
            #expect(try scene.read { try $0.strays() } == [])
        }
    }

    @Test("If two messages have one time, a conversation shows the one that is the last in its list")
    func sameTime() throws {
        let scene = try Scene()
        try scene.hear(message(5), message(4))
        let shown = try scene.read { transaction in
            let row = try #require(try transaction.conversation(with: scene.friend))
            return (row.lastMessage, try transaction.messages(in: row.id, limit: 5).messages.last?.id)
        }
        #expect(shown.0 == shown.1)
    }

    @Test("A key is free again as soon as its message's conversation is deleted")
    func keys() throws {
        let scene = try Scene()
        let first = try scene.send("x", key: "k")
        #expect(try scene.send("x", key: "k") == first)
        try scene.deleteConversation(keepingRows: true)
        let second = try scene.send("x", key: "k")
        #expect(second != first)
        #expect(try scene.send("x", key: "k") == second)
    }
}
