import Basics
import ControlProtocol
import TestSupport
import Testing

/// Goal: whatever interrupts a restore, the data are those of an empty daemon or of a complete one.
@Suite("Interrupted restores", .serialized)
struct RestoreCrashTests {
    private static let texts = (0..<40).map { "message \($0)" }

    /// A daemon with an account and some notes, and its backup.
    /// - Parameter takesLong: whether computing a backup's key takes as long as it does for users.
    private func prepared(
        takesLong: Bool = false
    ) throws -> (DaemonProcess, path: String, id: String, conversation: String) {
        var options = DaemonProcess.Options()
        options.paysForPassphrases = takesLong
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        let id = try anna.account.id
        let conversation = try Conversation(json: anna.call("conversation.open", ["contact": .string(id)])).id
        for text in Self.texts {
            try anna.call("message.send", ["conversation": .string(conversation), "text": .string(text)])
        }
        let path = anna.directory.file("anna.kibo")
        try anna.backUp(to: path)
        try anna.stop()
        TemporaryDirectory.remove(anna.dataPath)
        try anna.directory.makeDirectory("data")
        return (anna, path, id, conversation)
    }

    @Test("After a power cut or a kill at any moment of a restore there is no account, or all of it")
    func cuts() throws {
        let (anna, path, id, conversation) = try prepared()
        let disk = try TestDisk()
        try disk.carry(anna)
        try anna.start()
        let begin = disk.position
        try anna.restore(path)
        let end = disk.position
        anna.kill()
        let log = try disk.log()
        disk.release(anna)
        var random = SeededGenerator(seed: 3)
        var (empty, complete) = (0, 0)
        let moments = log.ends.filter { $0 > begin && $0 <= end }
        let count = Thorough.isWanted ? 200 : 12
        for number in 0..<count {
            // The last moments are those of the decision and of the renames.
            let late = moments.suffix(moments.count / 3)
            let position = (number % 3 == 0 ? moments[...] : late).randomElement(using: &random) ?? end
            let side = PowerCut.Side(roots: TestDisk.roots(of: anna), loss: PowerCut.Loss.allCases[number % 3])
            try PowerCut([side]).state(of: log, at: position, using: &random).write()
            try anna.start()
            if try anna.refusal("account.get") == .noAccount {
                empty += 1
                let rest = TemporaryDirectory.names(in: anna.dataPath).filter { $0.contains("restor") }
                #expect(rest.isEmpty, "cut \(number) at \(position): \(rest)")
            } else {
                complete += 1
                #expect(try anna.account.id == id)
                #expect(try MessageProcessTests.texts(anna, conversation) == Self.texts, "cut \(number) at \(position)")
            }
            anna.kill()
        }
        #expect(empty > 0 && complete > 0, "\(empty) without, \(complete) with")
    }

    @Test("While a restore goes on nobody makes an account, and a client that leaves ends it")
    func beside() throws {
        let (anna, path, id, _) = try prepared(takesLong: true)
        try anna.start()
        let (client, other) = (try anna.connect(), try anna.connect())
        let restore = try client.send("backup.restore", DaemonProcess.backup(path))
        let account = try other.send("account.create", ["displayName": "Other"])
        let restored = try BackupSummary(json: client.reply(to: restore, timeout: .seconds(120)))
        #expect(restored.account == id)
        #expect(throws: ClientError.self) { try other.reply(to: account, timeout: .seconds(60)) }
        try anna.reconnect { $0["account"]?.string == id }
    }

    @Test("A disk that fails at any step leaves an empty daemon, on which the next restore succeeds")
    func failures() throws {
        let (anna, path, id, _) = try prepared()
        let disk = try TestDisk()
        try disk.carry(anna, isLogged: false)
        try anna.start()
        // A rule for a rename means the name that a file gets.
        for rule: TestDisk.Rule in [
            .init(.open, .full, name: ".restoring"), .init(.write, .full, name: ".restoring", skip: 20),
            .init(.write, .inputOutput, name: ".restoring", skip: 40),
            .init(.sync, .inputOutput, name: ".restoring"), .init(.rename, .full, name: ".restored"),
            .init(.write, .full, name: "keys.new"),
        ] {
            try disk.fail([rule], at: anna)
            #expect(try anna.backupRefusal("backup.restore", DaemonProcess.backup(path)) != nil, "\(rule)")
            #expect(anna.restoreLeftovers == [], "\(rule)")
            #expect(try anna.refusal("account.get") == .noAccount)
        }
        try disk.fail([], at: anna)
        try anna.restore(path)
        #expect(try anna.account.id == id)
    }

    @Test("A daemon that is told to end while it restores ends well, and leaves nothing or all of it")
    func terminated() throws {
        let (anna, path, id, conversation) = try prepared(takesLong: true)
        var wasEmpty = false
        // While the key is computed, and while the database grows.
        for word in ["", ".restoring"] {
            if !anna.isRunning { try anna.start() }
            let client = try anna.connect()
            _ = try client.send("backup.restore", DaemonProcess.backup(path))
            try client.flush()
            // It may be over between two looks.
            try Patience.until("it to be begun", within: .seconds(60)) {
                let names = TemporaryDirectory.names(in: anna.dataPath)
                return word.isEmpty || names.contains { $0.contains(word) } || names.contains("keys")
            }
            try anna.stop()
            try anna.start()
            guard try anna.refusal("account.get") == .noAccount else { break }
            wasEmpty = true
            #expect(anna.restoreLeftovers == [])
        }
        #expect(wasEmpty, "the first one can't have been over")
        if try anna.refusal("account.get") == .noAccount { try anna.restore(path) }
        #expect(try anna.account.id == id)
        #expect(try MessageProcessTests.texts(anna, conversation) == Self.texts)
    }

    @Test("A daemon that is killed while it restores starts empty or complete, and the next restore succeeds")
    func killed() throws {
        let (anna, path, id, conversation) = try prepared(takesLong: true)
        try anna.start()
        let client = try anna.connect()
        _ = try client.send("backup.restore", DaemonProcess.backup(path))
        try client.flush()
        // It may be over between two looks.
        try Patience.until("it to be begun", within: .seconds(60)) {
            TemporaryDirectory.names(in: anna.dataPath).contains { $0.contains("restor") || $0 == "keys" }
        }
        anna.kill()
        try anna.start()
        if try anna.refusal("account.get") == .noAccount {
            #expect(TemporaryDirectory.names(in: anna.dataPath).allSatisfy { !$0.contains("restor") })
            try anna.restore(path)
        }
        #expect(try anna.account.id == id)
        #expect(try MessageProcessTests.texts(anna, conversation) == Self.texts)
    }
}
