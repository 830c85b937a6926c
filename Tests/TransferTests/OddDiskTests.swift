import Basics
import Foundation
import Glibc
import Testing

@testable import Transfer

/// A disk with the rules of FAT and Windows shares, of eCryptfs, or of those that can't rename without replacing.
private struct OddDisk: FileLayer {
    /// Whether it takes no `:` or `?` in names, and drops dots at their end.
    var isFAT = false
    /// Whether renaming always replaces.
    var replaces = false
    /// Whether it can't replace either.
    var neverReplaces = false
    /// Bytes of its longest name.
    var longest = 255
    /// Called before each operation that changes a name.
    var before: @Sendable (String) throws -> Void = { _ in }
    private let system = FusedFiles.lasting

    /// The path that a path means here.
    private func path(_ path: String, _ operation: String) throws(FileError) -> String {
        var components = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        for (index, name) in components.enumerated() {
            if name.utf8.count > longest { throw FileError(operation, ENAMETOOLONG) }
            guard isFAT else { continue }
            if name.contains(where: { ":?".contains($0) }) { throw FileError(operation, EINVAL) }
            while components[index].count > 1, components[index].hasSuffix(".") { components[index].removeLast() }
        }
        return components.joined(separator: "/")
    }

    private func step(_ operation: String) throws(FileError) {
        do { try before(operation) } catch { throw FileError(operation, EIO) }
    }

    func open(_ path: String, in folder: CInt, flags: CInt, mode: mode_t) throws(FileError) -> CInt {
        if flags & O_CREAT != 0 { try step("make") }
        return try system.open(self.path(path, "open"), in: folder, flags: flags, mode: mode)
    }
    func openFolder(_ path: String) throws(FileError) -> CInt { try system.openFolder(path) }
    func close(_ descriptor: CInt) { system.close(descriptor) }
    func status(_ descriptor: CInt) throws(FileError) -> FileStatus { try system.status(descriptor) }
    func status(_ name: String, in folder: CInt) throws(FileError) -> FileStatus? {
        try system.status(path(name, "stat"), in: folder)
    }
    func makeFolder(_ name: String, in folder: CInt) throws(FileError) {
        try system.makeFolder(path(name, "make folder"), in: folder)
    }
    func write(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt, at offset: UInt64) throws(FileError) {
        try system.write(bytes, to: descriptor, at: offset)
    }
    func read(
        into bytes: UnsafeMutableRawBufferPointer, from descriptor: CInt, at offset: UInt64
    ) throws(FileError) -> Int { try system.read(into: bytes, from: descriptor, at: offset) }
    func reserve(_ descriptor: CInt, size: UInt64) throws(FileError) { try system.reserve(descriptor, size: size) }
    func truncate(_ descriptor: CInt, size: UInt64) throws(FileError) { try system.truncate(descriptor, size: size) }
    func punch(_ descriptor: CInt, offset: UInt64, length: UInt64) throws(FileError) {
        try system.punch(descriptor, offset: offset, length: length)
    }
    func synchronise(_ descriptor: CInt, _ scope: SyncScope) throws(FileError) {
        try system.synchronise(descriptor, scope)
    }
    func setAttributes(_ descriptor: CInt, mode: UInt16?, modified: Int64) throws(FileError) {
        try system.setAttributes(descriptor, mode: mode, modified: modified)
    }
    func rename(_ name: String, from source: CInt, to other: String, in folder: CInt) throws(FileError) {
        try step("rename")
        if replaces { throw FileError("rename", EINVAL) }
        try system.rename(path(name, "rename"), from: source, to: path(other, "rename"), in: folder)
    }
    func replace(_ name: String, in folder: CInt, by other: String, from source: CInt) throws(FileError) {
        try step("replace")
        if neverReplaces, try status(name, in: folder) != nil { throw FileError("rename", EEXIST) }
        try system.replace(path(name, "rename"), in: folder, by: path(other, "rename"), from: source)
    }
    func remove(_ name: String, in folder: CInt, isFolder: Bool) throws(FileError) {
        try system.remove(path(name, "remove"), in: folder, isFolder: isFolder)
    }
    func freeBytes(_ descriptor: CInt) throws(FileError) -> UInt64 { try system.freeBytes(descriptor) }
}

