import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Goal: what comes to a disk with rules of its own is there whole, replaces nothing, and the user is told under which name.
@Suite("Files that come to disks with other rules", .serialized)
struct OddDiskProcessTests {
    struct Case: CustomStringConvertible, Sendable {
        let lacks: [TestDisk.Lack]
        /// What is offered, and what it is called there.
        let names: [(offered: String, there: String)]
        var description: String { lacks.map(\.rawValue).joined(separator: " ") }
    }

    static let long = String(repeating: "ä", count: 100) + ".txt"
    static let cases = [
        Case(
            lacks: [.bare, .fat],
            names: [
                ("plan: 9?.txt", "plan%3A 9%3F.txt"), ("notes*.txt", "notes%2A.txt"), ("stars.", "stars%2E"),
                ("plain.txt", "plain.txt"), (long, long),
            ]),
        Case(
            lacks: [.short],
            names: [(long, String(repeating: "ä", count: 69) + ".txt"), ("plan: 9?.txt", "plan: 9?.txt")]),
        Case(lacks: [.bare], names: [("plain.txt", "plain.txt"), ("plan: 9?.txt", "plan: 9?.txt"), (long, long)]),
    ]

    /// A daemon whose downloads lie on such a disk, and a friend of it.
    static func friends(_ disk: TestDisk, _ lacks: [TestDisk.Lack]) throws -> (DaemonProcess, DaemonProcess) {
        let options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        let bert = try DaemonProcess(name: "Bert", options: options)
        try disk.carry(bert, isLogged: false, lacks: lacks)
        try bert.start()
        try bert.createAccount()
        try anna.befriend(bert)
        for daemon in [anna, bert] { try daemon.set("files.allowedTypes", to: ["*"]) }
        try bert.set("files.autoDownload", to: "never")
        return (anna, bert)
    }

    @Test(
        "A file and a folder arrive whole, under a name that the disk takes, and the change is told", arguments: cases)
    func names(_ odd: Case) throws {
        let disk = try TestDisk()
        let (anna, bert) = try Self.friends(disk, odd.lacks)
        let folder = try anna.directory.makeDirectory("folder")
        var there: [String: [UInt8]] = [:]
        for (number, name) in odd.names.enumerated() {
            let bytes = FileProcessTests.content(1_300_000 + number, seed: UInt64(number))
            try TextFile.write(bytes, to: folder + "/" + name.offered)
            there[name.there] = bytes
            // Somebody's file of that name stays.
            let taken = bert.downloadsPath + "/" + name.there
            if number == 0 {
                try bert.directory.makeDirectory("Downloads/Kibo")
                try TextFile.write("mine".utf8, to: taken)
            }
            let id = try FileProcessTests.offer(folder + "/" + name.offered, from: anna, to: bert)
            try bert.call("transfer.accept", ["id": .string(id)])
            let done = try FileProcessTests.waitForEnd(id, at: bert)
            #expect(done.state == .done, "\(done)")
            let path = try #require(done.path)
            #expect(try TextFile.holds(path, bytes), "\(path)")
            if number == 0 {
                #expect(path != taken && path.contains(" (1)"))
                #expect(try TextFile.text(taken) == "mine")
            } else {
                #expect(path == taken)
            }
            let last = path.split(separator: "/").last.map(String.init)
            #expect(done.savedAs == (last == name.offered ? nil : last))
            #expect((done.detail != nil) == (name.offered != name.there), "\(done.detail ?? "")")
        }
        let id = try FileProcessTests.offer(folder, from: anna, to: bert)
        try bert.call("transfer.accept", ["id": .string(id)])
        let done = try FileProcessTests.waitForEnd(id, at: bert)
        #expect(done.state == .done, "\(done)")
        let whole = bert.downloadsPath + "/folder"
        #expect(Set(TemporaryDirectory.names(in: whole)) == Set(there.keys))
        for (name, bytes) in there { #expect(try TextFile.holds(whole + "/" + name, bytes), "\(name)") }
        let left = TemporaryDirectory.names(in: bert.downloadsPath).filter { $0.hasSuffix(".kibo-part") }
        #expect(left.isEmpty)
    }
}
