import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing
import Vocabulary

/// Goal: a friend who writes without end fills neither the disk nor anybody else's place, and the user is told.
@Suite("Somebody who says too much, with real daemons", .serialized)
struct IntakeProcessTests {
    /// Three daemons; the first two are friends of the last, whose data lie on a small disk.
    private struct Scene {
        let anna: DaemonProcess
        let carl: DaemonProcess
        let bert: DaemonProcess
        let disk: SmallDisk

        init?(bytes: Int) throws {
            let options = DaemonProcess.Options(discoveryPort: try FreePort.udp(), logLevel: .info)
            bert = try DaemonProcess(name: "Bert", options: options)
            guard let disk = SmallDisk(at: bert.dataPath, bytes: bytes) else { return nil }
            self.disk = disk
            anna = try DaemonProcess.launch(name: "Anna", options: options)
            carl = try DaemonProcess.launch(name: "Carl", options: options)
            try bert.start()
            try bert.createAccount()
            try anna.befriend(bert)
            try carl.befriend(bert)
        }
    }

    /// Text that no two messages share, so that the index of words grows as well.
    private static func text(_ number: Int, bytes: Int) -> String {
        var random = SeededGenerator(seed: UInt64(number))
        var text = "\(number)"
        while text.utf8.count < bytes { text += " " + String(UInt32.random(in: 0 ... .max, using: &random), radix: 36) }
        return text
    }

    private static func flood(_ count: Int, from daemon: DaemonProcess, to id: String) throws {
        let client = try daemon.connect()
        for number in 0..<count {
            try client.call("message.send", ["to": .string(id), "text": .string(text(number, bytes: 32 << 10))])
        }
    }

    private static func doctor(_ daemon: DaemonProcess) throws -> DoctorCheck? {
        let checks = try daemon.call("system.doctor")["checks"]?.array ?? []
        return try checks.map { try DoctorCheck(json: $0) }.first { $0.name == "intake" }
    }

