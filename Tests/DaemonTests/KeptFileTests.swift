import Basics
import Glibc
import TestSupport
import Testing
import Vocabulary

@testable import Daemon
@testable import Store
@testable import TransferService

/// `files.keepDays` removes a file that we made and that was not used since. It removes nothing else, whatever has
/// happened to the file.
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

    /// The row of a received file that was finished so long ago.
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

    /// Removes the file by its current time of use, as if the last look had found the same time.
    private func remove(_ row: TransferRow, isOld: Bool = true) -> KeptFile.Verdict {
        KeptFile.remove(row, lastUse: FileAge(path)?.accessed, isOld: isOld)
    }

    @Test("A file that was not used for so long is removed, and nothing stays beside it")
    func old() throws {
        let row = try row()
        #expect(remove(row) == .removed)
        #expect(TemporaryDirectory.names(in: directory.path).isEmpty)
        #expect(remove(row) == .notOurs)
    }

    @Test("Files in the directory itself are told from files elsewhere")
    func place() throws {
        let row = try row()
        #expect(KeptFile.lies(row, in: directory.path) && KeptFile.lies(row, in: directory.path + "//"))
        #expect(!KeptFile.lies(row, in: directory.path + "/sub") && !KeptFile.lies(row, in: "/"))
        #expect(!KeptFile.lies(row, in: String(directory.path.dropLast())))
    }

    @Test("A file that is not old, that was used since the last look, or that is looked at for the first time stays")
    func used() throws {
        let row = try row()
        let accessed = try #require(FileAge(path)?.accessed)
        #expect(remove(row, isOld: false) == .stays)
        #expect(KeptFile.remove(row, lastUse: nil, isOld: true) == .used(at: accessed))
        #expect(KeptFile.remove(row, lastUse: accessed + 1, isOld: true) == .used(at: accessed))
        #expect(isThere)
    }

    @Test(
        "A use counts from when it was seen, whatever a wrong clock wrote; no use is from before the message"
    )
    func wrongClock() async throws {
        let clocks = ManualClocks()
        let store = try Store.open(directory: try directory.makeDirectory("data"), clocks: clocks)
        defer { store.close() }
        let row = try row(finished: clocks.wallTime + .seconds(-20 * 86_400))
        let slow = (clocks.wallTime + .seconds(-20 * 86_400)).milliseconds * 1_000_000
        try await store.commit { transaction in
            let now = transaction.stamp
            let (week, month) = (now - 7 * 86_400_000, now - 30 * 86_400_000)
            func since(_ lastUse: Int64?, _ cameAt: Int64?) -> Int64 {
                KeptFile.since(
                    KeptFileRow(transfer: row, lastUse: lastUse, since: month, cameAt: cameAt), usedAt: slow,
                    in: transaction)
            }
            #expect(since(slow - 1, month) == now)
            #expect(since(nil, now) == now && since(nil, nil) == now && since(nil, week) == week)
            #expect(since(nil, month) == now - 20 * 86_400_000)
        }
        // While the clock is in doubt, its times are in doubt too.
        clocks.setWallTime(clocks.wallTime + .seconds(-40 * 86_400))
        clocks.advance(by: .seconds(1))
        clocks.setWallTime(clocks.wallTime + .seconds(80 * 86_400))
        clocks.advance(by: .seconds(1))
        try await store.commit { transaction in
            let file = KeptFileRow(transfer: row, cameAt: 0)
            #expect(KeptFile.since(file, usedAt: slow, in: transaction) <= transaction.stamp)
        }
    }

    @Test("A file that was changed or replaced is never touched", arguments: 0..<7)
    func another(change: Int) throws {
        var row = try row()
        let old = days(-100)
        switch change {
        case 0:  // The file was written to, with the times set back.
            try TextFile.write(Array("picture, retouched".utf8), to: path)
            try Self.setTimes(path, accessed: old, modified: days(-400))
        case 1:  // The content was changed in place and has the same size.
            try TextFile.write(Array("PICTURE".utf8), to: path)
        case 2:  // The file was replaced by another one that looks the same.
            let other = directory.file("other")
            try TextFile.write(Array("picture".utf8), to: other)
            try Self.setTimes(other, accessed: old, modified: days(-400))
            #expect(rename(other, path) == 0)
        case 3:  // The file was moved, and a link was left behind.
            let elsewhere = directory.file("album.jpg")
            #expect(rename(path, elsewhere) == 0 && symlink(elsewhere, path) == 0)
        case 4:  // The file has a second name.
            #expect(link(path, directory.file("second.jpg")) == 0)
        case 5:  // A folder has that name.
            #expect(unlink(path) == 0 && mkdir(path, 0o755) == 0)
        default:  // The file was received before its marks were kept.
            row.life.finalModified = nil
        }
        let before = TemporaryDirectory.names(in: directory.path).sorted()
        #expect(remove(row) == .notOurs)
        #expect(TemporaryDirectory.names(in: directory.path).sorted() == before)
    }

    @Test("A file that was sent, is not finished, or is a folder is not looked at")
    func others() throws {
        var row = try row()
        row.direction = .outgoing
        #expect(remove(row) == .notOurs)
        row.direction = .incoming
        row.state = .failed
        #expect(remove(row) == .notOurs)
        row.state = .done
        row.kind = .folder
        #expect(remove(row) == .notOurs)
        #expect(isThere)
    }

    @Test("If times of use are not written down, or may be made up, nothing is removed")
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
        "A transfer whose peer is gone for a month is given up; one whose peer is here, or was of late, is not"
    )
    func abandoned() async throws {
        let clocks = ManualClocks()
        let store = try Store.open(directory: try directory.makeDirectory("data"), clocks: clocks)
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
        let (all, friend, month) = (rows, rows[1].peer, Duration.seconds(30 * 86_400))
        func states() async throws -> [TransferState?] {
            try await store.read { transaction in try all.map { try transaction.transfer($0.id)?.state } }
        }
        try await store.commit { transaction in
            for row in all { _ = try transaction.insert(row) }
            try Retention.giveUp(after: month, here: [friend], in: transaction)
        }
        #expect(
            try await states() == [.queued, .queued, .queued],
            "they are seen for the first time, whatever their times")
        clocks.advance(by: .seconds(20 * 86_400))
        // The clock was set back by two months: a frame that is heard now bears an old time, and counts from now.
        clocks.setWallTime(clocks.wallTime + .seconds(-60 * 86_400))
        try await store.commit { try $0.setProgress(of: all[2].id, bytesDone: 3, filesDone: 0) }
        try await store.commit { try Retention.giveUp(after: month, here: [friend], in: $0) }
        #expect(try await states() == [.queued, .queued, .queued])
        clocks.advance(by: .seconds(11 * 86_400))
        try await store.commit { try Retention.giveUp(after: month, here: [friend], in: $0) }
        #expect(try await states() == [.failed, .queued, .queued])
        #expect(try await store.read { try $0.transfer(all[0].id)?.reason } == .offline)
        let left = try await store.read { try $0.leftOverParts(limit: 10).map(\.id) }
        #expect(left == [rows[0].id])
    }
}
