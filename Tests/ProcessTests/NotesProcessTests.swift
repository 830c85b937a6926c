import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing
import Vocabulary

/// Goal: notes to oneself are a conversation like any other, in the control interface and on the command line, and never leave the
/// host.
@Suite("Notes to oneself with real daemons", .serialized)
struct NotesProcessTests {
    private func conversations(_ daemon: DaemonProcess) throws -> [Conversation] {
        try (daemon.call("conversation.list")["conversations"]?.array ?? []).map { try Conversation(json: $0) }
    }

    private func note(_ text: String, at daemon: DaemonProcess) throws -> Message {
        try MessageProcessTests.send(text, from: daemon, to: daemon.account.id)
    }

    @Test("In the control interface a note is kept at once, and all that is done with messages is done with it")
    func contract() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        let own = try anna.account.id
        let opened = try Conversation(json: anna.call("conversation.open", ["contact": .string(own)]))
        #expect(opened.kind == .notes && opened.contact == own && opened.title == "Notes" && opened.lastMessage == nil)
        #expect(try anna.conversation(with: anna) == opened.id, "there is one")
        let events = try anna.connect()
        _ = try events.call("events.subscribe", ["types": ["message.added"]])
        let first = try note("Remember the quokka", at: anna)
        #expect(first.state == .sent && first.recipients.isEmpty && !first.unread && first.conversation == opened.id)
        #expect(try Message(json: try #require(try events.nextEvent(timeout: Patience.usual)).data).id == first.id)
        let answer = try Message(
            json: anna.call(
                "message.send",
                ["conversation": .string(opened.id), "text": "and the numbat", "replyTo": .string(first.id)]))
        #expect(answer.replyTo == first.id && answer.state == .sent)
        _ = try anna.call("message.edit", ["id": .string(first.id), "text": "Remember the wombat"])
        _ = try anna.call("message.react", ["id": .string(first.id), "emoji": "🎉"])
        let found = try anna.call("message.search", ["query": "wombat"])["messages"]?.array ?? []
        #expect(try found.map { try Found(json: $0).message.id } == [first.id])
        let pinned = try Conversation(
            json: anna.call("conversation.update", ["id": .string(opened.id), "pinned": true, "muted": true]))
        #expect(pinned.pinned && pinned.muted && pinned.kind == .notes && pinned.unread == 0)
        #expect(try anna.call("conversation.totals")["unread"]?.integer == 0)
        let why = try anna.call("message.why", ["id": .string(first.id)])
        #expect("\(why)".contains("\"kept\"") && !"\(why)".contains("for_nobody"), "\(why)")
        // Nobody is told that one is typing, and nobody can be called.
        _ = try anna.call("typing.set", ["conversation": .string(opened.id), "typing": true])
        let refusal = FilePolicyProcessTests.refusal {
            try anna.call(
                "call.start",
                [
                    "conversation": .string(opened.id), "media": "audio", "seat": .string(UUIDv7.zero.description),
                    "fingerprint": .string([String](repeating: "00", count: 32).joined(separator: ":")),
                ])
        }
        #expect(refusal?.message.contains("nobody to call") == true, "\(String(describing: refusal))")

        try anna.stop()
        try anna.start()
        #expect(try MessageProcessTests.texts(anna, opened.id) == ["Remember the wombat", "and the numbat"])
        let again = try Message(json: anna.call("message.get", ["id": .string(first.id)]))
        #expect(again.editedAt != nil && again.reactions.map(\.emoji) == ["🎉"] && again.state == .sent)
        #expect(try conversations(anna).map(\.kind) == [.notes])

