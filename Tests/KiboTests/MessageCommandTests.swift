import Basics
import ControlProtocol
import Testing

@testable import Media
@testable import kibo

struct MessageCommandTests {
    private static let id = "019ac0de-2222-7000-8000-000000000001"

    /// A daemon that has one message and does with it as it is told.
    private func daemon() -> FakeDaemon {
        let daemon = FakeDaemon()
        daemon.answerRaw("message.get") { params, _ in
            if let prefix = params["prefix"]?.string, !Self.id.hasPrefix(prefix) {
                throw RPCError(ControlError(.notFound, "there is no such message"))
            }
            return Cast.message("see you", .delivered).json
        }
        daemon.answer("message.recent") { _, _ in ["messages": [Cast.message("see you", .delivered).json]] }
        for method in ["message.edit", "message.delete", "message.react", "message.retry"] {
            daemon.answerRaw(method) { params, _ in
                Cast.message(params["text"]?.string ?? "see you", .queued).json
            }
        }
        return daemon
    }

    @Test("A message is named by its id or the beginning of it, also in capitals")
    func naming() {
        let cases: [(String, JSONObject)] = [
            (Self.id, ["id": .string(Self.id)]), ("019AC0DE-2222", ["prefix": "019ac0de-2222"]),
        ]
        for (word, asked) in cases {
            let daemon = daemon()
            #expect(CommandRun("retry", word, daemon: daemon).output == "The message is queued: see you\n")
            #expect(daemon.requests("message.get") == [asked])
            #expect(daemon.requests("message.retry") == [["id": .string(Self.id)]])
        }
        #expect(CommandRun("retry", "019", daemon: daemon()).code == .usage)
        #expect(CommandRun("retry", "the last one", daemon: daemon()).code == .usage)
        #expect(CommandRun("retry", "ffffffff", daemon: daemon()).code == .notFound)
    }

    @Test("Editing, deleting and reacting pass their words on to the daemon")
    func changes() {
        let daemon = daemon()
        #expect(CommandRun("edit", Self.id, "at", "noon", daemon: daemon).output == "Edited: at noon\n")
        #expect(daemon.requests("message.edit") == [["id": .string(Self.id), "text": "at noon"]])
        #expect(CommandRun("edit", Self.id, daemon: daemon).code == .usage)

        #expect(
            CommandRun("delete", Self.id, daemon: daemon).output
                == "Deleted on this computer: see you\n"
                + "The others still have it. Delete it there, too: kibo delete \(Self.id) --for all\n")
        #expect(CommandRun("delete", Self.id, "--for", "all", daemon: daemon).output == "Deleted for all: see you\n")
        #expect(daemon.requests("message.delete").map { $0["for"] } == ["me", "all"])
        #expect(CommandRun("delete", Self.id, "--for", "him", daemon: daemon).code == .usage)

