import Basics
import ControlProtocol
import TestSupport
import Testing

/// Goal: a message that somebody reacts to with a pin is pinned for all, until the last of them takes it back.
@Suite("Pinned messages", .serialized)
struct PinProcessTests {
    /// Nil while the two answers are from before and after a change.
    private static func pins(_ daemon: DaemonProcess, _ id: String) throws -> [String]? {
        let page = try daemon.call("message.media", ["conversation": .string(id), "has": "pin"])
        let messages = try (page["messages"]?.array ?? []).map { try Message(json: $0) }
        let chat = try Conversation(json: daemon.call("conversation.get", ["id": .string(id)]))
        return chat.pins == Int64(messages.count) ? messages.map(\.text) : nil
    }

    private static func react(
        _ daemon: DaemonProcess, _ text: String, in scene: GroupScene, remove: Bool = false
    ) throws {
        let message = try #require(try scene.messages(at: daemon).first { $0.text == text })
        try daemon.call(
            "message.react", ["id": .string(message.id), "emoji": "📌", "remove": .bool(remove)])
    }

    @Test("They are the same for all, newest first, also after a restart; edits keep them, and deletions end them")
    func pinned() throws {
        let scene = try GroupScene(["Anna", "Bert"])
        let (anna, bert) = (scene.people[0], scene.people[1])
        let chats = try scene.people.map { try scene.conversation(at: $0) }
        for text in ["one", "two", "three"] { try scene.say(text, as: anna) }
        try Patience.until("the messages", report: bert.logTail) { try scene.texts(at: bert).count == 3 }
        func wait(_ texts: [String]) throws {
            for (person, id) in zip(scene.people, chats) {
                try Patience.until("\(texts) at \(person.name)", report: person.logTail) {
                    try Self.pins(person, id) == texts
                }
            }
        }
        try wait([])
        try Self.react(anna, "one", in: scene)
        try Self.react(bert, "three", in: scene)
        try wait(["three", "one"])
        #expect(try bert.kibo("read", "Boat", "--pinned").text.contains("one"))
        #expect(try !bert.kibo("read", "Boat", "--pinned").text.contains("two"))
        let usage = try bert.kibo("read", "Boat", "--pinned", "--before", "today")
        #expect(!usage.isDone && usage.text.contains("--before"), "\(usage.text)")
        // It stays until the last one takes the pin away.
        try Self.react(bert, "one", in: scene)
        try Patience.until("both pins", report: anna.logTail) {
            try scene.messages(at: anna).first { $0.text == "one" }?.reactions.count == 2
        }
        try Self.react(anna, "one", in: scene, remove: true)
        try Patience.until("one pin", report: bert.logTail) {
            try scene.messages(at: bert).first { $0.text == "one" }?.reactions.count == 1
        }
        try wait(["three", "one"])
        try bert.stop()
        try Self.react(anna, "two", in: scene)
        let three = try #require(try scene.messages(at: anna).first { $0.text == "three" })
        try anna.call("message.edit", ["id": .string(three.id), "text": "third"])
        try bert.start()
        try wait(["third", "two", "one"])
        try anna.call("message.delete", ["id": .string(three.id), "for": "all"])
        try Self.react(bert, "one", in: scene, remove: true)
        try wait(["two"])
        // Deleted here only, it is pinned there still.
        let two = try #require(try scene.messages(at: bert).first { $0.text == "two" })
        try bert.call("message.delete", ["id": .string(two.id), "for": "me"])
        #expect(try Self.pins(bert, chats[1]) == [])
        #expect(try Self.pins(anna, chats[0]) == ["two"])
        #expect(try bert.kibo("read", "Boat", "--pinned").text.contains("No message is pinned."))
    }

    @Test("Notes are pinned, too, and other reactions pin nothing")
    func notes() throws {
        let options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        let notes = try Conversation(
            json: anna.call("conversation.open", ["contact": .string(anna.account.id)])
        ).id
        let note = try Message(json: anna.call("message.send", ["conversation": .string(notes), "text": "door code"]))
        try anna.call("message.react", ["id": .string(note.id), "emoji": "📌"])
        #expect(try Self.pins(anna, notes) == ["door code"])
        // Another reaction pins nothing.
        let other = try Message(json: anna.call("message.send", ["conversation": .string(notes), "text": "milk"]))
        try anna.call("message.react", ["id": .string(other.id), "emoji": "👍"])
        #expect(try Self.pins(anna, notes) == ["door code"])
    }
}
