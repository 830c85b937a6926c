import Basics
import ControlProtocol
import TestSupport
import Testing
import Vocabulary

/// Sends the longest messages, which as JSON are six times as long: clients that read get all of them, and the daemon
/// stays small.
@Suite("The longest messages in a real daemon", .serialized)
struct LongMessageProcessTests {
    private static let count = 60
    /// The text has a word to search for.
    private static let text = "zebra " + String(repeating: "\u{1}", count: SharedLimits.textBytes - 6)
    /// The bytes of a page and its envelope.
    private static let pageBytes = (4 << 20) + 4096

    @Test("Consumers that are slow or come back get every event once, pages have no gaps, and memory is bounded")
    func all() throws {
        let (anna, bert) = try MessageProcessTests.friends(logLevel: .info)
        let bertID = try bert.account.id
        let slow = try anna.connect()
        _ = try slow.call("events.subscribe", ["consumer": "archive", "ephemeral": false])
        var sent: [String] = []
        for _ in 0..<Self.count { sent.append(try MessageProcessTests.send(Self.text, from: anna, to: bertID).id) }
        try Patience.until("all to be delivered", within: .seconds(60), report: anna.logTail + bert.logTail) {
            try Message(json: anna.call("message.get", ["id": .string(sent[Self.count - 1])])).state == .delivered
        }

        // The first client read nothing all the while; the second comes back with the same name.
        let first = try Self.follow(slow, until: sent, anna)
        let again = try anna.connect()
        _ = try again.call(
            "events.subscribe", ["consumer": "archive", "types": ["message.added"], "ephemeral": false])
        let second = try Self.follow(again, until: sent, anna)
        #expect(first <= second)

        let chat = try anna.conversation(with: bert)
        #expect(try Self.pages(anna, chat, isAscending: true) == sent)
        #expect(try Self.pages(anna, chat, isAscending: false) == sent)
        #expect(try Self.found(anna) == sent.reversed())
        let list = try anna.call("conversation.list", ["limit": 500])
        #expect(list["conversations"]?.array?.count == 1)
        #expect(list["next"] == nil)

        for daemon in [anna, bert] {
            let peak = try ProcessFigures(pid: #require(daemon.pid)).peakResident
            #expect(peak < 200 << 20, "\(daemon.name) took \(peak >> 20) MiB")
        }
    }

    /// Reads events until each message's arrival has come.
    /// - Returns: the number of the first event.
    private static func follow(_ client: ControlClient, until sent: [String], _ daemon: DaemonProcess) throws -> Int64 {
        var added: [String] = []
        var (first, last): (Int64?, Int64?) = (nil, nil)
        while added.count < sent.count {
            guard let event = try client.nextEvent(timeout: Patience.usual) else {
                Issue.record("no more events after \(added.count) messages\n\(daemon.logTail)")
                break
            }
            let seq = try #require(event.seq)
            first = first ?? seq
            // Events of objects that have changed since and show nothing may be missing, but no event comes twice.
            if let last { #expect(seq > last) }
            last = seq
            if event.type == EventType.messageAdded.rawValue { added.append(try Message(json: event.data).id) }
        }
        #expect(added == sent)
        return try #require(first)
    }

    private static func pages(_ daemon: DaemonProcess, _ chat: String, isAscending: Bool) throws -> [String] {
        var ids: [String] = []
        var position: String? = isAscending ? "0" : nil
        while true {
            var parameters: JSONObject = ["conversation": .string(chat), "limit": 500]
            if let position { parameters[isAscending ? "after" : "before"] = .string(position) }
            let page = try daemon.call("message.list", parameters)
            #expect(page.encodedCount <= pageBytes)
            let messages = try (page["messages"]?.array ?? []).map { try Message(json: $0) }
            #expect(messages.map(\.position) == messages.map(\.position).sorted())
            ids = isAscending ? ids + messages.map(\.id) : messages.map(\.id) + ids
            guard page["hasMore"] == true, !messages.isEmpty else { return ids }
            position = isAscending ? messages.last?.position : messages.first?.position
        }
    }

    private static func found(_ daemon: DaemonProcess) throws -> [String] {
        var ids: [String] = []
        var parameters: JSONObject = ["query": "zebra", "limit": 500]
        while true {
            let page = try daemon.call("message.search", parameters)
            #expect(page.encodedCount <= pageBytes)
            ids += (page["messages"]?.array ?? []).compactMap { $0["message"]?["id"]?.string }
            guard let next = page["next"]?.string else { return ids }
            parameters["before"] = .string(next)
        }
    }
}
