import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Goal: after pages of a daemon's database were overwritten, `kibo doctor --repair` brings a daemon that goes on with its
/// friends and groups; it changes nothing of the damaged files, whatever interrupts it.
@Suite("Repair of a daemon's damaged database", .serialized)
struct RepairProcessTests {
    /// The first pages hold the schema and the roots of all tables, 145 of them: of a small table there is nothing else.
    private static let firstPage = 150

    /// Overwrites a part of the pages of a stopped daemon's database.
    /// - Returns: the bytes of the damaged file.
    private static func damage(_ daemon: DaemonProcess, share: Int, seed: UInt64 = 1) throws -> [UInt8] {
        let path = daemon.dataPath + "/kibo.sqlite"
        var bytes = try TextFile.bytes(path)
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
        let pages = bytes.count / 4096
        #expect(pages > firstPage + 20, "\(pages) pages")
        for page in firstPage..<pages where next() % UInt64(share) == 0 {
            for place in (page * 4096)..<(page * 4096 + 4096) { bytes[place] = UInt8(truncatingIfNeeded: next() >> 20) }
        }
        try TextFile.write(bytes, to: path)
        return bytes
    }

    private static func repair(_ daemon: DaemonProcess) throws -> CommandLineAnswer {
        try daemon.kibo("doctor", "--repair", "--data", daemon.dataPath)
    }

    private static func aside(_ daemon: DaemonProcess) -> [String] {
        TemporaryDirectory.names(in: daemon.dataPath).filter { $0.contains(".damaged-") }
    }

    /// Two friends with some hundred messages; the second one is stopped.
    private static func friends(_ count: Int = 400) throws -> (anna: DaemonProcess, ben: DaemonProcess) {
        let options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        let ben = try DaemonProcess.launch(name: "Ben", options: options)
        try anna.befriend(ben)
        let id = try ben.account.id
        var last: Message?
        for number in 0..<count {
            last = try MessageProcessTests.send(
                "number \(number) " + String(repeating: "word ", count: 40), from: anna, to: id)
        }
        if let last { try MessageProcessTests.waitForState(.delivered, of: last.id, at: anna) }
        try ben.stop()
        return (anna, ben)
    }

    @Test("Friends go on with each other, and what was not on damaged pages is there")
    func friends() throws {
        let (anna, ben) = try Self.friends()
        let damaged = try Self.damage(ben, share: 6)
        let answer = try Self.repair(ben)
        #expect(answer.isDone, "\(answer)")
        #expect(answer.text.contains("messages") && answer.text.contains("can't be read"), "\(answer)")
        #expect(answer.text.contains("The damaged files are unchanged"), "\(answer)")
        let aside = Self.aside(ben)
        #expect(try aside.count == 1 && TextFile.holds(ben.dataPath + "/" + aside[0], damaged))

        let waiting = try MessageProcessTests.send("while he was away", from: anna, to: try anna.contacts(named: "Ben"))
        try ben.start()
        let conversation = try ben.conversation(with: anna)
        try MessageProcessTests.waitForState(.delivered, of: waiting.id, at: anna)
        let back = try MessageProcessTests.send("back again", from: ben, to: anna.account.id)
        try MessageProcessTests.waitForState(.delivered, of: back.id, at: ben)
        let list = try ben.call("message.list", ["conversation": .string(conversation), "limit": 500])
        let texts = try (list["messages"]?.array ?? []).map { try Message(json: $0).text }
        #expect(texts.suffix(2) == ["while he was away", "back again"])
        #expect(texts.count > 150, "\(texts.count)")
        let doctor = try ben.call("system.doctor")
        let checks = try (doctor["checks"]?.array ?? []).map { try DoctorCheck(json: $0) }
        #expect(checks.first { $0.name == "database" }?.ok == true)
        // The index of words is made anew.
        try Patience.until("a word to be found", report: ben.logTail) {
            try ben.call("message.search", ["query": "word", "limit": 1])["messages"]?.array?.isEmpty == false
        }
        let again = try ben.kibo("doctor", "--repair")
        #expect(!again.isDone && again.text.contains("Stop it first"), "\(again)")
        #expect(try !Self.repair(ben).isDone)
        try ben.stop()
        let sound = try Self.repair(ben)
        #expect(sound.isDone && sound.text.contains("nothing to repair"), "\(sound)")
    }

