import Basics
import ControlProtocol
import Crypto
import PeerProtocol
import TestSupport
import Testing
import Vocabulary

/// Goal: whoever is the first to use an id that another one has made, takes nothing from that one: with real daemons, by each road that
/// a member of a group has, and across a crash.
@Suite("Ids of others, used first, against real daemons", .serialized)
struct TakenIDProcessTests {
    /// Anna writes to her group while Bert is away; Mallory, who is in it, hears her and speaks to him first.
    private struct World {
        let anna: DaemonProcess
        let bert: DaemonProcess
        let mallory: TestPeer
        var link: PeerLink
        let group: String
        var sequence: UInt64 = 0
        var previous: EntryHash?

        init() throws {
            let options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
            anna = try DaemonProcess.launch(name: "Anna", options: options)
            bert = try DaemonProcess.launch(name: "Bert", options: options)
            try anna.befriend(bert)
            mallory = try TestPeer("Mallory")
            _ = try mallory.befriend(bert)
            link = try mallory.befriend(anna)
            let members: [JSONValue] = [.string(try bert.account.id), .string(mallory.id)]
            let created = try anna.call("group.create", ["name": "Boat", "members": .array(members)])
            group = try #require(created["id"]?.string)
            let (bert, group) = (bert, group)
            try Patience.until("Bert in the group", report: bert.logTail) {
                let shown = try? bert.call("group.get", ["id": .string(group)])
                return shown?["members"]?.array?.count == 3
            }
        }

        func conversation(at daemon: DaemonProcess) throws -> JSONValue {
            .string(try #require(try daemon.call("group.get", ["id": .string(group)])["conversation"]?.string))
        }

        func messages(at daemon: DaemonProcess) throws -> [Message] {
            let page = try daemon.call("message.list", ["conversation": try conversation(at: daemon), "limit": 100])
            return try (page["messages"]?.array ?? []).map { try Message(json: $0) }.filter { $0.kind != .system }
        }

        func message(_ id: String, at daemon: DaemonProcess) throws -> Message {
            try Message(json: daemon.call("message.get", ["id": .string(id)]))
        }

        /// Makes an entry of Mallory's chain.
        mutating func entry(_ content: LogContent, _ kind: LogKind, id: UUIDv7, in root: EntryHash) throws -> Frame {
            let now = SystemClocks().wallTime
            let position = LogEntry.Position(
                root: root, sequence: sequence + 1, previous: previous, heads: [root], dependencies: [])
            let entry = try LogEntry.make(
                kind, id: id, content: content.encoded(), at: position, key: mallory.deviceKey,
                time: HybridTime(milliseconds: now.milliseconds), at: now)
            (sequence, previous) = (sequence + 1, entry.hash)
            return Frame(kind: .groupEntry, id: id, body: try GroupEntryBody(entry).encoded())
        }
    }

    private func body(_ text: String, offering transfer: UUIDv7, root: [UInt8]? = nil) -> MessageBody {
        let now = SystemClocks().wallTime
        return MessageBody(
            kind: .file, text: text, time: HybridTime(milliseconds: now.milliseconds), sentAt: now,
            attachments: [
                AttachmentBody(
                    transfer: transfer, name: "hers.pdf", size: 5, kind: .document, mediaType: "", fileCount: 1,
                    fileRoot: root)
            ])
    }