    @Test(
        "On a disk that is nearly full a friend who floods is put off; others and the user go on, and deleting makes room",
        .enabled(if: getuid() == 0, "it takes root to mount a small file system"))
    func room() throws {
        guard let scene = try Scene(bytes: 300 << 20) else { return }
        let (anna, bert, carl, disk) = (scene.anna, scene.bert, scene.carl, scene.disk)
        let (annaID, bertID, carlID) = (try anna.account.id, try bert.account.id, try carl.account.id)
        #expect(try Self.doctor(bert)?.ok == true)
        // Something else takes the room down to what is kept free.
        disk.fill(to: 250 << 20)
        try Self.flood(400, from: anna, to: bertID)
        let putOff = try Patience.until("Anna to be put off", within: .seconds(60), report: bert.logTail) {
            try bert.status.putOff.first
        }
        #expect(putOff.account == annaID && putOff.name == "Anna" && putOff.reason == .room)
        #expect(try bert.kibo("status").text.contains("Anna"))
        #expect(try Self.doctor(bert)?.ok == false)
        // What she has filled is a small part.
        #expect(disk.free > 200 << 20, "\(disk.free)")
        var waiting = try MessageProcessTests.send("from Carl", from: carl, to: bertID)
        try MessageProcessTests.waitForState(.delivered, of: waiting.id, at: carl)
        waiting = try MessageProcessTests.send("from Bert", from: bert, to: carlID)
        try MessageProcessTests.waitForState(.delivered, of: waiting.id, at: bert)

        // The last part is the user's.
        disk.fill(to: 60 << 20)
        waiting = try MessageProcessTests.send("too late", from: carl, to: bertID)
        _ = try Patience.until("Carl to be put off, too", report: bert.logTail) {
            try bert.status.putOff.contains { $0.account == carlID } ? true : nil
        }
        for number in 0..<20 {
            let own = try MessageProcessTests.send("mine \(number)", from: bert, to: carlID)
            try MessageProcessTests.waitForState(.delivered, of: own.id, at: bert)
        }
        // Blocking and deleting makes room for what others say, on the same disk.
        let conversation = try bert.conversation(with: anna)
        try bert.call("contact.block", ["id": .string(annaID)])
        try bert.call("conversation.delete", ["id": .string(conversation)])
        try MessageProcessTests.waitForState(.delivered, of: waiting.id, at: carl)
        #expect(
            try MessageProcessTests.texts(bert, bert.conversation(with: carl)).filter { $0 == "too late" }.count == 1)
        #expect(try !bert.status.putOff.contains { $0.account == carlID })
    }

    @Test("Somebody who has written enough today waits, also over a restart; what was put off comes once, in its order")
    func day() throws {
        let (anna, bert) = try MessageProcessTests.friends(logLevel: .info)
        try bert.set("messages.dailyBytes", to: .integer(1 << 20))
        let bertID = try bert.account.id
        let conversation = try bert.conversation(with: anna)
        try Self.flood(40, from: anna, to: bertID)
        let putOff = try Patience.until("Anna to be put off", report: bert.logTail) { try bert.status.putOff.first }
        #expect(putOff.reason == .day)
        let before = try MessageProcessTests.texts(bert, conversation).count
        #expect((10..<30).contains(before), "\(before)")
        try bert.stop()
        try bert.start()
        let late = try MessageProcessTests.send("late", from: anna, to: bertID)
        _ = try Patience.until("Anna to be put off again", report: bert.logTail) { try bert.status.putOff.first }
        #expect(try MessageProcessTests.texts(bert, conversation).count == before)
        #expect(try bert.kibo("status").text.contains("messages.dailyBytes"))
        try bert.call("settings.set", ["key": "messages.dailyBytes", "value": nil])
        try MessageProcessTests.waitForState(.delivered, of: late.id, at: anna)
        try Patience.until("all to arrive", within: .seconds(60), report: bert.logTail) {
            try MessageProcessTests.texts(bert, conversation).count == 41
        }
        let expected = (0..<40).map { Self.text($0, bytes: 32 << 10) } + ["late"]
        #expect(try MessageProcessTests.texts(bert, conversation) == expected)
        #expect(try bert.status.putOff.isEmpty)
    }

    @Test(
        "A member who floods a group is put off; another member's words come all the same, and in the end all comes once"
    )
    func group() throws {
        let scene = try GroupScene(["Anna", "Bert", "Carl"])
        let (anna, bert, carl) = (scene.people[0], scene.people[1], scene.people[2])
        try bert.set("messages.dailyBytes", to: .integer(1 << 20))
        let flood = (0..<40).map { Self.text($0, bytes: 32 << 10) }
        for text in flood { try scene.say(text, as: anna) }
        try Patience.until("Carl to have all", report: carl.logTail) { try scene.texts(at: carl).count == flood.count }
        let putOff = try Patience.until("Anna to be put off", report: bert.logTail) { try bert.status.putOff.first }
        #expect(try putOff.account == anna.account.id && putOff.reason == .day)
        // Carl is no contact of Bert's. What he says refers to all that he has seen, which Bert has not.
        try scene.say("from Carl", as: carl)
        try Patience.until("Carl's words to arrive", report: bert.logTail) {
            try scene.texts(at: bert).contains("from Carl")
        }
        #expect(try scene.texts(at: bert).count < flood.count)
        try bert.call("settings.set", ["key": "messages.dailyBytes", "value": nil])
        try Patience.until("all to arrive", within: .seconds(90), report: bert.logTail) {
            try scene.texts(at: bert).count == flood.count + 1
        }
        #expect(try Set(scene.texts(at: bert)) == Set(flood + ["from Carl"]))
    }

    @Test("Files are taken without asking up to a bound for each day, also over a restart; then they wait to be taken")
    func files() throws {
        var options = DaemonProcess.Options(discoveryPort: try FreePort.udp(), logLevel: .info)
        options.asksForFiles = false
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        let bert = try DaemonProcess.launch(name: "Bert", options: options)
        try anna.befriend(bert)
        try bert.set("files.autoDownloadDailyBytes", to: 10)
        let text = anna.directory.file("note.txt")
        try TextFile.write(Array("hello\n".utf8), to: text)
        let first = try FilePolicyProcessTests.send(text, from: anna, to: bert)
        #expect(try FileProcessTests.waitForEnd(first, at: anna).state == .done)
        try bert.stop()
        try bert.start()
        let second = try FileProcessTests.offer(text, from: anna, to: bert)
        #expect(try FileProcessTests.transfer(second, at: bert).state == .offered)
        try bert.call("transfer.accept", ["id": .string(second)])
        #expect(try FileProcessTests.waitForEnd(second, at: bert).state == .done)
    }
}
