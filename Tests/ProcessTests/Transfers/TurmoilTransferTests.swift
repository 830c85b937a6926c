import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Tests what happens around a running transfer: folders move, sources change, disks fill up.
@Suite("Transfers in turmoil", .serialized)
struct TurmoilTransferTests {
    private static func waitUntilMoving(_ id: String, at daemon: DaemonProcess) throws {
        try Patience.until("bytes to move", within: .seconds(60), report: daemon.logTail) {
            let transfer = try FileProcessTests.transfer(id, at: daemon)
            return transfer.bytesDone > 0 || transfer.state.isOver
        }
    }

    @Test("If the destination is swapped for a link meanwhile, no byte goes where the link leads")
    func swapped() throws {
        let (anna, bert) = try MessageProcessTests.friends(logLevel: .info, slowDisks: true)
        let path = anna.directory.file("large.bin")
        let bytes = FileProcessTests.content(40 << 20, seed: 11)
        try TextFile.write(bytes, to: path)
        let id = try FileProcessTests.offer(path, from: anna, to: bert)
        let inbox = try bert.directory.makeDirectory("inbox")
        let elsewhere = try bert.directory.makeDirectory("elsewhere")
        try bert.call("transfer.accept", ["id": .string(id), "path": .string(inbox)])
        try Self.waitUntilMoving(id, at: bert)
        #expect(rename(inbox, inbox + ".old") == 0 && symlink(elsewhere, inbox) == 0)
        let ended = try FileProcessTests.waitForEnd(id, at: bert)
        #expect(TemporaryDirectory.names(in: elsewhere).isEmpty)
        // The opened folder stays the destination: there the file is whole, or there is none.
        if ended.state == .done {
            #expect(try TextFile.holds(inbox + ".old/large.bin", bytes))
        } else {
            #expect(TemporaryDirectory.names(in: inbox + ".old").allSatisfy { $0.hasSuffix(".kibo-part") })
        }
    }

    @Test("If a source changes in the middle, both sides fail with the reason, and nothing is left behind")
    func changed() throws {
        let (anna, bert) = try MessageProcessTests.friends(logLevel: .info, slowDisks: true)
        let path = anna.directory.file("large.bin")
        try TextFile.write(FileProcessTests.content(40 << 20, seed: 12), to: path)
        let id = try FileProcessTests.offer(path, from: anna, to: bert)
        let inbox = try bert.directory.makeDirectory("inbox")
        try bert.call("transfer.accept", ["id": .string(id), "path": .string(inbox)])
        try Self.waitUntilMoving(id, at: bert)
        let file = open(path, O_WRONLY | O_APPEND)
        #expect(write(file, [1, 2, 3], 3) == 3)
        close(file)
        let failed = try FileProcessTests.waitForEnd(id, at: bert)
        // The last check of the source may have been before the change.
        guard failed.state != .done else { return }
        #expect(failed.state == .failed && failed.reason == .invalid, "\(failed)")
        #expect(failed.detail?.contains("changed") == true, "\(failed)")
        #expect(try FileProcessTests.waitForEnd(id, at: anna).state == .failed)
        try Patience.until("the part to be removed", report: bert.logTail) {
            TemporaryDirectory.names(in: inbox).isEmpty
        }
    }

    @Test("If a disk fills up in the middle, the transfer stops with that reason and goes on when there is room")
    func diskFull() throws {
        let (anna, bert) = try MessageProcessTests.friends(logLevel: .info, slowDisks: true)
        let disk = try bert.directory.makeDirectory("disk")
        guard mount("tmpfs", disk, "tmpfs", 0, "size=80m") == 0 else {
            print("skipped: a small file system can only be mounted as root")
            return
        }
        defer { umount2(disk, CInt(MNT_DETACH)) }
        try bert.set("files.freeSpaceFloorBytes", to: 0)
        _ = try anna.directory.makeDirectory("album")
        for number in 0..<60 {
            try TextFile.write(
                FileProcessTests.content(1 << 20, seed: UInt64(number)), to: anna.directory.file("album/\(number)"))
        }
        let id = try FileProcessTests.offer(anna.directory.file("album"), from: anna, to: bert)
        try bert.call("transfer.accept", ["id": .string(id), "path": .string(disk)])
        try Self.waitUntilMoving(id, at: bert)
        // Another program takes all the room there is.
        let filler = open(disk + "/filler", O_CREAT | O_WRONLY, 0o600)
        var space = statvfs()
        while fstatvfs(filler, &space) == 0, space.f_bavail > 0 {
            let size = lseek(filler, 0, CInt(SEEK_END))
            guard posix_fallocate(filler, size, Int(space.f_bavail) * Int(space.f_bsize)) == 0 else { break }
        }
        close(filler)
        try Patience.until("the transfer to stand", within: .seconds(60), report: bert.logTail) {
            let transfer = try FileProcessTests.transfer(id, at: bert)
            return transfer.reason == .noSpace || transfer.state.isOver
        }
        let standing = try FileProcessTests.transfer(id, at: bert)
        unlink(disk + "/filler")
        if standing.state != .done {
            #expect(standing.state == .paused && standing.reason == .noSpace, "\(standing)")
            #expect(TemporaryDirectory.names(in: disk).allSatisfy { $0.hasSuffix(".kibo-part") || $0 == "filler" })
            try bert.call("transfer.resume", ["id": .string(id)])
        }
        let done = try FileProcessTests.waitForEnd(id, at: bert)
        #expect(done.state == .done && done.skipped == 0, "\(done)")
        for number in 0..<60 {
            let expected = FileProcessTests.content(1 << 20, seed: UInt64(number))
            #expect(try TextFile.holds("\(disk)/album/\(number)", expected))
        }
        #expect(TemporaryDirectory.names(in: disk) == ["album"])
    }
}
