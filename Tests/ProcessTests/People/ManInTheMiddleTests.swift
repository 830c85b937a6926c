import Basics
import ControlProtocol
import PeerProtocol
import TestSupport
import Testing
import Vocabulary

/// An attacker with keys of its own sits where a friend should be.
@Suite("A man in the middle", .serialized)
struct ManInTheMiddleTests {
    /// Accepts a connection that a daemon has dialled, as some peer, and shows that peer's card.
    private static func accept(_ listener: RawListener, as peer: TestPeer) throws -> PeerLink {
        let socket = try #require(listener.accept(), "no daemon dialled")
        let link = PeerLink(socket, SecureChannel(accepting: try peer.identity(), now: SystemClocks().now))
        try link.finishHandshake()
        link.send(Frame(kind: .card, body: peer.card.encoded))
        return link
    }

    private static func port(of address: String) throws -> UInt16 { try #require(SocketAddress(address)).port }

    /// Anna and Ben are friends without discovery; Ben is away, and his port is free.
    private static func friends() throws -> (anna: DaemonProcess, ben: DaemonProcess, port: UInt16, benID: String) {
        let anna = try DaemonProcess.launch(name: "Anna", options: .init(logLevel: .debug))
        let ben = try DaemonProcess.launch(name: "Ben", options: .init(logLevel: .info))
        try anna.befriend(ben)
        let (port, benID) = (try port(of: ben.listenAddress), try ben.account.id)
        ben.options.listen = "127.0.0.1:\(port)"
        try ben.stop()
        return (anna, ben, port, benID)
    }

    private static func waitForChange(of id: String, at daemon: DaemonProcess) throws -> Contact {
        try Patience.until("the key to be seen as changed", report: daemon.logTail) {
            try daemon.contact(id).flatMap { $0.trust == .changed ? $0 : nil }
        }
    }

    private static func refusal(_ method: String, _ params: JSONObject, at daemon: DaemonProcess) throws -> Reason? {
        do {
            _ = try daemon.call(method, params)
            return nil
        } catch ClientError.refused(let error) {
            return error.kind
        }
    }

    /// A proxy between two people: both handshakes end here, with its own keys, and it hands on what is said.
    private final class Proxy {
        /// The identities that it shows to each of the two.
        let (asBen, asAnna): (TestPeer, TestPeer)
        private let toAnna: PeerLink
        private let toBen: PeerLink

        /// Anna asks the peer that she takes for Ben.
        init(between anna: DaemonProcess, and ben: DaemonProcess) throws {
            (asBen, asAnna) = (try TestPeer("Ben"), try TestPeer("Anna"))
            (toAnna, toBen) = (try asBen.openSession(with: anna), try asAnna.openSession(with: ben))
            try toAnna.roundTrip()
            try anna.call("contact.request", ["id": .string(asBen.id), "note": "it's me"])
        }

        /// Hands frames on, both ways, until a condition holds.
        func pass(until what: String, isSo: () throws -> Bool) throws {
            try Patience.until(what) {
                for (from, to) in [(toAnna, toBen), (toBen, toAnna)] {
                    do {
                        while true {
                            let frame = try from.frame(within: .milliseconds(20), "anything") { $0.needsReceipt }
                            to.send(frame)
                        }
                    } catch is PeerLink.Silence {}
                    // Strangers' sessions end after a silence, and this machine may be slow.
                    from.send(Frame(kind: .typing, body: TypingBody(isTyping: false).encoded()))
                }
                return try isSo()
            }
        }
    }

    @Test(
        "At first contact a proxy passes everything on, both are unverified, and comparing numbers or links shows it"
    )
    func first() throws {
        let anna = try DaemonProcess.launch(name: "Anna", options: .init(logLevel: .info))
        let ben = try DaemonProcess.launch(name: "Ben", options: .init(logLevel: .info))
        // Each of them takes Mallory for the other.
        let proxy = try Proxy(between: anna, and: ben)
        let (asBen, asAnna) = (proxy.asBen, proxy.asAnna)
        try proxy.pass(until: "the request to reach Ben") { try ben.contact(asAnna.id)?.relation == .incoming }
        #expect(try ben.kibo("requests").text.contains("it's me"))
        try ben.call("contact.accept", ["id": .string(asAnna.id)])
        try proxy.pass(until: "his answer to reach Anna") { try anna.contact(asBen.id)?.relation == .friend }
        let secret = try MessageProcessTests.send("my secret", from: ben, to: asAnna.id)
        let reply = try MessageProcessTests.send("mine too", from: anna, to: asBen.id)
        try proxy.pass(until: "messages to go both ways") {
            try Message(json: ben.call("message.get", ["id": .string(secret.id)])).state == .delivered
                && anna.kibo("read", "Ben").text.contains("my secret")
                && ben.kibo("read", "Anna").text.contains("mine too")
        }
        #expect(try Message(json: anna.call("message.get", ["id": .string(reply.id)])).state == .delivered)
        #expect(try anna.contact(asBen.id)?.trust == .unverified && ben.contact(asAnna.id)?.trust == .unverified)

        func number(_ id: String, at daemon: DaemonProcess) throws -> String {
            try #require(daemon.call("contact.safetyNumber", ["id": .string(id)])["number"]?.string)
        }
        let (atAnna, atBen) = (try number(asBen.id, at: anna), try number(asAnna.id, at: ben))
        #expect(atAnna != atBen)
        let link = try #require(anna.call("account.link")["uri"]?.string)
        for told in [atAnna, link] {
            let verified = try ben.kibo("verify", "Anna", told)
            #expect(verified.code == 1 && verified.text.contains("another person"), "\(verified)")
        }
        #expect(try ben.contact(asAnna.id)?.trust == .unverified)
    }

    @Test("At a later contact nothing goes to the other key, nor to the old one before the user has decided")
    func later() throws {
        let (anna, ben, port, benID) = try Self.friends()
        let waiting = try MessageProcessTests.send("for Ben only", from: anna, to: benID)
        let mallory = try TestPeer("BEN", listenPort: port)
        do {
            let listener = try RawListener(port: port)
            #expect(try anna.kibo("retry", waiting.id).isDone)
            let link = try Self.accept(listener, as: mallory)
            let contact = try Self.waitForChange(of: benID, at: anna)
            #expect(contact.relation == .friend && contact.changedTo == mallory.id)
            let now = SystemClocks().wallTime.milliseconds
            #expect(try abs(now - #require(contact.changedAt)) < 60_000)
            // Everything that would go out is refused, by command line and by method.
            let send = try anna.kibo("send", benID, "are you there?")
            #expect(send.code == 1 && send.text.contains("kibo trust") && send.text.contains("kibo verify"), "\(send)")
            let conversation = try #require(contact.conversation)
            let file = anna.directory.file("note.txt")
            try TextFile.write("secret".utf8, to: file)
            let attempts: [(String, JSONObject)] = [
                ("message.send", ["to": .string(benID), "text": "x"]),
                ("message.send", ["conversation": .string(conversation), "files": [.string(file)]]),
                ("message.edit", ["id": .string(waiting.id), "text": "y"]),
                ("transfer.send", ["to": .string(benID), "paths": [.string(file)]]),
                ("typing.set", ["conversation": .string(conversation), "typing": true]),
            ]
            for (method, params) in attempts {
                #expect(try Self.refusal(method, params, at: anna) == .keyChanged, "\(method)")
            }
            let list = try anna.kibo("contacts").text
            #expect(list.contains("key changed") && list.contains("kibo trust \(benID.prefix(13))"), "\(list)")
            try link.roundTrip()
            #expect(throws: PeerLink.Silence.self) {
                try link.frame(within: .seconds(2), "anything to read") { $0.needsReceipt }
            }
        }
        // The real Ben is back. The message for him still waits until Anna decides.
        try ben.start()
        try Patience.until("Ben to be here", report: anna.logTail) { try anna.contact(benID)?.presence == .online }
        try? Patience.until("what must not come", within: .seconds(2)) {
            try Message(json: anna.call("message.get", ["id": .string(waiting.id)])).state != .queued
        }
        #expect(try Message(json: anna.call("message.get", ["id": .string(waiting.id)])).state == .queued)
        #expect(try anna.contact(benID)?.trust == .changed)
        // She has asked him: the other one was an attacker.
        #expect(try anna.kibo("block", mallory.id).isDone)
        #expect(try anna.contact(benID)?.trust == .unverified)
        try MessageProcessTests.waitForState(.delivered, of: waiting.id, at: anna)
    }

