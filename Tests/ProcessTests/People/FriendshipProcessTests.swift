import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing
import Vocabulary

/// Tests friendships of real daemons by the command line: requests, answers, removals and blocks.
@Suite("Friendships between real daemons", .serialized)
struct FriendshipProcessTests {
    /// Launches daemons that see each other.
    static func people(_ names: String...) throws -> [DaemonProcess] {
        let options = DaemonProcess.Options(discoveryPort: try FreePort.udp(), logLevel: .info)
        let daemons = try names.map { try DaemonProcess.launch(name: $0, options: options) }
        for daemon in daemons {
            for other in daemons where other !== daemon { try daemon.waitToSee(other) }
        }
        return daemons
    }

    static func wait(_ relation: Relation, of other: DaemonProcess, at daemon: DaemonProcess) throws {
        let id = try other.account.id
        try Patience.until("\(other.name) to be \(relation) at \(daemon.name)", report: daemon.logTail + other.logTail)
        {
            try daemon.contact(id)?.relation ?? .none == relation
        }
    }

    static func wait(
        _ what: String, at daemon: DaemonProcess, _ words: String..., isSo: (String) -> Bool
    ) throws {
        var last = ""
        do {
            try Patience.until(what, report: daemon.logTail) {
                last = try daemon.kibo(words).text
                return isSo(last)
            }
        } catch {
            Issue.record("\(what): \(last)")
            throw error
        }
    }

    @Test("A request with a note is declined without a word, repeated, accepted, removed; the conversation stays")
    func story() throws {
        let all = try Self.people("Anna", "Ben")
        let (anna, ben) = (all[0], all[1])
        #expect(
            try anna.kibo("add", "Ben", "--note", "Anna from the workshop").text.contains(
                "You asked Ben to be your friend."))
        try Self.wait("the note", at: ben, "requests") {
            $0.contains("Anna") && $0.contains("asks you") && $0.contains("Anna from the workshop")
        }
        #expect(try ben.kibo("decline", "Anna").text.contains("Declined Anna's request."))
        #expect(try ben.kibo("requests").text.contains("There are no requests"))
        // The asker's daemon isn't told.
        #expect(try anna.kibo("requests").text.contains("asked"))
        // A second request is a request of its own.
        #expect(try anna.kibo("add", "Ben", "--note", "please").isDone)
        try Self.wait("the second request", at: ben, "requests") { $0.contains("please") }
        #expect(try ben.kibo("accept", "Anna").text.contains("Anna and you are friends."))
        try Self.wait(.friend, of: ben, at: anna)

        #expect(try anna.kibo("alias", "Ben", "Boss").text.contains("Ben is called Boss here now."))
        #expect(try anna.kibo("contacts", "boss").text.contains("Boss"))
        #expect(try anna.kibo("auto-download", "Boss", "never").text.contains("always wait for: kibo get"))
        #expect(try anna.kibo("send", "Boss", "Good morning", "--wait", "delivered").isDone)

