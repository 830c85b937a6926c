import Basics
import ControlProtocol
import TestSupport
import Testing
import Vocabulary

/// Friends that write to each other, with real daemons.
@Suite("Messages between real daemons", .serialized)
struct MessageProcessTests {
    /// Two friends on a discovery port of their own.
    /// - Parameter slowDisks: whether their disks write 20 MiB a second.
    static func friends(
        logLevel: LogLevel = .debug, slowDisks: Bool = false, paysForPassphrases: Bool = false
    ) throws -> (DaemonProcess, DaemonProcess) {
        var options = DaemonProcess.Options(discoveryPort: try FreePort.udp(), logLevel: logLevel)
        if slowDisks { options.environment = try SlowDisk.environment }
        options.paysForPassphrases = paysForPassphrases
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        let bert = try DaemonProcess.launch(name: "Bert", options: options)
        try anna.befriend(bert)
        return (anna, bert)
    }

    static func texts(_ daemon: DaemonProcess, _ conversation: String) throws -> [String] {
        var texts: [String] = []
        var after: String?
        while true {
            var parameters: JSONObject = ["conversation": .string(conversation), "limit": 500]
            parameters["after"] = .string(after ?? "0")
            let page = try daemon.call("message.list", parameters)
            let messages = try (page["messages"]?.array ?? []).map { try Message(json: $0) }
            texts += messages.map(\.text)
            guard page["hasMore"] == true, let last = messages.last else { return texts }
            after = last.position
        }
    }

    static func send(_ text: String, from daemon: DaemonProcess, to id: String) throws -> Message {
        try Message(json: daemon.call("message.send", ["to": .string(id), "text": .string(text)]))
    }

    static func waitForState(_ state: MessageState, of id: String, at daemon: DaemonProcess) throws {
        try Patience.until("message \(id) to be \(state)", report: daemon.logTail) {
            try Message(json: daemon.call("message.get", ["id": .string(id)])).state == state
        }
    }

