import Basics
import ControlProtocol
import Foundation
import TestSupport
import Testing

/// `message.search` against real daemons.
@Suite("Search between real daemons", .serialized)
struct SearchProcessTests {
    private func search(_ daemon: DaemonProcess, _ parameters: JSONObject) throws -> (found: [Found], next: String?) {
        let result = try daemon.call("message.search", parameters)
        return (try (result["messages"]?.array ?? []).map { try Found(json: $0) }, result["next"]?.string)
    }

    private func refusal(_ daemon: DaemonProcess, _ parameters: JSONObject) throws -> RPCError? {
        do {
            _ = try daemon.call("message.search", parameters)
            return nil
        } catch ClientError.refused(let error) {
            return error
        }
    }

    @Test(
        "A message that was just sent is found on both sides, page by page, also after a kill; refusals give the reason"
    )
    func search() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        let bertID = try bert.account.id
        var last = ""
        for number in 1...7 {
            last = try MessageProcessTests.send("Meeting number \(number)\nin the Café", from: anna, to: bertID).id
        }
        let all = try search(anna, ["query": "cafe meet*"])
        #expect(all.found.map(\.message.text).first == "Meeting number 7\nin the Café")
        #expect(all.found.count == 7)
        #expect(all.next == nil)
        #expect(all.found.first?.snippet == "Meeting number 7 in the Café")
        #expect(all.found.first?.marks == [.init(start: 0, length: 7), .init(start: 24, length: 4)])
        let first = try search(anna, ["query": "meeting", "limit": 4])
        let rest = try search(anna, ["query": "meeting", "limit": 4, "before": .string(try #require(first.next))])
        #expect((first.found + rest.found).map(\.message.id) == all.found.map(\.message.id))
        #expect(rest.next == nil)

        try MessageProcessTests.waitForState(.delivered, of: last, at: anna)
        let conversation = try bert.conversation(with: anna)
        #expect(try search(bert, ["query": "\"number 7\"", "conversation": .string(conversation)]).found.count == 1)
        #expect(try search(bert, ["query": "nowhere"]).found.isEmpty)

        anna.kill()
        try anna.start()
        #expect(try search(anna, ["query": "meeting"]).found.map(\.message.id) == all.found.map(\.message.id))

        #expect(try refusal(anna, ["query": "(!)"])?.field == "query")
        #expect(try refusal(anna, ["query": "a", "before": "x"])?.field == "before")
        let unknown = JSONValue.string(last)
        #expect(try refusal(anna, ["query": "a", "conversation": unknown])?.kind == .notFound)
    }

    @Test("The index follows by itself, without a search")
    func byItself() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        let bertID = try bert.account.id
        for number in 1...20 { _ = try MessageProcessTests.send("needle \(number)", from: anna, to: bertID) }
        // A page behind a position doesn't update the index first: it shows what is indexed.
        try Patience.until("the index to follow", report: anna.logTail) {
            try search(anna, ["query": "needle", "before": "1000000", "limit": 50]).found.count == 20
        }
    }

    @Test("Texts that were deleted or edited are not found, and soon their words are in no file")
    func deletedWords() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        let bertID = try bert.account.id
        let first = try MessageProcessTests.send("first xyzzysecret", from: anna, to: bertID)
        let second = try MessageProcessTests.send("second xyzzysecret", from: anna, to: bertID)
        let third = try MessageProcessTests.send("third xyzzysecret", from: anna, to: bertID)
        for message in [first, second, third] {
            try MessageProcessTests.waitForState(.delivered, of: message.id, at: anna)
        }
        #expect(try search(anna, ["query": "xyzzysecret"]).found.count == 3)
        #expect(try search(bert, ["query": "xyzzysecret"]).found.count == 3)
        try anna.call("message.delete", ["id": .string(first.id), "for": "me"])
        try anna.call("message.delete", ["id": .string(second.id), "for": "all"])
        try anna.call("message.edit", ["id": .string(third.id), "text": "third plover"])
        #expect(try search(anna, ["query": "xyzzysecret"]).found.isEmpty)
        #expect(try search(anna, ["query": "plover"]).found.map(\.message.id) == [third.id])
        try Patience.until("the edits to arrive", report: bert.logTail) {
            try search(bert, ["query": "xyzzysecret"]).found.map(\.message.id) == [first.id]
                && search(bert, ["query": "plover"]).found.count == 1
        }
        try Patience.until("the words to leave the disk", report: anna.logTail) {
            try ["kibo.sqlite", "kibo.sqlite-wal"].allSatisfy { name in
                let url = URL(fileURLWithPath: anna.dataPath + "/" + name)
                return try Data(contentsOf: url).range(of: Data("xyzzy".utf8)) == nil
            }
        }
    }
}
