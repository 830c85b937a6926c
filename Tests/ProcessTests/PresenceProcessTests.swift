import Basics
import ControlProtocol
import PeerProtocol
import TestSupport
import Testing
import Vocabulary

@Suite("Presence between real daemons", .serialized)
struct PresenceProcessTests {
    /// Anna and Bert are friends; the scene has what Bert is told of presence.
    private struct Scene {
        let anna: DaemonProcess
        let bert: DaemonProcess
        let annaID: String
        let events: ControlClient

        init() throws {
            (anna, bert) = try MessageProcessTests.friends()
            annaID = try anna.account.id
            let (bert, annaID) = (bert, annaID)
            try Patience.until("Bert to see Anna online", report: bert.logTail) {
                try bert.contact(annaID)?.presence == .online
            }
            events = try bert.connect()
            _ = try events.call("events.subscribe", ["types": ["presence.changed"]])
            // The event of Anna's coming may still be on its way when Bert's contact shows her.
            for state in [Presence.away, .online] {
                _ = try set(state)
                while let contact = try next(), contact.presence != state {}
            }
        }

        /// The next state of Anna that Bert is told.
        func next(within limit: Duration = Patience.usual) throws -> Contact? {
            guard let event = try events.nextEvent(timeout: limit) else { return nil }
            #expect(event.type == "presence.changed" && event.seq == nil)
            let contact = try Contact(json: event.data)
            #expect(contact.id == annaID)
            return contact
        }

        func set(_ state: Presence, idle: Bool = false, by client: ControlClient? = nil) throws -> JSONValue {
            var params: JSONObject = ["state": .string(state.rawValue)]
            if idle { params["idle"] = true }
            return try (client ?? anna.client).call("presence.set", params)
        }
    }

    @Test("Away and online again reach the friend at once, and its contacts show them")
    func changes() throws {
        let scene = try Scene()
        let clocks = SystemClocks()
        var best = Duration.seconds(60)
        for state in [Presence.away, .online, .away] {
            let begin = clocks.now
            #expect(try scene.set(state) == ["state": .string(state.rawValue)])
            #expect(try scene.next()?.presence == state)
            best = min(best, clocks.now - begin)
            #expect(try scene.bert.contact(scene.annaID)?.presence == state)
            #expect(try scene.anna.account.presence == state)
        }
        // The target is 200 ms. On a busy machine one of three attempts has to reach it.
        #expect(best <= .milliseconds(200), "\(best)")
        // The same state again is no news.
        _ = try scene.set(.away)
        #expect(try scene.next(within: .milliseconds(500)) == nil)
    }

    @Test("A client's idle hint counts while the client is there, and only if the user has not set a state")
    func idle() throws {
        let scene = try Scene()
        var client: ControlClient? = try scene.anna.connect()
        #expect(try scene.set(.away, idle: true, by: client) == ["state": "away"])
        #expect(try scene.next()?.presence == .away)
        #expect(try scene.anna.account.presence == .away)
        var other: ControlClient? = try scene.anna.connect()
        #expect(try scene.set(.online, idle: true, by: other) == ["state": "online"])
        #expect(try scene.next()?.presence == .online)
        #expect(try scene.set(.away, idle: true, by: other) == ["state": "away"])
        #expect(try scene.next()?.presence == .away)
        other = nil
        #expect(try scene.next(within: .milliseconds(500)) == nil, "the first client is still idle")
        client = nil
        #expect(try scene.next()?.presence == .online, "the client's hint ended with the client")
        _ = try scene.set(.away)
        #expect(try scene.next()?.presence == .away)
        let third = try scene.anna.connect()
        #expect(try scene.set(.online, idle: true, by: third) == ["state": "away"], "the user has set this state")
    }

