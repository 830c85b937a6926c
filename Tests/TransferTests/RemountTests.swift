import Basics
import Glibc
import Testing

@testable import Transfer

/// A folder whose device number changes from now on, as after a reboot: an overlay mounted over it shows the same files
/// with the same inodes.
private final class Remount {
    /// MS_RDONLY.
    private static let readOnly: UInt = 1
    private let path: String

    /// Nil where this is impossible: without root, or on kernels and containers without overlays.
    init?(_ folder: TemporaryFolder, _ name: String) throws {
        path = folder.path(name)
        let empty = try folder.folder("empty " + name)
        guard geteuid() == 0,
            mount("overlay", path, "overlay", 1, "lowerdir=\(path):\(empty)") == 0
        else { return nil }
    }

    deinit { umount2(path, CInt(MNT_DETACH)) }
}

@Suite("File systems mounted under another number", .enabled(if: geteuid() == 0), .serialized)
struct RemountTests {
    private func status(_ path: String) throws -> FileStatus {
        try #require(try SystemFiles().status(path, in: AT_FDCWD))
    }

    @Test("a source continues after a remount, but a changed file doesn't", arguments: [false, true])
    func source(isFolder: Bool) throws {
        let folder = try TemporaryFolder()
        _ = try makeTree(folder, "disk/tree")
        let path = folder.path(isFolder ? "disk/tree" : "disk/tree/sub/large.bin")
        let scenario = try Scenario(path, to: try folder.folder("out"))
        let before = try status(path)
        guard let remount = try Remount(folder, "disk") else { return }
        let after = try status(path)
        try #require(before.device != after.device && before.inode == after.inode)
        let journal = MemoryJournal()
        let (sent, received) = try scenario.run(journal)
        #expect(try sent.get())
        #expect(try snapshot(received.get().path) == snapshot(path))
        #expect(journal.leftOut.isEmpty)
        withExtendedLifetime(remount) {}
    }

    @Test("a finish before the remount is recognised after it, and nothing is fetched again")
    func finish() throws {
        let folder = try TemporaryFolder()
        let scenario = try Scenario(try folder.write("a.txt", content(10, seed: 1)), to: try folder.folder("out"))
        let journal = MemoryJournal()
        let path = try scenario.run(journal).1.get().path
        let before = try status(path)
        guard let remount = try Remount(folder, "out") else { return }
        try #require(try before.device != status(path).device)
        let again = MemoryJournal()
        #expect(try ReceiveJob(journal.plan(scenario.receive), journal: again) { _ in }.prepare()?.path == path)
        #expect(again.finished == path)
        withExtendedLifetime(remount) {}
    }
}
