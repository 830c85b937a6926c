import Basics
import ControlProtocol
import PeerProtocol
import TestSupport
import Testing
import Vocabulary

@Suite("Typing between real daemons", .serialized)
struct TypingProcessTests {
    /// Two friends with a conversation on both sides, and a subscription of the second.
    private struct Scene {
        let anna: DaemonProcess
        let bert: DaemonProcess
        /// Anna's id of the conversation, and Bert's.
        let here: String
        let there: String
        let events: ControlClient

        init() throws {
            (anna, bert) = try MessageProcessTests.friends()
            here = try anna.conversation(with: bert)
            there = try bert.conversation(with: anna)
            events = try bert.connect()
            _ = try events.call("events.subscribe", ["types": ["typing.changed"]])
            let annaID = try anna.account.id
            try Patience.until("Bert to be connected", report: bert.logTail) {
                try bert.contact(annaID)?.presence == .online
            }
        }

        func type(_ isTyping: Bool) throws {
            let answer = try anna.call("typing.set", ["conversation": .string(here), "typing": .bool(isTyping)])
            #expect(answer == [:])
        }

        func seen(within limit: Duration = Patience.usual) throws -> Bool? {
            guard let event = try events.nextEvent(timeout: limit) else { return nil }
            let typing = try Typing(json: event.data)
            #expect(event.seq == nil && event.type == "typing.changed")
            #expect(try typing.account == anna.account.id && typing.conversation == there)
            return typing.typing
        }
    }

    private func isRefused(_ kind: Reason, _ body: () throws -> Void) -> Bool {
        do {
            try body()
            return false
        } catch ClientError.refused(let error) {
            return error.kind == kind
        } catch {
            return false
        }
    }

    @Test("Typing is seen at once, and ends by a command, a message, or the end of the daemon")
    func seen() throws {
        let scene = try Scene()
        let clocks = SystemClocks()
        let begin = clocks.now
        try scene.type(true)
        #expect(try scene.seen() == true)
        #expect(clocks.now - begin < .seconds(5))
        try scene.type(false)
        #expect(try scene.seen() == false)
        try scene.type(true)
        #expect(try scene.seen() == true)
        _ = try MessageProcessTests.send("done", from: scene.anna, to: scene.bert.account.id)
        #expect(try scene.seen() == false)
        try scene.type(true)
        #expect(try scene.seen() == true)
        let id = try scene.anna.account.id
        scene.anna.kill()
        let event = try #require(try scene.events.nextEvent(timeout: Patience.usual))
        #expect(try Typing(json: event.data) == Typing(conversation: scene.there, account: id, typing: false))
    }

    @Test("Typing ends by itself after ten seconds of silence")
    func expiry() throws {
        let scene = try Scene()
        let clocks = SystemClocks()
        try scene.type(true)
        #expect(try scene.seen() == true)
        let begin = clocks.now
        #expect(try scene.seen() == false)
        #expect(clocks.now - begin > .seconds(9) && clocks.now - begin < .seconds(20))
    }

    @Test("A user that tells no typing sees none, and typing that was told is taken back")
    func reciprocity() throws {
        let scene = try Scene()
        try scene.type(true)
        #expect(try scene.seen() == true)
        try scene.anna.call("settings.set", ["key": "presence.typing", "value": false])
        #expect(try scene.seen() == false)
        try scene.type(true)
        #expect(try scene.seen(within: .milliseconds(1500)) == nil, "no typing is told")

        // Bert tells typing, but Anna isn't shown it.
        let events = try scene.anna.connect()
        _ = try events.call("events.subscribe", ["types": ["typing.changed"]])
        try scene.bert.call("typing.set", ["conversation": .string(scene.there), "typing": true])
        #expect(try events.nextEvent(timeout: .milliseconds(1500)) == nil)
        try scene.anna.call("settings.set", ["key": "presence.typing", "value": nil])
        try scene.bert.call("typing.set", ["conversation": .string(scene.there), "typing": true])
        #expect(try events.nextEvent(timeout: Patience.usual)?.data["typing"] == true)
    }

    @Test("Typing to an offline friend has no effect; unknown conversations are refused")
    func offline() throws {
        let scene = try Scene()
        try scene.bert.stop()
        try scene.type(true)
        try scene.type(false)
        #expect(
            isRefused(.notFound) {
                let id = JSONValue.string("019ac0de-0000-7000-8000-000000000001")
                try scene.anna.call("typing.set", ["conversation": id, "typing": true])
            })
    }

    @Test("A stranger's typing is ignored; a friend's flood is shown a few times and harms no other peer")
    func hostile() throws {
        let daemon = try DaemonProcess.launch(name: "Anna")
        let events = try daemon.connect()
        _ = try events.call("events.subscribe", ["types": ["typing.changed"]])
        let peer = try TestPeer()
        let typing = [true, false].map { Frame(kind: .typing, body: TypingBody(isTyping: $0).encoded()).encoded() }
        let stranger = try peer.openSession(with: daemon)
        stranger.send(plaintext: typing[0])
        try stranger.roundTrip()
        #expect(try events.nextEvent(timeout: .milliseconds(300)) == nil)

        let other = try TestPeer("Friend")
        let friend = try other.befriend(daemon)
        _ = try daemon.call("conversation.open", ["contact": .string(other.id)])
        for _ in 0..<40 { friend.send(plaintext: (0..<500).flatMap { typing[$0 % 2] }) }
        try friend.roundTrip()
        var shown = 0
        while try events.nextEvent(timeout: .milliseconds(1500)) != nil { shown += 1 }
        #expect(shown <= 6, "\(shown) events for 20,000 frames")
        #expect(try daemon.status.sessions >= 1)
    }
}
