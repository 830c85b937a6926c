import Basics
import Glibc
import TestSupport
import Testing

@testable import Store

/// Kills a process again and again while it upgrades a database.
@Suite("Crashes in an upgrade of the database", .serialized)
struct UpgradeCrashTests {
    @Test("Whenever an upgrade is killed, all or nothing of the step is there, and the next one goes on")
    func killed() throws {
        let directory = try TemporaryDirectory()
        // So many that an upgrade lasts long enough to be killed.
        let (database, output, messages) = (directory.file("kibo.sqlite"), directory.file("output"), 60_000)
        try TextFile.write([], to: database)
        try UpgradingProcess.fill(database, messages: messages)
        var random = SeededGenerator(seed: 7)
        var killed = 0
        // Each kill comes later in the step, until one comes too late.
        for number in 0..<12 {
            try TextFile.write([], to: output)
            let process = try UpgradingProcess.start(database, output: output)
            try Patience.until("the upgrade to begin", report: (try? TextFile.text(output)) ?? "") {
                try TextFile.text(output).contains("upgrading")
            }
            usleep(UInt32(number) * 120_000 + UInt32.random(in: 0...120_000, using: &random))
            process.kill()
            guard try UpgradingProcess.check(database, messages: messages) < UpgradingProcess.steps.count else { break }
            killed += 1
        }
        #expect(killed > 0, "no kill fell into the upgrade")
        try UpgradingProcess.finish(database)
        #expect(try UpgradingProcess.check(database, messages: messages) == UpgradingProcess.steps.count)
    }
}
