import Basics
import ControlProtocol
import TestSupport
import Testing

/// Goal: groups work between real daemons, most of which are no friends of each other.
@Suite("Groups between real daemons", .serialized)
struct GroupProcessTests {
    @Test("All members of a group write, edit, answer, react, read and delete; each recipient has a state of its own")
    func talk() throws {
        let scene = try GroupScene(["Anna", "Bert", "Cleo", "Dora"])
        let (anna, bert, cleo) = (scene.people[0], scene.people[1], scene.people[2])
        let first = try scene.say("Who brings the oars?", as: anna)
        #expect(first.recipients.count == 3)
        for person in scene.people { try scene.wait(for: ["Who brings the oars?"], at: person) }
        try scene.wait("delivered to all", for: first.id, at: anna) {
            $0.recipients.allSatisfy { $0.state == .delivered } && $0.state == .delivered
        }
        #expect(try scene.lines(at: bert).contains { $0.actor.name == "Anna" && $0.value == "Boat" })

        // Bert and Cleo are no friends, and get each other's messages.
        let answer = try scene.say("I do", as: bert, replyTo: first.id)
        try scene.wait("the answer", for: answer.id, at: cleo) { $0.replyTo == first.id && $0.text == "I do" }
        _ = try bert.call("message.edit", ["id": .string(answer.id), "text": "I do, both"])
        try scene.wait("the edit", for: answer.id, at: cleo) { $0.text == "I do, both" && $0.editedAt != nil }
        _ = try cleo.call("message.react", ["id": .string(answer.id), "emoji": "👍"])
        try scene.wait("the reaction", for: answer.id, at: anna) { $0.reactions.map(\.emoji) == ["👍"] }
        try scene.wait("the reaction", for: answer.id, at: bert) { $0.reactions.map(\.emoji) == ["👍"] }

        // The author learns which members have read it, one by one.
        let list = try cleo.call("message.list", ["conversation": .string(try scene.conversation(at: cleo))])
        let last = try #require(try list["messages"]?.array?.last.map { try Message(json: $0) })
        _ = try cleo.call(
            "conversation.markRead", ["id": .string(try scene.conversation(at: cleo)), "upTo": .string(last.id)])
        let cleoID = try cleo.account.id
        try scene.wait("read by Cleo alone", for: first.id, at: anna) { message in
            message.recipients.filter { $0.state == .read }.map(\.id) == [cleoID]
        }

        // A member can't change a message of another member.
        #expect(throws: ClientError.self) {
            try cleo.call("message.edit", ["id": .string(answer.id), "text": "mine"])
        }
        _ = try bert.call("message.delete", ["id": .string(answer.id), "for": "all"])
        for person in scene.people {
            try scene.wait("the tombstone", for: answer.id, at: person) { $0.deleted && $0.text.isEmpty }
        }
    }

    @Test("A member that was away gets all messages from any member that is there, also those of an absent author")
    func catchUp() throws {
        let scene = try GroupScene(["Anna", "Bert", "Cleo"])
        let (anna, bert, cleo) = (scene.people[0], scene.people[1], scene.people[2])
        try scene.say("one", as: anna)
        for person in scene.people { try scene.wait(for: ["one"], at: person) }
        cleo.kill()
        let two = try scene.say("two", as: bert)
        try scene.wait(for: ["one", "two"], at: anna)
        _ = try bert.call("message.edit", ["id": .string(two.id), "text": "two!"])
        try scene.wait(for: ["one", "two!"], at: anna)
        for number in 3...40 { try scene.say("\(number)", as: bert) }
        let all = ["one", "two!"] + (3...40).map { "\($0)" }
        try scene.wait(for: all, at: anna)
        // Bert goes before Cleo comes back, so she gets his message from Anna.
        bert.kill()
        try cleo.start()
        try scene.wait(for: all, at: cleo)
        // In the end Bert learns that she has it.
        try bert.start()
        try scene.wait("delivered", for: two.id, at: bert) { $0.recipients.allSatisfy { $0.state != .queued } }
        try scene.say("all here", as: cleo)
        for person in scene.people { try scene.wait(for: all + ["all here"], at: person) }
    }

    @Test("A member that the author blocks gets the messages from others within seconds, also in a quiet group")
    func handedOn() throws {
        let scene = try GroupScene(["Anna", "Bert", "Cleo"])
        let (bert, cleo) = (scene.people[1], scene.people[2])
        try scene.say("all", as: bert)
        try scene.wait(for: ["all"], at: cleo)
        // Bert's daemon sends her no more messages, but she gets those that others hand on.
        try bert.call("contact.block", ["id": .string(try cleo.account.id)])
        for number in 1...2 {
            try scene.say("\(number)", as: bert)
            try scene.wait(for: ["all"] + (1...number).map(String.init), at: cleo)
        }
    }

    @Test("A message to a member that was blocked meanwhile is not sent and says why, also after it is sent again")
    func blockedWhileWaiting() throws {
        let scene = try GroupScene(["Anna", "Bert"])
        let (anna, bert) = (scene.people[0], scene.people[1])
        let id = JSONValue.string(try bert.account.id)
        try scene.say("before", as: anna)
        try scene.wait(for: ["before"], at: bert)
        try bert.stop()
        let waiting = JSONValue.string(try scene.say("are you there?", as: anna).id)
        _ = try anna.call("contact.block", ["id": id])
        let why = try anna.call("message.why", ["id": waiting])
        #expect(Remark<StoryState>.list(why["now"]) == [Remark(.isBlocked, ["name": "Bert"])])
        let steps = Remark<StoryStep>.list(why["steps"])
        #expect(steps.last == Remark(.notSentBlocked, ["name": "Bert"]), "\(steps)")
        do {
            _ = try anna.call("message.retry", ["id": waiting])
            Issue.record("it was sent to a blocked member")
        } catch ClientError.refused(let error) {
            #expect(error.kind == .blocked && error.message == "you have blocked Bert", "\(error)")
        }
        _ = try anna.call("contact.unblock", ["id": id])
        let past = Remark<StoryState>.list(try anna.call("message.why", ["id": waiting])["now"])
        #expect(past == [Remark(.wasBlocked, ["name": "Bert"])])
    }

    @Test("All members see additions, removals, roles, departures and names; a former member gets nothing more")
    func membership() throws {
        let scene = try GroupScene(["Anna", "Bert", "Cleo", "Dora"], members: 3)
        let (anna, bert, cleo, dora) = (scene.people[0], scene.people[1], scene.people[2], scene.people[3])
        let id = JSONValue.string(scene.group)
        try scene.say("before Dora", as: bert)
        for person in [anna, bert, cleo] { try scene.wait(for: ["before Dora"], at: person) }

        // Only admins add members, and only their own friends.
        #expect(throws: ClientError.self) {
            try bert.call("group.add", ["id": id, "members": [.string(try dora.account.id)]])
        }
        _ = try anna.call("group.add", ["id": id, "members": [.string(try dora.account.id)]])
        for person in scene.people { try scene.waitFor(4, at: person) }
        #expect(try scene.lines(at: dora).map(\.action) == [.added])
        #expect(try scene.lines(at: dora).first?.subjects.map(\.own) == [true])
        let last = try #require(try scene.lines(at: bert).last)
        #expect(last.action == .added && last.actor.name == "Anna" && last.subjects.map(\.name) == ["Dora"])
        try scene.say("hello Dora", as: cleo)
        try scene.wait(for: ["hello Dora"], at: dora)

        // Bert becomes an admin and renames the group.
        _ = try anna.call("group.setRole", ["id": id, "member": .string(try bert.account.id), "role": "admin"])
        try Patience.until("Bert's role", report: bert.logTail) {
            try scene.shown(at: bert)?["role"]?.string == "admin"
        }
        _ = try bert.call("group.update", ["id": id, "name": "Ship", "description": "Sundays at nine"])
        for person in scene.people {
            try Patience.until("the name at \(person.name)", report: person.logTail) {
                let shown = try scene.shown(at: person)
                return shown?["name"]?.string == "Ship" && shown?["description"]?.string == "Sundays at nine"
            }
        }

        // Cleo is removed: her daemon is told, and gets nothing more.
        _ = try bert.call("group.remove", ["id": id, "member": .string(try cleo.account.id)])
        try Patience.until("Cleo to be told", report: cleo.logTail) {
            try scene.shown(at: cleo)?["state"]?.string == "removed"
        }
        for person in [anna, bert, dora] { try scene.waitFor(3, at: person) }
        try scene.say("without Cleo", as: dora)
        for person in [anna, bert] { try scene.wait(for: ["before Dora", "hello Dora", "without Cleo"], at: person) }
        #expect(throws: ClientError.self) { try scene.say("let me in", as: cleo) }
        #expect(try scene.texts(at: cleo) == ["before Dora", "hello Dora"])

        // Anna, the only owner, leaves, and Bert becomes owner.
        _ = try anna.call("group.leave", ["id": id])
        #expect(try scene.shown(at: anna)?["state"]?.string == "left")
        try Patience.until("Bert to own it", report: bert.logTail) {
            try scene.shown(at: bert)?["role"]?.string == "owner"
        }
        try scene.say("two of us", as: bert)
        try scene.wait(for: ["hello Dora", "without Cleo", "two of us"], at: dora)
        #expect(try scene.texts(at: anna) == ["before Dora", "hello Dora", "without Cleo"])
    }

    @Test("A member that is removed while away hears of it later, whatever else it has missed")
    func removedWhileAway() throws {
        let scene = try GroupScene(["Anna", "Bert", "Cleo"])
        let (anna, bert, cleo) = (scene.people[0], scene.people[1], scene.people[2])
        let id = JSONValue.string(scene.group)
        let cleoID = try cleo.account.id
        cleo.kill()
        _ = try anna.call("group.update", ["id": id, "name": "Ship"])
        try Patience.until("the name at Bert", report: bert.logTail) {
            try scene.shown(at: bert)?["name"]?.string == "Ship"
        }
        _ = try anna.call("group.remove", ["id": id, "member": .string(cleoID)])
        try scene.say("without her", as: anna)
        try scene.wait(for: ["without her"], at: bert)
        try cleo.start()
        try Patience.until("Cleo to be told", report: cleo.logTail) {
            let shown = try scene.shown(at: cleo)
            return shown?["state"]?.string == "removed" && shown?["name"]?.string == "Ship"
        }
        #expect(try scene.texts(at: cleo) == [])
    }

    @Test("A member leaves and deletes the conversation while others are away, and they hear of it nevertheless")
    func leftAndDeleted() throws {
        let scene = try GroupScene(["Anna", "Bert", "Cleo"])
        let (anna, bert, cleo) = (scene.people[0], scene.people[1], scene.people[2])
        anna.kill()
        cleo.kill()
        _ = try bert.call("group.leave", ["id": .string(scene.group)])
        _ = try bert.call("conversation.delete", ["id": .string(try scene.conversation(at: bert))])
        try anna.start()
        try cleo.start()
        for person in [anna, cleo] { try scene.waitFor(2, at: person) }
        // A delivery to a former member doesn't keep a message from being delivered.
        let sent = try scene.say("two of us", as: anna)
        try scene.wait("delivered", for: sent.id, at: anna) { $0.state == .delivered }
    }

    @Test("A new member gets the last messages if the group's setting says so")
    func history() throws {
        let scene = try GroupScene(["Anna", "Bert", "Cleo"], members: 2, history: 2)
        let (anna, bert, cleo) = (scene.people[0], scene.people[1], scene.people[2])
        for number in 1...4 {
            try scene.say("\(number)", as: number % 2 == 0 ? anna : bert)
            for person in [anna, bert] { try scene.wait(for: (1...number).map { "\($0)" }, at: person) }
        }
        _ = try anna.call("group.add", ["id": .string(scene.group), "members": [.string(try cleo.account.id)]])
        try scene.wait(for: ["3", "4"], at: cleo)
        try scene.say("5", as: cleo)
        try scene.wait(for: ["1", "2", "3", "4", "5"], at: bert)
    }

    @Test("A stranger that learns the group's id from a member can do nothing with it, and gets nothing")
    func stranger() throws {
        let scene = try GroupScene(["Anna", "Bert", "Eve"], members: 2)
        let eve = scene.people[2]
        #expect(try scene.shown(at: eve) == nil)
        let id = JSONValue.string(scene.group)
        #expect(throws: ClientError.self) { try eve.call("group.get", ["id": id]) }
        #expect(throws: ClientError.self) { try eve.call("group.leave", ["id": id]) }
        #expect(throws: ClientError.self) { try eve.call("group.update", ["id": id, "name": "Mine"]) }
        try scene.say("between us", as: scene.people[1])
        try scene.wait(for: ["between us"], at: scene.people[0])
        #expect(try eve.call("conversation.list")["conversations"]?.array?.isEmpty ?? true)
    }

    @Test("Connected members are told of typing, in the group's conversation")
    func typing() throws {
        let scene = try GroupScene(["Anna", "Bert"])
        let (anna, bert) = (scene.people[0], scene.people[1])
        try scene.say("hello", as: anna)
        try scene.wait(for: ["hello"], at: bert)
        let events = try bert.connect()
        _ = try events.call("events.subscribe", ["types": ["typing.changed"]])
        let conversation = try scene.conversation(at: anna)
        let theirs = try scene.conversation(at: bert)
        _ = try anna.call("typing.set", ["conversation": .string(conversation), "typing": true])
        let event = try #require(try events.nextEvent(timeout: Patience.usual))
        #expect(event.data["conversation"]?.string == theirs)
        #expect(event.data["typing"] == true)
        #expect(event.data["account"]?.string == (try anna.account.id))
    }

    @Test("Members that are killed at any moment come to the same history")
    func kills() throws {
        let scene = try GroupScene(["Anna", "Bert", "Cleo"])
        var texts: Set<String> = []
        for round in 0..<6 {
            let victim = scene.people[round % 3]
            for (number, person) in scene.people.enumerated() where person !== victim || round % 2 == 0 {
                let text = "\(round)-\(number)"
                try scene.say(text, as: person)
                texts.insert(text)
            }
            victim.kill()
            for (number, person) in scene.people.enumerated() where person !== victim {
                let text = "\(round)-\(number)-meanwhile"
                try scene.say(text, as: person)
                texts.insert(text)
            }
            try victim.start()
        }
        for person in scene.people {
            var last: [String] = []
            try Patience.until("all at \(person.name)", report: person.logTail) {
                last = try scene.texts(at: person)
                return Set(last) == texts && last.count == texts.count
            }
        }
        let first = try scene.texts(at: scene.people[0])
        for person in scene.people { #expect(try scene.texts(at: person) == first) }
    }
}
