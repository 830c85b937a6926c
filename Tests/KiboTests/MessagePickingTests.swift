import Basics
import ControlProtocol
import Testing

@testable import kibo

/// Messages that are named by their place or the end of their id, and conversations that are read in parts.
struct MessagePickingTests {
    private static func id(_ number: Int) -> String {
        "019ac0de-\(2000 + number)-7000-8000-0000000" + String(0x3f2a0 + number, radix: 16)
    }

    /// Messages 0, the newest, to 5; those with an even number are of this account, and 4 has failed.
    private func daemon() -> FakeDaemon {
        let daemon = FakeDaemon()
        let messages = (0...5).map { number -> Message in
            var message = Cast.message("number \(number)", number == 4 ? .failed : .read)
            message.id = Self.id(number)
            message.position = "p\(9 - number)"
            message.arrival = Int64(10 - number)
            if number % 2 == 1 {
                message.sender = Cast.anna
                message.state = .received
                message.recipients = []
            }
            return message
        }
        // Two messages a page, whatever is asked for.
        daemon.answer("message.recent") { params, _ in
            let start = params.optionalString("before").flatMap { Int($0) } ?? 0
            var result: JSONObject = ["messages": .array(messages[start..<start + 2].map(\.json))]
            if start + 2 < messages.count { result["next"] = .string("\(start + 2)") }
            return .object(result)
        }
        daemon.answer("message.list") { params, _ in
            let start =
                params.optionalString("before").flatMap { end in messages.firstIndex { $0.position < end } } ?? 0
            let end = min(messages.count, start + min(2, params.limit))
            return [
                "messages": .array(messages[start..<end].reversed().map(\.json)),
                "hasMore": .bool(end < messages.count),
            ]
        }
        daemon.answer("message.get") { params, _ in
            let found = messages.first { $0.id == params.optionalString("id") }
            guard let found else { throw RPCError(ControlError(.notFound, "there is no such message")) }
            return found.json
        }
        for method in ["message.edit", "message.delete", "message.react", "message.retry"] {
            daemon.answer(method) { params, _ in
                var message = messages.first { $0.id == params.string("id") } ?? messages[0]
                if method == "message.edit" { message.text = params.string("text") }
                return message.json
            }
        }
        daemon.answer("message.send") { params, _ in Cast.message(params.string("text"), .queued).json }
        return daemon
    }

    @Test(
        "last is the newest message that the command can be about, in all chats or in one",
        arguments: [
            (["react", "last", "👍"], "message.react", 1), (["react", "last-1", "👍"], "message.react", 3),
            (["edit", "last", "x"], "message.edit", 0), (["edit", "LAST-1", "x"], "message.edit", 2),
            (["retry", "last"], "message.retry", 4), (["delete", "last-2", "--for", "me"], "message.delete", 4),
            (["react", "last-1", "👍", "--chat", "Anna"], "message.react", 3),
            (["react", "f2a5", "👍"], "message.react", 5), (["react", "#F2A5", "👍"], "message.react", 5),
            (["delete", "3f2a2", "--for", "all", "--chat", "Anna"], "message.delete", 2),
        ])
    func picking(_ words: [String], _ method: String, _ number: Int) {
        let daemon = daemon()
        let run = CommandRun(words: words, daemon: daemon)
        #expect(run.code == .done, "\(words): \(run.errors)")
        #expect(daemon.requests(method).first?["id"] == .string(Self.id(number)), "\(words)")
        #expect(daemon.methods.contains("message.list") == words.contains("--chat"))
    }

    @Test("A word that means no message is refused with what can be said; one that means several lists them")
    func refusals() {
        let daemon = daemon()
        for word in ["first", "last-", "last-x", "last--1", "3f2", "#", "3f2z"] {
            let run = CommandRun("why", word, daemon: daemon)
            #expect(run.code == .usage && run.errors.contains("last-1"), "\(word)")
        }
        #expect(CommandRun("why", "last-9", daemon: daemon).code == .notFound)
        #expect(CommandRun("why", "beef", daemon: daemon).code == .notFound)
        let other = FakeDaemon()
        other.answer("message.recent") { _, _ in
            var twin = Cast.message("other", .read)
            twin.id = "019ac0de-9999-7000-8000-000000000001"
            return ["messages": [Cast.message("one", .read).json, twin.json]]
        }
        let several = CommandRun("why", "0001", daemon: other)
        #expect(several.code == .failed && several.errors.contains("019ac0de-9999-7000-8000-000000000001  other"))
    }

