import Basics
import ControlProtocol
import TestSupport
import Testing

/// Tests what users do with messages that are there, with real daemons.
@Suite("Conversations between real daemons", .serialized)
struct ConversationProcessTests {
    typealias Steps = MessageProcessTests

    private static func message(_ id: String, at daemon: DaemonProcess) throws -> Message? {
        do {
            return try Message(json: daemon.call("message.get", ["id": .string(id)]))
        } catch ClientError.refused(let error) where error.kind == .notFound {
            return nil
        }
    }

    /// Waits until a daemon has a message in the wanted state.
    private static func wait(
        _ what: String, for id: String, at daemon: DaemonProcess, _ isSo: (Message) -> Bool
    ) throws {
        try Patience.until(what, report: daemon.logTail) { try message(id, at: daemon).map(isSo) ?? false }
    }

    private static func only(_ daemon: DaemonProcess) throws -> Conversation {
        try Conversation(
            json: #require(try daemon.call("conversation.list")["conversations"]?.array?.first))
    }

    @Test(
        "Edits, reactions, replies and deletions reach the friend, and a deleted message leaves nothing on either disk"
    )
    func amendments() throws {
        let (anna, bert) = try Steps.friends()
        let bertID = try bert.account.id
        let secret = "zebrafinch-parallax"
        let sent = try Steps.send("first \(secret)", from: anna, to: bertID)
        try Self.wait("the message", for: sent.id, at: bert) { $0.text.hasPrefix("first") && $0.unread }

        _ = try anna.call("message.edit", ["id": .string(sent.id), "text": .string("second \(secret)")])
        try Self.wait("the edit", for: sent.id, at: bert) { $0.text.hasPrefix("second") && $0.editedAt != nil }

        _ = try bert.call("message.react", ["id": .string(sent.id), "emoji": "👍"])
        try Self.wait("the reaction", for: sent.id, at: anna) { $0.reactions.map(\.emoji) == ["👍"] }
        #expect(try #require(try Self.message(sent.id, at: anna)).reactions.first?.account == bertID)
        _ = try bert.call("message.react", ["id": .string(sent.id), "emoji": "👍", "remove": true])
        try Self.wait("no reaction", for: sent.id, at: anna) { $0.reactions.isEmpty }

        let reply = try Message(
            json: bert.call(
                "message.send",
                ["conversation": .string(try Self.only(bert).id), "text": "an answer", "replyTo": .string(sent.id)]))
        try Self.wait("the reply", for: reply.id, at: anna) { $0.replyTo == sent.id }

        // A user can't change a message of the other user.
        for method in ["message.edit", "message.delete"] {
            var parameters: JSONObject = ["id": .string(sent.id)]
            if method == "message.edit" { parameters["text"] = "mine" } else { parameters["for"] = "all" }
            #expect(throws: ClientError.self) { try bert.call(method, parameters) }
        }

        _ = try anna.call("message.delete", ["id": .string(sent.id), "for": "all"])
        try Self.wait("the tombstone", for: sent.id, at: bert) { $0.deleted && $0.text.isEmpty }
        #expect(try #require(try Self.message(sent.id, at: anna)).deleted)
        #expect(try Steps.texts(bert, try Self.only(bert).id) == ["", "an answer"])
        for daemon in [anna, bert] {
            try Patience.until("no trace of the text on the disk", report: daemon.logTail) {
                try !DiskSearch.contains(secret, under: daemon.dataPath)
            }
        }

        _ = try bert.call("message.delete", ["id": .string(reply.id), "for": "me"])
        #expect(try Self.message(reply.id, at: bert) == nil)
        #expect(try #require(try Self.message(reply.id, at: anna)).text == "an answer")
        #expect(try Steps.texts(bert, try Self.only(bert).id) == [""])

        // What is gone here can still be deleted for all; it stays gone here.
        let gone = try bert.call("message.delete", ["id": .string(reply.id), "for": "all"])
        #expect(try Message(json: gone).deleted)
        try Self.wait("the tombstone", for: reply.id, at: anna) { $0.deleted && $0.text.isEmpty }
        #expect(try Self.message(reply.id, at: bert) == nil)
        #expect(throws: ClientError.self) {
            try bert.call("message.delete", ["id": .string(UUIDv7.zero.description), "for": "all"])
        }
    }

