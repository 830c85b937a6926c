import Basics
import ControlProtocol
import TestSupport
import Testing

/// Goal: after a member's data was put back to an older copy, all members have the same in the end, and no message is
/// shown as a fork.
@Suite("Groups and old copies of a member's data", .serialized)
struct OldCopyGroupTests {
    /// Stops a daemon, puts its copy back and starts it.
    private func restore(_ daemon: DaemonProcess, from copy: String) throws {
        try daemon.stop()
        try daemon.putBack(copy)
        try daemon.start()
    }

    private func copied(_ daemon: DaemonProcess) throws -> String {
        try daemon.stop()
        let copy = try daemon.copyData()
        try daemon.start()
        return copy
    }

    /// Expects the same texts at all daemons, and no line about a fork.
    private func expectPeace(_ texts: [String], in scene: GroupScene, at people: [DaemonProcess]? = nil) throws {
        for person in people ?? scene.people {
            try scene.wait(for: texts, at: person)
            #expect(try !scene.lines(at: person).contains { $0.action == .forked }, "\(person.name)")
        }
    }

    @Test("A copy older than the group: a friend in the group gives it back, and new messages arrive")
    func beforeTheGroup() throws {
        let scene = try GroupScene(["Anna", "Bert", "Cleo"], members: 2)
        let cleo = scene.people[2]
        let copy = try copied(cleo)
        _ = try scene.people[0].call(
            "group.add", ["id": .string(scene.group), "members": [.string(try cleo.account.id)]])
        for person in scene.people { try scene.waitFor(3, at: person) }
        try scene.say("one", as: cleo)
        try scene.say("two", as: cleo)
        try expectPeace(["one", "two"], in: scene)

        try restore(cleo, from: copy)
        try scene.waitFor(3, at: cleo)
        try scene.say("three", as: cleo)
        try expectPeace(["one", "two", "three"], in: scene)
        try scene.say("four", as: scene.people[1])
        try expectPeace(["one", "two", "three", "four"], in: scene)
    }

    @Test("A copy from the midst of the chain: later messages come back, and a message written at once goes after them")
    func behindOwnChain() throws {
        let scene = try GroupScene(["Anna", "Bert", "Cleo"])
        let bert = scene.people[1]
        try scene.say("one", as: bert)
        try expectPeace(["one"], in: scene)
        let copy = try copied(bert)
        try scene.say("two", as: bert)
        let three = try scene.say("three", as: bert)
        _ = try bert.call("message.edit", ["id": .string(three.id), "text": "three!"])
        try expectPeace(["one", "two", "three!"], in: scene)

        try restore(bert, from: copy)
        // He has not met any other member yet.
        let four = try scene.say("four", as: bert)
        try scene.wait("delivered to all", for: four.id, at: bert) { $0.state == .delivered }
        try expectPeace(["one", "two", "three!", "four"], in: scene)
        #expect(try scene.messages(at: bert).filter { $0.kind != .system }.allSatisfy { $0.sender == four.sender })
    }

    @Test("A copy older than the group, with a removal and an addition meanwhile: the next message is no fork")
    func removedAndAdded() throws {
        let scene = try GroupScene(["Anna", "Bert", "Cleo"], members: 2)
        let (anna, bert, cleo) = (scene.people[0], scene.people[1], scene.people[2])
        let id = JSONValue.string(scene.group)
        let member = JSONValue.string(try cleo.account.id)
        let copy = try copied(cleo)
        _ = try anna.call("group.add", ["id": id, "members": [member]])
        for person in scene.people { try scene.waitFor(3, at: person) }
        try scene.say("one", as: cleo)
        try scene.say("two", as: cleo)
        try expectPeace(["one", "two"], in: scene)

        try cleo.stop()
        _ = try anna.call("group.remove", ["id": id, "member": member])
        try scene.waitFor(2, at: bert)
        _ = try anna.call("group.add", ["id": id, "members": [member]])
        for person in [anna, bert] { try scene.waitFor(3, at: person) }
        try cleo.putBack(copy)
        try cleo.start()
        try scene.waitFor(3, at: cleo)
        try scene.say("three", as: cleo)
        try expectPeace(["one", "two", "three"], in: scene)
    }

    @Test("A copy from before we left: the group is left in the end, and others' old copies don't bring it back")
    func left() throws {
        let scene = try GroupScene(["Anna", "Bert", "Cleo"])
        let (anna, bert, cleo) = (scene.people[0], scene.people[1], scene.people[2])
        let (copy, older) = (try copied(bert), try copied(anna))
        _ = try bert.call("group.leave", ["id": .string(scene.group)])
        for person in [anna, cleo] { try scene.waitFor(2, at: person) }
        try restore(bert, from: copy)
        try Patience.until("Bert to have left", report: bert.logTail) {
            try scene.shown(at: bert)?["state"]?.string == "left"
        }
        // He forgets the group altogether, and meets a member that believes him to be in it.
        _ = try bert.call("conversation.delete", ["id": .string(try scene.conversation(at: bert))])
        try Patience.until("Bert to have forgotten it", report: bert.logTail) { try scene.shown(at: bert) == nil }
        try cleo.stop()
        try restore(anna, from: older)
        try scene.waitFor(3, at: anna)
        let sent = try anna.call(
            "message.send", ["conversation": .string(try anna.conversation(with: bert)), "text": "hello"])
        try scene.wait("delivered", for: try Message(json: sent).id, at: anna) { $0.state == .delivered }
        try scene.say("are you there?", as: anna)
        #expect(try scene.shown(at: bert) == nil)
        try cleo.start()
        for person in [anna, cleo] { try scene.waitFor(2, at: person) }
        #expect(try scene.shown(at: bert) == nil)
    }

    @Test("A copy from before our removal: the members that we meet tell us again")
    func removed() throws {
        let scene = try GroupScene(["Anna", "Bert", "Cleo"])
        let (anna, bert, cleo) = (scene.people[0], scene.people[1], scene.people[2])
        let copy = try copied(cleo)
        let member = JSONValue.string(try cleo.account.id)
        _ = try anna.call("group.remove", ["id": .string(scene.group), "member": member])
        func expectRemoved() throws {
            try Patience.until("Cleo to be told", report: cleo.logTail) {
                try scene.shown(at: cleo)?["state"]?.string == "removed"
            }
        }
        try expectRemoved()
        try scene.say("without her", as: bert)
        try scene.wait(for: ["without her"], at: anna)
        try restore(cleo, from: copy)
        try expectRemoved()
        #expect(try scene.texts(at: cleo) == [])
    }
}
