import Basics
import ControlProtocol
import Testing
import Vocabulary

@testable import kibo

/// Goal: in notes to oneself nothing says that a message goes somewhere, or that somebody is there.
@Suite("Notes in kibo chat")
struct ChatNotesTests {
    private func note(_ number: Int, _ text: String) -> Message {
        var message = ChatScene.message(number, text, from: Cast.own)
        (message.state, message.recipients) = (.sent, [])
        return message
    }

    @Test("Notes stand without ticks, without presence, and with the places of their files")
    func screen() {
        var second = note(2, "the plan")
        second.attachments = [
            Attachment(
                transfer: "019ac0de-0000-7000-8000-00000000000f", name: "plan.zip", size: 5, kind: .other,
                mediaType: "",
                state: .done, path: "/h/plan.zip")
        ]
        let scene = ChatScene(columns: 60, messages: [note(1, "first"), second], isNotes: true)
        let screen = scene.screen
        #expect(screen.contains(" Notes") && screen.contains("first") && screen.contains("/h/plan.zip"), "\(screen)")
        for word in ["sent", "kept", "offline", "online", "delivered", "no friend"] {
            #expect(!screen.contains(word), "\(screen)")
        }
    }

    @Test("Writing tells nobody; answers and reactions are for one's own notes; deleting has one way")
    func commands() {
        let scene = ChatScene(columns: 60, messages: [note(1, "first")], isNotes: true)
        scene.press(.text("h"))
        scene.pass(.seconds(6))
        #expect(scene.calls() == [])
        scene.press(.control("c"), .control("c"))
        _ = scene.calls()
        scene.write("hello")
        let sent = scene.calls()
        #expect(sent.count == 1 && sent[0].hasPrefix("message.send") && sent[0].contains(Cast.chat), "\(sent)")
        scene.write("/react 👍")
        #expect(scene.calls().first?.hasPrefix("message.react") == true)
        scene.write("/delete")
        let deleted = scene.calls()
        #expect(deleted.first?.contains("\"for\":\"me\"") == true, "\(deleted)")
    }

    @Test("Once the conversation is gone, what is written begins another with oneself")
    func deleted() {
        let scene = ChatScene(messages: [note(1, "first")], isNotes: true)
        scene.happen(.conversationChanged, ["id": .string(Cast.chat)], change: .delete)
        _ = scene.calls()
        scene.write("anew")
        #expect(scene.calls().first?.contains("\"to\":\"\(Cast.own)\"") == true)
    }
}