    @Test("Marking as read clears the count, tells the sender, and spares messages that came in above unseen")
    func read() throws {
        let (anna, bert) = try Steps.friends()
        let bertID = try bert.account.id
        let sent = try (1...3).map { try Steps.send("number \($0)", from: anna, to: bertID) }
        try Self.wait("all", for: sent[2].id, at: bert) { $0.unread }
        let chat = try Self.only(bert)
        #expect(chat.unread == 3)
        let second = try #require(try Self.message(sent[1].id, at: bert))
        let after = try Conversation(
            json: bert.call("conversation.markRead", ["id": .string(chat.id), "upTo": .string(second.id)]))
        #expect(after.unread == 1)
        try Self.wait("read", for: sent[1].id, at: anna) { $0.state == .read }
        #expect(try #require(try Self.message(sent[2].id, at: anna)).state != .read)
        // A user that has seen only the first two by arrival leaves the third unread, though it stands before `upTo`.
        let third = try #require(try Self.message(sent[2].id, at: bert))
        let none = try Conversation(
            json: bert.call(
                "conversation.markRead",
                ["id": .string(chat.id), "upTo": .string(third.id), "arrival": .integer(second.arrival)]))
        #expect(none.unread == 1)
        let all = try Conversation(
            json: bert.call(
                "conversation.markRead",
                ["id": .string(chat.id), "upTo": .string(third.id), "arrival": .integer(third.arrival)]))
        #expect(all.unread == 0)
        try Self.wait("read", for: third.id, at: anna) { $0.state == .read }
    }