        _ = try anna.call("message.delete", ["id": .string(first.id), "for": "all"])
        #expect(try MessageProcessTests.texts(anna, opened.id) == ["and the numbat"], "no mark is left")
        _ = try anna.call("conversation.delete", ["id": .string(opened.id)])
        #expect(try conversations(anna).isEmpty)
        #expect(try note("anew", at: anna).conversation != opened.id)
    }

    @Test("On the command line @me means the notes, in every command that takes a chat")
    func commandLine() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        func kibo(_ words: String..., saying expected: String, sourceLocation: SourceLocation = #_sourceLocation) throws
        {
            let answer = try anna.kibo(words)
            #expect(answer.isDone && answer.text.contains(expected), "\(answer)", sourceLocation: sourceLocation)
        }
        try kibo("read", "@me", saying: "There are no messages in your notes yet.")
        try kibo("send", "@me", "Buy", "milk", "--wait", "delivered", saying: "Kept in your notes.")
        try kibo("send", "@me", "--reply", "last", "--text", "and bread", saying: "Kept in your notes.")
        try kibo("edit", "last", "and rye bread", saying: "Edited: and rye bread")
        try kibo("react", "last", "👍", "--chat", "@me", saying: "You reacted 👍 to \"")
        try kibo("search", "milk", saying: "your notes: Buy milk")
        try kibo("search", "--chat", "@me", "rye", saying: "rye bread")
        let shown = try anna.kibo("read", "@me").text
        #expect(shown.contains("Buy milk") && shown.contains("> you: Buy milk") && shown.contains("👍 you"), "\(shown)")
        for word in ["sent", "delivered", "kept"] { #expect(!shown.contains(word), "\(shown)") }
        let listed = try anna.kibo("chats").text
        #expect(listed.contains("Notes") && listed.contains("and rye bread") && !listed.contains("you:"), "\(listed)")
        try kibo("why", "last", saying: "It is a note to yourself, and kept here.")
        try kibo("pin", "@me", saying: "Your notes are pinned.")
        let text = anna.directory.file("notes.txt")
        try kibo("export", "@me", text, "--format", "text", saying: "Wrote 2 messages in your notes to")
        #expect(try TextFile.text(text).contains("Anna: Buy milk\n"))
        try kibo("forward", "last", "@me", "--chat", "@me", saying: "Forwarded to your notes: and rye bread")
        try kibo("delete", "last", "--for", "all", saying: "Deleted: and rye bread")
        let called = try anna.kibo("call", "@me")
        #expect(!called.isDone && called.text.contains("nobody to call"), "\(called)")
        let mistyped = try anna.kibo("send", "notes", "hello")
        #expect(
            !mistyped.isDone && mistyped.text.contains("your notes") && mistyped.text.contains("@me"), "\(mistyped)")
        let removed = try anna.kibo("remove", "@me", "--yes")
        #expect(!removed.isDone && removed.text.contains("No person matches \"@me\""), "\(removed)")
        try kibo("forget", "@me", "--yes", saying: "Your notes are deleted.")
    }

    @Test("A file of a note stays where it is, whatever its type and size, opens from there, and goes nowhere")
    func files() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        let (archive, liar) = (anna.directory.file("tools.zip"), anna.directory.file("paper.txt"))
        try TextFile.write(SampleFiles.zip(["a"]), to: archive)
        try TextFile.write([UInt8](repeating: 0, count: 5000), to: liar)
        try anna.set("files.maxSendBytes", to: 1000)
        let folder = try anna.directory.makeDirectory("plans")
        try TextFile.write(Array("one".utf8), to: folder + "/one.weird")
        let sent = try anna.kibo("send", "@me", archive, liar, folder)
        #expect(sent.isDone && sent.text.contains("Noted, the file stays where it is: tools.zip"), "\(sent)")
        let chat = try #require(try conversations(anna).first)
        let message = try #require(chat.lastMessage)
        #expect(message.attachments.map(\.name) == ["tools.zip", "paper.txt", "plans"])
        #expect(message.attachments.map(\.path) == [archive, liar, folder])
        #expect(message.attachments.allSatisfy { $0.state == .done && $0.skipped == 0 && $0.unlisted == nil })
        let transfer = try FileProcessTests.transfer(message.attachments[0].transfer, at: anna)
        #expect(transfer.state == .done && transfer.bytesDone == transfer.size && transfer.files == 1)
        #expect(try anna.kibo("transfers").text.contains("your notes"))
        let read = try anna.kibo("read", "@me").text
        #expect(read.contains(archive), "\(read)")
        let entries = try anna.call("transfer.entries", ["id": .string(message.attachments[2].transfer)])
        #expect(entries["entries"]?.array?.count == 1, "\(entries)")
        let (_, file) = try anna.client.callForDescriptor(
            "transfer.open", ["id": .string(message.attachments[0].transfer)], timeout: Patience.usual)
        close(file)
        for method in ["transfer.cancel", "transfer.accept", "transfer.pause", "transfer.resume"] {
            #expect(throws: ClientError.self, "\(method)") {
                try anna.call(method, ["id": .string(message.attachments[0].transfer)])
            }
        }
        try anna.stop()
        try anna.start()
        #expect(try FileProcessTests.transfer(transfer.id, at: anna).state == .done)
        // With the note goes what it says of the file, and not the file.
        _ = try anna.call("message.delete", ["id": .string(message.id), "for": "me"])
        let gone = try FileProcessTests.transfer(transfer.id, at: anna)
        #expect(gone.name == "(deleted)" && gone.path == nil)
        #expect(try !TextFile.bytes(archive).isEmpty)
    }

    @Test(
        "What goes into the notes reaches no friend, and a friend's message, also with its file, is forwarded into them"
    )
    func friend() throws {
        let (anna, bert) = try FilePolicyProcessTests.friends()
        let secret = "zebrafinch-notes"
        let kept = try note(secret, at: anna)
        // What was sent later is there: the note did not come.
        let later = try MessageProcessTests.send("later", from: anna, to: bert.account.id)
        try MessageProcessTests.waitForState(.delivered, of: later.id, at: anna)
        #expect(try !DiskSearch.contains(secret, under: bert.dataPath))
        #expect(throws: ClientError.self) { try bert.call("message.get", ["id": .string(kept.id)]) }
        #expect(try Message(json: anna.call("message.get", ["id": .string(kept.id)])).state == .sent)
        // A friend can't have the word.
        _ = try bert.call("account.update", ["displayName": "@me"])
        try Patience.until("the new name", report: anna.logTail) {
            try anna.contact(bert.account.id)?.displayName == "@me"
        }
        #expect(try anna.kibo("send", "@me", "still mine").text.contains("Kept in your notes."))
        let alias = try anna.kibo("alias", String(try bert.account.id.prefix(13)), "@me")
        #expect(!alias.isDone, "\(alias)")

        let path = bert.directory.file("map.txt")
        try TextFile.write(Array("here".utf8), to: path)
        let sent = try Message(
            json: bert.call(
                "message.send", ["to": .string(anna.account.id), "text": "the map", "files": [.string(path)]]))
        try Patience.until("the file", report: anna.logTail) {
            (try? Message(json: anna.call("message.get", ["id": .string(sent.id)])))?.attachments.first?.state == .done
        }
        let forwarded = try anna.kibo("forward", "last", "@me")
        #expect(forwarded.isDone && forwarded.text.contains("Forwarded to your notes"), "\(forwarded)")
        let notes = try #require(try conversations(anna).first { $0.kind == .notes }?.lastMessage)
        #expect(notes.text == "the map" && notes.attachments.first?.state == .done)
        #expect(try TextFile.text(try #require(notes.attachments.first?.path)) == "here")
        #expect(try conversations(anna).filter { $0.kind == .notes }.count == 1)
        #expect(try anna.contact(anna.account.id) == nil)
        // Several receivers: the note is one of them.
        let both = try anna.kibo(
            "send", String(try bert.account.id.prefix(13)), "@me", "--text", "both", "--wait", "delivered")
        #expect(
            both.isDone && both.text.contains("Kept in your notes.") && both.text.contains("Delivered to"), "\(both)")
    }
}
