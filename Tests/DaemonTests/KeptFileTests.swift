import Basics
import Glibc
import Store
import TestSupport
import Testing

@testable import Daemon

/// What `files.keepDays` removes: the file that we made and nobody used since. Nothing else, whatever has become of it.
struct KeptFileTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let now = SystemClocks().wallTime

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("photo.jpg")
        try TextFile.write(Array("picture".utf8), to: path)
        try Self.setTimes(path, accessed: days(-100), modified: days(-400))
    }

    private func days(_ count: Int64) -> WallTime { now + .seconds(count * 86_400) }

    private static func setTimes(_ path: String, accessed: WallTime, modified: WallTime) throws {
        func time(_ time: WallTime) -> timespec { timespec(tv_sec: Int(time.milliseconds / 1000), tv_nsec: 0) }
        #expect(utimensat(AT_FDCWD, path, [time(accessed), time(modified)], AT_SYMLINK_NOFOLLOW) == 0)
    }

    /// As it was received, and finished so long ago.
    private func row(finished: WallTime? = nil) throws -> TransferRow {
        var random = SeededGenerator(seed: 3)
        let age = try #require(FileAge(path))
        var row = TransferRow(
            id: UUIDv7(at: now, using: &random),
            direction: .incoming, peer: try #require(AccountID(bytes: [UInt8](repeating: 1, count: 32))),
            name: "photo.jpg", size: age.size, state: .done, path: path, kind: .image, createdAt: days(-100),
            finishedAt: finished ?? days(-100), finalIno: age.inode)
        row.life.finalModified = age.modified
        return row
    }

    private var isThere: Bool { access(path, F_OK) == 0 }

    @Test("A file that nobody used for so long is removed, and nothing stays beside it")
    func old() throws {
        let row = try row()
        #expect(KeptFile.remove(row, usedBefore: days(-30)) == .removed)
        #expect(TemporaryDirectory.names(in: directory.path).isEmpty)
        #expect(KeptFile.remove(row, usedBefore: days(-30)) == .notOurs)
    }

    @Test("What lies in the directory itself is told from what lies elsewhere")
    func place() throws {
        let row = try row()
        #expect(KeptFile.lies(row, in: directory.path) && KeptFile.lies(row, in: directory.path + "//"))
        #expect(!KeptFile.lies(row, in: directory.path + "/sub") && !KeptFile.lies(row, in: "/"))
        #expect(!KeptFile.lies(row, in: String(directory.path.dropLast())))
    }

    @Test("One that was used, or came, since then stays; a use may have been written down a day late")
    func used() throws {
        let row = try row()
        #expect(KeptFile.remove(row, usedBefore: days(-150)) == .stays)
        #expect(KeptFile.remove(row, usedBefore: days(-100) + .seconds(3600)) == .stays)
        let late = try self.row(finished: days(-10))
        #expect(KeptFile.remove(late, usedBefore: days(-30)) == .stays)
        #expect(isThere)
    }

    @Test("What is another file by now is never touched", arguments: 0..<7)
    func another(change: Int) throws {
        var row = try row()
        let old = days(-100)
        switch change {
        case 0:  // Written to, with the times set back.
            try TextFile.write(Array("picture, retouched".utf8), to: path)
            try Self.setTimes(path, accessed: old, modified: days(-400))
        case 1:  // Changed in place, of the same size.
            try TextFile.write(Array("PICTURE".utf8), to: path)
        case 2:  // Replaced by another of the same look.
            let other = directory.file("other")
            try TextFile.write(Array("picture".utf8), to: other)
            try Self.setTimes(other, accessed: old, modified: days(-400))
            #expect(rename(other, path) == 0)
        case 3:  // Moved, with a link left behind.
            let elsewhere = directory.file("album.jpg")
            #expect(rename(path, elsewhere) == 0 && symlink(elsewhere, path) == 0)
        case 4:  // It has a second name.
            #expect(link(path, directory.file("second.jpg")) == 0)
        case 5:  // A folder of that name.
            #expect(unlink(path) == 0 && mkdir(path, 0o755) == 0)
        default:  // Received before its marks were kept.
            row.life.finalModified = nil
        }
        let before = TemporaryDirectory.names(in: directory.path).sorted()
        #expect(KeptFile.remove(row, usedBefore: days(-30)) == .notOurs)
        #expect(TemporaryDirectory.names(in: directory.path).sorted() == before)
    }

    @Test("What was sent, is not finished, or is a folder is not looked at")
    func others() throws {
        var row = try row()
        row.direction = .outgoing
        #expect(KeptFile.remove(row, usedBefore: days(-30)) == .notOurs)
        row.direction = .incoming
        row.state = .failed
        #expect(KeptFile.remove(row, usedBefore: days(-30)) == .notOurs)
        row.state = .done
        row.kind = .folder
        #expect(KeptFile.remove(row, usedBefore: days(-30)) == .notOurs)
        #expect(isThere)
    }

    @Test("Where times of use are not written down, or may be made up, nothing is removed")
    func mounts() {
        let ext4: Int64 = 0xEF53
        #expect(KeptFile.Mount(flags: 4096, type: ext4).tellsUse)
        #expect(!KeptFile.Mount(flags: 1024, type: ext4).tellsUse)
        #expect(!KeptFile.Mount(flags: 1, type: ext4).tellsUse)
        for type: Int64 in [0x6969, 0x6573_5546, 0xFF53_4D42] {
            #expect(!KeptFile.Mount(flags: 0, type: type).tellsUse)
        }
    }

    @Test(
        "What waits for somebody who is gone for a month is given up; whoever is there, or was of late, is waited for")
    func abandoned() async throws {
        let store = try Store.open(directory: try directory.makeDirectory("data"), clocks: SystemClocks())
        defer { store.close() }
        let (gone, here, late) = (try row(), try row(), try row())
        var rows = [gone, here, late]
        var random = SeededGenerator(seed: 4)
        for index in rows.indices {
            rows[index] = TransferRow(
                id: UUIDv7(at: now, using: &random), direction: .incoming,
                peer: try #require(AccountID(bytes: [UInt8](repeating: UInt8(index + 1), count: 32))), name: "a",
                size: 9,
                state: .queued, path: "/nowhere", createdAt: days(-40))
            rows[index].life.hasPart = true
        }
        let (all, since, friend) = (rows, days(-30), rows[1].peer)
        let failed = try await store.write { transaction in
            for row in all { _ = try transaction.insert(row) }
            try transaction.setProgress(of: all[2].id, bytesDone: 3, filesDone: 0)
            return try Retention.giveUp(since: since, here: [friend], in: transaction)
        }
        #expect(failed.map(\.id) == [rows[0].id])
        #expect(failed.first?.state == .failed && failed.first?.reason == "offline")
        let left = try await store.read { try $0.leftOverParts(limit: 10).map(\.id) }
        #expect(left == [rows[0].id])
    }
}