        // Ben goes home; Anna writes to him and then removes him: the waiting message is not sent.
        try ben.stop()
        #expect(try anna.kibo("send", "Boss", "see you").isDone)
        #expect(try anna.kibo("remove", "Boss").text.contains("not friends any more"))
        #expect(try anna.kibo("contacts").text.contains("You have no contacts yet"))
        #expect(try anna.kibo("read", "Boss").text.contains("see you"), "the conversation stays")
        #expect(try anna.kibo("read", "Boss").text.contains("failed"))
        let refused = try anna.kibo("send", "Boss", "hello?")
        #expect(refused.code == 1 && refused.text.contains("not friends"), "\(refused)")
        try ben.start()
        try Self.wait(.none, of: anna, at: ben)
        let texts = try MessageProcessTests.texts(ben, ben.conversation(with: anna))
        #expect(texts == ["Good morning"])
    }

    @Test("An id, a link, an address and a name all lead to a request")
    func ways() throws {
        let anna = try DaemonProcess.launch(name: "Anna", options: .init(logLevel: .info))
        for (number, way) in ["id", "link", "address", "name"].enumerated() {
            let ben = try DaemonProcess.launch(name: "Ben \(number)", options: .init(logLevel: .info))
            let (id, address) = (try ben.account.id, try ben.listenAddress)
            let word: String
            switch way {
            case "address": word = address
            case "link": word = "kibo:\(id)?name=Benjamin&addr=127.0.0.1:1&addr=\(address)"
            default:
                try anna.call("peer.connect", ["address": .string(address)])
                word = way == "id" ? id : "ben \(number)"
            }
            let answer = try anna.kibo("add", word, "--note", way, within: .seconds(60))
            #expect(answer.isDone, "\(answer)")
            try Self.wait(.incoming, of: anna, at: ben)
            #expect(try ben.contact(anna.account.id)?.note == way)
        }
    }

    @Test("By policy a request is accepted at once, or refused; the asker sees a refusal and puts it away")
    func policies() throws {
        let all = try Self.people("Anna", "Ben", "Carl")
        let (anna, ben, carl) = (all[0], all[1], all[2])
        #expect(try ben.kibo("settings", "contacts.policy", "everyone").isDone)
        #expect(try anna.kibo("add", "Ben").isDone)
        try Self.wait(.friend, of: ben, at: anna)
        try Self.wait(.friend, of: anna, at: ben)

        #expect(try carl.kibo("settings", "contacts.policy", "nobody").isDone)
        #expect(try anna.kibo("add", "Carl", "--note", "hi").isDone)
        try Self.wait("the refusal", at: anna, "requests") {
            $0.contains("Carl") && $0.contains("refused: no requests are taken here")
        }
        #expect(try anna.contact(carl.account.id)?.relation == Relation.none)
        #expect(try anna.contact(carl.account.id)?.reason == .notAllowed)
        #expect(try carl.contact(anna.account.id) == nil, "nothing of the request is stored")
        #expect(try anna.kibo("decline", "Carl").text.contains("Cleared"))
        #expect(try anna.kibo("requests").text.contains("There are no requests"))
        // Carl's own requests are not restricted.
        #expect(try carl.kibo("add", "Anna").isDone)
        try Self.wait(.incoming, of: carl, at: anna)
        #expect(try anna.kibo("accept", "Carl").isDone)
        try Self.wait(.friend, of: anna, at: carl)
    }

    @Test("A blocked friend sees us offline, can't reach us and isn't told; after the unblocking both may ask")
    func blocked() throws {
        let all = try Self.people("Anna", "Ben")
        let (anna, ben) = (all[0], all[1])
        try anna.befriend(ben)
        let (annaID, benID) = (try anna.account.id, try ben.account.id)
        try Self.wait("Anna to be online", at: ben, "contacts") { $0.contains("online") }
        let events = try ben.connect()
        #expect(try anna.kibo("block", "Ben").text.contains("they see you as offline"))
        try Self.wait("Anna to be offline", at: ben, "contacts") { !$0.contains("online") }
        _ = try events.call("events.subscribe", ["types": ["presence.changed", "contact.changed"]])
        let seen = try ben.contact(annaID)?.lastSeen
        // The friend's message waits, as one for an absent friend does.
        let sent = try MessageProcessTests.send("are you there?", from: ben, to: annaID)
        #expect(try ben.kibo("retry", sent.id).isDone)
        // The friend's connections end without an answer, however often it tries.
        try ben.stop()
        try ben.start()
        try ben.waitToSee(anna)
        let again = try ben.connect()
        _ = try again.call("events.subscribe", ["types": ["presence.changed", "contact.changed"]])
        #expect(try ben.kibo("retry", sent.id).isDone)
        #expect(try again.nextEvent(timeout: .seconds(3)) == nil, "not even a short sign of her presence")
        #expect(try Message(json: ben.call("message.get", ["id": .string(sent.id)])).state == .queued)
        #expect(try ben.contact(annaID)?.relation == .friend)
        #expect(try ben.contact(annaID)?.presence == .offline)
        #expect(try ben.contact(annaID)?.lastSeen == seen)
        let own = try anna.kibo("send", "Ben", "hello")
        #expect(own.code == 1 && own.text.contains("blocked"), "\(own)")
        #expect(try anna.kibo("contacts").text.contains("blocked"))
        let add = try anna.kibo("add", benID)
        #expect(add.code == 1 && add.text.contains("kibo unblock"), "\(add)")

        #expect(try anna.kibo("unblock", "Ben").text.contains("not blocked any more"))
        try Self.wait(.none, of: anna, at: ben)
        try Patience.until("the message to have failed", report: ben.logTail) {
            try Message(json: ben.call("message.get", ["id": .string(sent.id)])).state == .failed
        }
        #expect(try ben.kibo("add", annaID).isDone)
        try Self.wait(.incoming, of: ben, at: anna)
    }

    @Test("If a stranger was blocked while away, its request never arrives")
    func blockedStranger() throws {
        let all = try Self.people("Anna", "Ben")
        let (anna, ben) = (all[0], all[1])
        let (annaID, benID) = (try anna.account.id, try ben.account.id)
        try anna.stop()
        #expect(try ben.kibo("add", annaID).isDone)
        try anna.start()
        try Self.wait(.incoming, of: ben, at: anna)
        #expect(try anna.kibo("decline", "Ben").isDone)
        try ben.stop()
        #expect(try anna.kibo("block", benID).isDone)
        try ben.start()
        try ben.waitToSee(anna)
        #expect(try ben.kibo("add", "Anna", "--note", "once more").isDone)
        let events = try anna.connect()
        _ = try events.call("events.subscribe", ["types": ["contact.changed"]])
        #expect(try events.nextEvent(timeout: .seconds(3)) == nil)
        #expect(try anna.contact(benID)?.relation == .blocked)
        #expect(try ben.contact(annaID)?.relation == .requested)
    }

    @Test("Names sort as in the locale, and are found in any case, with or without accents, by any form of a number")
    func lists() throws {
        var options = DaemonProcess.Options(logLevel: .info)
        options.environment["LC_ALL"] = "sv_SE.UTF-8"
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        for name in ["Örjan", "Zoë", "Ake", "Åke", "Émile", "eva"] {
            let peer = try TestPeer(name)
            let link = try peer.openSession(with: anna)
            try link.roundTrip()
            _ = try anna.call("contact.request", ["id": .string(peer.id)])
        }
        func names(_ query: String? = nil) throws -> [String] {
            var parameters = JSONObject()
            if let query { parameters["query"] = .string(query) }
            let list = try anna.call("contact.list", parameters)
            return try (list["contacts"]?.array ?? []).map { try Contact(json: $0).displayName }
        }
        #expect(try names() == ["Ake", "Émile", "eva", "Zoë", "Åke", "Örjan"])
        #expect(try names("ZOE") == ["Zoë"])
        #expect(try names("orjan") == ["Örjan"])
        #expect(try names("emi") == ["Émile"])
        #expect(try names("ake") == ["Ake", "Åke"])
        #expect(try anna.kibo("contacts", "örj").text.contains("Örjan"))
    }
}
