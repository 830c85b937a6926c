import ControlProtocol
import TestSupport
import Testing
import Vocabulary

/// What a page needs of lists: a jump to a time, the first unread message, pages of people, and totals for a badge.
@Suite("Lists for a page", .serialized)
struct ListProcessTests {
    @Test("A list begins at a time in both orders, and the first unread message is known in both")
    func times() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        let to = try anna.account.id
        for number in 0..<5 { _ = try MessageProcessTests.send("\(number)", from: bert, to: to) }
        let conversation = JSONValue.string(try anna.conversation(with: bert))
        let all = try Patience.until("all to come", report: anna.logTail) {
            let list = try anna.call("message.list", ["conversation": conversation])["messages"]?.array ?? []
            return list.count == 5 ? try list.map { try Message(json: $0) } : nil
        }
        for order in ["sent", "arrival"] {
            try anna.set("messages.order", to: .string(order))
            func list(_ at: Int64) throws -> [String] {
                let page = try anna.call("message.list", ["conversation": conversation, "at": .integer(at)])
                return (page["messages"]?.array ?? []).compactMap { $0["text"]?.string }
            }
            #expect(try list(0) == ["0", "1", "2", "3", "4"])
            #expect(try list(all[4].sentAt + 3_600_000).isEmpty)
            // Several may have one millisecond, and none older than the time is among them.
            let time = order == "sent" ? all[3].sentAt : all[3].receivedAt ?? 0
            let found = try list(time)
            #expect(
                found.contains("3") && found.last == "4"
                    && found == Array(["0", "1", "2", "3", "4"].suffix(found.count)))
            let list = try anna.call("message.list", ["conversation": conversation])["messages"]?.array
            let shown = try Conversation(json: anna.call("conversation.get", ["id": conversation]))
            #expect(shown.unread == 5 && shown.firstUnread == list?.first?["position"]?.string)
        }
        #expect(throws: ClientError.self) {
            try anna.call("message.list", ["conversation": conversation, "at": 0, "before": "0"])
        }
        try anna.set("messages.order", to: "sent")
        let read = try Conversation(
            json: anna.call("conversation.markRead", ["id": conversation, "upTo": .string(all[1].id)]))
        #expect(read.unread == 3 && read.firstUnread == all[2].position)
        let rest = try Conversation(
            json: anna.call("conversation.markRead", ["id": conversation, "upTo": .string(all[4].id)]))
        #expect(rest.unread == 0 && rest.firstUnread == nil)
    }

    @Test("Totals count what is muted apart, and their event tells each change to those that want it")
    func totals() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        let client = try anna.connect()
        try client.call("events.subscribe", ["types": ["totals.changed"]], timeout: .seconds(10))
        func wait(_ totals: Totals) throws {
            while let event = try client.nextEvent(timeout: Patience.usual) {
                if try Totals(json: event.data) == totals { break }
            }
            #expect(try Totals(json: anna.call("conversation.totals")) == totals)
        }
        #expect(try Totals(json: anna.call("conversation.totals")) == Totals(unread: 0, muted: 0, requests: 0))
        let to = try anna.account.id
        for _ in 0..<3 { _ = try MessageProcessTests.send("hello", from: bert, to: to) }
        try wait(Totals(unread: 3, muted: 0, requests: 0))
        let conversation = JSONValue.string(try anna.conversation(with: bert))
        try anna.call("conversation.update", ["id": conversation, "muted": true])
        try wait(Totals(unread: 0, muted: 3, requests: 0))
        try anna.call("conversation.delete", ["id": conversation])
        try wait(Totals(unread: 0, muted: 0, requests: 0))
    }

    @Test("A client that tells its user of what comes is counted while it is connected")
    func notifies() throws {
        let daemon = try DaemonProcess.launch(name: "Anna")
        func count() throws -> Bool? {
            try daemon.call("system.metrics").string?.contains("\nkibo_notifying_clients 1\n")
        }
        do {
            let client = try daemon.connect()
            try client.call("events.subscribe", ["notifies": true], timeout: .seconds(10))
            try Patience.until("it to be counted") { try count() == true }
        }
        try Patience.until("it to be gone") { try count() == false }
    }

    @Test("Contacts come in pages without a gap or a repeat, also if names change between them")
    func people() throws {
        let daemon = try DaemonProcess.launch(name: "Anna")
        let names = ["Änne", "Anna", "anton", "Berta", "Émile", "Zoë"]
        for name in names {
            let other = try DaemonProcess.launch(name: "Kim")
            try daemon.befriend(other)
            try daemon.call("contact.update", ["id": .string(try other.account.id), "alias": .string(name)])
        }
        let all = (try daemon.call("contact.list")["contacts"]?.array ?? []).compactMap { $0["alias"]?.string }
        #expect(Set(all) == Set(names))
        for limit in 1...6 as ClosedRange<Int64> {
            var (found, after): ([String], JSONValue) = ([], .null)
            repeat {
                let page = try daemon.call("contact.list", ["limit": .integer(limit), "after": after])
                found += (page["contacts"]?.array ?? []).compactMap { $0["alias"]?.string }
                after = page["next"] ?? .null
            } while !after.isNull
            #expect(found == all)
        }
        func page(_ params: JSONObject) throws -> (names: [String], next: JSONValue) {
            let page = try daemon.call("contact.list", params)
            return ((page["contacts"]?.array ?? []).compactMap { $0["alias"]?.string }, page["next"] ?? .null)
        }
        let first = try page(["limit": 3])
        #expect(first.names == Array(all.prefix(3)))
        let last = try #require(daemon.call("contact.list")["contacts"]?.array?.last?["id"])
        try daemon.call("contact.update", ["id": last, "alias": "Aaron"])
        let rest = try page(["limit": 3, "after": first.next])
        #expect(rest.names == Array(all[3...].dropLast()) && rest.next.isNull)
        #expect(try page(["limit": 2]).names == ["Aaron"] + all.prefix(1))
        #expect(try page(["limit": 2, "relation": "blocked"]).names.isEmpty)
        #expect(try page(["limit": 6, "relation": "friend"]).names == ["Aaron"] + all.dropLast())
        #expect(throws: ClientError.self) { try daemon.call("contact.list", ["after": "x"]) }
    }
}