    @Test("Away outlives the session and restarts of both sides; offline comes with a time")
    func sessions() throws {
        let scene = try Scene()
        let begin = SystemClocks().wallTime.milliseconds
        _ = try scene.set(.away)
        #expect(try scene.next()?.presence == .away)
        scene.anna.kill()
        let gone = try #require(try scene.next())
        #expect(gone.presence == .offline && (gone.lastSeen ?? 0) >= begin)
        try scene.anna.start()
        #expect(try scene.anna.account.presence == .away)
        #expect(try scene.next()?.presence == .away, "the friend is not shown online for a moment")
        try scene.anna.stop()
        #expect(try scene.next()?.presence == .offline)
        try scene.bert.stop()
        try scene.bert.start()
        #expect(try scene.bert.contact(scene.annaID)?.presence == .offline)
        try scene.anna.start()
        try Patience.until("Bert to see Anna away", report: scene.bert.logTail) {
            let presence = try scene.bert.contact(scene.annaID)?.presence
            #expect(presence != .online)
            return presence == .away
        }
        _ = try scene.set(.online)
        try Patience.until("Bert to see Anna online", report: scene.bert.logTail) {
            try scene.bert.contact(scene.annaID)?.presence == .online
        }
    }

    @Test("A status goes to all peers with the card; a bad one is refused and changes nothing")
    func status() throws {
        let scene = try Scene()
        try scene.anna.call("presence.set", ["state": "away", "statusText": "Back at two"])
        try Patience.until("Bert to read it", report: scene.bert.logTail) {
            let contact = try scene.bert.contact(scene.annaID)
            return contact?.statusText == "Back at two" && contact?.presence == .away
        }
        for params: JSONObject in [
            ["state": "offline"], ["state": "online", "statusText": "a\u{202E}b"], [:],
            ["state": "online", "statusText": .string(String(repeating: "s", count: 257))],
        ] {
            #expect(throws: ClientError.self) { try scene.anna.call("presence.set", params) }
        }
        let account = try scene.anna.account
        #expect(account.presence == .away && account.statusText == "Back at two")
    }

    @Test("A stranger learns nothing, whatever it sends; a friend is told; a former friend is told nothing more")
    func strangers() throws {
        let daemon = try DaemonProcess.launch(name: "Anna")
        let stranger = try TestPeer().openSession(with: daemon)
        try daemon.call("presence.set", ["state": "away"])
        stranger.send(Frame(kind: .presence, body: PresenceBody(.away).encoded()))
        stranger.send(Frame(kind: .ping))
        let kinds = try Self.kinds(stranger, until: .pong)
        #expect(!kinds.contains(.presence), "\(kinds)")

        let other = try TestPeer("Friend")
        let friend = try other.befriend(daemon)
        // It may come before the answer to the request.
        let told = try friend.newest[.presence] ?? friend.frame(.presence)
        #expect(try PresenceBody(decoding: told.body).presence == .away)
        #expect(try daemon.contact(other.id)?.presence == .online)
        friend.send(Frame(kind: .presence, body: PresenceBody(.away).encoded()))
        try Patience.until("Anna to see it", report: daemon.logTail) { try daemon.contact(other.id)?.presence == .away }
        // A flood of changes reaches the friend in a few frames.
        for number in 0..<200 { try daemon.call("presence.set", ["state": number % 2 == 0 ? "online" : "away"]) }
        try daemon.call("presence.set", ["state": "online"])
        var last = Presence.away
        var count = 0
        while let frame = try? friend.frame(.presence, within: .milliseconds(2500)) {
            last = try PresenceBody(decoding: frame.body).presence
            count += 1
        }
        #expect(last == .online && count <= 30, "\(count) frames")
        // The friend ends the friendship.
        friend.send(Frame(kind: .contactRemoval, id: freshID(), body: ContactRemovalBody().encoded()))
        try Patience.until("Anna to know", report: daemon.logTail) { try daemon.contact(other.id)?.relation != .friend }
        try daemon.call("presence.set", ["state": "away"])
        friend.send(Frame(kind: .ping))
        #expect(!(try Self.kinds(friend, until: .pong).contains(.presence)))
        #expect(try daemon.contact(other.id)?.presence == .offline)
    }

    /// Returns the kinds of all frames up to one.
    static func kinds(_ link: PeerLink, until last: FrameKind) throws -> [FrameKind] {
        var kinds: [FrameKind] = []
        _ = try link.frame("\(last)") {
            kinds.append($0.kind)
            return $0.kind == last
        }
        return kinds
    }
}
