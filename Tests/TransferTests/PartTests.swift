import Basics
import Foundation
import Testing

@testable import Transfer

/// Which transfer a part belongs to, its name, and how a file is recognised after its file system was mounted again.
@Suite("Parts, modes and remounted file systems")
struct PartTests {
    @Test(
        "transfers whose ids end alike have two parts, and removing one leaves the other", arguments: [false, true])
    func equalEnds(isFolder: Bool) throws {
        let folder = try TemporaryFolder()
        let source = isFolder ? try makeTree(folder, "in/gift") : try folder.write("in/gift", content(9, seed: 1))
        let scenario = try Scenario(source, to: try folder.folder("out"))
        let other = ReceivePlan(
            transfer: UUIDv7(high: 0x0190_0000_0001_7000, low: 0xABCD_EF01_2345_6789), name: "gift",
            offer: scenario.receive.offer, directory: scenario.receive.directory, freeSpaceReserve: 0)
        #expect(other.partPath != scenario.receive.partPath)
        if isFolder {
            try folder.folder("out/" + (other.partPath as NSString).lastPathComponent)
        } else {
            try folder.write("out/" + (other.partPath as NSString).lastPathComponent, [7])
        }
        try scenario.receive.discardPart()
        #expect(try folder.list("out").count == 1)
        #expect(try snapshot(scenario.run(MemoryJournal()).1.get().path) == snapshot(source))
        #expect(try folder.list("out").count == 2)
    }

    @Test(
        "the sender decides whether a file is executable; the receiver decides the rest of the mode",
        arguments: [false, true])
    func modes(isFolder: Bool) throws {
        let folder = try TemporaryFolder()
        let names = ["open", "shared", "run", "secret", "theirs"]
        let modes: [mode_t] = [0o666, 0o664, 0o777, 0o600, 0o077]
        let expected: [mode_t] = [0o644, 0o644, 0o755, 0o644, 0o644]
        for (name, mode) in zip(names, modes) { chmod(try folder.write("in/" + name, [1, 2]), mode) }
        try folder.folder("in/sub")
        for name in ["in/sub", "in"] { chmod(folder.path(name), 0o777) }
        func mode(_ path: String) throws -> UInt16 {
            try #require(try SystemFiles().status(path, in: AT_FDCWD)).mode
        }
        let out = try folder.folder("out")
        guard isFolder else {
            for (index, name) in names.enumerated() {
                let scenario = try Scenario(folder.path("in/" + name), to: out, id: UInt64(index))
                #expect(try mode(scenario.run(MemoryJournal()).1.get().path) == expected[index], "\(name)")
            }
            return
        }
        let path = try Scenario(folder.path("in"), to: out).run(MemoryJournal()).1.get().path
        for (index, name) in names.enumerated() { #expect(try mode(path + "/" + name) == expected[index], "\(name)") }
        #expect(try mode(path) == 0o755)
        #expect(try mode(path + "/sub") == 0o755)
    }

    /// A list of an older version as the database returns it, written when the file system had another number.
    private func remounted(_ source: SourceList) throws -> SourceList {
        var pages: [(page: [UInt8], sources: [UInt8])] = []
        source.forEachPage { page, sources in
            var sources = sources
            for start in stride(from: 0, to: sources.count, by: 24) {
                sources.replaceSubrange(start..<start + 8, with: [0, 0, 0, 0, 0, 0, 0xFD, 0x03])
            }
            pages.append((page, sources))
        }
        return try SourceList(pages: pages)
    }

    @Test(
        "what was offered before a reboot is the same after it, even if its file system's number changed",
        arguments: [false, true])
    func source(isFolder: Bool) throws {
        let folder = try TemporaryFolder()
        let path = isFolder ? try makeTree(folder, "tree") : try folder.write("a.bin", content(100, seed: 1))
        let first = try Scenario(path, to: try folder.folder("out"))
        let plan = SendPlan(transfer: first.send.transfer, path: path, source: try remounted(first.send.source))
        let (left, right) = try connectionPair()
        let sending = first.startSender(left, SendJob(plan) { _ in })
        let journal = MemoryJournal()
        let received = try first.startReceiver(right, journal).wait()
        #expect(try sending.wait().get())
        #expect(try received.get().files == first.receive.offer.files)
        #expect(journal.leftOut.isEmpty)
    }

    @Test("a folder is recognised by its inode and birth time, a file on FAT by size and time")
    func identities() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("tree/a", content(9, seed: 1))
        let tree = try #require(try SystemFiles().status(folder.path("tree"), in: AT_FDCWD))
        let file = try #require(try SystemFiles().status(path, in: AT_FDCWD))
        func known(_ born: Int64, inode: UInt64, changed: Int64? = nil) -> SourceIdentity {
            SourceIdentity(
                born: born, inode: inode, size: file.size, modified: file.modified, changed: changed ?? file.changed)
        }
        #expect(known(tree.born, inode: tree.inode).matches(tree, kind: .folder, numbersLast: true))
        #expect(known(0x0801, inode: tree.inode).matches(tree, kind: .folder, numbersLast: true))
        #expect(!known(tree.born, inode: tree.inode + 1).matches(tree, kind: .folder, numbersLast: true))
        if tree.born != 0 {
            // This is another disk in the same place, whose first folder has the same inode.
            #expect(!known(tree.born - 1, inode: tree.inode).matches(tree, kind: .folder, numbersLast: true))
        }
        #expect(known(0, inode: file.inode).matches(file, kind: .file, numbersLast: true))
        // A hard link or a new mode moves this time, and not the content.
        #expect(known(0, inode: file.inode, changed: 1).matches(file, kind: .file, numbersLast: true))
        #expect(!known(0, inode: file.inode + 1).matches(file, kind: .file, numbersLast: true))
        #expect(known(0, inode: file.inode + 1).matches(file, kind: .file, numbersLast: false))
        #expect(!FileNumbers.last(onType: 0x4D44) && FileNumbers.last(onType: 0xEF53))
    }