    @Test("A friend has a new key: the conversation goes on with it, and a waiting message can be sent again")
    func newKey() throws {
        let (anna, _, port, benID) = try Self.friends()
        #expect(try anna.kibo("alias", "Ben", "Boss").isDone)
        let waiting = try MessageProcessTests.send("for Ben", from: anna, to: benID)
        let new = try TestPeer("Ben", listenPort: port)
        let listener = try RawListener(port: port)
        #expect(try anna.kibo("retry", waiting.id).isDone)
        let link = try Self.accept(listener, as: new)
        let conversation = try Self.waitForChange(of: benID, at: anna).conversation
        let trusted = try anna.kibo("trust", "Boss", "--yes")
        #expect(trusted.isDone && trusted.text.contains("is asked to be your friend"), "\(trusted)")
        let old = try #require(try anna.contact(benID))
        #expect(old.relation == .none && old.trust == .unverified && old.changedTo == nil && old.conversation == nil)
        let contact = try #require(try anna.contact(new.id))
        #expect(contact.relation == .requested && contact.alias == "Boss" && contact.conversation == conversation)
        #expect(try Message(json: anna.call("message.get", ["id": .string(waiting.id)])).state == .failed)

        let request = try link.frame(.contactRequest)
        let time = HybridTime(milliseconds: SystemClocks().wallTime.milliseconds)
        let answer = ContactAnswerBody(accepted: true, request: request.id, time: time)
        link.send(Frame(kind: .contactAnswer, id: freshID(), body: try answer.encoded()))
        try Patience.until("the new one to be a friend", report: anna.logTail) {
            try anna.contact(new.id)?.relation == .friend
        }
        #expect(try anna.kibo("retry", waiting.id).isDone)
        #expect(try MessageBody(decoding: link.frame(.message).body).text == "for Ben")
        try MessageProcessTests.waitForState(.delivered, of: waiting.id, at: anna)
        #expect(try anna.contact(new.id)?.trust == .unverified)
    }