/// Disks with other rules for names: everything arrives, nothing is overwritten, and what has another name is said.
@Suite("Disks with other rules for names")
struct OddDiskTests {
    private struct Dead: Error {}

    @Test("on a disk that can't rename without replacing no file is ever replaced", arguments: [false, true])
    func replacing(neverReplaces: Bool) throws {
        for isFolder in [false, true] {
            let folder = try TemporaryFolder()
            let source = isFolder ? try makeTree(folder, "in/gift") : try folder.write("in/gift", content(9, seed: 1))
            let disk = OddDisk(replaces: true, neverReplaces: neverReplaces)
            try folder.write("out/gift", [7])
            let first = try Scenario(source, to: folder.path("out")).run(MemoryJournal(), files: disk).1.get()
            #expect(first.path == folder.path("out/gift (1)"))
            let second = try Scenario(source, to: folder.path("out"), id: 5).run(MemoryJournal(), files: disk).1.get()
            #expect(second.path == folder.path("out/gift (2)"))
            #expect(try folder.read("out/gift") == [7])
            #expect(try snapshot(second.path) == snapshot(source))
            #expect(try folder.list("out") == ["gift", "gift (1)", "gift (2)"])
        }
    }

    @Test("folders that phones give get spellings that the disk takes, and the same ones for each file")
    func arriving() throws {
        let disks = [
            OddDisk(isFAT: true), OddDisk(isFAT: true, replaces: true),
            OddDisk(isFAT: true, replaces: true, neverReplaces: true),
        ]
        for disk in disks {
            let folder = try TemporaryFolder()
            try folder.folder("Trip%3A 1")
            let root = ArrivingFolder("Trip: 1")
            for number in 1...3 as ClosedRange<UInt64> {
                let file = try ArrivingFile(in: folder.path, owner: "abc", number: number, files: disk)
                let path = try file.finish(
                    as: "what?.txt", mode: 0o644, in: root, below: ["Day: 1", "end."], directoryMode: 0o755)
                #expect(path == folder.path("Trip%3A 1 (1)"))
            }
            #expect(try folder.list() == ["Trip%3A 1", "Trip%3A 1 (1)"])
            #expect(try folder.list("Trip%3A 1 (1)") == ["Day%3A 1"])
            #expect(try folder.list("Trip%3A 1 (1)/Day%3A 1") == ["end"])
            #expect(
                try folder.list("Trip%3A 1 (1)/Day%3A 1/end")
                    == ["what%3F (1).txt", "what%3F (2).txt", "what%3F.txt"])
        }
    }

    @Test("folders of a device that are spelled alike on the disk don't share a directory", arguments: [false, true])
    func arrivingAlike(_ isEncodedFirst: Bool) throws {
        let folder = try TemporaryFolder()
        let root = ArrivingFolder("root")
        let names = isEncodedFirst ? ["a%3Ab", "a:b"] : ["a:b", "a%3Ab"]
        for number in 0..<4 as Range<UInt64> {
            let file = try ArrivingFile(in: folder.path, owner: "abc", number: number, files: OddDisk(isFAT: true))
            _ = try file.finish(
                as: "\(number)", mode: 0o644, in: root, below: [names[Int(number % 2)]], directoryMode: 0o755)
        }
        #expect(try folder.list("root/a%3Ab") == ["0", "2"] && folder.list("root/a%3Ab (1)") == ["1", "3"])
    }

    @Test("a name that another program takes at the last moment, or writes to, stays its own")
    func lastMoment() throws {
        for moment in ["make", "replace"] {
            let folder = try TemporaryFolder()
            let out = try folder.folder("out")
            let source = try folder.write("in/a.txt", content(9, seed: 1))
            let disk = OddDisk(replaces: true) { operation in
                // The part itself is made first.
                guard operation == moment, FileManager.default.fileExists(atPath: out + "/a.txt") == (moment != "make"),
                    try !FileManager.default.contentsOfDirectory(atPath: out).isEmpty
                else { return }
                if moment == "make" { try Data([7]).write(to: URL(fileURLWithPath: out + "/a.txt")) }
            }
            let path = try Scenario(source, to: out).run(MemoryJournal(), files: disk).1.get().path
            #expect(path == out + (moment == "make" ? "/a (1).txt" : "/a.txt"))
            #expect(try snapshot(path) == snapshot(source))
            if moment == "make" { #expect(try folder.read("out/a.txt") == [7]) }
        }
    }

    @Test(
        "a daemon that dies while it holds the name goes on afterwards, and leaves nothing behind, also if a power cut took what it wrote",
        arguments: [9, 43], [43, 20, 0, -43])
    func dead(size: Int, written: Int) throws {
        for isGivenUp in [false, true] {
            let folder = try TemporaryFolder()
            let out = try folder.folder("out")
            let source = try folder.write("in/a.txt", content(size, seed: 1))
            let scenario = try Scenario(source, to: out)
            let journal = MemoryJournal()
            // It dies before it takes its own place: nothing is tidied up.
            let part = scenario.receive.partName
            let dying = OddDisk(replaces: true) { operation in
                guard operation == "replace" else { return }
                let held = written < 0 ? Data(count: -written) : Data(part.utf8.prefix(written))
                try held.write(to: URL(fileURLWithPath: out + "/held"))
                throw Dead()
            }
            _ = try scenario.run(journal, files: dying)
            try #require(rename(out + "/held", out + "/a.txt") == 0)
            #expect(part.utf8.count == 43 && journal.mark?.path == out + "/a.txt")
            let plan = journal.plan(scenario.receive)
            if isGivenUp {
                try plan.discardPart(files: OddDisk(replaces: true))
                #expect(try folder.list("out").isEmpty)
                continue
            }
            let again = ReceiveJob(plan, journal: journal, files: OddDisk(replaces: true)) { _ in }
            #expect(try again.prepare() == nil)
            #expect(access(out + "/a.txt", F_OK) != 0, "it stands there as if it were the file")
            let path = try scenario.run(journal, files: OddDisk(replaces: true)).1.get().path
            #expect(path == out + "/a.txt")
            #expect(try snapshot(path) == snapshot(source) && folder.list("out") == ["a.txt"])
        }
    }

    @Test("where no name is ever held, an empty file that somebody makes under the final name stays")
    func foreign() throws {
        for isGivenUp in [false, true] {
            let folder = try TemporaryFolder()
            let out = try folder.folder("out")
            let scenario = try Scenario(folder.write("in/a.txt", content(90, seed: 1)), to: out)
            let journal = MemoryJournal()
            _ = try scenario.run(journal, files: OddDisk { if $0 == "rename" { throw Dead() } })
            try #require(journal.mark?.path == out + "/a.txt")
            try folder.write("out/a.txt", [])
            // A name like that of the file with which the disk is tried.
            try folder.write("out/.kibo-trial", [5])
            if isGivenUp {
                try journal.plan(scenario.receive).discardPart()
                #expect(try folder.list("out") == [".kibo-trial", "a.txt"])
                continue
            }
            let path = try scenario.run(journal).1.get().path
            #expect(path == out + "/a (1).txt")
            #expect(
                try folder.read("out/a.txt").isEmpty && folder.list("out") == [".kibo-trial", "a (1).txt", "a.txt"])
        }
    }

    @Test("names that FAT refuses are percent-encoded, alone and in a folder, also after a break")
    func refused() throws {
        let folder = try TemporaryFolder()
        let names = [
            "Part 1: The Test.txt", "100%: what?", "end.", "end", "a:b", "a%3Ab", "dir?/in: it/x", "dir?/plain",
        ]
        for (index, name) in names.enumerated() {
            try folder.write("in/Trip: 1/" + name, content(index * 1000 + 5, seed: UInt64(index)))
        }
        let disk = OddDisk(isFAT: true)
        let single = try Scenario(folder.path("in/Trip: 1/" + names[0]), to: try folder.folder("out"))
        let journal = MemoryJournal()
        let path = try single.run(journal, files: disk).1.get().path
        #expect(path == folder.path("out/Part 1%3A The Test.txt"))
        #expect(journal.renamed == [RenamedEntry(offered: names[0], name: "Part 1%3A The Test.txt")])
        try single.receive.discardPart()

        let scenario = try Scenario(folder.path("in/Trip: 1"), to: folder.path("out"))
        let story = MemoryJournal()
        // Everything is there when the disk dies; the second run finds it all by its other names.
        let dying = OddDisk(isFAT: true, replaces: true) { if $0 == "replace" { throw Dead() } }
        _ = try scenario.run(story, files: dying)
        let whole = story.committedChunks
        let got = try scenario.run(story, files: disk).1.get().path
        #expect(story.committedChunks == whole && story.kept == nil)
        #expect(got == folder.path("out/Trip%3A 1"))
        let expected = [
            "100%25%3A what%3F", "Part 1%3A The Test.txt", "a%3Ab", "dir%3F", "end", "end%2E",
        ]
        #expect(try Set(folder.list("out/Trip%3A 1")).isSuperset(of: expected))
        #expect(try folder.list("out/Trip%3A 1").count == 7)
        #expect(try folder.read("out/Trip%3A 1/a%3Ab") == folder.read("in/Trip: 1/a%3Ab"))
        #expect(try folder.read("out/Trip%3A 1/end") == folder.read("in/Trip: 1/end"))
        #expect(try folder.read("out/Trip%3A 1/dir%3F/in%3A it/x") == folder.read("in/Trip: 1/dir?/in: it/x"))
        #expect(story.renamed.count == 7 && story.renamed.first?.offered == "Trip: 1")
        // Who reads the folder later finds each file.
        let manifest = try #require(story.manifest)
        let (root, reader) = (open(got, O_RDONLY), NamesOnDisk(manifest, at: got, disk))
        defer { close(root) }
        for index in 0..<manifest.count where manifest.kind(index) == .file {
            let file = try reader.open(index, in: root)
            defer { close(file) }
            let here = try SystemFiles().status(file)
            #expect(here.size == manifest.size(index), "\(manifest.path(index))")
        }
    }

    @Test(
        "names longer than the disk takes are cut before their extension, and stay different",
        arguments: [124, 200, 250])
    func long(length: Int) throws {
        let folder = try TemporaryFolder()
        let stem = String(repeating: "n", count: length)
        for end in ["a", "b"] { try folder.write("in/album/\(stem)\(end).txt", content(7, seed: end == "a" ? 1 : 2)) }
        let disk = OddDisk(longest: 143)
        let journal = MemoryJournal()
        let single = try Scenario(folder.path("in/album/\(stem)a.txt"), to: try folder.folder("out"))
        let path = try single.run(journal, files: disk).1.get().path
        let isCut = length > 138
        #expect(path == folder.path("out/") + (isCut ? String(repeating: "n", count: 139) : stem + "a") + ".txt")
        #expect(journal.renamed.count == (isCut ? 1 : 0))
        let second = try Scenario(folder.path("in/album/\(stem)a.txt"), to: folder.path("out"), id: 3)
        #expect(try second.run(MemoryJournal(), files: disk).1.get().path.hasSuffix(" (1).txt"))
        let album = try Scenario(folder.path("in/album"), to: folder.path("out"), id: 4)
        let got = try album.run(MemoryJournal(), files: disk).1.get().path
        let found = try folder.list("out/album")
        #expect(found.count == 2 && found.allSatisfy { $0.utf8.count <= 143 && $0.hasSuffix(".txt") })
        #expect(
            try Set(found.map { try folder.read("out/album/" + $0) }) == [content(7, seed: 1), content(7, seed: 2)])
        #expect(got == folder.path("out/album"))
    }

    @Test("an encoded name gives the offered one back, also one that was encoded already")
    func reversible() {
        for (name, spelling) in [
            ("a:b", "a%3Ab"), ("100%: x", "100%25%3A x"), ("CON.txt", "%43ON.txt"), ("nul", "%6Eul"),
            ("com1", "%63om1"),
            ("end..", "end%2E%2E"), ("é*|.txt", "é%2A%7C.txt"),
        ] {
            #expect(DiskName.substitutes(name, isFolder: false) == [spelling])
            #expect(spelling.removingPercentEncoding == name)
        }
        for name in ["a.txt", "100% of it", "a%3Ab", "console.txt", "com10", ".profile"] {
            #expect(DiskName.substitutes(name, isFolder: false).isEmpty && !DiskName.isDoubtful(name))
        }
        // It is cut between the signs, and never within a code.
        for count in 130...140 {
            let name = String(repeating: "x", count: count) + ":::::é.pdf"
            for spelling in DiskName.substitutes(name, isFolder: false) where spelling.utf8.count <= 143 {
                #expect(spelling.hasSuffix(".pdf"))
                let back = spelling.removingPercentEncoding
                #expect(back.map { name.hasPrefix($0.dropLast(4)) } == true, "\(spelling)")
            }
        }
    }
}
