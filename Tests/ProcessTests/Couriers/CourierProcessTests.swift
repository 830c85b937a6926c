import Basics
import ControlProtocol
import Crypto
import Glibc
import PeerProtocol
import TestSupport
import Testing
import Vocabulary

/// Goal: what is written to somebody who is away comes to them by a friend of both, whoever is switched off or killed
/// meanwhile; only the recipient's own word makes it delivered, and the courier's disk shows nothing of it.
@Suite("Couriers, with real daemons")
struct CourierProcessTests {
    struct Trio {
        let anna: DaemonProcess
        let ben: DaemonProcess
        let carl: DaemonProcess
    }

    /// Three friends on a network of their own; Ben has named Carl, and all know it.
    /// - Parameter disk: carries Carl's data.
    static func trio(isLocking: Bool = false, disk: TestDisk? = nil) throws -> Trio {
        let port = try FreePort.udp()
        let options = DaemonProcess.Options(discoveryPort: port)
        let third = try DaemonProcess(name: "Carl", options: options)
        try disk?.carry(third)
        try third.start()
        try third.createAccount()
        let trio = Trio(
            anna: isLocking
                ? try .launchSealed(name: "Anna", options: options) : try .launch(name: "Anna", options: options),
            ben: try .launch(name: "Ben", options: options), carl: third)
        try trio.anna.befriend(trio.ben)
        try trio.anna.befriend(trio.carl)
        try trio.ben.befriend(trio.carl)
        let carl = try trio.carl.account.id
        try trio.ben.call("courier.add", ["contact": .string(carl)])
        try Patience.until("Carl to know it", report: trio.carl.logTail) {
            try trio.carl.call("courier.list")["carriedFor"]?.array?.count == 1
        }
        // Anna is told at the same moment, and needs one more to store it.
        try trio.anna.call("contact.list")
        usleep(300_000)
        return trio
    }

    private static func holder(_ message: String, at daemon: DaemonProcess) throws -> String? {
        try Message(json: daemon.call("message.get", ["id": .string(message)])).recipients.first?.heldBy?.id
    }

    private static func waitUntilHeld(_ message: String, _ trio: Trio) throws {
        let carl = try trio.carl.account.id
        try Patience.until("Carl to have it", report: trio.anna.logTail + trio.carl.logTail) {
            try holder(message, at: trio.anna) == carl
        }
    }

    private static func texts(_ reader: DaemonProcess, with writer: DaemonProcess) throws -> [String] {
        try MessageProcessTests.texts(reader, reader.conversation(with: writer))
    }

    @Test("Anna writes and is killed, Ben comes and has it; he goes, Anna comes and knows it")
    func story() throws {
        let trio = try Self.trio()
        let ben = try trio.ben.account.id
        try trio.ben.stop()
        let secret = "a sentence that nobody else may read"
        let sent = try MessageProcessTests.send(secret, from: trio.anna, to: ben)
        try Self.waitUntilHeld(sent.id, trio)
        let parcels = try trio.carl.call("courier.parcels")["parcels"]?.array ?? []
        #expect(parcels.count == 1 && parcels.first?["toName"] == "Ben" && parcels.first?["fromName"] == "Anna")
        #expect(try trio.carl.status.queued == 0 && trio.anna.status.queued == 1)
        // SIGKILL leaves all on the disk as it is.
        trio.carl.kill()
        #expect(try !DiskSearch.contains(secret, under: trio.carl.dataPath))
        #expect(try DiskSearch.contains(secret, under: trio.anna.dataPath), "the search finds what is there")
        trio.anna.kill()
        try trio.carl.start()
        try trio.ben.start()
        try Patience.until("Ben to have it", report: trio.ben.logTail + trio.carl.logTail) {
            try Self.last(trio.ben) == secret
        }
        // Ben's answer takes the same way back, although Anna has named nobody.
        try Patience.until("Carl to have the answer", report: trio.ben.logTail + trio.carl.logTail) {
            try trio.carl.call("courier.parcels")["parcels"]?.array?.contains { $0["toName"] == "Anna" } == true
        }
        try trio.ben.stop()
        try trio.anna.start()
        try Patience.until("Anna to know it", report: trio.anna.logTail + trio.carl.logTail) {
            try Message(json: trio.anna.call("message.get", ["id": .string(sent.id)])).state == .delivered
        }
        try Patience.until("Carl to have nothing any more", report: trio.carl.logTail) {
            try trio.carl.call("courier.parcels")["parcels"]?.array?.isEmpty == true
        }
        try trio.ben.start()
        try trio.ben.waitToSee(trio.anna)
        #expect(try Self.texts(trio.ben, with: trio.anna) == [secret])
    }

    @Test(
        "What is written in the moment before a stop, or a lock, still reaches the courier", arguments: [false, true])
    func lastWords(isLocking: Bool) throws {
        let trio = try Self.trio(isLocking: isLocking)
        let ben = try trio.ben.account.id
        try trio.ben.stop()
        try Patience.until("Anna to know that Ben is gone") { try trio.anna.contact(ben)?.presence == .offline }
        _ = try MessageProcessTests.send("the last words", from: trio.anna, to: ben)
        if isLocking { try trio.anna.call("account.lock") } else { try trio.anna.stop() }
        #expect(try trio.carl.call("courier.parcels")["parcels"]?.array?.count == 1)
        try trio.ben.start()
        try Patience.until("Ben to have them", report: trio.ben.logTail) {
            try Self.last(trio.ben) == "the last words"
        }
    }