    @Test("an older version's part continues under today's name; without the mark its old name is ignored")
    func formerPart() throws {
        for (isMarked, isFolder) in [(true, false), (true, true), (false, false)] {
            let folder = try TemporaryFolder()
            let source =
                isFolder
                ? try makeTree(folder, "in/gift")
                : try folder.write("in/gift", content(2 * TransferLimits.chunkBytes + 5, seed: 4))
            let scenario = try Scenario(source, to: try folder.folder("out"))
            // Everything is in the part, except that one chunk has rotted.
            let journal = MemoryJournal()
            let done = try scenario.run(journal).1.get()
            let former = ".gift.23456789.kibo-part"
            rename(done.path, folder.path("out/" + former))
            let found = folder.path("out/" + former) + (isFolder ? "/sub/large.bin" : "")
            let handle = try #require(FileHandle(forUpdatingAtPath: found))
            try handle.write(contentsOf: [0, 0, 0, 0])
            try handle.close()
            let count = journal.committedChunks
            let base = scenario.receive
            let plan = ReceivePlan(
                transfer: base.transfer, name: base.name, offer: base.offer, directory: base.directory,
                freeSpaceReserve: 0, manifest: journal.manifest, committed: journal.runs, hasFormerPart: isMarked)
            let (left, right) = try connectionPair()
            let sending = scenario.startSender(left)
            let job = ReceiveJob(plan, journal: journal, files: FusedFiles.lasting) { _ in }
            let again = try scenario.startReceiver(right, journal, job).wait().get()
            #expect(try sending.wait().get())
            #expect(try snapshot(again.path) == snapshot(source))
            #expect(try folder.list("out") == (isMarked ? ["gift"] : [former, "gift"]))
            // Only one chunk was requested again.
            let kept = try #require(journal.kept)
            #expect(isMarked ? kept == count - 1 : kept == 0)
            try plan.discardPart()
            #expect(try folder.list("out") == (isMarked ? ["gift"] : [former, "gift"]))
        }
    }
}