    @Test("A chat that was read is marked as unread and read again; where nobody has written there is nothing to mark")
    func unreadAgain() throws {
        let (anna, bert) = try Steps.friends()
        let sent = try Steps.send("Call me back", from: anna, to: try bert.account.id)
        try Self.wait("the message", for: sent.id, at: bert) { $0.unread }
        let chat = try Self.only(bert)
        let (id, read): (JSONObject, JSONObject) = (
            ["id": .string(chat.id)], ["id": .string(chat.id), "upTo": .string(sent.id)]
        )
        try bert.call("conversation.markRead", read)
        try Self.wait("read", for: sent.id, at: anna) { $0.state == .read }
        for _ in 1...2 {
            let marked = try Conversation(json: bert.call("conversation.markUnread", id))
            #expect(marked.unread == 1 && marked.firstUnread != nil && marked.updatedAt == chat.updatedAt)
            #expect(try bert.call("conversation.totals")["unread"] == 1)
        }
        #expect(try #require(try Self.message(sent.id, at: bert)).unread)
        #expect(try Conversation(json: bert.call("conversation.markRead", read)).unread == 0)
        #expect(try #require(try Self.message(sent.id, at: anna)).state == .read)
        let refusal = #expect(throws: ClientError.self) {
            try anna.call("conversation.markUnread", ["id": .string(try Self.only(anna).id)])
        }
        guard case .refused(let error) = refusal else { return }
        #expect(error.kind == .notFound)
    }

    @Test(
        "The list shows what is pinned, archived, muted or deleted; a new message brings back chats that aren't muted")
    func lists() throws {
        let (anna, bert) = try Steps.friends()
        let (annaID, bertID) = (try anna.account.id, try bert.account.id)
        let first = try Steps.send("one", from: anna, to: bertID)
        try Self.wait("the message", for: first.id, at: bert) { _ in true }
        let chat = try Self.only(bert).id
        let changed = try Conversation(
            json: bert.call(
                "conversation.update",
                ["id": .string(chat), "pinned": true, "archived": true, "muted": true]))
        #expect(changed.pinned && changed.archived && changed.muted)
        let second = try Steps.send("two", from: anna, to: bertID)
        try Self.wait("the message", for: second.id, at: bert) { _ in true }
        #expect(try bert.call("conversation.list")["conversations"]?.array?.isEmpty == true)
        _ = try bert.call("conversation.update", ["id": .string(chat), "muted": false])
        let third = try Steps.send("three", from: anna, to: bertID)
        try Self.wait("the message", for: third.id, at: bert) { _ in true }
        #expect(try !Self.only(bert).archived)

        // Three are unread: a client that knew of two would take along what nobody has seen.
        #expect(throws: ClientError.self) {
            try bert.call("conversation.delete", ["id": .string(chat), "unread": 2])
        }
        #expect(try Self.message(third.id, at: bert) != nil)
        _ = try bert.call("conversation.delete", ["id": .string(chat), "unread": 3])
        #expect(try bert.call("conversation.list")["conversations"]?.array?.isEmpty == true)
        #expect(try Self.message(third.id, at: bert) == nil)
        let fourth = try Steps.send("four", from: anna, to: bertID)
        try Self.wait("the message", for: fourth.id, at: bert) { _ in true }
        let fresh = try Self.only(bert)
        #expect(fresh.id != chat)
        #expect(fresh.unread == 1)
        #expect(fresh.contact == annaID)
        #expect(try Steps.texts(bert, fresh.id) == ["four"])
    }

    @Test("A conversation that was muted for a time is loud again when it is over, also after a kill and a new start")
    func mutedForATime() throws {
        let (anna, bert) = try Steps.friends()
        let sent = try Steps.send("one", from: anna, to: try bert.account.id)
        try Self.wait("the message", for: sent.id, at: bert) { _ in true }
        let chat = try Self.only(bert).id
        func now() -> Int64 { SystemClocks().wallTime.milliseconds }
        func mute(_ until: Int64) throws -> Conversation {
            try Conversation(
                json: bert.call("conversation.update", ["id": .string(chat), "mutedUntil": .integer(until)]))
        }
        let long = now() + 3_600_000
        let changed = try mute(long)
        #expect(changed.muted && changed.mutedUntil == long)
        let totals = try bert.call("conversation.totals")
        #expect(totals["muted"] == 1 && totals["unread"] == 0)
        #expect(throws: ClientError.self) { try mute(now() - 1) }
        #expect(throws: ClientError.self) {
            try bert.call(
                "conversation.update", ["id": .string(chat), "muted": false, "mutedUntil": .integer(long)])
        }
        let forever = try Conversation(
            json: bert.call("conversation.update", ["id": .string(chat), "muted": true]))
        #expect(forever.muted && forever.mutedUntil == nil)

        let short = try mute(now() + 2000)
        #expect(short.muted)
        try Patience.until("it to be loud", report: bert.logTail) { try !Self.only(bert).muted }
        #expect(try bert.call("conversation.totals")["unread"] == 1)

        _ = try mute(now() + 2000)
        bert.kill()
        try bert.start()
        try Patience.until("it to be loud after a start", report: bert.logTail) { try !Self.only(bert).muted }
        #expect(try Self.only(bert).mutedUntil == nil)
    }

    @Test("Muted mentions stay muted while the conversation is; muting it again begins without")
    func mutedMentions() throws {
        let (anna, bert) = try Steps.friends()
        let sent = try Steps.send("one", from: anna, to: try bert.account.id)
        try Self.wait("the message", for: sent.id, at: bert) { _ in true }
        let chat = try Self.only(bert).id
        func change(_ fields: JSONObject) throws -> Bool {
            var params = fields
            params["id"] = .string(chat)
            return try Conversation(json: bert.call("conversation.update", params)).mentionsMuted
        }
        let soon = JSONValue.integer(SystemClocks().wallTime.milliseconds + 3_600_000)
        #expect(try change(["muted": true, "mentionsMuted": true]))
        #expect(try change(["pinned": true]), "another change leaves it")
        #expect(try change(["mutedUntil": soon]), "another end of the same muting, too")
        #expect(try !change(["muted": false]))
        #expect(try !change(["muted": true]))
        #expect(try change(["mentionsMuted": true]))
        #expect(try !change(["muted": false]))
    }

    @Test("message.why tells what a message waits for and what became of it")
    func why() throws {
        let (anna, bert) = try Steps.friends()
        let bertID = try bert.account.id
        try bert.stop()
        try Patience.until("Bert to be gone", report: anna.logTail) {
            try anna.contact(bertID)?.presence == .offline
        }
        let sent = try Steps.send("are you there?", from: anna, to: bertID)
        let waiting = Remark<StoryState>.list(try anna.call("message.why", ["id": .string(sent.id)])["now"])
        let first = try #require(waiting.first)
        #expect(first.code == .waits && first.parameters["name"] == "Bert" && first.parameters["at"]?.integer != nil)
        try bert.start()
        try Steps.waitForState(.delivered, of: sent.id, at: anna)
        let told = try anna.call("message.why", ["id": .string(sent.id)])
        #expect(Remark<StoryState>.list(told["now"]) == [Remark(.delivered, ["name": "Bert"])])
        let steps = Remark<StoryStep>.list(told["steps"])
        #expect(steps.first == Remark(.writtenHere) && steps.last == Remark(.stored, ["name": "Bert"]))
    }

    @Test("An export has every message in order, and doesn't overwrite files")
    func export() throws {
        let (anna, bert) = try Steps.friends()
        let bertID = try bert.account.id
        for number in 1...3 { _ = try Steps.send("number \(number)\nsecond line", from: anna, to: bertID) }
        let chat = try Self.only(anna).id
        let directory = try TemporaryDirectory()
        let lines = directory.path + "/chat.jsonl"
        let parameters: JSONObject = ["id": .string(chat), "path": .string(lines), "format": "jsonl"]
        #expect(try anna.call("conversation.export", parameters)["messages"]?.integer == 3)
        let texts = try TextFile.text(lines).split(separator: "\n").map {
            try Message(json: JSONParser.parse(Array($0.utf8))).text
        }
        #expect(texts == (1...3).map { "number \($0)\nsecond line" })
        #expect(throws: ClientError.self) { try anna.call("conversation.export", parameters) }
        let text = directory.path + "/chat.txt"
        #expect(try anna.kibo("export", "Bert", text, "--format", "text").isDone)
        #expect(try TextFile.text(text).contains("Anna: number 2\n    second line\n"))
    }
}

extension ConversationProcessTests {
    @Test("A list that is requested right behind a message shows that message")
    func readsOwnWrites() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        let chat = try anna.conversation(with: bert)
        let client = try anna.connect()
        for number in 1...50 {
            let text = "number \(number)"
            _ = try client.send("message.send", ["conversation": .string(chat), "text": .string(text)])
            let list = try client.send("message.list", ["conversation": .string(chat), "limit": 1])
            let last = try client.reply(to: list)["messages"]?.array?.last
            #expect(last?["text"]?.string == text)
        }
    }
}
