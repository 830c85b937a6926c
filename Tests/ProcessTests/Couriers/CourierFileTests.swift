import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing
import Vocabulary

/// Goal: a file that is sent to somebody who is away comes to them whole by a friend of both, whoever is switched off or
/// killed meanwhile; the courier's disk shows nothing of it, and keeps it no longer than it is wanted.
@Suite("Files by couriers, with real daemons")
struct CourierFileTests {
    private static let name = "holiday-at-the-sea.png"
    private static let secret = "what nobody else may see"

    /// A picture with the secret in each of its chunks.
    private static func picture(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var bytes = SampleFiles.png(width: 640, height: 480)
        var random = SeededGenerator(seed: seed)
        while bytes.count < count {
            if bytes.count % (1 << 19) < 8 { bytes += secret.utf8 }
            withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) }
        }
        return Array(bytes.prefix(count))
    }

    private struct Scene {
        let trio: CourierProcessTests.Trio
        let path: String
        let bytes: [UInt8]
        let inbox: String
        private let ben: String

        init(_ count: Int = 10 << 20, disk: TestDisk? = nil) throws {
            trio = try CourierProcessTests.trio(disk: disk)
            ben = try trio.ben.account.id
            bytes = picture(count)
            path = trio.anna.directory.file(name)
            try TextFile.write(bytes, to: path)
            inbox = try trio.ben.directory.makeDirectory("inbox")
            try trio.ben.set("files.downloadDirectory", to: .string(inbox))
            try trio.ben.set("files.autoDownload", to: "friends")
        }

        var parcels: String { trio.carl.dataPath + "/parcels" }

        /// The files that Carl has, and those that he is fetching.
        var kept: (whole: Set<String>, parts: Set<String>) {
            let names = Set(TemporaryDirectory.names(in: parcels))
            return (names.filter { !$0.hasPrefix(".") }, names.filter { $0.hasPrefix(".") })
        }

        func send() throws -> Transfer {
            let sent = try trio.anna.call("transfer.send", ["to": .string(ben), "paths": [.string(path)]])
            return try Transfer(json: #require(sent["transfers"]?.array?.first))
        }

        func waitUntilKept(_ count: Int = 1) throws {
            try Patience.until("Carl to have the file", report: trio.anna.logTail + trio.carl.logTail) {
                kept.whole.count == count && kept.parts.isEmpty
            }
        }

        /// - Parameter code: what Anna says of the message that carries a file.
        func waitUntilSaid(_ code: String, of sent: Transfer) throws {
            let message = try #require(sent.message)
            try Patience.until("Anna to say \(code)", report: trio.anna.logTail) {
                let why = try trio.anna.call("message.why", ["id": .string(message)])
                return why["now"]?.array?.contains { $0["code"]?.string == code } == true
            }
        }

        func waitUntilThere(_ id: String) throws {
            try Patience.until("Ben to have the file", report: trio.ben.logTail + trio.carl.logTail) {
                (try? FileProcessTests.transfer(id, at: trio.ben))?.state == .done
            }
            #expect(try TextFile.holds(inbox + "/" + name, bytes))
        }

        func waitUntilGone() throws {
            try Patience.until("Carl to have deleted it", report: trio.carl.logTail) {
                kept.whole.isEmpty && kept.parts.isEmpty
            }
        }
    }

    @Test("A picture of 10 MiB: Anna is killed, Ben comes and has it, Carl has it no more, and Anna comes and knows it")
    func story() throws {
        let scene = try Scene()
        let trio = scene.trio
        try trio.ben.stop()
        let sent = try scene.send()
        let id = sent.id
        try scene.waitUntilKept()
        try scene.waitUntilSaid("file_held", of: sent)
        // SIGKILL leaves all on the disk as it is.
        trio.anna.kill()
        trio.carl.kill()
        #expect(try !DiskSearch.contains(Self.secret, under: trio.carl.dataPath))
        #expect(try !DiskSearch.contains(Self.name, under: trio.carl.dataPath))
        #expect(try DiskSearch.contains(Self.name, under: trio.anna.dataPath), "the search finds what is there")
        var status = stat()
        #expect(stat(scene.parcels, &status) == 0 && status.st_mode & 0o777 == 0o700)
        let file = scene.parcels + "/" + (scene.kept.whole.first ?? "")
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600 && status.st_size == 10 << 20)
        try trio.carl.start()
        try trio.ben.start()
        try scene.waitUntilThere(id)
        try scene.waitUntilGone()
        // Ben's answer takes the same way back.
        try Patience.until("Carl to have the answer", report: trio.ben.logTail + trio.carl.logTail) {
            try trio.carl.call("courier.parcels")["parcels"]?.array?.contains { $0["toName"] == "Anna" } == true
        }
        try trio.ben.stop()
        try trio.anna.start()
        try Patience.until("Anna to know it", report: trio.anna.logTail + trio.carl.logTail) {
            try FileProcessTests.transfer(id, at: trio.anna).state == .done
        }
    }

    @Test("Carl is killed while he fetches, Ben while he fetches, Carl while he gives: Ben has it once and whole")
    func kills() throws {
        let scene = try Scene(24 << 20)
        let trio = scene.trio
        try trio.anna.set("courier.sendFileBytes", to: .integer(32 << 20))
        try trio.ben.set("files.autoDownloadMaxBytes", to: .integer(32 << 20))
        try trio.ben.stop()
        let id = try scene.send().id
        try Patience.until("Carl to fetch it", report: trio.carl.logTail) {
            !scene.kept.parts.isEmpty || !scene.kept.whole.isEmpty
        }
        trio.carl.kill()
        try trio.carl.start()
        try scene.waitUntilKept()
        trio.anna.kill()
        try trio.ben.start()
        try Self.waitUntilBegun(id, trio)
        trio.ben.kill()
        try trio.ben.start()
        try Self.waitUntilBegun(id, trio)
        trio.carl.kill()
        try trio.carl.start()
        try scene.waitUntilThere(id)
        try scene.waitUntilGone()
        #expect(TemporaryDirectory.names(in: scene.inbox) == [Self.name])
        try trio.anna.start()
        try Patience.until("Anna to know it", report: trio.anna.logTail) {
            try FileProcessTests.transfer(id, at: trio.anna).state == .done
        }
    }

    private static func waitUntilBegun(_ id: String, _ trio: CourierProcessTests.Trio) throws {
        try Patience.until("Ben to begin", report: trio.ben.logTail) {
            guard let transfer = try? FileProcessTests.transfer(id, at: trio.ben) else { return false }
            return transfer.state == .active || transfer.state == .done
        }
    }

    @Test("Ben takes it when he likes: until then it stays with Carl, whose folder holds nothing else")
    func asked() throws {
        let scene = try Scene(1 << 20)
        let trio = scene.trio
        try trio.ben.set("files.autoDownload", to: "never")
        try trio.ben.stop()
        let id = try scene.send().id
        try scene.waitUntilKept()
        trio.anna.kill()
        trio.carl.kill()
        try TextFile.write("nobody's".utf8, to: scene.parcels + "/left-over")
        try trio.carl.start()
        try scene.waitUntilKept()
        try trio.ben.start()
        try Patience.until("Ben to be offered it", report: trio.ben.logTail) {
            (try? FileProcessTests.transfer(id, at: trio.ben))?.state == .offered
        }
        try Patience.until("Carl to have given the parcel", report: trio.carl.logTail) {
            try trio.carl.call("courier.parcels")["bytes"]?.integer == 1 << 20
        }
        #expect(scene.kept.whole.count == 1)
        let left = try trio.carl.call("courier.parcels")["parcels"]?.array
        let listed = try trio.carl.call("courier.list")["carriedFor"]?.array
        #expect(listed?.first?["bytes"]?.integer == 1 << 20, "the list counts the file, too")
        #expect(left?.count == 1 && left?.first?["toName"] == "Ben" && left?.first?["bytes"]?.integer == 1 << 20)
        try trio.ben.call("transfer.accept", ["id": .string(id)])
        try scene.waitUntilThere(id)
        try scene.waitUntilGone()
    }

    @Test(
        "What has changed on Carl's disk is not taken, and Ben has it from Anna; a larger file waits for her"
    )
    func direct() throws {
        let scene = try Scene(3 << 20)
        let trio = scene.trio
        try trio.ben.stop()
        let id = try scene.send().id
        try scene.waitUntilKept()
        try trio.anna.set("courier.sendFileBytes", to: .integer(1 << 20))
        let second = try scene.send()
        let why = try trio.anna.call("message.why", ["id": .string(#require(second.message))])
        #expect(why["now"]?.array?.contains { $0["code"] == "file_waits_for_both" } == true, "\(why)")
        trio.anna.kill()
        trio.carl.kill()
        let file = scene.parcels + "/" + (scene.kept.whole.first ?? "")
        var sealed = try TextFile.bytes(file)
        sealed[sealed.count / 2] ^= 1
        try TextFile.write(sealed, to: file)
        try trio.carl.start()
        try trio.ben.start()
        try Self.waitUntilBegun(id, trio)
        usleep(1_000_000)
        #expect(try FileProcessTests.transfer(id, at: trio.ben).state != .done)
        try trio.anna.start()
        try scene.waitUntilThere(id)
        try scene.waitUntilGone()
        try Patience.until("Ben to have the other, too", report: trio.ben.logTail) {
            TemporaryDirectory.names(in: scene.inbox).count == 2
        }
    }

    @Test("Carl's host loses its power: what he has said to have is whole, and what he hadn't got yet is fetched again")
    func powerCuts() throws {
        let disk = try TestDisk()
        let scene = try Scene(2 << 20, disk: disk)
        let (anna, carl) = (scene.trio.anna, scene.trio.carl)
        try scene.trio.ben.stop()
        let sent = try scene.send()
        try scene.waitUntilSaid("held", of: sent)
        let begin = disk.position
        try scene.waitUntilSaid("file_held", of: sent)
        let told = disk.position
        for daemon in [anna, carl] { daemon.kill() }
        let name = try #require(scene.kept.whole.first)
        let sealed = try TextFile.bytes(scene.parcels + "/" + name)
        let log = try disk.log()
        disk.release(carl)
        var random = SeededGenerator(seed: 1)
        let losses: [PowerCut.Loss] = [.all, .halves, .torn]
        for number in 0..<(Thorough.isWanted ? 60 : 6) {
            let isTold = number % 2 == 0
            let moments = log.ends.filter { isTold ? $0 >= told : $0 > begin && $0 < told }
            let position = moments.randomElement(using: &random) ?? told
            let side = PowerCut.Side(roots: TestDisk.roots(of: carl), loss: losses[number % 3])
            try PowerCut([side]).state(of: log, at: position, using: &random).write()
            try carl.start()
            // Only she has it.
            if position < told { try anna.start() }
            try scene.waitUntilKept()
            #expect(
                try TextFile.bytes(scene.parcels + "/" + name) == sealed,
                "cut \(number) at \(position) of \(begin)...\(told)")
            for daemon in [anna, carl] { daemon.kill() }
        }
        // What he has after the last one is of use to Ben.
        for daemon in [carl, scene.trio.ben] { try daemon.start() }
        if !scene.kept.parts.isEmpty { try anna.start() }
        try scene.waitUntilThere(sent.id)
        try scene.waitUntilGone()
    }
}
