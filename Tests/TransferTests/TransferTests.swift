import Basics
import Foundation
import Testing

@testable import Transfer

@Suite("A transfer from disk to disk")
struct TransferTests {
    @Test(
        "a file arrives with content and time, for sizes around chunk borders",
        arguments: [
            0, 1, 1000, TransferLimits.chunkBytes - 1, TransferLimits.chunkBytes, TransferLimits.chunkBytes + 1,
            5 * TransferLimits.chunkBytes + 77,
        ])
    func oneFile(_ size: Int) throws {
        let folder = try TemporaryFolder()
        let bytes = content(size, seed: UInt64(size))
        let source = try folder.write("in/report.pdf", bytes)
        chmod(source, 0o4640)
        let destination = try folder.folder("out")
        let journal = MemoryJournal()
        let scenario = try Scenario(source, to: destination)
        let (sent, received) = try scenario.run(journal)
        #expect(try sent.get())
        let outcome = try received.get()
        #expect(outcome.path == destination + "/report.pdf")
        #expect(try folder.read("out/report.pdf") == bytes)
        #expect(try folder.list("out") == ["report.pdf"])
        let before = try #require(try SystemFiles().status(source, in: AT_FDCWD))
        let after = try #require(try SystemFiles().status(outcome.path, in: AT_FDCWD))
        #expect(after.mode == 0o644)
        #expect(after.modified == before.modified)
        #expect(journal.finished == outcome.path)
    }
}

@Suite("Folders, sources and destinations")
struct FolderTests {
    @Test("a folder arrives with everything in it, including permissions and times", arguments: [false, true])
    func tree(tcp: Bool) throws {
        let folder = try TemporaryFolder()
        let source = try makeTree(folder, "tree")
        let destination = try folder.folder("out")
        let journal = MemoryJournal()
        let scenario = try Scenario(source, to: destination)
        let (sent, received) = try scenario.run(journal, tcp: tcp, files: tcp ? SystemFiles() : FusedFiles.lasting)
        #expect(try sent.get())
        #expect(try received.get().path == destination + "/tree")
        #expect(try snapshot(destination + "/tree") == snapshot(source))
        #expect(try folder.list("out") == ["tree"])
    }

    @Test("a folder without files and one with two thousand small files arrive")
    func extremes() throws {
        let folder = try TemporaryFolder()
        let empty = try folder.folder("empty")
        let destination = try folder.folder("out")
        _ = try Scenario(empty, to: destination).run(MemoryJournal()).1.get()
        let many = try folder.folder("many")
        for index in 0..<2_000 { try folder.write("many/\(index % 7)/\(index)", [UInt8(index & 255)]) }
        _ = try Scenario(many, to: destination, id: 2).run(MemoryJournal()).1.get()
        #expect(try snapshot(destination + "/many") == snapshot(many))
        #expect(try folder.list("out") == ["empty", "many"])
    }

    @Test("holes stay holes and take no space")
    func sparse() throws {
        let folder = try TemporaryFolder()
        let source = folder.path("disk.img")
        let descriptor = open(source, O_RDWR | O_CREAT, 0o600)
        ftruncate(descriptor, off_t(40 * TransferLimits.chunkBytes + 5))
        pwrite(descriptor, [1, 2, 3], 3, off_t(10 * TransferLimits.chunkBytes + 9))
        pwrite(descriptor, [4], 1, off_t(30 * TransferLimits.chunkBytes))
        close(descriptor)
        let destination = try folder.folder("out")
        let outcome = try Scenario(source, to: destination).run(MemoryJournal()).1.get()
        #expect(try folder.read("out/disk.img") == folder.read("disk.img"))
        let status = try #require(try SystemFiles().status(outcome.path, in: AT_FDCWD))
        #expect(status.blocks * 512 < UInt64(8 * TransferLimits.chunkBytes))
    }