    @Test("A member gets back from the others what the group's log has lost, and makes no fork")
    func group() throws {
        let scene = try GroupScene(["Anna", "Bert", "Cleo"])
        let cleo = scene.people[2]
        var texts: [String] = []
        for number in 0..<120 {
            texts.append("number \(number) " + String(repeating: "word ", count: 40))
            try scene.say(texts[number], as: scene.people[number % 3])
        }
        for person in scene.people {
            try Patience.until("all texts at \(person.name)", report: person.logTail) {
                try Set(scene.messages(at: person).map(\.text)).isSuperset(of: texts)
            }
        }
        try cleo.stop()
        _ = try Self.damage(cleo, share: 5)
        let answer = try Self.repair(cleo)
        #expect(answer.isDone, "\(answer)")
        try cleo.start()
        try scene.say("after", as: cleo)
        for person in scene.people {
            try Patience.until("all texts at \(person.name)", report: answer.text + cleo.logTail) {
                try Set(scene.messages(at: person).map(\.text)).isSuperset(of: texts + ["after"])
            }
            #expect(try !scene.lines(at: person).contains { $0.action == .forked }, "\(person.name)")
            #expect(try scene.messages(at: person).filter { $0.kind != .system }.count == texts.count + 1)
        }
    }

    @Test("A repair that is killed again and again loses nothing and comes to its end")
    func killed() throws {
        let (anna, ben) = try Self.friends()
        let damaged = try Self.damage(ben, share: 10)
        defer { withExtendedLifetime(anna) {} }
        for milliseconds in 1...40 {
            let child = try ChildProcess(
                ProgramPaths.kibod, ["--repair", "--data", ben.dataPath], environment: [:],
                outputPath: ben.directory.file("repair"))
            _ = child.wait(.milliseconds(milliseconds * 3))
            child.kill()
            // Either nothing counts yet, or the damaged file has its other name.
            let names = Self.aside(ben)
            let path = ben.dataPath + "/" + (names.first ?? "kibo.sqlite")
            let isRepaired = try TextFile.holds(path, damaged)
            #expect(isRepaired, "after \(milliseconds)")
        }
        #expect(try Self.repair(ben).isDone)
        #expect(try Self.aside(ben).count == 1 && TextFile.holds(ben.dataPath + "/" + Self.aside(ben)[0], damaged))
        try ben.start()
        let back = try MessageProcessTests.send("back again", from: ben, to: anna.account.id)
        try MessageProcessTests.waitForState(.delivered, of: back.id, at: ben)
    }

    @Test(
        "On a full disk the damaged file stays as it is, and the repair can be begun again",
        .enabled(if: getuid() == 0, "it takes root to mount a small file system"))
    func fullDisk() throws {
        let (anna, ben) = try Self.friends()
        defer { withExtendedLifetime(anna) {} }
        let damaged = try Self.damage(ben, share: 10)
        let copy = try ben.copyData()
        guard let disk = SmallDisk(at: ben.dataPath, bytes: damaged.count + (2 << 20)) else { return }
        for name in TemporaryDirectory.names(in: copy) where ["keys", "kibo.sqlite"].contains(name) {
            try TextFile.write(try TextFile.bytes(copy + "/" + name), to: ben.dataPath + "/" + name)
        }
        chmod(ben.dataPath + "/keys", 0o600)
        // The new database begins and does not fit.
        let rest = [UInt8](repeating: 7, count: (2 << 20) - damaged.count / 2)
        try TextFile.write(rest, to: ben.dataPath + "/filling")
        let refused = try Self.repair(ben)
        #expect(!refused.isDone && refused.text.contains("no room"), "\(refused)")
        #expect(try TextFile.holds(ben.dataPath + "/kibo.sqlite", damaged))
        #expect(TemporaryDirectory.names(in: ben.dataPath).allSatisfy { !$0.contains("repair") })
        disk.makeRoom()
        let answer = try Self.repair(ben)
        #expect(answer.isDone, "\(answer)")
    }

    @Test("Keys that can't be read are named; a profile that is lost comes back from the keys")
    func keys() throws {
        let (anna, ben) = try Self.friends(300)
        defer { withExtendedLifetime(anna) {} }
        _ = try Self.damage(ben, share: 10)
        let copy = try ben.copyData()
        try TextFile.write("no keys".utf8, to: ben.dataPath + "/keys")
        let answer = try Self.repair(ben)
        #expect(!answer.isDone && answer.text.contains("The keys of this account can't be read"), "\(answer)")
        #expect(answer.text.contains("put back a copy"), "\(answer)")
        try ben.putBack(copy)
        unlink(ben.dataPath + "/keys")
        let missing = try Self.repair(ben)
        #expect(!missing.isDone && missing.text.contains("The file of keys is missing"), "\(missing)")
    }
}

extension DaemonProcess {
    /// The account of the contact with a name.
    fileprivate func contacts(named name: String) throws -> String {
        let list = try call("contact.list")["contacts"]?.array ?? []
        return try #require(try list.map { try Contact(json: $0) }.first { $0.displayName == name }).id
    }
}