        #expect(CommandRun("react", Self.id, "👍", daemon: daemon).output == "You reacted 👍 to \"see you\"\n")
        #expect(
            CommandRun("react", Self.id, "👍", "--remove", daemon: daemon).output
                == "You took your 👍 back from \"see you\"\n")
        #expect(daemon.requests("message.react").map { $0["remove"] } == [nil, true])
    }

    @Test("why tells the steps with their times, and foreign words can't play with the terminal")
    func why() {
        let daemon = daemon()
        daemon.answerRaw("message.why") { _, _ in
            [
                "steps": [
                    ["at": .integer(Cast.noon), "code": "written_here", "parameters": [:]],
                    [
                        "at": .integer(Cast.noon + 86_400_000 * 3 + 7), "code": "handed_over",
                        "parameters": ["name": "An\u{1B}na"],
                    ],
                    ["at": 0, "code": "of_a_later_version", "parameters": [:]],
                ],
                "now": [
                    ["code": "waits", "parameters": ["name": "Anna", "deletion": false]],
                    ["code": "goes_when_heard", "parameters": ["name": "Anna"]],
                ],
            ]
        }
        let run = CommandRun("why", Self.id, daemon: daemon)
        let clock = Humane.timeOfDay(Cast.noon)
        #expect(run.output.contains("\(clock):00.000  written and stored here\n"))
        #expect(run.output.contains("18 Jun \(clock):00.007  sent over the connection to An\\u{1b}na\n"))
        let now =
            "Now: It waits for Anna, who is not connected: never seen on this network so far. "
            + "It goes out as soon as Anna is heard on the network.\n"
        #expect(run.output.hasSuffix(now))
    }

    @Test("Found messages have the matches in bold, whatever the marks say")
    func search() {
        let daemon = FakeDaemon()
        daemon.answerRaw("message.search") { params, _ in
            [
                "messages": [
                    [
                        "message": Cast.message("the drawings are ready", .read).json, "snippet": "…drawings \u{1B}are",
                        "marks": [
                            ["start": 1, "length": 8], ["start": 3, "length": 2], ["start": 99, "length": 1],
                            ["start": -1, "length": 1], ["start": 10, "length": .integer(.max)],
                        ],
                    ]
                ], "next": params["limit"] == 1 || params["before"] == nil ? "abc" : nil,
            ]
        }
        let run = CommandRun("search", "drawings", "ready", "--chat", "Anna", "-n", "5", daemon: daemon, color: true)
        #expect(run.output.contains("…\u{1B}[1;33mdrawings\u{1B}[0m \u{1B}[1;33m\\u{1b}are\u{1B}[0m\n"))
        let short = CommandRun("search", "drawings", "ready", "--chat", "Anna", "-n", "1", daemon: daemon)
        #expect(
            short.output.contains("There are more: kibo search --chat Anna --limit 1 --before abc 'drawings ready'"))
        _ = CommandRun("search", "drawings", "--whole", "-n", "1", daemon: daemon)
        #expect(daemon.requests("message.search").last?["query"] == "drawings")
        #expect(
            daemon.requests("message.search")
                .first == ["query": "drawings* ready*", "conversation": .string(Cast.chat), "limit": 5])
        let plain = CommandRun("search", "x", "--ids", daemon: daemon)
        #expect(plain.output.contains("0001  you to Anna: …drawings"))
        #expect(CommandRun("search", daemon: daemon).code == .usage)
        #expect(CommandRun("search", "x", "--chat", "Bella", daemon: daemon).output == "Nothing was found.\n")
    }

    @Test("An emoji may be named as other messengers name it; a name that is none is not sent")
    func emoji() {
        let daemon = FakeDaemon()
        daemon.answer("message.get") { _, _ in Cast.message("see you", .read).json }
        daemon.answer("message.react") { _, _ in Cast.message("see you", .read).json }
        for word in ["👍", ":+1:", "+1", "thumbsup", ":ThumbsUp:", "🤷🏽‍♀️", "1️⃣"] {
            #expect(CommandRun("react", Self.id, "--", word, daemon: daemon).code == .done, "\(word)")
        }
        #expect(
            daemon.requests("message.react").map { $0["emoji"]?.string ?? "" }
                == ["👍", "👍", "👍", "👍", "👍", "🤷🏽‍♀️", "1️⃣"])
        let wrong = CommandRun("react", Self.id, "thumbup", daemon: daemon)
        #expect(wrong.code == .usage && wrong.errors.contains("Did you mean: thumbsup"))
        #expect(CommandRun("react", Self.id, ":/", daemon: daemon).code == .usage)
        #expect(daemon.requests("message.react").count == 7)
        #expect(Set(EmojiNames.all).count == EmojiNames.all.count)
        for name in EmojiNames.all { #expect(EmojiNames.emoji(name)?.count == 1, "\(name)") }
    }

    @Test("A search that finds nothing ends with 1, as grep does, also for programs")
    func foundNothing() {
        let daemon = FakeDaemon()
        daemon.answer("message.search") { _, _ in ["messages": []] }
        for words in [["x"], ["x", "--chat", "Bella"], ["x", "--whole"]] {
            for json in [false, true] {
                let run = CommandRun(words: ["search"] + words + (json ? ["--json"] : []), daemon: daemon)
                #expect(run.code == .failed && run.errors.isEmpty && !run.output.isEmpty, "\(words)")
            }
        }
    }

    @Test("Reading marks a message that came only after its author was out of the group")
    func late() {
        let daemon = FakeDaemon()
        daemon.answer("message.list") { _, _ in
            var message = Cast.message("from before, as I say", .received)
            message.sender = Cast.anna
            message.late = true
            return ["messages": [message.json], "hasMore": false]
        }
        let run = CommandRun("read", "Anna", daemon: daemon)
        #expect(run.output.contains("from before, as I say (late)\n"))
    }

    @Test("Reading shows answers, edits, reactions and where the unread ones begin, and marks them as read")
    func read() {
        let daemon = FakeDaemon()
        daemon.answer("message.list") { _, _ in
            var answer = Cast.message("fine", .received)
            answer.id = "019ac0de-3333-7000-8000-000000000001"
            answer.sender = Cast.anna
            answer.replyTo = Self.id
            answer.editedAt = Cast.noon
            answer.reactions = [
                .init(account: Cast.own, emoji: "👍"), .init(account: Cast.anna, emoji: "🎉"),
                .init(account: Cast.anna, emoji: "👍"),
            ]
            answer.unread = true
            answer.arrival = 7
            var old = Cast.message("older", .read)
            old.arrival = 9
            return ["messages": [old.json, answer.json], "hasMore": false]
        }
        daemon.answerRaw("conversation.markRead", isNewer: true) { _, _ in Cast.conversations[0].json }
        let run = CommandRun("read", "Anna", "--ids", daemon: daemon)
        #expect(run.output.contains("— unread —\n3-7000-8000-000000000001 "))
        #expect(run.output.contains("Anna: > you: older\n        fine (edited)\n        👍 you, Anna  🎉 Anna\n"))
        #expect(
            daemon.requests("conversation.markRead")
                == [
                    [
                        "id": .string(Cast.chat), "from": .string(Self.id),
                        "upTo": "019ac0de-3333-7000-8000-000000000001", "arrival": 9,
                    ]
                ])
        _ = CommandRun("read", "Anna", "--keep-unread", daemon: daemon)
        #expect(daemon.requests("conversation.markRead").count == 1)
    }

    @Test("Messages above the shown part stay unread and are counted; with an older daemon nothing is marked at all")
    func readingSome() {
        let daemon = FakeDaemon()
        daemon.answer("conversation.list") { _, _ in
            var chat = Cast.conversations[0]
            chat.unread = 8
            return ["conversations": [chat.json]]
        }
        daemon.answer("message.list") { _, _ in
            let messages = (7...8).map { number in
                var message = Cast.message("number \(number)", .received)
                message.id = "019ac0de-3333-7000-8000-00000000000\(number)"
                message.sender = Cast.anna
                message.position = "p\(number)"
                message.unread = true
                return message.json
            }
            return ["messages": .array(messages), "hasMore": true]
        }
        daemon.answerRaw("conversation.markRead", isNewer: true) { _, _ in Cast.conversations[0].json }
        let run = CommandRun("read", "Anna", "-n", "2", daemon: daemon)
        #expect(run.output.contains("6 unread above: kibo read Anna --before p7 -n 2\n"))
        let request = daemon.requests("conversation.markRead").last ?? [:]
        #expect(request["from"] == "019ac0de-3333-7000-8000-000000000007")
        #expect(request["upTo"] == "019ac0de-3333-7000-8000-000000000008")
        // Some of the others may be below a position.
        let before = CommandRun("read", "Anna", "--before", "p9", "-n", "2", daemon: daemon).output
        #expect(before.contains("6 more unread; older ones: kibo read Anna --before p7 -n 2\n"))

        daemon.answerRaw("conversation.markRead", isNewer: true) { params, _ in
            throw RPCError.invalidParams("unknown parameter from", field: "from")
        }
        let old = CommandRun("read", "Anna", daemon: daemon)
        #expect(old.code == .done && old.errors.contains("stay unread"))
        #expect(daemon.requests("conversation.markRead").allSatisfy { $0["from"] != nil })
    }

    @Test("Conversations are pinned, put away, muted, written to a file, and deleted when that is confirmed")
    func conversations() {
        let daemon = FakeDaemon()
        daemon.answerRaw("conversation.update") { _, _ in Cast.conversations[0].json }
        for (word, field, value, words): (String, String, Bool, String) in [
            ("pin", "pinned", true, "pinned.\n"), ("unpin", "pinned", false, "not pinned any more.\n"),
            ("archive", "archived", true, "archived. See:"), ("unarchive", "archived", false, "in the list again.\n"),
            ("mute", "muted", true, "muted.\n"), ("unmute", "muted", false, "not muted any more.\n"),
        ] {
            let output = CommandRun(word, "Anna", daemon: daemon).output
            #expect(output.hasPrefix("Anna is \(words)"))
            var expected = JSONObject([("id", .string(Cast.chat)), (field, .bool(value))])
            if word == "mute" { expected["mentionsMuted"] = false }
            #expect(daemon.requests("conversation.update").last == expected)
        }
        let muted = CommandRun("mute", "Anna", "2h", daemon: daemon)
        #expect(muted.output.hasPrefix("Anna is muted until ") && muted.output.hasSuffix(".\n"))
        let request = daemon.requests("conversation.update").last
        #expect(request?["muted"] == true && request?["mutedUntil"]?.integer != nil)
        #expect(CommandRun("mute", "Anna", "until", "18:00", daemon: daemon).output.hasSuffix("18:00.\n"))
        #expect(CommandRun("mute", "Anna", "--mentions", daemon: daemon).output == "Anna is muted, mentions too.\n")
        #expect(daemon.requests("conversation.update").last?["mentionsMuted"] == true)
        let asked = daemon.requests("conversation.update").count
        #expect(CommandRun("mute", "Anna", "Berg", daemon: daemon).code == .usage)
        #expect(daemon.requests("conversation.update").count == asked)
        daemon.answerRaw("conversation.export") { _, _ in ["messages": 3] }
        #expect(
            CommandRun("export", "Anna", "/x/a b", daemon: daemon).output
                == "Wrote 3 messages with Anna to /x/a b\n")
        #expect(daemon.requests("conversation.export").last?["format"] == "jsonl")
        #expect(CommandRun("export", "Anna", "/x", "--format", "pdf", daemon: daemon).code == .usage)

        daemon.answerRaw("conversation.delete") { _, _ in [:] }
        daemon.answer("message.list") { params, _ in
            [
                "messages": [Cast.message("wait", .queued).json],
                "hasMore": .bool(params.optionalString("before") == nil),
            ]
        }
        let unsent = "2 messages to Anna were not delivered yet and "
        let forget = CommandRun("forget", "Anna", daemon: daemon)
        #expect(forget.code == .usage && forget.errors.contains(unsent + "will be cancelled"))
        #expect(daemon.requests("conversation.delete").isEmpty)
        let run = CommandRun("forget", "Anna", "--yes", daemon: daemon)
        #expect(run.code == .done && run.output.hasSuffix("\(unsent)were cancelled.\n"))
        #expect(daemon.requests("conversation.delete") == [["id": .string(Cast.chat)]])
        #expect(CommandRun("forget", "Bella", "--yes", daemon: daemon).code == .notFound)
    }

    @Test("The marks of a chat stand in a column of their own, which is there only when it is needed")
    func marks() {
        let daemon = FakeDaemon()
        #expect(!CommandRun("chats", daemon: daemon).output.contains("MARKS"))
        daemon.answer("conversation.list") { _, _ in
            var chat = Cast.conversations[0]
            chat.pinned = true
            chat.muted = true
            return ["conversations": [chat.json, Cast.conversations[0].json]]
        }
        #expect(CommandRun("chats", daemon: daemon).output.contains("pinned, muted\n"))
    }

    @Test("An answer carries the id of the message that it answers")
    func reply() {
        let daemon = daemon()
        daemon.answer("message.send") { params, _ in Cast.message(params.string("text"), .sent).json }
        daemon.answer("message.list") { _, _ in
            var message = Cast.message("see you", .received)
            message.sender = Cast.anna
            return ["messages": [message.json], "hasMore": false]
        }
        for word in ["019ac0de-2222", "last", "#0001"] {
            #expect(CommandRun("send", "Anna", "yes", "--reply", word, daemon: daemon).code == .done)
            #expect(daemon.requests("message.send").last?["replyTo"] == .string(Self.id))
        }
    }

    @Test("Watching tells edits, deletions, reactions, typing and settings apart by the earlier state")
    func watch() {
        let daemon = FakeDaemon()
        daemon.answer("events.subscribe") { _, connection in
            var message = Cast.message("hello", .received)
            message.sender = Cast.anna
            connection.push(.messageAdded, message.json, change: .insert)
            message.reactions = [.init(account: Cast.own, emoji: "👍")]
            connection.push(.messageChanged, message.json)
            message.text = "hallo"
            message.editedAt = Cast.noon
            connection.push(.messageChanged, message.json)
            message.unread = true
            connection.push(.messageChanged, message.json)
            message.deleted = true
            connection.push(.messageChanged, message.json)
            connection.push(.messageRemoved, ["id": .string(message.id), "conversation": .string(Cast.chat)])
            connection.push(
                .typingChanged,
                ["conversation": .string(Cast.chat), "account": .string(Cast.anna), "typing": true])
            connection.push(
                .settingsChanged,
                [
                    "key": "messages.order", "value": "arrival", "default": "sent", "type": "string",
                    "description": "x",
                ])
            return FakeDaemon.subscribed
        }
        daemon.answer("events.ack") { _, _ in throw RPCError(ControlError(.internal, "enough")) }
        let run = CommandRun("watch", "--consumer", "me", daemon: daemon)
        let lines = run.output.split(separator: "\n").map { $0.drop { $0 != " " }.dropFirst(2) }
        #expect(
            lines == [
                "Anna: hello", "you reacted 👍 on: hello", "Anna edited: hallo",
                "Anna deleted a message for all: hallo", "a message was deleted on this computer: (deleted)",
                "Anna is typing", "messages.order is arrival now",
            ])
    }
}
