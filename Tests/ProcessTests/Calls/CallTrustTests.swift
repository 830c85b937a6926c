import Basics
import ControlProtocol
import PeerProtocol
import TestSupport
import Testing
import Vocabulary

/// Goal: who may ring is what the user has said, about keys, about other calls, and about keys that have changed.
@Suite("Whose calls ring", .serialized)
struct CallTrustTests {
    private func befriended(_ name: String, with scene: CallScene, number: UInt64) throws -> CallScene.Window {
        let options = scene.bert.daemon.options
        let daemon = try DaemonProcess.launch(
            name: name, options: .init(discoveryPort: options.discoveryPort, logLevel: options.logLevel))
        try daemon.befriend(scene.bert.daemon)
        let window = try CallScene.Window(daemon, number: number, notifies: true)
        for (own, other) in [(daemon, scene.bert.daemon), (scene.bert.daemon, daemon)] {
            let id = try other.account.id
            try Patience.until("\(other.name) to be here", report: own.logTail) {
                try own.contact(id)?.presence == .online
            }
        }
        return window
    }

    @Test("calls.allow=verified: a friend whose key was compared rings, another one is told that it doesn't")
    func verified() throws {
        let scene = try CallScene()
        let cleo = try befriended("Cleo", with: scene, number: 3)
        let bert = scene.bert.daemon
        try bert.set("calls.allow", to: "verified")
        try bert.call("contact.verify", ["id": .string(scene.anna.daemon.account.id)])
        let id = try scene.ring()
        #expect(try scene.bert.open(id)?.participants.map(\.verified) == [true])
        _ = try scene.bert.call("call.decline", id)
        try scene.anna.waitForEnd(id)
        let other = try scene.start(cleo, in: cleo.daemon.conversation(with: bert))
        #expect(try cleo.ending(other.id) == .notAllowed)
        #expect(try scene.bert.open() == nil)
        // The caller's record comes all the same, so that the one who was called can ask why.
        try Patience.until("the record", report: bert.logTail) {
            try scene.bert.record(other.id).call?.outcome == .unreachable
        }
    }

    @Test("calls.whileBusy: a third person is told that one is in a call, or rings softly, and the call goes on")
    func busy() throws {
        let scene = try CallScene()
        let cleo = try befriended("Cleo", with: scene, number: 3)
        let there = try cleo.daemon.conversation(with: scene.bert.daemon)
        let talk = try scene.talk()
        try scene.bert.daemon.set("calls.whileBusy", to: "decline")
        let first = try scene.start(cleo, in: there)
        #expect(try cleo.ending(first.id) == .busy)
        #expect(try cleo.record(first.id).call?.outcome == .busy)
        #expect(try scene.bert.record(first.id).unread)
        try scene.bert.daemon.set("calls.whileBusy", to: "ring")
        let second = try scene.start(cleo, in: there)
        #expect(try scene.bert.wait(.incoming, second.id).waiting)
        _ = try scene.bert.call("call.decline", second.id)
        #expect(try cleo.ending(second.id) == .declined)
        for window in [scene.anna, scene.bert] { try window.wait(.active, talk) }
    }

    @Test("A friend whose key has changed can't call and isn't called; once that is settled, both can")
    func changed() throws {
        let scene = try CallScene()
        let (anna, bert) = (scene.anna.daemon, scene.bert.daemon)
        let id = try bert.account.id
        bert.kill()
        try Patience.until("Bert to be gone", report: anna.logTail) { try anna.contact(id)?.presence == .offline }
        let mallory = try TestPeer("Bert")
        let link = try mallory.openSession(with: anna)
        let request = Frame(kind: .contactRequest, id: freshID(), body: try ContactRequestBody().encoded())
        link.send(request)
        #expect(try link.receipt(for: request.id).status == .stored)
        try Patience.until("the key to be seen as changed", report: anna.logTail) {
            try anna.contact(id)?.trust == .changed
        }
        try bert.start()
        try scene.bert.reconnect()
        try scene.waitForSession()
        var refused: Reason?
        do { _ = try scene.start() } catch ClientError.refused(let error) { refused = error.kind }
        #expect(refused == .keyChanged)
        // Bert's call rings nowhere and leaves no trace; his Kibo says that nobody answers.
        let there = try bert.conversation(with: anna)
        let call = try scene.start(scene.bert, in: there)
        try Patience.until("the silence to be noticed", report: bert.logTail) {
            try scene.bert.open(call.id)?.participants.allSatisfy(\.silent) == true
        }
        #expect(try scene.anna.open() == nil)
        _ = try scene.bert.call("call.hangup", call.id)
        // Anna has asked: the other one was not him.
        try anna.call("contact.decline", ["id": .string(mallory.id)])
        #expect(try anna.contact(id)?.trust == .unverified)
        let next = try scene.start(scene.bert, in: there)
        try scene.anna.wait(.incoming, next.id)
        _ = try scene.anna.call("call.decline", next.id)
        try scene.bert.waitForEnd(next.id)
        #expect(try scene.ring().isEmpty == false)
    }
}

/// Goal: an old copy of the data in the middle of a call brings neither a ring nor a call without an end, and one record stays.
@Suite("Calls and old copies", .serialized)
struct CallCopyTests {
    private func copy(_ window: CallScene.Window) throws -> String {
        window.daemon.kill()
        let copy = try window.daemon.copyData()
        try window.daemon.start()
        try window.reconnect()
        return copy
    }

    private func putBack(_ copy: String, _ window: CallScene.Window) throws {
        window.daemon.kill()
        try window.daemon.putBack(copy)
        try window.daemon.start()
        try window.reconnect()
    }

    @Test("A copy from the middle of a call, put back when it is over: it is over there, too, with one record")
    func talk() throws {
        for window in [\CallScene.anna, \CallScene.bert] {
            let scene = try CallScene()
            let id = try scene.talk()
            let victim = scene[keyPath: window]
            let copy = try copy(victim)
            try victim.report(id)
            try scene.waitForSession()
            for each in [scene.anna, scene.bert] { try each.wait(.active, id) }
            _ = try scene.anna.call("call.hangup", id)
            for each in [scene.anna, scene.bert] { try each.waitForEnd(id) }
            try scene.expect(id, .answered, isMissed: false)
            try putBack(copy, victim)
            try scene.waitForSession()
            try victim.waitForEnd(id)
            try scene.expect(id, .answered, isMissed: false)
            // And the next one rings.
            let next = try scene.ring()
            _ = try scene.bert.call("call.decline", next)
            try scene.anna.waitForEnd(next)
        }
    }

    @Test("A copy from while it rang, put back after the answer no: it rings no more")
    func ring() throws {
        let scene = try CallScene()
        let id = try scene.ring()
        let copy = try copy(scene.bert)
        try scene.waitForSession()
        try scene.bert.wait(.incoming, id)
        _ = try scene.bert.call("call.decline", id)
        try scene.anna.waitForEnd(id)
        try scene.expect(id, .declined, isMissed: false)
        try putBack(copy, scene.bert)
        try scene.waitForSession()
        try scene.bert.waitForEnd(id)
        try scene.expect(id, .declined, isMissed: false)
    }
}