    @Test("A message goes queued, sent, delivered, and appears once on the other side, unread")
    func delivered() throws {
        let (anna, bert) = try Self.friends()
        let events = try anna.connect()
        _ = try events.call("events.subscribe", ["types": ["message.added", "message.changed"]])
        let sent = try Self.send("Hello Bert", from: anna, to: bert.account.id)
        #expect(sent.state == .queued)
        var states: [MessageState] = []
        while states.last != .delivered {
            let event = try #require(try events.nextEvent(timeout: Patience.usual))
            let message = try Message(json: event.data)
            #expect(message.id == sent.id)
            states.append(message.state)
        }
        // Commits that fall together make one event of several changes, so steps may be missing, but never go back.
        #expect(states == states.sorted { Self.rank($0) < Self.rank($1) })
        let list = try bert.call("conversation.list")
        let conversation = try Conversation(json: try #require(list["conversations"]?.array?.first))
        #expect(conversation.title == "Anna")
        #expect(conversation.unread == 1)
        #expect(conversation.lastMessage?.text == "Hello Bert")
        #expect(conversation.lastMessage?.state == .received)
        #expect(try Self.texts(bert, conversation.id) == ["Hello Bert"])
    }

    private static func rank(_ state: MessageState) -> Int {
        switch state {
        case .queued: 0
        case .sent: 1
        case .delivered: 2
        default: 3
        }
    }

    @Test("A message to an absent friend waits, also over the sender's restart, and arrives when he is back")
    func away() throws {
        let (anna, bert) = try Self.friends()
        let (annaID, bertID) = (try anna.account.id, try bert.account.id)
        try bert.stop()
        let sent = try Self.send("Are you there?", from: anna, to: bertID)
        #expect(sent.state == .queued)
        #expect(try anna.status.queued == 1)
        try anna.stop()
        try anna.start()
        #expect(try Message(json: anna.call("message.get", ["id": .string(sent.id)])).state == .queued)
        try bert.start()
        try Self.waitForState(.delivered, of: sent.id, at: anna)
        #expect(try Self.texts(bert, bert.conversation(with: anna)) == ["Are you there?"])
        // The answer goes back.
        let answer = try Self.send("Now I am", from: bert, to: annaID)
        try Self.waitForState(.delivered, of: answer.id, at: bert)
        #expect(try Self.texts(anna, anna.conversation(with: bert)) == ["Are you there?", "Now I am"])
    }

    @Test(
        "Messages sent as fast as the socket takes them arrive in the order of sending, and none is left behind")
    func pipelined() throws {
        let (anna, bert) = try Self.friends(logLevel: .info)
        let bertID = try bert.account.id
        let events = try bert.connect()
        _ = try events.call("events.subscribe", ["types": ["message.added"], "ephemeral": false])
        let client = try anna.connect()
        let expected = (0..<2000).map { "\($0)" }
        for text in expected { _ = try client.send("message.send", ["to": .string(bertID), "text": .string(text)]) }
        try client.flush(timeout: Patience.usual)
        var arrived: [String] = []
        while arrived.count < expected.count, let event = try events.nextEvent(timeout: Patience.usual) {
            arrived.append(try Message(json: event.data).text)
        }
        #expect(arrived == expected)
        try Patience.until("the outbox to be empty", report: anna.logTail) { try anna.status.queued == 0 }
    }

    @Test("Two calls with the same key send one message")
    func idempotentKey() throws {
        let (anna, bert) = try Self.friends()
        let parameters: JSONObject = ["to": .string(try bert.account.id), "text": "once", "key": "k-1"]
        let first = try Message(json: anna.call("message.send", parameters))
        let second = try Message(json: anna.call("message.send", parameters))
        #expect(first.id == second.id && first.duplicate == nil && second.duplicate == true)
        try Self.waitForState(.delivered, of: first.id, at: anna)
        #expect(try Self.texts(anna, anna.conversation(with: bert)) == ["once"])
    }

    @Test("A message goes to a name that means one chat, and to no other")
    func named() throws {
        let scene = try GroupScene(["Anna", "Bert", "Berta"])
        let (anna, bertID) = (scene.people[0], try scene.people[1].account.id)
        func send(_ word: String, key: String? = nil) throws -> Message {
            var parameters: JSONObject = ["to": .string(word), "text": .string("to \(word)")]
            if let key { parameters["key"] = .string(key) }
            return try Message(json: anna.call("message.send", parameters))
        }
        let direct = try anna.conversation(with: scene.people[1])
        #expect(try send("Bert").conversation == direct)
        #expect(try send(String(bertID.prefix(13))).conversation == direct)
        #expect(try send("Bert", key: "k").duplicate == nil)
        #expect(try send(":Boat").conversation == scene.conversation(at: anna))
        #expect(try send("@me").state == .sent)
        for (word, kind) in [("Ber", Reason.ambiguous), ("Carla", .notFound), (String(bertID.prefix(9)), .ambiguous)] {
            do {
                _ = try send(word)
                Issue.record("\(word) meant somebody")
            } catch ClientError.refused(let refusal) {
                #expect(refusal.kind == kind && refusal.data?["field"]?.string == "to", "\(word): \(refusal)")
            }
        }
        // What was sent under a key is found by it, whoever has the name now.
        _ = try anna.call("contact.update", ["id": .string(bertID), "alias": "Bertram"])
        try scene.people[2].call("account.update", ["displayName": "Bert"])
        try Patience.until("Berta's new name", report: anna.logTail) {
            try anna.contact(scene.people[2].account.id)?.displayName == "Bert"
        }
        let again = try send("Bert", key: "k")
        #expect(again.duplicate == true && again.conversation == direct)
        // Looking a name up does not let later messages overtake.
        let (client, boat) = (try anna.connect(), JSONValue.string(try scene.conversation(at: anna)))
        let texts = (0..<20).map { "\($0)" }
        for (index, text) in texts.enumerated() {
            let place: JSONObject.Field = index % 2 == 0 ? .init("to", ":Boat") : .init("conversation", boat)
            _ = try client.send("message.send", [place.name: place.value, "text": .string(text)])
        }
        try client.flush(timeout: Patience.usual)
        try Patience.until("all are in the group", report: anna.logTail) {
            try scene.texts(at: anna).suffix(texts.count) == texts[...]
        }
    }

    @Test("A message carries its sender's name, and each change of it says what changed")
    func changes() throws {
        let (anna, bert) = try Self.friends()
        let (annaID, bertID) = (try anna.account.id, try bert.account.id)
        let events = try anna.connect()
        _ = try events.call("events.subscribe", ["types": ["message.added", "message.changed"], "ephemeral": false])
        func next(_ aspect: MessageAspect) throws -> Message {
            while let event = try events.nextEvent(timeout: Patience.usual) {
                let changed = event.changed ?? []
                #expect(event.isOf(.messageChanged) != changed.isEmpty)
                if changed.contains(aspect) { return try Message(json: event.data) }
            }
            throw ClientError.timedOut
        }
        let own = try Self.send("Hello", from: anna, to: bertID)
        #expect(own.senderName == "Anna" && own.sentence == nil)
        #expect(try next(.delivery).senderName == "Anna")
        let written = try Self.send("Helo", from: bert, to: annaID)
        // An edit of what has not gone out yet changes the message before it leaves.
        try Self.waitForState(.delivered, of: written.id, at: bert)
        _ = try bert.call("message.edit", ["id": .string(written.id), "text": "Hello, too"])
        let edited = try next(.text)
        #expect(edited.text == "Hello, too" && edited.senderName == "Bert")
        _ = try bert.call("message.react", ["id": .string(written.id), "emoji": "👍"])
        #expect(try next(.reactions).reactions.count == 1)
        _ = try anna.call(
            "conversation.markRead", ["id": .string(edited.conversation), "upTo": .string(edited.id)])
        #expect(try !next(.unread).unread)
        _ = try bert.call("message.delete", ["id": .string(written.id), "for": "all"])
        #expect(try next(.deleted).deleted)
        _ = try anna.call("contact.update", ["id": .string(bertID), "alias": "Bertie"])
        #expect(try Message(json: anna.call("message.get", ["id": .string(edited.id)])).senderName == "Bertie")
    }

    @Test("What Kibo itself says in a group is a sentence, too, and a member who is no contact has a name")
    func sentences() throws {
        let scene = try GroupScene(["Anna", "Bert", "Carla"])
        let carla = scene.people[2]
        try scene.say("Hello", as: scene.people[1])
        try Patience.until("Bert's message", report: carla.logTail) {
            try scene.messages(at: carla).contains { $0.text == "Hello" && $0.senderName == "Bert" }
        }
        let said = try scene.messages(at: carla).filter { $0.kind == .system }.compactMap(\.sentence)
        #expect(said.first?.hasPrefix("Anna made the group “Boat”") == true, "\(said)")
    }

    @Test("Strangers can't write; a decline is not told")
    func strangers() throws {
        let options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        let bert = try DaemonProcess.launch(name: "Bert", options: options)
        try anna.waitToSee(bert)
        let (annaID, bertID) = (try anna.account.id, try bert.account.id)
        #expect(throws: (any Error).self) { try Self.send("hey", from: anna, to: bertID) }
        try anna.call("contact.request", ["id": .string(bertID), "note": "It's me"])
        try Patience.until("the request to arrive", report: bert.logTail) {
            try bert.contact(annaID)?.relation == .incoming
        }
        #expect(try bert.contact(annaID)?.note == "It's me")
        do {
            _ = try Self.send("hey", from: anna, to: bertID)
            Issue.record("a message to a stranger was taken")
        } catch ClientError.refused(let error) {
            #expect(error.kind == .notFriends)
        }
        try bert.call("contact.decline", ["id": .string(annaID)])
        #expect(try anna.contact(bertID)?.relation == .requested)
    }

    @Test("If both ask at once, both are friends")
    func bothAsk() throws {
        let options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        let bert = try DaemonProcess.launch(name: "Bert", options: options)
        try anna.waitToSee(bert)
        try bert.waitToSee(anna)
        let (annaID, bertID) = (try anna.account.id, try bert.account.id)
        try anna.call("contact.request", ["id": .string(bertID)])
        try bert.call("contact.request", ["id": .string(annaID)])
        for (daemon, other) in [(anna, bertID), (bert, annaID)] {
            try Patience.until("\(daemon.name) to have a friend", report: daemon.logTail) {
                try daemon.contact(other)?.relation == .friend
            }
        }
    }
}
