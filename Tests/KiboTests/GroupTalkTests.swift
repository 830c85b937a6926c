import Basics
import ControlProtocol
import Testing
import Vocabulary

@testable import Arguments
@testable import Media
@testable import kibo

struct GroupTalkTests {
    @Test("--group means a group in every command that takes one, and what --chat names where that is all there is")
    func groupOption() {
        for words in [
            ["delete", "last", "--chat", "Hikers", "--group"], ["edit", "last", "x", "--chat", "Hikers", "--group"],
            ["react", "last", "👍", "--chat", "Hikers", "--group"], ["why", "last", "--chat", "Hikers", "--group"],
            ["forward", "last", "Hikers", "--group", "--chat", "Anna"],
        ] {
            let daemon = FakeDaemon.withGroup()
            _ = CommandRun(words: words, daemon: daemon)
            let asked = daemon.requests("name.resolve").compactMap { $0["name"]?.string }
            // Where it is forwarded to comes after the message is found; there is none here.
            #expect(asked == (words[0] == "forward" ? ["Anna"] : [":Hikers"]), "\(words): \(asked)")
        }
        for word in ["forward", "call"] {
            #expect(CommandRun("help", word, daemon: nil).output.contains("--group"), "\(word)")
        }
    }

    @Test(
        "How far a message has come with several recipients",
        arguments: [
            ([MessageState.queued, .queued, .queued], MessageState.queued, "queued"),
            ([.sent, .sent, .sent], .sent, "sent"),
            ([.delivered, .sent, .queued], .queued, "delivered to 1 of 3"),
            ([.read, .delivered, .queued], .queued, "delivered to 2 of 3, read by 1"),
            ([.delivered, .delivered, .delivered], .delivered, "delivered to all"),
            ([.read, .delivered, .delivered], .delivered, "delivered to all, read by 1"),
            ([.read, .read, .read], .read, "read by all"),
            ([.delivered, .failed, .queued], .queued, "delivered to 1 of 3, failed for 1"),
            ([.delivered, .delivered, .failed], .delivered, "delivered to 2 of 3, failed for 1"),
            ([.failed, .failed, .failed], .failed, "failed"),
            ([.delivered], .delivered, "delivered"),
        ])
    func progress(states: [MessageState], state: MessageState, text: String) {
        #expect(Words.progress(Cast.said("x", states: states, state: state), now: WallTime(milliseconds: 0)) == text)
    }