    @Test("A group whose other member is away: the group and what was said in it come by the courier, who is no member")
    func group() throws {
        let trio = try Self.trio()
        let (ben, anna) = (try trio.ben.account.id, try trio.anna.account.id)
        try trio.ben.stop()
        try Patience.until("Anna to know that Ben is gone") { try trio.anna.contact(ben)?.presence == .offline }
        let group = try trio.anna.call("group.create", ["name": "Hikers", "members": [.string(ben)]])
        _ = try trio.anna.call(
            "message.send", ["conversation": group["conversation"] ?? .null, "text": "who is coming along?"])
        // It would wait for a minute, because members hand things on; a daemon that stops doesn't wait.
        try trio.anna.stop()
        #expect(try trio.carl.call("courier.parcels")["parcels"]?.array?.count == 1)
        try trio.ben.start()
        try Patience.until("Ben to have it", report: trio.ben.logTail) {
            try Self.last(trio.ben) == "who is coming along?"
        }
        #expect(try trio.ben.call("group.list")["groups"]?.array?.first?["name"] == "Hikers")
        #expect(try trio.carl.call("group.list")["groups"] == [])
        try trio.ben.stop()
        try trio.anna.start()
        try Patience.until("Anna to know it", report: trio.anna.logTail + trio.carl.logTail) {
            try trio.anna.status.queued == 0
        }
        try trio.ben.start()
        try trio.ben.waitToSee(trio.anna)
        let chat = try #require(try trio.ben.call("group.list")["groups"]?.array?.first?["conversation"]?.string)
        #expect(try MessageProcessTests.texts(trio.ben, chat).filter { $0 == "who is coming along?" }.count == 1)
        #expect(try trio.ben.contact(anna)?.relation == .friend)
    }

    /// The text of the newest message of all conversations.
    private static func last(_ reader: DaemonProcess) throws -> String? {
        try reader.call("conversation.list")["conversations"]?.array?.compactMap {
            try Conversation(json: $0).lastMessage?.text
        }.first
    }

    @Test("Whoever is killed in the middle, each message is there once in the end")
    func kills() throws {
        let trio = try Self.trio()
        let ben = try trio.ben.account.id
        var texts: [String] = []
        for round in 0..<3 {
            try trio.ben.stop()
            var last = ""
            for number in 0..<4 {
                texts.append("round \(round) number \(number)")
                last = try MessageProcessTests.send(texts[texts.count - 1], from: trio.anna, to: ben).id
            }
            switch round {
            case 0:
                try Self.waitUntilHeld(last, trio)
                trio.carl.kill()
                try trio.carl.start()
            case 1:
                // In the middle of giving it away.
                usleep(9_900_000)
                trio.anna.kill()
                try trio.anna.start()
            default:
                try Self.waitUntilHeld(last, trio)
                trio.anna.kill()
            }
            try trio.ben.start()
            if round == 2 {
                usleep(150_000)
                trio.ben.kill()
                try trio.ben.start()
                try trio.anna.start()
            }
            let expected = texts
            try Patience.until("round \(round) to be with Ben", report: trio.ben.logTail) {
                try Self.texts(trio.ben, with: trio.anna) == expected
            }
        }
        try Patience.until("Anna to know all of it", report: trio.anna.logTail) {
            let chat = try trio.anna.conversation(with: trio.ben)
            let page = try trio.anna.call("message.list", ["conversation": .string(chat)])
            return try (page["messages"]?.array ?? []).allSatisfy { try Message(json: $0).state == .delivered }
        }
    }

    @Test("A courier who is full, who has switched it off, or who takes it back: the message waits, and goes directly")
    func refusals() throws {
        let trio = try Self.trio()
        let (ben, carl) = (try trio.ben.account.id, try trio.carl.account.id)
        try trio.carl.set("courier.quotaBytes", to: 0)
        try trio.ben.stop()
        let sent = try MessageProcessTests.send("waits", from: trio.anna, to: ben)
        try Patience.until("Carl to refuse it", report: trio.anna.logTail) {
            try trio.anna.call("message.why", ["id": .string(sent.id)])["now"]?.array?
                .contains { $0["code"] == "courier_full" } == true
        }
        #expect(try trio.carl.call("courier.parcels")["parcels"]?.array?.isEmpty == true)
        // The parcel and what is in it wait for the same.
        #expect(try trio.anna.status.queued == 1)
        #expect(try Self.holder(sent.id, at: trio.anna) == nil)
        try trio.carl.set("courier.quotaBytes", to: .integer(1 << 20))
        try Self.waitUntilHeld(sent.id, trio)
        // The other way round, Anna might leave it with Carl again before he has switched it off.
        try trio.carl.set("courier.carry", to: "off")
        #expect(try trio.carl.call("courier.drop", ["contact": .string(ben)])["dropped"] == 1)
        try Patience.until("Anna to know that it is dropped", report: trio.anna.logTail) {
            try Self.holder(sent.id, at: trio.anna) == nil
        }
        #expect(throws: ClientError.self) { try trio.anna.call("courier.remove", ["contact": .string(carl)]) }
        try trio.ben.start()
        try Patience.until("Ben to have it", report: trio.ben.logTail) {
            try Self.texts(trio.ben, with: trio.anna) == ["waits"]
        }
        try trio.ben.call("courier.remove", ["contact": .string(carl)])
        try Patience.until("Carl to know", report: trio.carl.logTail) {
            try trio.carl.call("courier.list")["carriedFor"]?.array?.isEmpty == true
        }
    }
}