    @Test("Ids are shown by their ends, as long as it takes to tell them apart")
    func shortIDs() {
        let messages = ["1111", "2111", "3f2a"].map { end in
            var message = Cast.message("x", .read)
            message.id = "019ac0de-2222-7000-8000-00000000\(end)"
            return message
        }
        #expect(Set(Messages.shortIDs(messages).values) == ["1111", "2111", "3f2a"])
        var twins = messages[0]
        twins.id = "019ac0de-2222-7000-8000-0000000a1111"
        #expect(Set(Messages.shortIDs([messages[0], twins]).values) == ["01111", "a1111"])
    }

    @Test("A conversation is read in as many pages as are wanted, in the order of sending")
    func pages() {
        let daemon = daemon()
        let run = CommandRun("read", "Anna", "-n", "5", "--keep-unread", daemon: daemon)
        #expect(run.output.contains(": kibo read Anna --before p5 -n 5"))
        let places = (0...5).map { run.output.range(of: "number \($0)")?.lowerBound.utf16Offset(in: run.output) ?? -1 }
        #expect(places == places.sorted(by: >))
        #expect(daemon.requests("message.list").map { $0["before"] } == [nil, "p8", "p6"])
        #expect(daemon.requests("message.list").map { $0["limit"] } == [5, 3, 1])
    }

    @Test("A day is read from its first message on, and up to another one")
    func days() {
        let daemon = FakeDaemon()
        daemon.answer("message.list") { params, _ in
            let isAtEnd = params.optionalInteger("limit") == 1
            var message = Cast.message(isAtEnd ? "the end" : "inside", .read)
            message.position = isAtEnd ? "p7" : params.optionalString("after") == nil ? "p5" : "p7"
            return ["messages": [message.json], "hasMore": true]
        }
        let run = CommandRun("read", "Anna", "--after", "2025-06-01", "--before", "2025-06-02 12:30", daemon: daemon)
        #expect(run.code == .done && run.output.contains("inside") && !run.output.contains("newer ones"))
        let asked = daemon.requests("message.list")
        #expect(asked.map { $0["after"] } == [nil, nil, "p5"])
        let days = asked.prefix(2).compactMap { $0["at"]?.integer }
        #expect(days.count == 2 && days[0] - days[1] == 36 * 3_600_000 + 1_800_000)
        let wrong = CommandRun("read", "Anna", "--after", "tomorrow", daemon: daemon)
        #expect(wrong.code == .usage && wrong.errors.contains("2026-11-21"))
    }

