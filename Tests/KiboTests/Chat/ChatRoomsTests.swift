import Basics
import ControlProtocol
import Testing

@testable import kibo

/// The other chats: what happens there, and how one goes there and back.
struct ChatRoomsTests {
    private static let bella = "019ac0de-0000-7000-8000-00000000000b"
    private static let muted = "019ac0de-0000-7000-8000-00000000000c"
    private static let chats = [
        Conversation(id: Cast.chat, kind: .direct, title: "Anna", contact: Cast.anna, updatedAt: Cast.noon),
        Conversation(id: bella, kind: .direct, title: "Bella", contact: Cast.annabel, updatedAt: Cast.noon - 1),
        Conversation(
            id: muted, kind: .direct, title: "Zoë", contact: Cast.hostile, unread: 7, muted: true,
            updatedAt: Cast.noon - 2),
    ]

    private func scene(columns: Int = 70) -> ChatScene {
        let scene = ChatScene(columns: columns, messages: [ChatScene.message(1, "hello")])
        scene.answer(.chats, ["conversations": .array(Self.chats.map(\.json))])
        return scene
    }

    private func message(_ text: String, in chat: String, from sender: String = Cast.annabel) -> Message {
        var message = ChatScene.message(900, text, from: sender)
        message.conversation = chat
        message.unread = sender != Cast.own
        return message
    }

    @Test("A message elsewhere is told with a bell, unless its chat is muted, and what is unread stays in the bar")
    func elsewhere() {
        let scene = scene()
        scene.add(message("psst", in: Self.muted))
        scene.add(message("mine", in: Self.bella, from: Cast.own))
        #expect(scene.controller.state.notice == nil && scene.controller.drainEffects().isEmpty)
        scene.add(message("lunch?", in: Self.bella))
        #expect(scene.screen.contains("Bella: lunch?") && scene.controller.drainEffects().contains(.bell))
        #expect(scene.controller.state.model.count == 1)
        var chat = Self.chats[1]
        chat.unread = 2
        scene.happen(.conversationChanged, chat.json)
        scene.pass(.seconds(10))
        #expect(scene.screen.contains("New: Bella 2 · Alt-Down or /chat"))
        #expect(!scene.screen.contains("Zoë"))
    }

    @Test("Alt-Up and Alt-Down go to the chats in the order of the list; what was being written waits")
    func neighbours() {
        let scene = scene()
        scene.press(.text("half a li"), .nextChat)
        #expect(scene.controller.state.model.conversation == Self.bella && scene.controller.state.title == "Bella")
        #expect(scene.controller.state.contact == Cast.annabel && scene.controller.state.composer.isEmpty)
        let calls = scene.calls()
        #expect(calls.contains { $0.hasPrefix("message.list") && $0.contains(Self.bella) })
        // An answer about the chat that was left changes nothing here.
        scene.answer(.newest(asOf: 99, load: 1), ["messages": [ChatScene.message(2, "late").json], "hasMore": false])
        scene.answer(
            .changed("No reaction", done: nil, asOf: 200), ChatScene.message(1, "hello").json)
        #expect(scene.controller.state.model.count == 0)
        scene.answer(
            .newest(asOf: 99, load: 2), ["messages": [message("hi", in: Self.bella).json], "hasMore": false])
        #expect(scene.screen.contains("Bella") && scene.screen.contains("hi"))
        scene.press(.previousChat)
        #expect(scene.controller.state.model.conversation == Cast.chat)
        #expect(scene.controller.state.composer.text == "half a li")
        scene.press(.previousChat)
        #expect(scene.controller.state.model.conversation == Self.muted)
    }

    @Test("/chat goes to a person or a group by name, also to one without a chat; without a name it lists the chats")
    func byName() {
        let scene = scene()
        _ = scene.calls()
        scene.write("/chat bel")
        #expect(scene.calls() == ["name.resolve {\"name\":\"bel\",\"for\":\"chat\"}"])
        let named = Named(kind: .person, id: Cast.annabel, name: "Bella", word: "Bella")
        scene.answer(.named, named.json)
        #expect(scene.calls() == ["conversation.open {\"contact\":\"\(Cast.annabel)\"}"])
        scene.answer(.turned, Self.chats[1].json)
        #expect(scene.controller.state.model.conversation == Self.bella)
        scene.write("/chat")
        #expect(scene.screen.contains("» Bella") && scene.screen.contains("Zoë  7 new  muted"))
        scene.write("/chat zz")
        scene.refuse(.named, RPCError(ControlError(.notFound, "no person or chat matches \"zz\"")))
        #expect(scene.controller.state.notice?.text == "No person or chat matches \"zz\".")
        #expect(scene.controller.state.model.conversation == Self.bella)
    }

    @Test("A text that was begun in another chat is not thrown away by one key")
    func drafts() {
        let scene = scene()
        scene.press(.text("half a"), .nextChat)
        for key in [Keystroke.control("c"), .control("d")] {
            scene.press(key)
            #expect(!scene.controller.drainEffects().contains(.quit))
            #expect(scene.screen.contains("You have started a message to Anna."))
            scene.press(.left, key)
            #expect(!scene.controller.drainEffects().contains(.quit))
            scene.press(key)
            #expect(scene.controller.drainEffects().contains(.quit))
        }
    }

    @Test("A message that is still being sent keeps its chat")
    func pending() {
        let scene = scene()
        scene.write("on its way")
        scene.press(.nextChat)
        #expect(scene.controller.state.model.conversation == Cast.chat && scene.screen.contains("still being sent"))
    }

    @Test("Tab completes chats, people and paths, as far as it is clear")
    func completion() {
        let scene = scene()
        scene.press(.text("/chat be"), .tab)
        #expect(scene.controller.state.composer.text == "/chat Bella")
        scene.press(.control("u"), .text("so, an"), .tab)
        #expect(scene.controller.state.composer.text == "so, Anna ")
        scene.press(.control("u"), .text("nothing begins so"), .tab)
        #expect(scene.controller.state.composer.text == "nothing begins so")
        var composer = ChatComposer()
        _ = composer.handle(.text(#"/file ~/a\ b /tm"#))
        let found = composer.complete(
            names: [], chats: [], files: { _ in [] }, paths: { word in word == "/tm" ? ["/tmp/", "/tmpfile"] : [] })
        #expect(found == ["/tmp/", "/tmpfile"] && composer.text == #"/file ~/a\ b /tmp"#)
        #expect(TabCompletion("/file ", cursorIsAtEnd: true)?.word == "")
        #expect(TabCompletion("", cursorIsAtEnd: true) == nil && TabCompletion("a b", cursorIsAtEnd: false) == nil)
    }

    @Test("Paths are completed from the disk, with blanks behind backslashes")
    func paths() {
        #expect(PathCompletion.paths("/pro").contains("/proc/"))
        #expect(PathCompletion.paths("/no/such/folder/x").isEmpty)
        #expect(!PathCompletion.paths("/").contains { $0.hasPrefix("/.") })
    }
}
