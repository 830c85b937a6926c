import Foundation
import Glibc
import Testing

@testable import Transfer

/// Goal: a folder that comes file by file gets a directory of its own, whatever is or comes into its place. Nothing is replaced, no
/// link leads elsewhere, and neither a crash nor a full disk leaves an empty directory or half a file.
@Suite("Folders that come file by file")
struct ArrivingFolderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func arriving(
        _ byte: UInt8, _ number: UInt64, files: any FileLayer = SystemFiles()
    ) throws -> ArrivingFile {
        let file = try ArrivingFile(in: folder.path, owner: "abc", number: number, files: files)
        try [byte].withUnsafeBytes { try SystemFiles().write($0, to: file.descriptor, at: 0) }
        return file
    }

    /// Has a file of one byte come into a folder.
    @discardableResult
    private func come(
        _ byte: UInt8, as name: String = "a.png", in root: ArrivingFolder, _ below: String..., mode: UInt16 = 0o755
    ) throws -> String {
        try arriving(byte, UInt64(byte)).finish(
            as: name, mode: 0o644, in: root, below: below, directoryMode: mode)
    }

    /// The paths of everything here.
    private func all() throws -> [String] { try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() }

    private func mode(_ name: String) throws -> UInt16 {
        try #require(try SystemFiles().status(folder.path(name), in: AT_FDCWD)).mode
    }

    @Test("The first file makes the directory, and all others of the folder go into the same")
    func together() throws {
        let holiday = ArrivingFolder("Holiday")
        for (byte, below) in [(1, "Day 1"), (2, "Day 2"), (3, "Day 1")] as [(UInt8, String)] {
            #expect(try come(byte, as: "\(byte).png", in: holiday, below) == folder.path("Holiday"))
        }
        #expect(try come(4, as: "4.png", in: holiday) == folder.path("Holiday"))
        #expect(
            try all() == [
                "Holiday", "Holiday/4.png", "Holiday/Day 1", "Holiday/Day 1/1.png", "Holiday/Day 1/3.png",
                "Holiday/Day 2", "Holiday/Day 2/2.png",
            ])
        #expect(try folder.read("Holiday/Day 1/3.png") == [3])
    }

    @Test("Directories that are made get the permissions that are asked for, and keep the group of the one around them")
    func permissions() throws {
        try come(1, in: ArrivingFolder("a"), "b", mode: 0o750)
        #expect(try mode("a") == 0o750 && mode("a/b") == 0o750 && mode("a/b/a.png") == 0o644)
        #expect(chmod(folder.path, 0o2755) == 0)
        try come(2, in: ArrivingFolder("c"), "d", mode: 0o700)
        #expect(try mode("c") == 0o2700 && mode("c/d") == 0o2700)
    }

    @Test("Two folders never share a directory, and none is put into what is there: a file, a directory or a link")
    func ownDirectory() throws {
        try folder.write("file", [9])
        try folder.folder("directory")
        try folder.folder("elsewhere")
        symlink(folder.path("elsewhere"), folder.path("link"))
        symlink("nowhere", folder.path("link (1)"))
        #expect(try come(1, in: ArrivingFolder("file")) == folder.path("file (1)"))
        #expect(try come(2, in: ArrivingFolder("directory")) == folder.path("directory (1)"))
        #expect(try come(3, in: ArrivingFolder("link"), "below") == folder.path("link (2)"))
        #expect(try come(4, in: ArrivingFolder("directory")) == folder.path("directory (2)"))
        #expect(try folder.read("file") == [9])
        #expect(try folder.list("directory").isEmpty && folder.list("elsewhere").isEmpty)
        #expect(try folder.list("directory (1)") == ["a.png"] && folder.list("link (2)/below") == ["a.png"])
    }

    @Test("Files of one name in a folder get numbers; a name may be a file's and a folder's")
    func numbers() throws {
        let root = ArrivingFolder("root")
        for byte in 1...3 as ClosedRange<UInt8> { try come(byte, in: root) }
        try come(4, as: "both", in: root)
        for byte in 5...6 as ClosedRange<UInt8> { try come(byte, as: "\(byte)", in: root, "both", "inner") }
        let single = try arriving(7, 7)
        #expect(try single.finish(as: "root", mode: 0o644) == folder.path("root (1)"))
        #expect(
            try all() == [
                "root", "root (1)", "root/a (1).png", "root/a (2).png", "root/a.png", "root/both", "root/both (1)",
                "root/both (1)/inner", "root/both (1)/inner/5", "root/both (1)/inner/6",
            ])
        #expect(try folder.read("root/both") == [4])
    }

    @Test(
        "Folders of other names never share a directory, also where the names are equal as texts or one is in the place of another"
    )
    func spellings() throws {
        let root = ArrivingFolder("root")
        let names = ["a%3Ab", "a:b", "caf\u{E9}", "cafe\u{301}", "x", "x (1)"]
        // Where a file is, the folder of that name gets another one's.
        try come(100, as: "x", in: root, "inner")
        for round in 0...1 as ClosedRange<UInt8> {
            for (number, name) in names.enumerated() {
                try come(round * 10 + UInt8(number), as: "\(round)", in: root, "inner", name)
            }
        }
        let places = ["a%3Ab", "a:b", "caf\u{E9}", "cafe\u{301}", "x (1)", "x (1) (1)"]
        for (number, place) in places.enumerated() {
            for round in 0...1 as ClosedRange<UInt8> {
                #expect(try folder.read("root/inner/\(place)/\(round)") == [round * 10 + UInt8(number)])
            }
        }
    }

    @Test("What comes into the directory's place between two files gets nothing: a link, another directory, a file")
    func exchanged() throws {
        for change in ["link", "directory", "file", "nothing"] {
            let name = "of \(change)"
            let root = ArrivingFolder(name)
            try come(1, in: root, "inner")
            let (place, aside) = (folder.path(name), folder.path("aside \(change)"))
            #expect(rename(place, aside) == 0)
            switch change {
            case "link": symlink(aside, place)
            case "directory": try folder.folder(name + "/inner")
            case "file": try folder.write(name, [9])
            default: break
            }
            let other = change == "nothing" ? name : name + " (1)"
            for byte in 2...3 as ClosedRange<UInt8> {
                #expect(try come(byte, as: "\(byte)", in: root, "inner") == folder.path(other))
            }
            #expect(try folder.list(other + "/inner") == ["2", "3"])
            #expect(try folder.list("aside \(change)/inner") == ["a.png"])
            if change == "directory" { #expect(try folder.list(name + "/inner").isEmpty) }
        }
    }

    @Test("No link is followed within the directory, either")
    func linkBelow() throws {
        try folder.folder("elsewhere")
        let root = ArrivingFolder("root")
        try come(1, in: root)
        symlink(folder.path("elsewhere"), folder.path("root/inner"))
        symlink(folder.path("elsewhere/x"), folder.path("root/b.png"))
        for byte in 2...3 as ClosedRange<UInt8> { try come(byte, as: "\(byte)", in: root, "inner") }
        try come(4, as: "b.png", in: root)
        #expect(try folder.list("elsewhere").isEmpty)
        #expect(try folder.list("root") == ["a.png", "b (1).png", "b.png", "inner", "inner (1)"])
        #expect(try folder.list("root/inner (1)") == ["2", "3"])
    }

    @Test("A hundred folders of one name have a directory each, and no descriptor stays open")
    func hundred() throws {
        let roots = (0..<100).map { _ in ArrivingFolder("root") }
        for byte in 0...1 as ClosedRange<UInt8> {
            for (number, root) in roots.enumerated() {
                _ = try arriving(byte, UInt64(number)).finish(
                    as: "\(byte)", mode: 0o644, in: root, below: ["inner"], directoryMode: 0o755)
            }
        }
        #expect(try folder.list().count == 100)
        for name in try folder.list() { #expect(try folder.list(name + "/inner") == ["0", "1"]) }
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
        }
        #expect(open.filter { $0.hasPrefix(folder.path) }.isEmpty)
    }

    @Test("The deepest folders and the longest names that an offer may have fit")
    func deep() throws {
        let names = (0..<15).map { String(repeating: "\($0 % 10)", count: 60) }
        let root = ArrivingFolder(String(repeating: "r", count: 255))
        for number in 1...2 as ClosedRange<UInt64> {
            _ = try arriving(1, number).finish(
                as: String(repeating: "f", count: 255), mode: 0o644, in: root, below: names, directoryMode: 0o755)
        }
        let other = try arriving(2, 3).finish(
            as: "f", mode: 0o644, in: ArrivingFolder(root.name), below: names, directoryMode: 0o755)
        #expect(other.hasSuffix("r (1)"))
        #expect(try folder.list().count == 2)
    }

    @Test("A file that somebody can still write to is copied, and the copy comes into the folder")
    func copied() throws {
        let file = try arriving(1, 1)
        let held = dup(file.descriptor)
        try file.seal(size: 1, reserve: 0)
        _ = try file.finish(as: "a", mode: 0o644, in: ArrivingFolder("root"), below: ["b"], directoryMode: 0o755)
        close(held)
        #expect(try all() == ["root", "root/b", "root/b/a"])
    }

    @Test(
        "A file and its directory are synchronised, and so is each directory that is made, and the one around them"
    )
    func durable() throws {
        let root = ArrivingFolder("root")
        for (number, below, wanted) in [
            (1, ["a", "b"], 5), (2, ["a", "b"], 2), (3, ["a", "c"], 3), (4, [], 2), (5, ["d"], 3),
        ] as [(UInt64, [String], Int)] {
            let fuse = Fuse(after: .max)
            let file = try arriving(1, number, files: FusedFiles(fuse))
            _ = try file.finish(as: "\(number)", mode: 0o644, in: root, below: below, directoryMode: 0o755)
            #expect(fuse.steps("synchronise") == wanted, "file \(number)")
        }
    }

    /// What lies here after a step of the last file's end has failed: the file with all of its directories, or nothing of it.
    private func fail(_ code: CInt, isLasting: Bool, _ end: (ArrivingFile) -> Void) throws {
        for isFirst in [true, false] {
            var step = 0
            var hasFailed = true
            while hasFailed {
                let root = ArrivingFolder("root")
                if !isFirst { try come(1, as: "old", in: root, "inner") }
                let before = try all()
                let fuse = Fuse(after: step, isLasting: isLasting)
                step += 1
                guard let file = try? arriving(2, 2, files: FusedFiles(fuse, code: code)) else {
                    ArrivingFile.sweep(folder.path, owner: "abc")
                    #expect(try all() == before)
                    try FileManager.default.removeItem(atPath: folder.path)
                    try folder.folder("")
                    continue
                }
                let path = try? file.finish(
                    as: "new", mode: 0o644, in: root, below: ["inner", "deeper"], directoryMode: 0o755)
                hasFailed = fuse.isBurnt
                if path == nil { end(file) }
                let added = Set(try all()).subtracting(before)
                let whole = ["root/inner/deeper", "root/inner/deeper/new"] + (isFirst ? ["root", "root/inner"] : [])
                #expect(added.isEmpty || added == Set(whole), "step \(step): \(added)")
                #expect(path == nil || !added.isEmpty, "step \(step)")
                if !added.isEmpty { #expect(try folder.read("root/inner/deeper/new") == [2]) }
                try FileManager.default.removeItem(atPath: folder.path)
                try folder.folder("")
            }
            #expect(step > 10)
        }
    }

    @Test("On a disk that becomes full at any step, the file is there with its directories, or nothing of it")
    func full() throws {
        try fail(ENOSPC, isLasting: false) { $0.remove() }
    }

    @Test("After a crash at any step, the file is there with its directories, or nothing of it once it is swept away")
    func killed() throws {
        try fail(EIO, isLasting: true) { _ in ArrivingFile.sweep(folder.path, owner: "abc") }
    }

    @Test("Directories that a crash has left are swept away with all in them, and nothing else is")
    func sweep() throws {
        try folder.write(".guest-abc-1-folder.kibo-part/inner/a.png", [1])
        try folder.write(".guest-abc-2-folder.kibo-part", [1])
        try folder.write("elsewhere/kept", [1])
        symlink(folder.path("elsewhere"), folder.path(".guest-abc-3-folder.kibo-part"))
        try folder.folder(".guest-abc-4-copy-folder.kibo-part")
        symlink(folder.path("elsewhere"), folder.path(".guest-abc-4-copy-folder.kibo-part/link"))
        let kept = [".guest-abcd-1-folder.kibo-part", ".guest-abc-1-folder", "abc-folder.kibo-part"]
        for name in kept { try folder.write(name + "/a.png", [1]) }
        ArrivingFile.sweep(folder.path, owner: "abc")
        #expect(try folder.list() == (kept + ["elsewhere"]).sorted())
        #expect(try folder.list("elsewhere") == ["kept"])
    }
}
