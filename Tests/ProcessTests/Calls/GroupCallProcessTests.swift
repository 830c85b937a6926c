import Basics
import ControlProtocol
import PeerProtocol
import TestSupport
import Testing
import Vocabulary

/// Goal: real daemons of a group's members ring, join, leave and come back, whatever breaks meanwhile, also where members are no
/// friends of each other; one line of the call stands in the chat, and who has missed it is told so.
@Suite("Calls of groups between real daemons", .serialized)
struct GroupCallProcessTests {
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

    @Test("Ring, join, signals between members that are no friends, leave, come back, and the last one ends it")
    func whole() throws {
        let scene = try GroupCallScene()
        let id = try scene.ring()
        let ringing = try #require(try scene.bert.open(id))
        #expect(ringing.group && ringing.direction == .incoming && ringing.seat == nil)
        #expect(try ringing.conversation == scene.scene.conversation(at: scene.bert.daemon))
        let joined = try scene.bert.accept(id)
        #expect(joined.state == .connecting && joined.seat == scene.bert.seat)
        #expect(joined.participants.first { $0.state == .joined }?.since != nil)
        #expect(refusal { _ = try scene.bert.accept(id) } == .alreadyExists)
        _ = try scene.cora.accept(id)
        for window in scene.windows { try scene.wait(for: scene.windows, in: id, at: window) }
        let (bert, cora) = (try scene.account(scene.bert), try scene.account(scene.cora))
        try scene.bert.signal(id, "offer", sdp: scene.bert.sdp, to: cora)
        try scene.cora.signal(
            id, "candidates", candidates: ["candidate:1 1 udp 5 127.0.0.1 40000 typ host"], to: bert)
        try Patience.until("the offer", report: scene.cora.daemon.logTail) {
            try scene.cora.signals(id).map(\.kind) == [.offer]
        }
        try Patience.until("the candidates", report: scene.bert.daemon.logTail) {
            try scene.bert.signals(id).first?.candidates.count == 1
        }
        for window in scene.windows { try window.report(id) }
        for window in scene.windows { try window.wait(.active, id) }
        #expect(try Call(json: scene.anna.call("call.hangup", id)).state == .ongoing)
        try scene.wait(for: [scene.bert, scene.cora], in: id, at: scene.bert)
        let back = try scene.anna.accept(id)
        #expect(back.generation == 2)
        for window in scene.windows { try scene.wait(for: scene.windows, in: id, at: window) }
        for window in scene.windows { _ = try window.call("call.hangup", id) }
        for window in scene.windows {
            try window.waitForEnd(id)
            let record = try scene.wait(for: .answered, id, at: window)
            #expect(try record.sender == scene.account(scene.anna) && !record.unread)
            #expect((record.call?.duration ?? 0) > 0)
            let lines = try scene.scene.messages(at: window.daemon).filter { $0.kind == .call }
            #expect(lines.map(\.id) == [id], "\(window.daemon.name)")
        }
    }

    @Test("Missed by whom it rang, declined with a word to the group, Join for whom groups don't ring")
    func missed() throws {
        let scene = try GroupCallScene(["Anna", "Bert", "Cora", "Dora"])
        _ = try scene.windows[3].daemon.call("settings.set", ["key": "calls.ringGroups", "value": false])
        let id = try scene.start(scene.anna).id
        for window in [scene.bert, scene.cora] { try window.wait(.incoming, id) }
        #expect(try scene.windows[3].wait(.ongoing, id).reason == nil)
        _ = try scene.cora.call("call.decline", id, ["text": "In ten minutes"])
        #expect(try scene.cora.wait(.ongoing, id).reason == .declined)
        try Patience.until("the word", report: scene.bert.daemon.logTail) {
            try scene.scene.texts(at: scene.bert.daemon).contains("In ten minutes")
        }
        _ = try scene.anna.call("call.hangup", id)
        for window in scene.windows { try window.waitForEnd(id) }
        #expect(try scene.wait(for: .unanswered, id, at: scene.bert).unread)
        #expect(try scene.bert.totals.missedCalls == 1)
        #expect(try !scene.wait(for: .declined, id, at: scene.cora).unread)
        #expect(try !scene.wait(for: .unanswered, id, at: scene.anna).unread)
        #expect(try !scene.wait(for: .answered, id, at: scene.windows[3]).unread)
        #expect(try scene.cora.totals.missedCalls == 0 && scene.windows[3].totals.missedCalls == 0)
        #expect(try scene.bert.daemon.kibo("calls", "--missed").text.contains("from Anna in :Boat"))
        #expect(try scene.anna.daemon.kibo("calls").text.contains("to :Boat"))
    }

    @Test("A member who was away comes back, sees the call that goes on with its line in the chat, and joins")
    func away() throws {
        let scene = try GroupCallScene()
        scene.cora.daemon.kill()
        let id = try scene.start(scene.anna).id
        try scene.bert.wait(.incoming, id)
        _ = try scene.bert.accept(id)
        try scene.wait(for: [scene.anna, scene.bert], in: id, at: scene.anna)
        try scene.cora.daemon.start()
        try scene.cora.reconnect()
        try Patience.until("Cora to see the call", report: scene.cora.daemon.logTail) { try scene.cora.open(id) != nil }
        _ = try scene.cora.record(id)
        #expect(try scene.cora.daemon.kibo("calls").text.contains("Boat"))
        _ = try scene.cora.accept(id)
        for window in scene.windows { try scene.wait(for: scene.windows, in: id, at: window) }
    }

