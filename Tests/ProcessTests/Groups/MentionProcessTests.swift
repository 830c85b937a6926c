import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Goal: who is mentioned in a muted group hears of it, unless mentions are muted, too.
@Suite("Mentions in a group", .serialized)
struct MentionProcessTests {
    private struct Seen: Equatable {
        var unread: Int64, mentions: Int64, total: Int64
    }

    private static func chat(_ scene: GroupScene, _ daemon: DaemonProcess) throws -> Conversation {
        try Conversation(json: daemon.call("conversation.get", ["id": .string(scene.conversation(at: daemon))]))
    }

    private static func seen(_ scene: GroupScene, _ daemon: DaemonProcess) throws -> Seen {
        let (chat, totals) = (try chat(scene, daemon), try Totals(json: daemon.call("conversation.totals")))
        return Seen(unread: chat.unread, mentions: chat.mentions, total: totals.mentions)
    }

    private static func mentions(_ scene: GroupScene, _ daemon: DaemonProcess) throws -> [String] {
        try scene.messages(at: daemon).filter(\.mentionsYou).map(\.text)
    }

    @Test("They count, notify and end with reading, editing and deleting, also after a restart; others' don't count")
    func muted() throws {
        let scene = try GroupScene(["Anna", "Bo", "Bo Berg"])
        let (anna, bo) = (scene.people[0], scene.people[1])
        let hook = try TemporaryDirectory()
        try TextFile.writeProgram("#!/bin/sh\ncat >>\(hook.file("inputs"))\n".utf8, to: hook.file("hook"))
        try bo.set("notifications.hook", to: .string(hook.file("hook")))
        func told() throws -> [String] {
            try ((try? TextFile.text(hook.file("inputs"))) ?? "").split(separator: "\n").compactMap {
                try JSONParser.parse(String($0))["message"]?["text"]?.string
            }
        }
        let id = try scene.conversation(at: bo)
        let last = try Self.chat(scene, bo).lastMessage
        if let last { try bo.call("conversation.markRead", ["id": .string(id), "upTo": .string(last.id)]) }
        #expect(try bo.kibo("mute", "Boat").text.contains("is muted."))

        try scene.say("nothing for you", as: anna)
        try scene.say("@Bo Berg is meant", as: anna)
        let first = try scene.say("where are you, @bo?", as: anna)
        let second = try scene.say("hello", as: anna)
        try anna.call("message.edit", ["id": .string(second.id), "text": "hello @Bo!"])
        try Patience.until("what was said", report: bo.logTail) {
            try Self.seen(scene, bo) == Seen(unread: 4, mentions: 2, total: 2)
        }
        #expect(try Self.mentions(scene, bo) == ["where are you, @bo?", "hello @Bo!"])
        try Patience.until("the hook", report: bo.logTail) { try told().contains("where are you, @bo?") }
        #expect(try !told().contains("nothing for you") && !told().contains("@Bo Berg is meant"))
        #expect(try bo.kibo("chats").text.contains("@ 4"))
        // The one who is meant by the longer name.
        #expect(try Self.mentions(scene, scene.people[2]) == ["@Bo Berg is meant"])

        try bo.stop()
        try bo.start()
        #expect(try Self.seen(scene, bo) == Seen(unread: 4, mentions: 2, total: 2))
        // It is edited away, and the other is deleted for all.
        try anna.call("message.edit", ["id": .string(first.id), "text": "where are you?"])
        try Patience.until("the edit", report: bo.logTail) {
            try Self.seen(scene, bo) == Seen(unread: 4, mentions: 1, total: 1)
        }
        try anna.call("message.delete", ["id": .string(second.id), "for": "all"])
        try Patience.until("the deletion", report: bo.logTail) {
            try Self.seen(scene, bo) == Seen(unread: 3, mentions: 0, total: 0)
        }

        // What was read doesn't become news by an edit.
        let third = try scene.say("well, @Bo", as: anna)
        try Patience.until("the third", report: bo.logTail) { try Self.seen(scene, bo).mentions == 1 }
        let newest = try #require(try Self.chat(scene, bo).lastMessage)
        try bo.call("conversation.markRead", ["id": .string(id), "upTo": .string(newest.id)])
        #expect(try Self.seen(scene, bo) == Seen(unread: 0, mentions: 0, total: 0))
        try anna.call("message.edit", ["id": .string(third.id), "text": "well, @Bo?"])
        try Patience.until("the edit", report: bo.logTail) { try scene.texts(at: bo).last == "well, @Bo?" }
        #expect(try Self.seen(scene, bo).mentions == 0 && Self.mentions(scene, bo) == [])

        // Mentions are muted, too, and then nothing counts; it is back with them.
        #expect(try bo.kibo("mute", "Boat", "--mentions").text.contains("is muted, mentions too."))
        try scene.say("@Bo, are you deaf?", as: anna)
        try Patience.until("the last", report: bo.logTail) {
            try Self.seen(scene, bo) == Seen(unread: 1, mentions: 1, total: 0)
        }
        let chats = try bo.kibo("chats").text
        #expect(chats.contains("mentions too") && !chats.contains("@ "), "\(chats)")
        #expect(try bo.kibo("mute", "Boat", "8h").text.contains("is muted until"))
        #expect(try Self.seen(scene, bo).total == 1)
        #expect(try !told().contains("@Bo, are you deaf?"))
        // A conversation that is deleted takes its mentions with it.
        try bo.call("conversation.delete", ["id": .string(id)])
        #expect(try Totals(json: bo.call("conversation.totals")).mentions == 0)
    }
}