    @Test("a taken name gets a number, and nothing is overwritten")
    func taken() throws {
        let folder = try TemporaryFolder()
        let source = try folder.write("in/a.txt", [1, 2, 3])
        let tree = try makeTree(folder, "in/dir")
        let destination = try folder.folder("out")
        try folder.write("out/a.txt", [9])
        try folder.write("out/a (1).txt", [9])
        try folder.folder("out/dir")
        #expect(try Scenario(source, to: destination).run(MemoryJournal()).1.get().path == destination + "/a (2).txt")
        #expect(
            try Scenario(tree, to: destination, id: 5).run(MemoryJournal()).1.get().path == destination + "/dir (1)")
        #expect(try folder.read("out/a.txt") == [9])
        #expect(try folder.list("out/dir").isEmpty)
    }

    @Test("too little free space stops it before any write; a disk that fills up stops it cleanly")
    func noSpace() throws {
        let folder = try TemporaryFolder()
        let source = try folder.write("a.bin", content(3 * TransferLimits.chunkBytes, seed: 1))
        let destination = try folder.folder("out")
        let huge = try Scenario(source, to: destination, reserve: .max)
        let (sent, received) = try huge.run(MemoryJournal())
        #expect(throws: TransferFailure.noSpace) { try received.get() }
        #expect(throws: TransferFailure.peer(.noSpace, detail: "")) { try sent.get() }
        // The steps are: open the folder, open, reserve, then the writes.
        let fuse = Fuse(after: 5, isLasting: false)
        let journal = MemoryJournal()
        let scenario = try Scenario(source, to: destination)
        let (_, full) = try scenario.run(journal, files: FusedFiles(fuse, code: ENOSPC))
        #expect(throws: TransferFailure.noSpace) { try full.get() }
        #expect(journal.committedChunks > 0)
        let (_, resumed) = try scenario.run(journal)
        #expect(try snapshot(resumed.get().path) == snapshot(source))
    }

    @Test(
        "a folder that becomes unwritable on the way is called so on both sides, and is not called full",
        arguments: [EACCES, EROFS, EPERM])
    func unwritable(code: CInt) throws {
        let folder = try TemporaryFolder()
        let source = try folder.write("a.bin", content(3 * TransferLimits.chunkBytes, seed: 1))
        let destination = try folder.folder("out")
        let journal = MemoryJournal()
        let scenario = try Scenario(source, to: destination)
        let files = FusedFiles(Fuse(after: 5, isLasting: false), code: code)
        let (sent, received) = try scenario.run(journal, files: files)
        guard case .failure(let here) = received, case .failure(let there) = sent else {
            Issue.record("\(received) \(sent)")
            return
        }
        #expect(here.reason == .notAllowed && there.reason == .notAllowed)
        #expect(here.detail == "can't write to \(destination): \(String(cString: strerror(code)))")
        #expect(there.detail == "the other side: can't write to its folder")
        let (_, resumed) = try scenario.run(journal)
        #expect(try snapshot(resumed.get().path) == snapshot(source))
    }

    @Test("a journal that throws at any of its calls stops the transfer")
    func journal() throws {
        for call in 0..<4 {
            let folder = try TemporaryFolder()
            let source = try folder.write("a.bin", content(100, seed: 1))
            let scenario = try Scenario(source, to: try folder.folder("out"))
            let (sent, received) = try scenario.run(MemoryJournal(fuse: Fuse(after: call, isLasting: false)))
            guard case .failure(.journal) = received else {
                Issue.record("call \(call): \(received)")
                continue
            }
            #expect(throws: TransferFailure.peer(.internal, detail: "")) { try sent.get() }
        }
    }

    @Test("a sender that dials also works, even if the receiver already has everything")
    func senderDials() throws {
        let folder = try TemporaryFolder()
        let source = try folder.write("a.bin", content(100, seed: 1))
        let scenario = try Scenario(source, to: try folder.folder("out"))
        let journal = MemoryJournal()
        for _ in 0..<2 {
            let (left, right) = try connectionPair()
            let plan = scenario.send
            let sending = Background { () -> SendResult in
                do throws(TransferFailure) {
                    try SendJob(plan) { _ in }.run(left, request: nil)
                    return .success(true)
                } catch { return .failure(error) }
            }
            #expect(try right.receiveGreeting() == .call(transfer: scenario.send.transfer))
            _ = try scenario.startReceiver(right, journal).wait().get()
            #expect(try sending.wait().get())
        }
        #expect(try folder.list("out") == ["a.bin"])
    }

    @Test("a link that replaces a folder during the transfer lets nothing out")
    func swappedFolder() throws {
        let folder = try TemporaryFolder()
        let source = try folder.folder("tree")
        try folder.write("tree/a/1.bin", content(4 * TransferLimits.chunkBytes, seed: 1))
        for index in 2..<6 { try folder.write("tree/a/\(index).bin", content(TransferLimits.chunkBytes, seed: 1)) }
        let outside = try folder.folder("outside")
        let scenario = try Scenario(source, to: try folder.folder("out"))
        let part = scenario.receive.partPath
        let journal = MemoryJournal()
        let job = ReceiveJob(scenario.receive, journal: journal, clocks: FastClocks()) { progress in
            // In the middle of the first file, its folder is moved away and a link to elsewhere takes its name.
            guard progress.bytesDone > 0, progress.bytesDone < 4 << 20 else { return }
            if rename(part + "/a", part + "/moved") == 0 { symlink(outside, part + "/a") }
        }
        let (left, right) = try connectionPair()
        let sending = scenario.startSender(left)
        let received = try scenario.startReceiver(right, journal, job).wait()
        _ = try sending.wait()
        guard case .failure(.io(let error)) = received else {
            Issue.record("\(received)")
            return
        }
        // The write may fall between the rename and the link.
        #expect(error.code == ELOOP || error.code == ENOENT)
        #expect(try folder.list("outside").isEmpty)
    }

    @Test("links and foreign files in the place of a part are refused")
    func partIsALink() throws {
        let folder = try TemporaryFolder()
        let source = try folder.write("a.bin", content(100, seed: 1))
        let victim = try folder.write("victim", [1, 2, 3])
        let scenario = try Scenario(source, to: try folder.folder("out"))
        symlink(victim, scenario.receive.partPath)
        guard case .failure(.io) = try scenario.run(MemoryJournal()).1 else {
            Issue.record("a link was followed")
            return
        }
        unlink(scenario.receive.partPath)
        link(victim, scenario.receive.partPath)
        guard case .failure(.io) = try scenario.run(MemoryJournal()).1 else {
            Issue.record("a hard link was written to")
            return
        }
        #expect(try folder.read("victim") == [1, 2, 3])
    }

    @Test("discarding a part removes links inside it, but not their targets")
    func discard() throws {
        let folder = try TemporaryFolder()
        let source = try makeTree(folder, "tree")
        let victim = try folder.write("victim/file", [1])
        let scenario = try Scenario(source, to: try folder.folder("out"))
        try FileManager.default.createDirectory(
            atPath: scenario.receive.partPath + "/x", withIntermediateDirectories: true)
        symlink((victim as NSString).deletingLastPathComponent, scenario.receive.partPath + "/x/link")
        try scenario.receive.discardPart()
        #expect(try folder.list("out").isEmpty)
        #expect(try folder.read("victim/file") == [1])
        try scenario.receive.discardPart()
    }
}