    @Test("Each daemon killed in the middle: nobody falls out, and signals arrive afterwards")
    func killed() throws {
        let scene = try GroupCallScene()
        let id = try scene.talk()
        for window in scene.windows {
            window.daemon.kill()
            try window.daemon.start()
            try window.reconnect()
            try window.report(id)
            for other in scene.windows { try scene.wait(for: scene.windows, in: id, at: other) }
        }
        let cora = try scene.account(scene.cora)
        try scene.bert.signal(id, "restart", to: cora)
        try Patience.until("the signal", report: scene.cora.daemon.logTail) { try scene.cora.signals(id).count == 1 }
        for window in scene.windows { _ = try window.call("call.hangup", id) }
        for window in scene.windows { try window.waitForEnd(id) }
    }

    @Test("A member that is removed is dropped by all and is out of the call; a new member sees it")
    func removed() throws {
        let scene = try GroupCallScene(["Anna", "Bert", "Cora", "Dora"], members: 3)
        let id = try scene.start(scene.anna).id
        for window in [scene.bert, scene.cora] {
            try window.wait(.incoming, id)
            _ = try window.accept(id)
        }
        let three = [scene.anna, scene.bert, scene.cora]
        for window in three { try scene.wait(for: three, in: id, at: window) }
        _ = try scene.anna.daemon.call(
            "group.remove",
            ["id": .string(scene.scene.group), "member": .string(try scene.account(scene.cora))])
        for window in [scene.anna, scene.bert] { try scene.wait(for: [scene.anna, scene.bert], in: id, at: window) }
        try scene.cora.waitForEnd(id)
        #expect(try scene.cora.ending(id) == .notAllowed)
        #expect(refusal { _ = try scene.start(scene.cora) } == .notAllowed)
        _ = try scene.anna.daemon.call(
            "group.add",
            ["id": .string(scene.scene.group), "members": .strings([try scene.account(scene.windows[3])])])
        try Patience.until("Dora to see the call", report: scene.windows[3].daemon.logTail) {
            try scene.windows[3].open(id)?.participants.contains { $0.state == .joined } == true
        }
        _ = try scene.windows[3].accept(id)
        let now = [scene.anna, scene.bert, scene.windows[3]]
        for window in now { try scene.wait(for: now, in: id, at: window) }
    }

    @Test("A group's call and a friend's at once: it rings softly, whoever talks is busy, nobody is in two")
    func both() throws {
        let scene = try GroupCallScene()
        let direct = try scene.anna.daemon.conversation(with: scene.bert.daemon)
        var params = scene.anna.seatParameters
        params["conversation"] = .string(direct)
        params["media"] = "audio"
        let between = try Call(json: scene.anna.daemon.call("call.start", params))
        #expect(!between.group)
        try scene.bert.wait(.incoming, between.id)
        _ = try scene.bert.accept(between.id)
        try scene.anna.wait(.connecting, between.id)
        let id = try scene.start(scene.cora).id
        #expect(try scene.bert.wait(.incoming, id).waiting)
        #expect(refusal { _ = try scene.bert.accept(id) } == .busy)
        _ = try scene.bert.call("call.hangup", between.id)
        _ = try scene.bert.accept(id)
        try scene.wait(for: [scene.bert, scene.cora], in: id, at: scene.cora)
        // The other way round: in the group's call, a friend calls.
        try scene.anna.waitForEnd(between.id)
        let again = try Call(json: scene.anna.daemon.call("call.start", params))
        #expect(try scene.bert.wait(.incoming, again.id).waiting)
        _ = try scene.bert.call("call.decline", again.id)
        try scene.anna.waitForEnd(again.id)
        #expect(try scene.bert.open(id)?.seat == scene.bert.seat)
    }

    @Test("Two start at the same moment: one call, and both are in it")
    func glare() throws {
        let scene = try GroupCallScene()
        let ids = [try scene.start(scene.bert).id, try scene.start(scene.cora).id]
        let id = try #require(ids.min())
        for window in scene.windows { try scene.wait(for: [scene.bert, scene.cora], in: id, at: window) }
        for window in scene.windows {
            #expect(try window.daemon.call("call.list")["calls"]?.array?.count == 1)
        }
        // Both are told in the chat, with the same ids everywhere.
        #expect(try scene.anna.wait(.incoming, id).group)
    }

    @Test("Locked meanwhile: who talks leaves")
    func locked() throws {
        let scene = try GroupCallScene()
        try scene.bert.daemon.call("account.changePassphrase", ["new": .string(DaemonProcess.passphrase)])
        let id = try scene.talk()
        try scene.bert.daemon.call("account.lock")
        try scene.wait(for: [scene.anna, scene.cora], in: id, at: scene.anna)
        _ = try scene.bert.daemon.unlock()
        try scene.bert.reconnect()
        try Patience.until("Bert to see the call", report: scene.bert.daemon.logTail) { try scene.bert.open(id) != nil }
    }
}
