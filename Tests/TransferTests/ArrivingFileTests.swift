import Glibc
import Testing

@testable import Transfer

/// Goal: a file that comes from elsewhere than a peer gets a name of its own, replaces nothing, and a crash leaves nothing of it.
@Suite("Files that come in one piece")
struct ArrivingFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func arriving(_ bytes: [UInt8] = [], owner: String = "abc", number: UInt64 = 1) throws -> ArrivingFile {
        let file = try ArrivingFile(in: folder.path, owner: owner, number: number)
        try bytes.withUnsafeBytes { try SystemFiles().write($0, to: file.descriptor, at: 0) }
        return file
    }

    private func mode(_ name: String) throws -> UInt16 {
        try #require(try SystemFiles().status(folder.path(name), in: AT_FDCWD)).mode
    }

    @Test("Until it is here it has a name that no received file may have, and nobody else reads it")
    func underWay() throws {
        let file = try arriving([1, 2, 3])
        #expect(try folder.list() == [".guest-abc-1.kibo-part"])
        #expect(try mode(".guest-abc-1.kibo-part") == 0o600)
        #expect(SafeName.problem(".guest-abc-1.kibo-part") == .partFile)
        #expect(file.size == 3)
        #expect(try file.finish(as: "a.png", mode: 0o640) == folder.path("a.png"))
        #expect(try folder.list() == ["a.png"])
        #expect(try folder.read("a.png") == [1, 2, 3] && mode("a.png") == 0o640)
    }

    @Test("What is sealed stays as it is: where somebody can still write to it, a copy counts")
    func sealed() throws {
        let honest = try arriving([1, 2, 3])
        let inode = try SystemFiles().status(honest.descriptor).inode
        try honest.seal(size: 3, reserve: 0)
        #expect(try SystemFiles().status(honest.descriptor).inode == inode)
        #expect(try honest.finish(as: "a.txt", mode: 0o644) == folder.path("a.txt"))

        let file = try arriving([4, 5, 6], number: 2)
        let given = dup(file.descriptor)
        try file.seal(size: 3, reserve: 0)
        var byte: UInt8 = 9
        #expect(pwrite(given, &byte, 1, 0) == 1)
        close(given)
        #expect(try file.finish(as: "b.txt", mode: 0o644) == folder.path("b.txt"))
        #expect(try folder.read("b.txt") == [4, 5, 6])
        #expect(try folder.list() == ["a.txt", "b.txt"])

        // Another length than it should have, and no room for the copy.
        let long = try arriving([7, 8], number: 3)
        #expect(throws: FileError("keep", ESTALE)) { try long.seal(size: 1, reserve: 0) }
        long.remove()
        let full = try arriving([7], number: 4)
        let held = dup(full.descriptor)
        #expect(throws: FileError("copy", ENOSPC)) { try full.seal(size: 1, reserve: 1 << 62) }
        close(held)
        full.remove()
        #expect(try folder.list() == ["a.txt", "b.txt"])
    }

    @Test("Nothing is ever replaced: neither a file nor a folder nor a link, nor what has the next number")
    func numbered() throws {
        try folder.write("a.png", [9])
        try folder.folder("a (1).png")
        symlink("nowhere", folder.path("a (2).png"))
        for number in 3...5 as ClosedRange<UInt64> {
            let file = try arriving([UInt8(number)], number: number)
            #expect(try file.finish(as: "a.png", mode: 0o644) == folder.path("a (\(number)).png"))
        }
        #expect(try folder.read("a.png") == [9])
        for number in 3...5 as ClosedRange<UInt8> { #expect(try folder.read("a (\(number)).png") == [number]) }
        #expect(
            try folder.list() == [
                "a (1).png", "a (2).png", "a (3).png", "a (4).png", "a (5).png", "a.png",
            ])
    }

    @Test("A name of the longest length gets its number too, and keeps its extension")
    func long() throws {
        let name = String(repeating: "x", count: 251) + ".png"
        for number in 1...2 as ClosedRange<UInt64> { _ = try arriving(number: number).finish(as: name, mode: 0o644) }
        let second = String(repeating: "x", count: 247) + " (1).png"
        #expect(try folder.list() == [second, name])
    }

    @Test(
        "Signs that some disks refuse, and letters of any script, stay where the disk takes them",
        arguments: [
            "What? \"A: B\" <1|2>*.txt", "日本語 🎈.txt", "-rf", "~", "CON", "ends with a dot.", ".hidden", "%41.txt",
        ])
    func signs(_ name: String) throws {
        #expect(try arriving([1]).finish(as: name, mode: 0o644) == folder.path(name))
        #expect(try folder.read(name) == [1])
    }

    @Test("The directory must be there; a slash at its end counts for nothing")
    func directory() throws {
        let place = folder.path("new")
        #expect(mkdir(place, 0o700) == 0)
        let file = try ArrivingFile(in: place + "/", owner: "abc", number: 1)
        #expect(try file.finish(as: "a.png", mode: 0o644) == place + "/a.png")
        #expect(throws: FileError.self) {
            _ = try ArrivingFile(in: folder.path("not/there"), owner: "abc", number: 1)
        }
        try folder.write("plain", [])
        #expect(throws: FileError.self) { _ = try ArrivingFile(in: folder.path("plain"), owner: "abc", number: 1) }
    }

    @Test("Two files never share a part, and a link in its place is not followed")
    func partIsTaken() throws {
        let first = try arriving([1])
        #expect(throws: FileError("open", EEXIST)) {
            _ = try ArrivingFile(in: folder.path, owner: "abc", number: 1)
        }
        symlink(folder.path("elsewhere"), folder.path(".guest-abc-2.kibo-part"))
        #expect(throws: FileError("open", EEXIST)) {
            _ = try ArrivingFile(in: folder.path, owner: "abc", number: 2)
        }
        #expect(try first.finish(as: "a.png", mode: 0o644) == folder.path("a.png"))
        #expect(try folder.list() == [".guest-abc-2.kibo-part", "a.png"])
    }

    @Test("A file that is not wanted is removed, and can't get a name any more")
    func removed() throws {
        let file = try arriving([1])
        file.remove()
        file.remove()
        #expect(try folder.list().isEmpty)
        #expect(throws: FileError.self) { _ = try file.finish(as: "a.png", mode: 0o644) }
        #expect(try folder.list().isEmpty)
    }

    @Test("What a crash has left is swept away, and nothing else: no other owner's, no part of a transfer, no file")
    func sweep() throws {
        for number in [1, 2, .max] as [UInt64] { _ = try arriving([1], number: number) }
        _ = try arriving([1], owner: "abcd")
        _ = try arriving([1], owner: "ab")
        let kept = [
            ".guest-abc-1", ".guest-abc-1.kibo-part.txt", "guest-abc-1.kibo-part", "x.guest-abc-1.kibo-part",
            ".00000000000000011122334455667788.kibo-part", ".guest-ABC-1.kibo-part", "a.png",
        ]
        for name in kept { try folder.write(name, [1]) }
        // A folder of such a name is nobody's file.
        try folder.folder(".guest-abc-3.kibo-part")
        ArrivingFile.sweep(folder.path, owner: "abc")
        let others = [".guest-ab-1.kibo-part", ".guest-abcd-1.kibo-part", ".guest-abc-3.kibo-part"]
        #expect(try folder.list() == (kept + others).sorted())
        #expect(try arriving([2], number: 1).finish(as: "b.png", mode: 0o644) == folder.path("b.png"))
        ArrivingFile.sweep(folder.path("nowhere"), owner: "abc")
    }
}
