import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing
import Vocabulary

/// How much an upload may have, and how long it stays.
@Suite("Bounds of uploads", .serialized)
struct UploadBoundTests {
    private let uploads = UploadTests()

    @Test("A client that was taken over writes no byte beyond what it said, nor to a file that is finished")
    func greedy() throws {
        let daemon = try DaemonProcess.launch(name: "Anna")
        try daemon.set("files.maxSendBytes", to: 2_000_000)
        let client = try uploads.gateway(daemon)
        let much = [UInt8](repeating: 7, count: 32 << 20)
        for size in [1_000_000, nil] as [Int64?] {
            let id = try #require(
                try uploads.call(client, "upload.begin", ["name": "a.bin", "size": .optional(size)])["id"])
            #expect(try uploads.write(much[..<10], to: id, client) == 0)
            let (socket, _) = try uploads.open(id, client)
            defer { close(socket) }
            // What the socket holds is the most that it takes beside.
            #expect(uploads.send(much, to: socket) < 4 << 20)
            let path = "\(daemon.dataPath)/uploads/\(id.string ?? "")/content/a.bin"
            #expect(try TextFile.bytes(path).count <= 2_000_000)
            #expect(try uploads.open(id, client).received == 10)
        }
        // The one that was opened first ends when another is, and when the upload is finished.
        let id = try #require(try uploads.call(client, "upload.begin", ["name": "a.bin", "size": 30])["id"])
        let first = try uploads.open(id, client)
        #expect(uploads.send([1, 1, 1, 1], to: first.socket) == 4)
        let second = try uploads.open(id, client)
        #expect(second.received == 4)
        #expect(uploads.send([2], to: first.socket) == 0)
        #expect(uploads.send(Array(repeating: 3, count: 26), to: second.socket) == 26)
        #expect(try Upload(json: uploads.call(client, "upload.finish", ["id": id])).finished)
        #expect(uploads.send([4], to: second.socket) == 0)
        let bytes: [UInt8] = [1, 1, 1, 1] + Array(repeating: 3, count: 26)
        #expect(try TextFile.holds("\(daemon.dataPath)/uploads/\(id.string ?? "")/content/a.bin", bytes))
        for socket in [first.socket, second.socket] { close(socket) }
    }

    @Test(
        "Whatever a client writes, what is to stay free on the disk stays free",
        .enabled(if: getuid() == 0, "it takes root to mount a small file system"))
    func floor() throws {
        let daemon = try DaemonProcess(name: "Anna", options: .init())
        guard let disk = SmallDisk(at: daemon.dataPath, bytes: 32 << 20) else { return }
        defer { withExtendedLifetime(disk) {} }
        try daemon.start()
        try daemon.set("files.allowedTypes", to: ["*"])
        try daemon.set("files.freeSpaceFloorBytes", to: .integer(8 << 20))
        try daemon.createAccount()
        let client = try uploads.gateway(daemon)
        let much = [UInt8](repeating: 7, count: 64 << 20)
        for name in ["a.bin", "b.bin"] {
            let id = try #require(try uploads.call(client, "upload.begin", ["name": .string(name)])["id"])
            let (socket, _) = try uploads.open(id, client)
            defer { close(socket) }
            #expect(uploads.send(much, to: socket) < much.count)
            #expect(uploads.end(of: socket) == .noSpace)
            var figures = statvfs()
            #expect(statvfs(daemon.dataPath, &figures) == 0)
            #expect(UInt64(figures.f_bavail) * UInt64(figures.f_frsize) > 7 << 20)
        }
    }

    /// Makes what was noted of uploads and sent copies forty days older, as time does.
    private static let ageing = """
        import glob, sqlite3, sys
        base = sqlite3.connect(sys.argv[1] + "/kibo.sqlite")
        long = 40 * 86400000
        base.execute("UPDATE transfer_idle SET since = since - ?", (long,))
        base.commit()
        for path in glob.glob(sys.argv[1] + "/uploads/*/since"):
            number = int(open(path).read())
            open(path, "w").write("%d\\n" % (number - long))
        """

    @Test(
        "What was not sent goes after a day, a sent copy files.keepSentDays after its last transfer; a clock years ahead removes nothing",
        .enabled(if: ChatProcessTests.python != nil, "there is no Python: scripts/test installs it"))
    func age() throws {
        let clock = try TestClock()
        let (anna, bert) = try MessageProcessTests.friends()
        let client = try uploads.gateway(anna)
        let unsent = try uploads.upload([1, 2, 3], as: "a.bin", client)
        let (sent, other) = (try uploads.upload([4], as: "b.bin", client), try uploads.upload([5], as: "c.bin", client))
        let messages = try [sent, other].map {
            try Message(
                json: uploads.call(
                    client, "message.send", ["to": .string(try bert.account.id), "files": [uploads.name($0)]]))
        }
        /// Starts with a clock that is so far ahead, and lets it look through the uploads.
        func look(days: Int64) throws {
            clock.set(ahead: .seconds(days * 86_400))
            anna.options.environment.merge(clock.environment) { $1 }
            try anna.start()
            try Patience.until("a look", report: anna.logTail) {
                uploads.folders(anna).allSatisfy { access("\(anna.dataPath)/uploads/\($0)/since", F_OK) == 0 }
            }
            usleep(500_000)
        }
        anna.kill()
        try look(days: 3650)
        _ = try anna.call("transfer.cancel", ["id": .string(messages[0].attachments[0].transfer)])
        try anna.stop()
        for days in [7300, 0] as [Int64] {
            try look(days: days)
            usleep(7_000_000)
            #expect(uploads.folders(anna).count == 3)
            try anna.stop()
        }
        func age() throws {
            let output = anna.directory.file("ageing")
            let ageing = try ChildProcess(
                try #require(ChatProcessTests.python), ["-c", Self.ageing, anna.dataPath],
                environment: ["PATH": "/usr/bin:/bin"], outputPath: output)
            #expect(ageing.wait(.seconds(60)) == .exited(0), "\((try? TextFile.text(output)) ?? "")")
        }
        try age()
        try anna.start()
        try anna.set("files.keepSentDays", to: 0)
        try Patience.until("the unsent one to go", within: .seconds(20), report: anna.logTail) {
            !uploads.folders(anna).contains(unsent.string ?? "")
        }
        #expect(uploads.folders(anna).count == 2)
        // Where a transfer is not over, the copy stays.
        try anna.set("files.keepSentDays", to: 30)
        try Patience.until("the sent copy to go", within: .seconds(20), report: anna.logTail) {
            uploads.folders(anna) == [other.string ?? ""]
        }
    }
}
