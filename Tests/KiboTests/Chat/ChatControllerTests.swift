import Basics
import ControlProtocol
import Testing

@testable import kibo

struct ChatControllerTests {
    private static let place = "\"conversation\":\"\(Cast.chat)\""

    @Test("A message goes out with a key, is shown as pending only if that takes long, and stands there once")
    func sending() {
        let scene = ChatScene()
        scene.write("hello")
        #expect(scene.calls().last == "message.send {\(Self.place),\"key\":\"key1\",\"text\":\"hello\"}")
        #expect(!scene.screen.contains("hello"))
        scene.pass(.seconds(1))
        #expect(scene.screen.contains("you   hello\n            not sent yet"))
        let message = ChatScene.message(1, "hello", from: Cast.own)
        scene.add(message)
        scene.answer(.sent(key: "key1", asOf: 101), message.json)
        scene.add(message)
        #expect(scene.screen.components(of: "hello") == 1 && scene.screen.contains("hello  delivered"))
        #expect(scene.controller.state.pending.isEmpty)
    }

    @Test("A text that is refused comes back to be mended, with the reason")
    func refused() {
        let scene = ChatScene(columns: 80)
        scene.write("hello")
        scene.refuse(
            .sent(key: "key1", asOf: 100), RPCError(ControlError(.notFriends, "you are no friends", hint: .seeContacts))
        )
        #expect(
            scene.screen.contains("> hello")
                && scene.screen.contains("Not sent: you are no friends · See who you know: kibo contacts"))
        #expect(scene.controller.drainEffects().contains(.bell))
    }

    @Test("A message waits while the daemon is away, is sent again with its key, and events go on where they were")
    func reconnecting() {
        let scene = ChatScene(messages: [ChatScene.message(1, "before")])
        scene.write("one")
        scene.add(ChatScene.message(2, "two"))
        _ = scene.calls()
        scene.controller.disconnected()
        scene.write("three")
        #expect(scene.calls().isEmpty && scene.screen.contains("The daemon isn't running"))
        #expect(scene.screen.contains("one") && scene.screen.contains("three"))
        scene.controller.connected()
        #expect(scene.calls() == ["events.subscribe {\"notifies\":true,\"since\":101}"])
        scene.answer(.subscribed, ["subscription": 1, "next": 105, "oldest": 1])
        let calls = scene.calls()
        #expect(!calls.contains { $0.hasPrefix("message.list") })
        #expect(calls.filter { $0.hasPrefix("message.send") }.count == 2)
        #expect(calls.contains { $0.contains("key1") } && calls.contains { $0.contains("key2") })
        #expect(scene.screen.contains("before") && scene.screen.contains("two"))
    }

    @Test("While the daemon is away nothing that needs it is lost: edits stay to be tried again, and doubts are told")
    func away() {
        let scene = ChatScene(
            columns: 70, messages: [ChatScene.message(1, "mine", from: Cast.own), ChatScene.message(2, "hers")])
        scene.write("/edit")
        scene.press(.text("!"), .enter)
        scene.controller.disconnected(losing: [.edited(ChatScene.message(1, "").id, text: "mine!", asOf: 0)])
        #expect(scene.screen.contains("e mine!") && scene.screen.contains("so it isn't known whether"))
        scene.press(.enter)
        #expect(scene.screen.contains("e mine!") && scene.screen.contains("The daemon isn't running"))
        scene.press(.escape)
        scene.write("/delete")
        #expect(scene.screen.contains("The daemon isn't running. Try again when it is back."))
        #expect(scene.screen.contains("> /delete"), "the command stays to be tried again")
        scene.press(.control("u"))
        scene.write("/get drawing")
        #expect(scene.screen.contains("> /get drawing"))
        scene.press(.control("u"))
        scene.write("/reply later")
        #expect(scene.controller.state.pending.map(\.text) == ["later"])
    }

    @Test("Many messages at once make one sound")
    func bells() {
        let scene = ChatScene()
        for number in 1...50 { scene.add(ChatScene.message(number, "x")) }
        #expect(scene.controller.drainEffects().filter { $0 == .bell }.count == 1)
        scene.pass(.seconds(3))
        scene.add(ChatScene.message(51, "x"))
        #expect(scene.controller.drainEffects().contains(.bell))
    }

    @Test("A gap, or a daemon that knows less than before, loads the conversation anew")
    func gaps() {
        let scene = ChatScene(messages: [ChatScene.message(1, "gone by now"), ChatScene.message(2, "stays")])
        scene.happen(.gap, ["from": 1, "to": 200])
        #expect(scene.calls().contains { $0.hasPrefix("message.list") })
        scene.answer(
            .newest(asOf: 200, load: 2), ["messages": [ChatScene.message(2, "stays").json], "hasMore": false])
        #expect(!scene.screen.contains("gone by now") && scene.screen.contains("stays"))
        // A page of the load before says nothing any more.
        scene.answer(.newest(asOf: 0, load: 1), ["messages": [], "hasMore": false])
        #expect(scene.screen.contains("stays"))
        scene.controller.disconnected()
        scene.controller.connected()
        scene.answer(.subscribed, ["subscription": 1, "next": 5, "oldest": 1])
        #expect(scene.calls().contains { $0.hasPrefix("message.list") })
    }

    @Test("The others hear that we type at once, now and then, and when we stop")
    func typing() {
        let scene = ChatScene()
        func said() -> [String] { scene.calls().filter { $0.hasPrefix("typing.set") }.map { String($0.suffix(6)) } }
        scene.press(.text("h"))
        #expect(said() == [":true}"])
        scene.press(.text("e"))
        #expect(said().isEmpty)
        scene.pass(TypingNotice.reminder)
        scene.press(.text("l"))
        #expect(said() == [":true}"])
        scene.pass(TypingNotice.pause)
        #expect(said() == ["false}"])
        scene.press(.text("l"), .enter)
        #expect(said() == [":true}", "false}"])
        // The others don't hear of commands; an empty text is no text.
        scene.press(.text("/help"), .control("u"))
        #expect(said().isEmpty)
        scene.press(.text("x"), .backspace)
        #expect(said() == [":true}", "false}"])
        // A daemon that does not have it is asked once.
        scene.press(.text("y"))
        _ = scene.calls()
        scene.refuse(.typing, .methodNotFound("typing.set"))
        scene.press(.backspace, .text("z"))
        #expect(said().isEmpty && scene.controller.state.notice == nil)
    }

    @Test("A person who types is shown until they stop, write, or fall silent; we are not told of ourselves")
    func othersTyping() {
        let scene = ChatScene()
        func type(_ account: String, _ isTyping: Bool, in chat: String = Cast.chat) {
            scene.happen(
                .typingChanged,
                ["conversation": .string(chat), "account": .string(account), "typing": .bool(isTyping)])
        }
        type(Cast.own, true)
        type(Cast.anna, true, in: Cast.report)
        #expect(!scene.screen.contains("typing"))
        type(Cast.anna, true)
        #expect(scene.screen.contains("Anna is typing"))
        type(Cast.anna, false)
        #expect(!scene.screen.contains("typing"))
        type(Cast.anna, true)
        scene.add(ChatScene.message(1, "done"))
        #expect(!scene.screen.contains("typing"))
        type(Cast.anna, true)
        scene.pass(ChatFeed.typing)
        #expect(!scene.screen.contains("typing"))
    }

    @Test("Seen messages are marked as read once, with the greatest arrival that was seen; those above are not")
    func reading() {
        var messages = (1...40).map { ChatScene.message($0, "message \($0)") }
        for index in 20..<40 { messages[index].unread = true }
        let scene = ChatScene(messages: messages)
        func look() -> [String] {
            if let view = scene.controller.screen.drawn().view { scene.controller.shown(view) }
            return scene.calls().filter { $0.hasPrefix("conversation.markRead") }
        }
        let id = ChatScene.message(40, "").id
        let first = messages[31].id
        #expect(
            look() == [
                "conversation.markRead {\"id\":\"\(Cast.chat)\",\"from\":\"\(first)\",\"upTo\":\"\(id)\",\"arrival\":40}"
            ])
        #expect(look().isEmpty)
        #expect(scene.controller.state.unreadMark == messages[20].id)
        // A new message that comes while the person looks at older ones has not been seen.
        scene.press(.pageUp)
        #expect(look().count == 1)
        var new = ChatScene.message(41, "new")
        new.unread = true
        scene.add(new)
        #expect(look().isEmpty)
        scene.press(.pageDown, .pageDown)
        #expect(look().count == 1)
        scene.write("/help")
        #expect(scene.controller.screen.drawn().view == nil)
    }

    @Test("Older pages are asked for one at a time when the top comes into view")
    func paging() {
        let messages = (51...60).map { ChatScene.message($0, "message \($0)") }
        let scene = ChatScene(messages: messages, hasMore: true)
        for _ in 0..<3 { scene.press(.pageUp) }
        func look() -> Int {
            if let view = scene.controller.screen.drawn().view { scene.controller.shown(view) }
            return scene.calls().filter { $0.contains("\"before\":\"p1051\"") }.count
        }
        #expect(look() == 1 && look() == 0)
        let older = (1...50).map { ChatScene.message($0, "message \($0)") }
        scene.answer(.older(asOf: 100, load: 1), ["messages": .array(older.map(\.json)), "hasMore": false])
        #expect(look() == 0 && scene.screen.contains("message 51"))
        for _ in 0..<20 { scene.press(.pageUp) }
        #expect(scene.screen.contains("message 1\n"))
    }

    @Test(
        "Escape closes the panel on top; Ctrl-C asks before a line goes, then leaves; Ctrl-D deletes before it leaves")
    func leaving() {
        let scene = ChatScene(columns: 60, messages: [ChatScene.message(1, "hello")])
        scene.press(.text("abc"), .control("a"), .control("d"), .control("c"))
        #expect(scene.controller.state.composer.text == "bc")
        #expect(scene.screen.contains("Press Ctrl-C again to throw away what you wrote"))
        // Another key, or a while, and it asks again.
        scene.press(.right, .control("c"))
        scene.pass(.seconds(20))
        scene.press(.control("c"))
        #expect(scene.controller.state.composer.text == "bc")
        scene.press(.control("c"))
        #expect(scene.controller.state.composer.isEmpty)
        #expect(!scene.controller.drainEffects().contains(.quit))
        scene.press(.up)
        #expect(scene.controller.state.composer.editor.text == "bc")
        scene.press(.control("u"), .control("d"))
        #expect(scene.controller.drainEffects().contains(.quit))
        scene.press(.control("c"))
        #expect(scene.controller.drainEffects().contains(.quit))
        scene.write("/help")
        #expect(scene.screen.contains("Esc closes this") && scene.screen.contains("/reply"))
        scene.press(.escape)
        #expect(scene.screen.contains("hello"))
        scene.write("/q")
        #expect(scene.controller.drainEffects().contains(.quit))
    }
}

extension String {
    /// The number of times that a text is in it.
    func components(of text: String) -> Int { ranges(of: text).count }
}
