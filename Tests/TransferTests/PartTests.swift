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
        #expect(known(0, inode: tree.inode).matches(tree, kind: .folder, numbersLast: true))
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
}
