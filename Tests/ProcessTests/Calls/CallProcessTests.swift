import Basics
import ControlProtocol
import PeerProtocol
import TestSupport
import Testing
import Vocabulary

/// Goal: two real daemons carry a call from the ring to its record, whatever breaks meanwhile, and each complaint that people have of
/// calls elsewhere is answered.
@Suite("Calls between real daemons", .serialized)
struct CallProcessTests {
    private func refusal(_ body: () throws -> Void) -> Reason? {
        do {
            try body()
            return nil
        } catch ClientError.refused(let error) {
            return error.kind
        } catch {
            Issue.record("\(error)")
            return nil
        }
    }

    @Test("Ring, accept, signals in both directions, talk, hang up: one record on both sides")
    func whole() throws {
        let scene = try CallScene()
        let id = try scene.ring()
        let ringing = try scene.bert.wait(.incoming, id)
        #expect(ringing.direction == .incoming && ringing.conversation != nil)
        #expect(ringing.participants.map(\.verified) == [false])
        try scene.anna.signal(id, "offer", sdp: scene.anna.sdp)
        #expect(try scene.bert.accept(id).state == .connecting)
        // A second window comes too late.
        let late = refusal { _ = try scene.bert.accept(id) }
        #expect(late == .alreadyExists)
        try Patience.until("the offer", report: scene.bert.daemon.logTail) { try scene.bert.signals(id).count == 1 }
        #expect(try scene.bert.signals(id).first?.sdp?.contains("m=audio") == true)
        try scene.bert.signal(id, "answer", sdp: scene.bert.sdp)
        try scene.bert.signal(
            id, "candidates",
            candidates: ["candidate:1 1 udp 5 127.0.0.1 40000 typ host", "candidate:1 1 udp 5 10.9.9.9 1 typ host"])
        try Patience.until("answer and candidates", report: scene.anna.daemon.logTail) {
            try scene.anna.signals(id).count == 2
        }
        #expect(try scene.anna.signals(id).last?.candidates == ["candidate:1 1 udp 5 127.0.0.1 40000 typ host"])
        for window in [scene.anna, scene.bert] { try window.report(id) }
        try scene.anna.wait(.active, id)
        _ = try scene.anna.call(
            "call.update", id, ["seat": .string(scene.anna.seat), "sends": ["microphone", "camera"]])
        try Patience.until("Bert to see the camera", report: scene.bert.daemon.logTail) {
            try scene.bert.open(id)?.participants.first?.sends == [.microphone, .camera]
        }
        _ = try scene.bert.call("call.hangup", id)
        try scene.anna.waitForEnd(id)
        try scene.expect(id, .answered, isMissed: false)
        #expect(try scene.anna.ending(id) == .hangup)
    }

    @Test(
        "A session description with another certificate, an odd one and odd candidates are refused by the sender's daemon"
    )
    func refused() throws {
        let scene = try CallScene()
        let id = try scene.ring()
        let foreign = refusal { try scene.anna.signal(id, "offer", sdp: scene.bert.sdp) }
        let odd = refusal { try scene.anna.signal(id, "offer", sdp: "v=0\r\nm=application 9 x y\r\n") }
        let lines = refusal { try scene.anna.signal(id, "candidates", candidates: ["candidate:x"]) }
        let mixed = refusal { try scene.anna.signal(id, "restart", sdp: scene.anna.sdp) }
        #expect([foreign, odd, lines, mixed] == [.invalid, .invalid, .invalid, .invalid])
        let seat = refusal {
            _ = try scene.anna.call("call.report", id, ["seat": .string(scene.bert.seat), "peers": []])
        }
        #expect(seat == .notAllowed)
    }

    @Test("Declined with a word, cancelled after a moment, and missed calls are counted and seen")
    func ends() throws {
        let scene = try CallScene()
        var id = try scene.ring()
        _ = try scene.bert.call("call.decline", id, ["text": "In ten minutes"])
        try scene.anna.waitForEnd(id)
        #expect(try scene.anna.ending(id) == .declined)
        try scene.expect(id, .declined, isMissed: false)
        try Patience.until("the word", report: scene.anna.daemon.logTail) {
            try MessageProcessTests.texts(scene.anna.daemon, scene.conversation).contains("In ten minutes")
        }
        id = try scene.ring()
        _ = try scene.anna.call("call.hangup", id)
        try scene.bert.waitForEnd(id)
        try scene.expect(id, .cancelled, isMissed: true)
        let there = try scene.bert.daemon.conversation(with: scene.anna.daemon)
        _ = try scene.bert.daemon.call(
            "conversation.markRead", ["id": .string(there), "upTo": .string(id)])
        #expect(try scene.bert.totals.missedCalls == 0)
    }

    @Test("Where nothing can ring the caller learns it at once, and the call is a missed one")
    func nobody() throws {
        let scene = try CallScene(bertNotifies: false)
        let id = try scene.start().id
        #expect(try scene.anna.ending(id) == .nobody)
        try scene.expect(id, .unreachable, isMissed: true)
    }

