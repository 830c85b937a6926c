import Basics
import ControlProtocol
import TestSupport
import Testing

@testable import Store

/// The power is cut at any moment, and any part of the writes that no synchronisation covered is lost: what a client
/// was told still holds.
@Suite("Power cuts", .serialized)
struct PowerCutTests {
    private static let losses: [PowerCut.Loss] = [.all, .halves, .torn]
    /// The daemons that lose the power: the sender, the receiver, both.
    private static let victims = [[0], [1], [0, 1]]

    @Test(
        "A cut in a storm of messages, group entries and files on either side or both loses nothing that was answered")
    func storm() throws {
        let scene = try PowerCutScene(rounds: 3)
        var random = SeededGenerator(seed: 1)
        for number in 0..<(Thorough.isWanted ? 150 : 6) {
            let problems = try scene.cut(
                Self.victims[number % 3], Self.losses[number / 3 % 3], using: &random)
            #expect(problems.isEmpty, "cut \(number)")
        }
        // As a control, the same cuts without synchronisations must show losses.
        for loss in Self.losses {
            #expect(try !scene.cut([0, 1], loss, ignoresSyncs: true, using: &random).isEmpty, "\(loss) shows nothing")
        }
    }

    @Test("A file that is reported as done is there, with the folders that were made for it")
    func madeFolders() throws {
        let disk = try TestDisk()
        let (anna, bert) = try TestDiskTests.friends(on: disk)
        let path = anna.directory.file("report.bin")
        let bytes = FileProcessTests.content(100_001, seed: 4)
        try TextFile.write(bytes, to: path)
        let id = try FileProcessTests.offer(path, from: anna, to: bert)
        try bert.call("transfer.accept", ["id": .string(id)])
        let done = try #require(try FileProcessTests.waitForEnd(id, at: bert).path)
        let position = disk.position
        for daemon in [anna, bert] { daemon.kill() }
        var random = SeededGenerator(seed: 1)
        let side = PowerCut.Side(roots: TestDisk.roots(of: bert), loss: .all)
        try PowerCut([side]).state(of: disk.log(), at: position, using: &random).write()
        #expect(try TextFile.bytes(done) == bytes)
    }

    @Test(
        "After a cut in a change of passphrase the old or the new one opens the keys, and after the answer the new one"
    )
    func passphrase() throws {
        let disk = try TestDisk()
        let anna = try DaemonProcess(name: "Anna", options: DaemonProcess.Options())
        try disk.carry(anna)
        try anna.start()
        try anna.call("account.create", ["displayName": "Anna", "passphrase": "old herons", "remember": true])
        let id = try anna.account.id
        let begin = disk.position
        try anna.call("account.changePassphrase", ["old": "old herons", "new": "new herons"])
        let told = disk.position
        anna.kill()
        let log = try disk.log()
        disk.release(anna)
        var random = SeededGenerator(seed: 2)
        for number in 0..<(Thorough.isWanted ? 30 : 2) {
            // Half of the cuts are during the change, half behind it.
            let moments = log.ends.filter { number % 2 == 0 ? $0 > begin && $0 < told : $0 >= told }
            let position = moments.randomElement(using: &random) ?? told
            let side = PowerCut.Side(roots: TestDisk.roots(of: anna), loss: Self.losses[number % 3])
            try PowerCut([side]).state(of: log, at: position, using: &random).write()
            try anna.start()
            #expect(try anna.account.id == id)
            let words = position >= told ? ["new herons"] : ["old herons", "new herons"]
            var opened = false
            for word in words where !opened {
                try Patience.until("an answer about \(word)", report: anna.logTail) {
                    let refusal = try anna.refusal("account.unlock", ["passphrase": .string(word)])
                    opened = refusal == nil
                    // After a wrong passphrase the next attempt has to wait for a moment.
                    return refusal != .busy
                }
            }
            #expect(opened, "cut \(number) at \(position) of \(begin)...\(told): nothing opens the keys")
            anna.kill()
        }
    }

    @Test(
        "After a cut in a migration a filled old database has one of the versions, with everything in it",
        arguments: [1, 5, 11])
    func migration(version: Int) throws {
        let disk = try TestDisk()
        let anna = try DaemonProcess(name: "Anna", options: DaemonProcess.Options())
        let path = anna.dataPath + "/" + Store.fileName
        try TextFile.write([], to: path)
        let connection = try Connection(path: path, purpose: .writer)
        try Migrations.run(on: connection, path: path, upTo: 1)
        try connection.execute(Self.filling)
        try Migrations.run(on: connection, path: path, upTo: version)
        connection.close()
        try disk.carry(anna)
        try anna.start()
        anna.kill()
        let log = try disk.log()
        var random = SeededGenerator(seed: UInt64(version))
        for number in 0..<(Thorough.isWanted ? 7 : 2) {
            let position = log.ends.randomElement(using: &random) ?? 0
            let side = PowerCut.Side(roots: TestDisk.roots(of: anna), loss: Self.losses[number % 3])
            try PowerCut([side]).state(of: log, at: position, using: &random).write()
            #expect(
                Store.examine(directory: anna.dataPath, within: .seconds(20), clocks: SystemClocks()) == .sound,
                "cut \(number) at \(position)")
            // The next opening runs the remaining migrations.
            let store = try Store.open(directory: anna.dataPath, clocks: SystemClocks())
            store.close()
            let reader = try Connection(path: path, purpose: .reader)
            #expect(try Migrations.version(of: reader) == Migrations.all.count)
            #expect(try reader.integer(SQL("SELECT count(*) FROM message WHERE length(text) > 100")) == 2000)
            #expect(try reader.integer(SQL("SELECT count(*) FROM recipient")) == 2000)
            reader.close()
        }
    }

    /// A conversation with two thousand messages, in the first schema.
    private static let filling = """
        INSERT INTO key (number, bytes) VALUES (1, randomblob(32)), (2, randomblob(32)), (3, randomblob(32));
        INSERT INTO conversation (number, id, kind, contact, title, updated_at) VALUES (1, randomblob(16), 0, 2, 'Bert', 1);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
        INSERT INTO message (number, id, conversation, sender, device, kind, state, sent_at, received_at, hlc, text)
            SELECT i, randomblob(16), 1, 1, 3, 0, 1, i, i, i, hex(randomblob(100)) FROM n;
        INSERT INTO recipient (message, account, state, at) SELECT number, 2, 1, 1 FROM message;
        """
}
