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
        #expect(try TextFile.holds(done, bytes))
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

    @Test("After a cut in an upgrade a filled database has one of the versions, with everything in it")
    func migration() throws {
        let (disk, directory) = (try TestDisk(), try TemporaryDirectory())
        let messages = 2000
        let folder = try #require(TestDisk.canonical(try directory.makeDirectory("data")))
        let database = folder + "/kibo.sqlite"
        try TextFile.write([], to: database)
        try UpgradingProcess.fill(database, messages: messages)
        let environment = try disk.carry(UpgradingProcess.program, beneath: [folder])
        let output = directory.file("output")
        try TextFile.write([], to: output)
        let process = try UpgradingProcess.start(database, output: output, environment: environment)
        let end = process.wait(.seconds(60))
        let said = try TextFile.text(output)
        #expect(end == .exited(0), "\(said)")
        #expect(try UpgradingProcess.check(database, messages: messages) == UpgradingProcess.steps.count)
        let log = try disk.log()
        var random = SeededGenerator(seed: 1)
        for number in 0..<(Thorough.isWanted ? 30 : 9) {
            let position = log.ends.randomElement(using: &random) ?? 0
            let side = PowerCut.Side(roots: [folder], loss: Self.losses[number % 3])
            try PowerCut([side]).state(of: log, at: position, using: &random).write()
            _ = try UpgradingProcess.check(database, messages: messages)
            try UpgradingProcess.finish(database)
            #expect(
                try UpgradingProcess.check(database, messages: messages) == UpgradingProcess.steps.count,
                "cut \(number) at \(position)")
        }
    }
}