    @Test("Settings: only verified friends, nobody; and a second call while one is talked in")
    func settings() throws {
        let scene = try CallScene()
        try scene.bert.daemon.set("calls.allow", to: "verified")
        let id = try scene.start().id
        #expect(try scene.anna.ending(id) == .notAllowed)
        try scene.bert.daemon.set("calls.allow", to: "friends")
        let talk = try scene.talk()
        let busy = refusal { _ = try scene.start() }
        #expect(busy == .busy)
        _ = try scene.anna.call("call.hangup", talk)
    }

    @Test("Both call at once: one call, answered on both sides")
    func glare() throws {
        let scene = try CallScene()
        let there = try scene.bert.daemon.conversation(with: scene.anna.daemon)
        let first = try scene.start()
        let second = try scene.start(scene.bert, in: there)
        let open = try scene.anna.wait(.connecting)
        #expect([first.id, second.id].contains(open.id))
        try scene.bert.wait(.connecting, open.id)
        #expect(try scene.bert.daemon.call("call.list")["calls"]?.array?.count == 1)
    }

    @Test("A friend who is away is not rung, and finds the missed call on coming back; blocked and locked are said")
    func away() throws {
        let scene = try CallScene()
        scene.bert.daemon.kill()
        let bert = try scene.anna.daemon.call("contact.list")["contacts"]?.array?.first?["id"]?.string ?? ""
        try Patience.until("Bert to be gone", report: scene.anna.daemon.logTail) {
            try scene.anna.daemon.contact(bert)?.presence == .offline
        }
        let call = try scene.start()
        #expect(call.state == .ended && call.reason == .nobody)
        try scene.bert.daemon.start()
        try scene.bert.reconnect()
        try scene.expect(call.id, .unreachable, isMissed: true)
        try scene.anna.daemon.call("contact.block", ["id": .string(bert)])
        let blocked = refusal { _ = try scene.start() }
        #expect(blocked == .blocked)
    }

    @Test("Locked meanwhile: what rings ends as nobody's, and what is talked ends")
    func locked() throws {
        let scene = try CallScene()
        try scene.bert.daemon.call("account.changePassphrase", ["new": .string(DaemonProcess.passphrase)])
        var id = try scene.ring()
        try scene.bert.daemon.call("account.lock")
        #expect(try scene.anna.ending(id) == .nobody)
        #expect(try scene.anna.record(id).call?.outcome == .unreachable)
        let refused = refusal { _ = try scene.bert.daemon.call("call.list") }
        #expect(refused == .locked)
        _ = try scene.bert.daemon.unlock()
        try scene.bert.reconnect()
        try scene.waitForSession()
        try scene.expect(id, .unreachable, isMissed: true)
        id = try scene.talk()
        try scene.bert.daemon.call("account.lock")
        try scene.anna.waitForEnd(id)
        #expect(try scene.anna.record(id).call?.outcome == .answered)
    }

    @Test("Each daemon killed while it rings and while both talk: the call goes on")
    func killed() throws {
        for kills in [\CallScene.anna, \CallScene.bert] {
            let scene = try CallScene()
            let window = scene[keyPath: kills]
            var id = try scene.ring()
            window.daemon.kill()
            try window.daemon.start()
            try window.reconnect()
            try scene.anna.wait(.ringing, id)
            try scene.bert.wait(.incoming, id)
            _ = try scene.bert.call("call.decline", id)
            try scene.anna.waitForEnd(id)
            try scene.expect(id, .declined, isMissed: false)
            id = try scene.talk()
            window.daemon.kill()
            try window.daemon.start()
            try window.reconnect()
            try window.report(id)
            try scene.waitForSession()
            try scene.anna.wait(.active, id)
            try scene.bert.wait(.active, id)
            _ = try window.call("call.hangup", id)
            try scene.anna.waitForEnd(id)
            try scene.bert.waitForEnd(id)
            try scene.expect(id, .answered, isMissed: false)
        }
    }

    @Test("kibo: calls, declines, hangs up, and lists what was missed")
    func commands() throws {
        let scene = try CallScene()
        #expect(try scene.bert.daemon.kibo("call", "--answer").text.contains("Nobody is calling right now"))
        var id = try scene.ring()
        // Nobody can talk in a terminal: without a display it is said so, and the call rings on.
        let answered = try scene.bert.daemon.kibo("call", "--answer")
        #expect(answered.code == 1 && answered.text.contains("no display, and a call needs a browser"))
        let declined = try scene.bert.daemon.kibo("call", "--decline", "Later").text
        #expect(declined.contains("declined"))
        try scene.anna.waitForEnd(id)
        id = try scene.ring()
        #expect(try scene.anna.daemon.kibo("calls").text.contains("Ringing Bert"))
        _ = try scene.anna.daemon.kibo("call", "--hangup")
        try scene.bert.waitForEnd(id)
        _ = try scene.bert.record(id)
        #expect(try scene.bert.daemon.kibo("calls", "--missed").text.contains("missed call, cancelled"))
        #expect(try scene.bert.daemon.kibo("chats").text.contains("missed call, cancelled"))
        #expect(try scene.bert.daemon.kibo("status").text.contains("1 call – see: kibo calls --missed"))
        #expect(try scene.anna.daemon.kibo("read", "Bert").text.contains("call, cancelled"))
    }
}