    @Test("How long a conversation is muted: spans, times of day, tomorrow; nothing that is over or too far away")
    func muteTimes() throws {
        let now = WallTime(milliseconds: 1_750_000_000_000)
        for (word, seconds) in [("30m", 1800), ("2h", 7200), ("3d", 259_200), ("2W", 1_209_600)] as [(String, Int64)] {
            #expect(MuteTime.read(word, now: now) == now.milliseconds + seconds * 1000)
        }
        for (words, seconds) in [
            (["1h30m"], 5400), (["1d12h30m"], 131_400), (["1h", "30m"], 5400), (["for", "2h"], 7200),
        ] as [([String], Int64)] {
            #expect(MuteTime.read(words, now: now) == now.milliseconds + seconds * 1000, "\(words)")
        }
        #expect(MuteTime.read(["until", "18:00"], now: now) == MuteTime.read("18:00", now: now))
        #expect(MuteTime.read(["Until", "tomorrow"], now: now) == MuteTime.read("tomorrow", now: now))
        for words in [
            ["until"], ["Berg"], ["18:00", "1h"], ["1", "8:00"], ["until", "18:00", "1h"], ["until", "until"],
        ] {
            #expect(MuteTime.read(words, now: now) == nil, "\(words)")
        }
        let tomorrow = try #require(MuteTime.read("tomorrow", now: now))
        #expect(Humane.format(tomorrow, "%H:%M") == "08:00")
        #expect((1...(48 * 3_600_000)).contains(tomorrow - now.milliseconds))
        for hour in ["00:00", "12:30", "23:59"] {
            let end = try #require(MuteTime.read(hour, now: now))
            #expect(Humane.format(end, "%H:%M") == hour)
            #expect((1...(25 * 3_600_000)).contains(end - now.milliseconds))
        }
        let wrong = [
            "", "h", "0h", "-1h", "2", "2x", "1.5h", "999999999999w", "9223372036854775807m", "25:00", "12:3", "Berg",
            "1h30", "30m1h", "1h1h", "1h0m", "h1m", "521w8d", "١h",
        ]
        for word in wrong { #expect(MuteTime.read(word, now: now) == nil, "\(word)") }
    }

    @Test("Moments are read in local time, and what is none is refused")
    func moments() throws {
        let now = WallTime(milliseconds: Cast.noon)
        let today = try #require(Moment.read("today", now: now))
        #expect(Humane.format(today, "%H:%M:%S") == "00:00:00" && today <= Cast.noon)
        let yesterday = try #require(Moment.read("Yesterday", now: now))
        #expect((82_800_000...90_000_000).contains(today - yesterday))
        #expect(try #require(Moment.read("00:00", now: now)) == today)
        #expect(Moment.read("2025-06-15 14:05", now: now).map { Humane.format($0, "%F %H:%M") } == "2025-06-15 14:05")
        for word in ["", "2025-02-30", "2025-13-01", "25:00", "12:60", "2025-06-15 x", "15.6.2025", "-1", "1 2 3"] {
            #expect(Moment.read(word, now: now) == nil, "\(word)")
        }
    }

    @Test("Words of a search stand for their beginnings, except in quotation marks")
    func beginnings() {
        for (typed, meant) in [
            ("draw", "draw*"), ("draw ings", "draw* ings*"), ("draw*", "draw*"), ("\"by noon\"", "\"by noon\""),
            ("\"by noon\" dr", "\"by noon\" dr*"), ("a-b c.", "a-b* c."), ("\"open mark", "\"open mark"),
        ] {
            #expect(SearchWords.beginnings(typed) == meant)
        }
    }

    @Test("A message is forwarded to several people, or to none if one of them can't be meant")
    func forward() {
        let daemon = daemon()
        let run = CommandRun("forward", "last", "Bella", "Anna", daemon: daemon)
        #expect(run.output == "Forwarded to Bella: number 1\nForwarded to Anna: number 1\n")
        #expect(daemon.requests("message.send").map { $0["to"] } == [.string(Cast.annabel), .string(Cast.anna)])
        #expect(daemon.requests("message.send").map { $0["text"] } == ["number 1", "number 1"])
        #expect(CommandRun("forward", "last", "Anna", "Zoe", daemon: daemon).code == .notFound)
        #expect(CommandRun("forward", "last", daemon: daemon).code == .usage)
        #expect(daemon.requests("message.send").count == 2)
    }

    @Test("Everything is marked as read by one command")
    func markRead() {
        let daemon = daemon()
        daemon.answer("conversation.markRead") { _, _ in
            var chat = Cast.conversations[0]
            chat.unread = 0
            return chat.json
        }
        daemon.answer("conversation.list") { params, _ in
            ["conversations": params.optionalBool("archived") == true ? [] : [Cast.conversations[0].json]]
        }
        #expect(CommandRun("mark-read", "--all", daemon: daemon).output == "2 messages are marked as read.\n")
        #expect(
            daemon.requests("conversation.markRead") == [["id": .string(Cast.chat), "upTo": .string(Self.id(0))]])
        #expect(CommandRun("mark-read", daemon: daemon).code == .usage)
        #expect(CommandRun("mark-read", "Anna", "--all", daemon: daemon).code == .usage)
    }
}