    @Test("A stranger is asked at an address: the handshake, the card and the request come while the client waits")
    func byAddress() throws {
        let anna = try DaemonProcess.launch(name: "Anna", options: .init(logLevel: .debug))
        let carl = try TestPeer("Carl")
        let listener = try RawListener(port: 0)
        // The answer comes when the card is there, so this thread doesn't wait for it before it shows the card.
        let client = try RawUnixSocket(anna.socketPath)
        try client.write(
            #"{"jsonrpc":"2.0","id":1,"method":"contact.request","params":{"address":"127.0.0.1:\#(listener.port)"}}"#
                + "\n")
        let link = try Self.accept(listener, as: carl)
        #expect(try link.frame(.contactRequest).id != .zero)
        #expect(try client.readLine().contains(carl.id))
        #expect(try anna.contact(carl.id)?.relation == .requested)
    }

    @Test("A stranger with a friend's name counts only while the friend is away, and sending it away settles it")
    func namesake() throws {
        let (anna, ben, _, benID) = try Self.friends()
        func ask(_ peer: TestPeer) throws -> PeerLink {
            let link = try peer.openSession(with: anna)
            let request = Frame(kind: .contactRequest, id: freshID(), body: try ContactRequestBody().encoded())
            link.send(request)
            #expect(try link.receipt(for: request.id).status == .stored)
            return link
        }
        // By this policy all are accepted at once, except those with a friend's name.
        try anna.set("contacts.policy", to: "everyone")
        let mallory = try TestPeer("bén")
        _ = try ask(mallory)
        #expect(try Self.waitForChange(of: benID, at: anna).changedTo == mallory.id)
        #expect(try anna.contact(mallory.id)?.relation == .incoming)
        #expect(try Self.refusal("message.send", ["to": .string(benID), "text": "x"], at: anna) == .keyChanged)
        #expect(try anna.kibo("decline", mallory.id).isDone)
        #expect(try anna.contact(benID)?.trust == .unverified)
        #expect(try Self.refusal("message.send", ["to": .string(benID), "text": "x"], at: anna) == nil)
        // A stranger about which the user has decided is known.
        _ = try ask(mallory)
        #expect(try anna.contact(benID)?.trust == .unverified)
        // Removing a stranger that has asked sends it away, too.
        let second = try TestPeer("Ben")
        _ = try ask(second)
        #expect(try Self.waitForChange(of: benID, at: anna).changedTo == second.id)
        _ = try anna.call("contact.remove", ["id": .string(second.id)])
        #expect(try anna.contact(benID)?.trust == .unverified)
        // Another name doesn't matter, and Ben's own name doesn't either while he is here.
        _ = try ask(try TestPeer("Benno"))
        #expect(try anna.contact(benID)?.trust == .unverified)
        try ben.start()
        try Patience.until("Ben to be here", report: anna.logTail) { try anna.contact(benID)?.presence == .online }
        _ = try ask(try TestPeer("Ben"))
        #expect(try anna.contact(benID)?.trust == .unverified)
    }
}