    @Test("The author's message comes whole, its file can be fetched, and each of the two messages can be used")
    func taken() throws {
        var world = try World()
        let (anna, bert, mallory) = (world.anna, world.bert, world.mallory)
        bert.kill()
        let path = anna.directory.file("plan.pdf")
        try TextFile.write(Array("%PDF-1.4 the plan".utf8), to: path)
        let sent = try Message(
            json: anna.call(
                "message.send",
                ["conversation": try world.conversation(at: anna), "text": "look", "files": [.string(path)]]))
        // Mallory hears it before Bert does.
        let frame = try world.link.frame("Anna's entry") { $0.kind == .groupEntry }
        let heard = try GroupEntryBody(decoding: frame.body).entry()
        let root = heard.root
        guard case .message(let said) = try heard.body(), let offer = said.attachments.first else {
            Issue.record("no message with a file")
            return
        }
        #expect(frame.id.description == sent.id)
        anna.kill()
        try bert.start()
        let link = try mallory.openSession(with: bert)
        let other = [UInt8](repeating: 9, count: 32)
        let direct = Frame(kind: .message, id: frame.id, body: try body("direct", offering: offer.transfer).encoded())
        // A transfer is its sender's, and so each of Mallory's is one, too: she can use it once.
        let inGroup = try world.entry(
            .message(body("in the group", offering: freshID(), root: other)), .message, id: freshID(), in: root)
        let now = SystemClocks().wallTime
        let time = HybridTime(milliseconds: now.milliseconds)
        let attacks: [Frame] = [
            direct, inGroup,
            Frame(
                kind: .reaction, id: freshID(),
                body: try ReactionBody(message: frame.id, emoji: "👎", time: time, removed: false).encoded()),
            Frame(kind: .seen, id: freshID(), body: try SeenBody(messages: [frame.id]).encoded()),
            Frame(
                kind: .fileStatus, id: freshID(),
                body: try FileStatusBody(transfer: offer.transfer, status: .cancelled).encoded()),
        ]
        for attack in attacks {
            link.send(attack)
            #expect(try link.receipt(for: attack.id).status == .stored)
        }
        // A crash in between changes nothing.
        bert.kill()
        try bert.start()
        try anna.start()
        let shown = try Patience.until("Anna's message at Bert", within: .seconds(60), report: bert.logTail) {
            try world.messages(at: bert).first { $0.text == "look" }
        }
        #expect(shown.attachments.map(\.name) == ["plan.pdf"] && shown.id != sent.id)
        #expect(shown.reactions.isEmpty)
        let annaID = try anna.account.id
        #expect(shown.sender == annaID)
        #expect(try world.messages(at: bert).map(\.text).sorted() == ["in the group", "look"])
        let hers = try world.message(sent.id, at: bert)
        #expect(hers.text == "direct" && hers.sender == mallory.id && hers.attachments.map(\.name) == ["hers.pdf"])
        #expect(hers.reactions.map(\.emoji) == ["👎"] && hers.attachments.first?.state == .cancelled)

        // The file comes, and is the right one.
        let transfer = try #require(shown.attachments.first?.transfer)
        let inbox = try bert.directory.makeDirectory("inbox")
        _ = try bert.call("transfer.accept", ["id": .string(transfer), "path": .string(inbox)])
        let done = try Patience.until("the file", within: .seconds(60), report: bert.logTail) {
            let found = try Transfer(json: bert.call("transfer.get", ["id": .string(transfer)]))
            return found.state.isOver ? found : nil
        }
        #expect(done.state == .done)
        #expect(try TextFile.bytes(try #require(done.path)) == Array("%PDF-1.4 the plan".utf8))

        // Bert reads it and reacts to it; Anna hears of both. She edits it, and in the end deletes it.
        _ = try bert.call("conversation.markRead", ["id": try world.conversation(at: bert), "upTo": .string(shown.id)])
        _ = try bert.call("message.react", ["id": .string(shown.id), "emoji": "👍"])
        try Patience.until("the reaction at Anna", within: .seconds(60), report: anna.logTail) {
            let own = try world.message(sent.id, at: anna)
            return own.reactions.map(\.emoji) == ["👍"] && own.recipients.contains { $0.state == .read }
        }
        _ = try anna.call("message.edit", ["id": .string(sent.id), "text": "look here"])
        try Patience.until("the edit at Bert", within: .seconds(60), report: bert.logTail) {
            try world.message(shown.id, at: bert).text == "look here"
        }
        let reply = try Message(
            json: bert.call(
                "message.send",
                ["conversation": try world.conversation(at: bert), "text": "yes", "replyTo": .string(shown.id)]))
        #expect(reply.replyTo == shown.id)
        try Patience.until("the answer at Anna", within: .seconds(60), report: anna.logTail) {
            try world.messages(at: anna).first { $0.text == "yes" }?.replyTo == sent.id
        }
        // What is Mallory's is Mallory's to take back, and only that.
        let again = try mallory.openSession(with: bert)
        let deletion = Frame(
            kind: .deletion, id: freshID(), body: try DeletionBody(message: frame.id, time: time, sentAt: now).encoded()
        )
        again.send(deletion)
        #expect(try again.receipt(for: deletion.id).status == .stored)
        #expect(try world.message(sent.id, at: bert).deleted)
        #expect(try !world.message(shown.id, at: bert).deleted)
        _ = try anna.call("message.delete", ["id": .string(sent.id), "for": "all"])
        try Patience.until("the deletion at Bert", within: .seconds(60), report: bert.logTail) {
            try world.message(shown.id, at: bert).deleted
        }
        #expect(try world.messages(at: bert).contains { $0.text == "in the group" })
    }
}
