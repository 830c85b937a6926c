import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Goal: a file sent to a group reaches all members, and all of them carry it.
@Suite("Files of groups between real daemons", .serialized)
struct SwarmProcessTests {
    /// The only transfer that a daemon has; nil before the message has come.
    private func transfer(at daemon: DaemonProcess) throws -> Transfer? {
        try daemon.call("transfer.list", [:])["transfers"]?.array?.first.map { try Transfer(json: $0) }
    }

    private func accept(at daemon: DaemonProcess) throws {
        let offered = try Patience.until("the offer at \(daemon.name)", within: .seconds(60), report: daemon.logTail) {
            try transfer(at: daemon)
        }
        #expect(offered.state == .offered && offered.direction == .incoming)
        let inbox = try daemon.directory.makeDirectory("inbox")
        _ = try daemon.call("transfer.accept", ["id": .string(offered.id), "path": .string(inbox)])
    }

    private func expectWhole(_ bytes: [UInt8], at daemon: DaemonProcess) throws {
        let done = try Patience.until("the file at \(daemon.name)", within: .seconds(180), report: daemon.logTail) {
            let transfer = try transfer(at: daemon)
            return transfer?.state.isOver == true ? transfer : nil
        }
        #expect(done.state == .done, "\(daemon.name): \(done)")
        #expect(try TextFile.holds(try #require(done.path), bytes), "\(daemon.name) has another file")
    }

    /// Bytes of content that a daemon has given so far, by its log lines at the end of each connection.
    private func bytesGiven(by daemon: DaemonProcess) -> Int {
        daemon.log.split(separator: "\n").filter { $0.contains("a file was given in pieces") }
            .compactMap { line in
                line.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "=" })
                    .first { $0.hasPrefix("bytes=") }.flatMap { Int($0.dropFirst(6)) }
            }.max() ?? 0
    }

    @Test(
        "8 members, one killed, one joining: all get one file, and the author gives less than 2.5 times its size")
    func spread() throws {
        let mebibytes = getenv("KIBO_SWARM_MIB").flatMap { Int(String(cString: $0)) } ?? 24
        let names = ["Anna", "Bert", "Cleo", "Dora", "Emil", "Fina", "Gert", "Hans", "Ines", "Jana"]
        let scene = try GroupScene(names, members: 9, history: 10)
        let anna = scene.people[0]
        let bytes = FileProcessTests.content(mebibytes << 20, seed: 1)
        let path = anna.directory.file("film.bin")
        try TextFile.write(bytes, to: path)
        let begin = SystemClocks().now
        _ = try anna.call(
            "message.send",
            ["conversation": .string(try scene.conversation(at: anna)), "files": [.string(path)]])
        for person in scene.people[1...8] { try accept(at: person) }
        let victim = scene.people[4]
        try Patience.until("Emil to have begun", within: .seconds(60), report: victim.logTail) {
            try transfer(at: victim).map { $0.bytesDone > 0 || $0.state.isOver } ?? false
        }
        victim.kill()
        let jana = scene.people[9]
        _ = try anna.call(
            "group.add", ["id": .string(scene.group), "members": [.string(try jana.account.id)]])
        try scene.waitFor(10, at: jana)
        try accept(at: jana)
        for person in scene.people.dropFirst() where person !== victim { try expectWhole(bytes, at: person) }
        let took = SystemClocks().now - begin
        let times = Double(bytesGiven(by: anna)) / Double(bytes.count)
        print("\(mebibytes) MiB to 8 members in \(took.milliseconds) ms; the author gave \(times) times")
        #expect(times > 0 && times <= 2.5, "\(times) times")
        #expect(try transfer(at: anna)?.state == .done)

        // A member that comes back gets the rest, also without the author.
        anna.kill()
        try victim.start()
        try expectWhole(bytes, at: victim)
    }

    @Test("A removed member gets none of the group's files, though it knows a file's id")
    func removed() throws {
        let scene = try GroupScene(["Anna", "Bert", "Cleo"])
        let (anna, bert, cleo) = (scene.people[0], scene.people[1], scene.people[2])
        try scene.share("the plan", as: "plan.txt", from: anna)
        for person in [bert, cleo] {
            try Patience.until("the offer", report: person.logTail) { try transfer(at: person) != nil }
        }
        _ = try anna.call("group.remove", ["id": .string(scene.group), "member": .string(try cleo.account.id)])
        try scene.waitFor(2, at: bert)
        let inbox = try cleo.directory.makeDirectory("inbox")
        let offered = try #require(try transfer(at: cleo))
        // Cleo may know of the removal or not: in both cases nothing comes.
        _ = try? cleo.call("transfer.accept", ["id": .string(offered.id), "path": .string(inbox)])
        try accept(at: bert)
        try expectWhole(Array("the plan".utf8), at: bert)
        usleep(1_500_000)
        #expect(try transfer(at: cleo)?.state != .done)
        #expect(TemporaryDirectory.names(in: inbox).filter { !$0.hasSuffix(".kibo-part") }.isEmpty)
    }
}
