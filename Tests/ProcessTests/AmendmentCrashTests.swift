import Basics
import ControlProtocol
import TestSupport
import Testing

/// Kills daemons among edits, deletions, reactions and read marks: in the end both sides agree with each other and with
/// all answers.
@Suite("Crashes of real daemons among amendments", .serialized)
struct AmendmentCrashTests {
    /// What the answers said about one message.
    private struct Known {
        let author: Int
        var version = 0
        var isDeleted = false
    }

    /// A request under way, and what its answer would confirm.
    private enum Asked {
        case send(version: Int)
        case edit(String, version: Int)
        case deletion(String)
        case read(String)
        case other
    }

    private final class Story {
        var random = SeededGenerator(seed: 2)
        var version = 0
        var ids: [String] = []
        var known: [String: Known] = [:]
        /// The last message that was marked as read, for each reader.
        var read: [String?] = [nil, nil]
        var answers = 0

        func pick(by author: Int?) -> String? {
            ids.filter { author == nil || known[$0]?.author == author }.suffix(30).randomElement(using: &random)
        }

        func note(_ asked: Asked, _ reply: JSONValue, by author: Int) throws {
            answers += 1
            switch asked {
            case .send(let version):
                let id = try Message(json: reply).id
                ids.append(id)
                known[id] = Known(author: author, version: version)
            case .edit(let id, let version): known[id]?.version = version
            case .deletion(let id): known[id]?.isDeleted = true
            case .read(let id): read[author] = id
            case .other: break
            }
        }
    }

    @Test("Either side is killed again and again: all that was answered holds on both, and both show the same")
    func amendments() throws {
        let (anna, bert) = try MessageProcessTests.friends(logLevel: .info)
        let daemons = [anna, bert]
        let chats = [try anna.conversation(with: bert), try bert.conversation(with: anna)]
        let story = Story()
        for _ in 0..<8 {
            let victim = Int.random(in: 0...1, using: &story.random)
            let turn = Int.random(in: 0..<6, using: &story.random)
            for number in 0..<6 {
                let author = number % 2
                for daemon in daemons where !daemon.isRunning { try daemon.start() }
                try batch(story, by: author, daemons, chats, killing: number == turn ? victim : nil)
            }
        }
        for daemon in daemons where !daemon.isRunning { try daemon.start() }
        try Patience.until("everything to be delivered", within: .seconds(90), report: anna.logTail + bert.logTail) {
            try anna.status.queued == 0 && bert.status.queued == 0
        }
        try compare(story, try messages(anna, chats[0]), try messages(bert, chats[1]))
        #expect(story.answers > 300, "there were hardly any answers between the kills")
    }

    /// Sends some requests at once; perhaps a daemon is killed while they are answered.
    private func batch(
        _ story: Story, by author: Int, _ daemons: [DaemonProcess], _ chats: [String], killing victim: Int?
    ) throws {
        let client = try daemons[author].connect()
        var asked: [Int64: Asked] = [:]
        for _ in 0..<25 {
            guard let (method, parameters, meaning) = request(story, by: author, chats[author]) else { continue }
            asked[try client.send(method, parameters)] = meaning
        }
        let killAt = Int.random(in: 0..<25, using: &story.random)
        var replies = 0
        if victim != nil, killAt == 0, let victim { daemons[victim].kill() }
        while replies < asked.count, let reply = try? client.nextReply(timeout: .seconds(20)) {
            replies += 1
            if case .integer(let id) = reply.id, case .result(let value) = reply.outcome, let meaning = asked[id] {
                try story.note(meaning, value, by: author)
            }
            if let victim, replies == killAt { daemons[victim].kill() }
        }
    }

    private func request(_ story: Story, by author: Int, _ chat: String) -> (String, JSONObject, Asked)? {
        let choice = Int.random(in: 0..<100, using: &story.random)
        story.version += 1
        let version = story.version
        if choice < 40 {
            return (
                "message.send", ["conversation": .string(chat), "text": .string("version \(version)")],
                .send(version: version)
            )
        }
        guard let id = story.pick(by: choice < 65 ? author : choice < 80 ? nil : 1 - author) else { return nil }
        switch choice {
        case 40..<58:
            return (
                "message.edit", ["id": .string(id), "text": .string("version \(version)")], .edit(id, version: version)
            )
        case 58..<65: return ("message.delete", ["id": .string(id), "for": "all"], .deletion(id))
        case 65..<80:
            let isRemoved = Bool.random(using: &story.random)
            return ("message.react", ["id": .string(id), "emoji": "👍", "remove": .bool(isRemoved)], .other)
        default: return ("conversation.markRead", ["id": .string(chat), "upTo": .string(id)], .read(id))
        }
    }

    private func messages(_ daemon: DaemonProcess, _ chat: String) throws -> [Message] {
        var all: [Message] = []
        while true {
            let after = all.last?.position ?? "0"
            let page = try daemon.call(
                "message.list", ["conversation": .string(chat), "limit": 200, "after": .string(after)])
            all += try (page["messages"]?.array ?? []).map { try Message(json: $0) }
            guard page["hasMore"] == true else { return all }
        }
    }

    private func compare(_ story: Story, _ left: [Message], _ right: [Message]) throws {
        #expect(left.map(\.id) == right.map(\.id), "one side has messages that the other lacks, or another order")
        #expect(Set(left.map(\.id)).isSuperset(of: story.ids), "a message that was answered is gone")
        for (one, other) in zip(left, right) {
            #expect(one.text == other.text && one.deleted == other.deleted && one.editedAt == other.editedAt)
            #expect(Set(one.reactions) == Set(other.reactions))
            let (own, theirs) = one.state == .received ? (other, one) : (one, other)
            #expect(own.deleted || (own.state == .read) == !theirs.unread)
            #expect(own.state == .read || own.state == .delivered)
        }
        for message in left {
            guard let known = story.known[message.id] else { continue }
            #expect(message.deleted || !known.isDeleted, "a deletion that was answered did not happen")
            guard !message.deleted else { continue }
            // An edit that was not answered may have happened nevertheless.
            let shown = try #require(message.text.split(separator: " ").last.flatMap { Int($0) })
            #expect(shown >= known.version, "an edit that was answered is gone")
        }
        for (reader, list) in [left, right].enumerated() {
            guard let id = story.read[reader], let row = list.first(where: { $0.id == id }) else { continue }
            #expect(!row.unread, "a message that was marked as read is unread")
        }
    }
}
