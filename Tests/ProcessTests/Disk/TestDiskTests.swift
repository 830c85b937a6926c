import Basics
import ControlProtocol
import TestSupport
import Testing

/// Tests the disk of tests itself, because tests with it depend on it.
@Suite("A disk that fails and loses", .serialized)
struct TestDiskTests {
    /// Two friends on such a disk, from their first start on.
    static func friends(on disk: TestDisk, isLogged: Bool = true) throws -> (DaemonProcess, DaemonProcess) {
        let options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        let (anna, bert) = (
            try DaemonProcess(name: "Anna", options: options), try DaemonProcess(name: "Bert", options: options)
        )
        for daemon in [anna, bert] {
            try disk.carry(daemon, isLogged: isLogged)
            try daemon.start()
            try daemon.set("files.allowedTypes", to: ["*"])
            try daemon.set("files.autoDownload", to: "never")
            try daemon.createAccount()
        }
        try anna.befriend(bert)
        return (anna, bert)
    }

    /// SQLite makes its index anew after a crash. All other writes go through the calls that the disk sees.
    static func isSeen(_ path: String) -> Bool { !path.hasSuffix("-shm") }

    @Test("All writes of daemons are seen: the files that are made again from the log are equal to the byte")
    func complete() throws {
        let disk = try TestDisk()
        let (anna, bert) = try Self.friends(on: disk)
        let path = anna.directory.file("report.pdf")
        try TextFile.write(FileProcessTests.content(3_300_001, seed: 1), to: path)
        let id = try FileProcessTests.offer(path, from: anna, to: bert)
        try bert.call("transfer.accept", ["id": .string(id)])
        #expect(try FileProcessTests.waitForEnd(id, at: bert).state == .done)
        for number in 0..<20 { _ = try MessageProcessTests.send("\(number)", from: anna, to: bert.account.id) }
        try bert.stop()
        anna.kill()
        let all = TestDisk.roots(of: anna) + TestDisk.roots(of: bert)
        var random = SeededGenerator(seed: 1)
        let cut = PowerCut([PowerCut.Side(roots: all, loss: .none)])
        let made = cut.state(of: try disk.log(), at: disk.position, using: &random).files(Self.isSeen)
        let found = try DiskTree(all).files(Self.isSeen)
        #expect(Set(made.keys) == Set(found.keys))
        for (path, bytes) in found { #expect(made[path] == bytes, "\(path) differs") }
        #expect(found.keys.contains { $0.hasSuffix("/Kibo/report.pdf") })
    }

    @Test(
        "A commit fails on command, once: the daemon reports it and goes on",
        arguments: [TestDisk.Rule.Failure.full, .inputOutput, .busy])
    func rules(failure: TestDisk.Rule.Failure) throws {
        let disk = try TestDisk()
        let daemon = try DaemonProcess(name: "Anna", options: DaemonProcess.Options())
        try disk.carry(daemon, isLogged: false)
        try daemon.start()
        try daemon.createAccount()
        var refusal: RPCError?
        // A commit of the daemon's own may come first and take the failure: then the next one has to fail.
        for value in Int64(1)...5 where refusal == nil {
            try disk.fail([.transaction(failure)], at: daemon)
            // A value that the setting has already is no commit.
            do { try daemon.set("files.maxSendBytes", to: .integer(value)) } catch ClientError.refused(let error) {
                refusal = error
            }
        }
        #expect(refusal != nil)
        // Each rule that was taken counts its hits: the daemon's own commits may have taken some of the rules.
        let hits = disk.hits(at: daemon)
        #expect(hits > 0 && hits.isMultiple(of: failure.isAskedAgain ? TestDisk.Rule.refusals : 1), "\(hits) hits")
        try daemon.set("files.maxSendBytes", to: 6)
    }
}
