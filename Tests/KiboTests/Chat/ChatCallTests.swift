import Basics
import ControlProtocol
import Testing
import Vocabulary

@testable import kibo

/// Goal: who sits before `kibo chat` sees and hears who calls, whichever chat is shown, and can answer, decline and hang up.
struct ChatCallTests {
    private static let other = "019ac0de-0000-7000-8000-00000000000b"
    private static let id = "019ac0de-9999-7000-8000-000000000001"

    private func call(
        _ state: CallStage, in conversation: String = Cast.chat, from account: String = Cast.anna,
        reason: CallEnding? = nil, media: CallMedia = .audio, id: String = id
    ) -> Call {
        var call = Call()
        call.id = id
        call.conversation = conversation
        call.direction = state == .outgoing || state == .ringing ? .outgoing : .incoming
        call.state = state
        call.media = media
        call.reason = reason
        call.participants = [
            .init(
                account: account, device: "kibodev1x", state: nil, reachable: true, since: nil, silent: false,
                sends: [],
                verified: false, generation: 0)
        ]
        return call
    }

    private func scene(muted: Bool = false) -> ChatScene {
        let scene = ChatScene(columns: 76, messages: [ChatScene.message(1, "hello")])
        let chat = Conversation(
            id: Self.other, kind: .direct, title: "Bella", contact: Cast.annabel, muted: muted, updatedAt: Cast.noon)
        scene.answer(.chats, ["conversations": [chat.json]])
        return scene
    }

    private func bells(_ scene: ChatScene) -> Int { scene.controller.drainEffects().count { $0 == .bell } }

    @Test("Who calls stands in the bar with a bell that comes again, also from another chat, until the call is over")
    func rings() {
        let scene = scene()
        scene.happen(.callChanged, call(.incoming, in: Self.other, from: Cast.annabel, media: .video).json)
        #expect(scene.screen.contains("Bella is calling with video: /answer or /decline"), "\(scene.screen)")
        #expect(bells(scene) == 1)
        // A change of the call that rings makes no bell of its own; time does.
        scene.happen(.callChanged, call(.incoming, in: Self.other, from: Cast.annabel, media: .video).json)
        #expect(bells(scene) == 0)
        for _ in 0..<3 {
            scene.pass(ChatCalls.bell)
            #expect(bells(scene) == 1)
        }
        #expect(scene.controller.deadline != nil)
        scene.happen(
            .callChanged, call(.ended, in: Self.other, from: Cast.annabel, reason: .cancelled, media: .video).json)
        #expect(scene.screen.contains("The call with Bella is over: taken back"))
        scene.pass(.seconds(30))
        #expect(bells(scene) == 0 && !scene.screen.contains("calls"))
        // Of a call that was never seen nothing is told.
        scene.happen(.callChanged, call(.ended, reason: .nobody, id: "019ac0de-9999-7000-8000-000000000002").json)
        #expect(scene.controller.state.notice == nil)
    }

    @Test("A muted chat rings for the eye alone")
    func muted() {
        let scene = scene(muted: true)
        scene.happen(.callChanged, call(.incoming, in: Self.other, from: Cast.annabel).json)
        scene.pass(.seconds(20))
        #expect(scene.screen.contains("Bella calls: /answer or /decline") && bells(scene) == 0)
    }

    @Test("/answer opens the browser at the call, and says plainly where there is no display")
    func answer() {
        let scene = scene()
        scene.write("/answer")
        #expect(scene.screen.contains("Nobody is calling right now") && scene.answers.calls.isEmpty)
        scene.press(.control("u"))
        scene.happen(.callChanged, call(.incoming).json)
        scene.answers.problem = Browser.noDisplay
        scene.write("/answer")
        #expect(scene.screen.contains("There is no display, and a call needs a browser."), "\(scene.screen)")
        scene.press(.control("u"))
        scene.answers.problem = nil
        scene.write("/answer")
        #expect(scene.answers.calls == [Self.id] && scene.screen.contains("Opening the browser to answer Anna"))
        // It is answered there: nothing rings any more, and the bar above says so.
        scene.happen(.callChanged, call(.connecting).json)
        _ = bells(scene)
        scene.pass(.seconds(20))
        #expect(bells(scene) == 0 && scene.screen.contains("in a call"))
        #expect(!scene.screen.contains("/answer"))
    }