    @Test("A message goes to a group by its name, and the command line calls it a group")
    func send() {
        for (states, state, line): ([MessageState], MessageState, String) in [
            ([.queued, .queued, .queued], .queued, "Queued for the group Hikers.\n"),
            (
                [.delivered, .queued, .read], .queued,
                "Delivered to 2 of 3 in the group Hikers; the others will get it when they are back.\n"
            ),
            ([.delivered, .delivered, .read], .delivered, "Delivered to the group Hikers.\n"),
        ] {
            let daemon = FakeDaemon.withGroup()
            daemon.answer("message.send") { params, _ in
                Cast.said(params.string("text"), states: states, state: state).json
            }
            #expect(CommandRun("send", "hikers", "hello", daemon: daemon).output == line)
            #expect(
                daemon.requests("message.send") == [["text": "hello", "conversation": .string(Cast.hikersChat)]])
        }
    }

    @Test("A group of two says which member is away, and a message that no other member gets is said to be only stored")
    func alone() {
        for (states, state, line): ([MessageState], MessageState, String) in [
            (
                [.queued], .queued,
                "Queued for the group Hikers: Dora is offline and will get it when they are back.\n"
            ),
            ([], .delivered, "Stored in the group Hikers; no other member can be reached now.\n"),
        ] {
            for waits in [false, true] where !waits || state == .delivered {
                let daemon = FakeDaemon.withGroup()
                daemon.answer("message.send") { params, _ in
                    var message = Cast.said(params.string("text"), states: states, state: state)
                    message.recipients = states.map { .init(id: Cast.dora, state: $0, at: Cast.noon) }
                    return message.json
                }
                daemon.answer("events.subscribe") { _, _ in FakeDaemon.subscribed }
                let run =
                    waits
                    ? CommandRun("send", "hikers", "hello", "--wait", "delivered", daemon: daemon)
                    : CommandRun("send", "hikers", "hello", daemon: daemon)
                #expect(run.output == line, "\(run.errors)")
            }
        }
    }

    @Test("A group whose conversation was deleted gets a new one; one that is left is not talked to")
    func reopening() {
        let daemon = FakeDaemon.withGroup(Cast.group(conversation: nil))
        daemon.answer("conversation.open") { _, _ in Cast.groupConversation().json }
        daemon.answer("message.send") { params, _ in
            Cast.said(params.string("text"), states: [.sent], state: .sent).json
        }
        #expect(CommandRun("send", "Hikers", "hello", daemon: daemon).output == "Sent to the group Hikers.\n")
        #expect(daemon.requests("conversation.open") == [["group": .string(Cast.hikers)]])
        #expect(CommandRun("read", "Hikers", daemon: daemon).output.contains("There are no messages"))
        let left = FakeDaemon.withGroup(Cast.group(.left, role: nil, conversation: nil))
        #expect(CommandRun("send", "Hikers", "hello", daemon: left).code == .notFound)
    }

    @Test("read names members as the group knows them, also former ones, and gives Kibo's own lines no author")
    func read() {
        let daemon = FakeDaemon.withGroup()
        daemon.answer("message.list") { _, _ in
            var messages = [
                Cast.said("Anna added Dora to the group", by: Cast.anna, kind: .system), Cast.said("hi", by: Cast.dora),
                Cast.said("bye", by: Cast.emil),
                Cast.said("nine", states: [.delivered, .read, .queued], state: .queued),
            ]
            for index in messages.indices { messages[index].id = "019ac0de-8888-7000-8000-00000000000\(index)" }
            return ["messages": .array(messages.map(\.json)), "hasMore": false]
        }
        let text = CommandRun("read", "Hikers", daemon: daemon).output
            .replacing(Humane.timeOfDay(Cast.noon), with: "12:00")
        #expect(text.contains("12:00 — Anna added Dora to the group —\n"), "\(text)")
        #expect(text.contains("12:00 Dora: hi\n"))
        #expect(text.contains("12:00 Emil: bye\n"))
        #expect(text.contains("12:00 you: nine  delivered to 2 of 3, read by 1\n"))
    }

    @Test("The list of conversations names the member who spoke last in a group")
    func chats() {
        let heard = CommandRun("chats", daemon: .withGroup(last: Cast.said("hi", by: Cast.dora)))
        #expect(heard.output.contains("Dora: hi"))
        let own = CommandRun("chats", daemon: .withGroup(last: Cast.said("nine")))
        #expect(own.output.contains("you: nine"))
        let system = CommandRun("chats", daemon: .withGroup(last: Cast.said("Anna left", by: Cast.anna, kind: .system)))
        #expect(system.output.contains("  Anna left") && !system.output.contains("Anna: Anna"))
    }

    @Test("Forgetting a group's conversation names the group, and says that the user stays in it")
    func forget() {
        let daemon = FakeDaemon.withGroup()
        daemon.answer("message.list") { _, _ in ["messages": [], "hasMore": false] }
        daemon.answer("conversation.delete") { _, _ in [:] }
        let asked = CommandRun("forget", "Hikers", daemon: daemon)
        #expect(asked.code == .usage && asked.errors.contains("all messages with the group Hikers"))
        #expect(
            CommandRun("forget", "Hikers", "--yes", daemon: daemon).output
                == "The conversation with the group Hikers is deleted.\nYou are still a member. To leave: kibo group leave Hikers\n"
        )
        #expect(daemon.requests("conversation.delete") == [["id": .string(Cast.hikersChat)]])
    }

    @Test("search names the author and the group of each find")
    func search() {
        let daemon = FakeDaemon.withGroup()
        daemon.answer("message.search") { _, _ in
            ["messages": [["message": Cast.said("nine", by: Cast.dora).json, "snippet": "nine", "marks": []]]]
        }
        #expect(CommandRun("search", "nine", daemon: daemon).output.contains("Dora to :Hikers: nine"))
    }

    @Test("Events of groups are sentences with the group in them")
    func events() {
        var people = People(own: Cast.own)
        for contact in Cast.contacts { people.update(contact) }
        people.update(Cast.group())
        let console = Console(
            output: { _ in }, errors: { _ in }, isTerminal: false, hasColor: false, clocks: SystemClocks(),
            size: { nil })
        let lines = MessageSentence(people: people, console: console)
        #expect(lines.added(Cast.said("hi", by: Cast.dora)) == "Dora in :Hikers: hi")
        #expect(lines.added(Cast.said("nine", states: [.queued])) == "you to :Hikers: nine")
        #expect(lines.added(Cast.said("Anna left", by: Cast.anna, kind: .system)) == "Anna left in :Hikers")
        let before = Cast.said("nine", states: [.queued, .queued, .queued], state: .queued)
        let after = Cast.said("nine", states: [.delivered, .delivered, .delivered], state: .delivered)
        #expect(lines.changed(after, from: before, at: 0) == "delivered to all in :Hikers: nine")
        var added = Cast.group()
        added.addedBy = Cast.anna
        let event = Recorded.event(.groupChanged, added.json, .insert, at: Cast.noon)
        let context = Context(
            console: console, command: "watch", arguments: ParsedArguments(), json: false, socket: nil)
        #expect(EventSentence.text(event, people, context)?.hasSuffix("Anna added you to the group Hikers") == true)
    }

    @Test("why tells for each recipient how far the message has come")
    func why() {
        let daemon = FakeDaemon.withGroup()
        var message = Cast.said("nine", states: [.read, .failed, .queued], state: .queued)
        message.recipients[1].reason = .notAllowed
        let told = message
        daemon.answer("message.get") { _, _ in told.json }
        daemon.answer("message.why") { _, _ in ["steps": [], "now": [["code": "change_waits", "parameters": [:]]]] }
        let text = CommandRun("why", "019ac0de-8888", daemon: daemon).output
        #expect(text.contains("Now: A change to it is waiting to be sent.\n"))
        #expect(text.contains("  Anna   read, ") && text.contains("  Dora   queued, "), "\(text)")
        #expect(text.contains("  Bella  failed: not allowed, "), "\(text)")
    }

    @Test("In a group's chat the bar says who is here, names are the members', and Kibo's lines stand in the middle")
    func chat() {
        let scene = ChatScene(columns: 60, group: Cast.group())
        #expect(scene.screen.contains("Hikers · 4 members, 2 here"))
        var heard = ChatScene.message(1, "hi", from: Cast.dora)
        scene.add(heard)
        heard = ChatScene.message(2, "Anna made Bella an admin", from: Cast.anna)
        heard.kind = .system
        scene.add(heard)
        #expect(scene.screen.contains("12:00 Dora   hi"), "\(scene.screen)")
        #expect(scene.screen.contains("                 Anna made Bella an admin"), "\(scene.screen)")
        #expect(!scene.screen.contains("Anna   Anna made"))
        scene.happen(.typingChanged, Typing(conversation: Cast.chat, account: Cast.dora, typing: true).json)
        #expect(scene.screen.contains("Dora is typing"))
        var group = Cast.group()
        group.members.removeLast()
        scene.happen(.groupChanged, group.json)
        #expect(scene.screen.contains("3 members, 2 here"))
        scene.happen(
            .conversationChanged,
            Conversation(id: Cast.chat, kind: .group, title: "Ramblers", group: Cast.hikers, updatedAt: 0).json)
        #expect(scene.screen.contains("Ramblers · 3 members"))
        scene.happen(.groupChanged, Cast.group(.removed, role: nil).json)
        #expect(scene.screen.contains("you were removed"))
    }

    @Test("In a group whose conversation was deleted, a new message opens a new one and goes there")
    func anew() {
        let scene = ChatScene(columns: 90, group: Cast.group())
        scene.happen(.conversationChanged, ["id": .string(Cast.chat)], change: .delete)
        #expect(scene.screen.contains("what you write starts a new one"))
        _ = scene.calls()
        scene.write("hello")
        #expect(scene.calls().last == "conversation.open {\"group\":\"\(Cast.hikers)\"}")
        scene.answer(.opened(key: "key1"), Cast.groupConversation().json)
        let calls = scene.calls()
        #expect(calls.contains { $0.hasPrefix("message.list") && $0.contains(Cast.hikersChat) })
        #expect(calls.contains { $0.hasPrefix("message.send") && $0.contains(Cast.hikersChat) && $0.contains("key1") })
        #expect(!scene.screen.contains("was deleted"))
        // The text comes back when it is refused.
        let other = ChatScene(columns: 90, group: Cast.group())
        other.happen(.conversationChanged, ["id": .string(Cast.chat)], change: .delete)
        other.write("hello")
        other.refuse(.opened(key: "key1"), RPCError(ControlError(.notFound, "there is no such group")))
        #expect(other.screen.contains("> hello") && other.screen.contains("Not sent: there is no such group"))
    }
}