    @Test("/decline is about the call while one rings, with a word; a file is then named by its message")
    func decline() {
        var message = ChatScene.message(7, "")
        message.attachments = [
            Attachment(transfer: Cast.report, name: "a.pdf", size: 1, kind: .document, mediaType: "", state: .offered)
        ]
        let scene = ChatScene(columns: 76, messages: [message])
        scene.happen(.callChanged, call(.incoming).json)
        _ = scene.calls()
        scene.write("/decline")
        #expect(scene.calls() == ["call.decline {\"id\":\"\(Self.id)\"}"])
        scene.write("/decline In ten minutes")
        #expect(scene.calls() == ["call.decline {\"id\":\"\(Self.id)\",\"text\":\"In ten minutes\"}"])
        scene.write("/decline #0007")
        #expect(scene.calls() == ["transfer.decline {\"id\":\"\(Cast.report)\"}"])
        scene.happen(.callChanged, call(.ended, reason: .declined).json)
        scene.write("/decline")
        #expect(scene.calls() == ["transfer.decline {\"id\":\"\(Cast.report)\"}"])
        scene.refuse(.ofCall, RPCError(ControlError(.notFound, "there is no such call any more")))
        #expect(scene.screen.contains("There is no such call any more."))
    }

    @Test("/hangup ends the call that is talked in, before the one that rings beside it")
    func hangUp() {
        let scene = scene()
        scene.write("/hangup")
        #expect(scene.screen.contains("There is no call"))
        scene.press(.control("u"))
        scene.happen(.callChanged, call(.active).json)
        let second = "019ac0de-9999-7000-8000-000000000003"
        scene.happen(.callChanged, call(.incoming, in: Self.other, from: Cast.annabel, id: second).json)
        _ = scene.calls()
        scene.write("/hangup")
        #expect(scene.calls() == ["call.hangup {\"id\":\"\(Self.id)\"}"])
        scene.happen(.callChanged, call(.ended, reason: .hangup).json)
        _ = scene.calls()
        scene.write("/hangup")
        #expect(scene.calls() == ["call.hangup {\"id\":\"\(second)\"}"])
    }

    @Test("A group's call in which the user takes no part is nothing to hang up, and doesn't stand in the bar")
    func ongoing() {
        let scene = scene()
        scene.happen(.callChanged, call(.ongoing).json)
        #expect(!scene.screen.contains("in a call"))
        scene.write("/hangup")
        #expect(scene.screen.contains("There is no call"))
        #expect(!scene.calls().contains { $0.hasPrefix("call.hangup") })
    }

    @Test("kibo watch tells each step of a call once")
    func watch() {
        var memory = MessageMemory()
        let steps = [call(.incoming), call(.incoming), call(.connecting), call(.active), call(.active), call(.ended)]
        #expect(steps.map { memory.isNews($0) } == [true, false, true, true, false, true])
    }

    @Test("What rings when the chat begins is shown, and what rang before the daemon went away is not")
    func connection() {
        let scene = scene()
        scene.controller.disconnected()
        scene.controller.connected()
        scene.answer(.subscribed, ["subscription": 1, "next": 100, "oldest": 1])
        #expect(scene.calls().contains("call.list {}"))
        scene.answer(.calls, ["calls": [call(.incoming).json]])
        #expect(scene.screen.contains("Anna calls: /answer or /decline") && bells(scene) == 1)
        scene.controller.disconnected()
        #expect(!scene.screen.contains("Anna calls"))
        scene.pass(.seconds(20))
        #expect(bells(scene) == 0)
    }
}
