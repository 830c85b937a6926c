import Basics
import Foundation
import Glibc
import Testing
import Vocabulary

@testable import Transfer

/// An inspector that refuses certain names and beginnings.
private struct Picky: ContentInspector {
    var names: Set<String> = []
    var beginnings: [[UInt8]] = []
    var seen = Collected()

    func refusal(ofName path: String) -> Reason? { names.contains(path) ? .typeNotAllowed : nil }

    func refusal(ofContent bytes: UnsafeRawBufferPointer, path: String) throws -> Reason? {
        seen.add([LeftOutFile(file: 0, path: path, size: 0, problem: FileProblem(.invalid))])
        return beginnings.contains { bytes.starts(with: $0) } ? .typeNotAllowed : nil
    }
}

@Suite("Files left out one by one")
struct LeftOutTests {
    private struct Outcome {
        let sent: SendResult
        let received: ReceiveResult
        let told: [LeftOutFile]
        let progress: TransferProgress?
    }

    private func run(
        _ scenario: Scenario, _ inspector: (any ContentInspector)?, _ journal: MemoryJournal, cutAfter: Int? = nil
    ) throws -> Outcome {
        let told = Collected()
        let last = Box<TransferProgress>()
        let (left, right) = try connectionPair()
        let sending = scenario.startSender(
            left, SendJob(scenario.send, clocks: FastClocks(), leftOut: { told.add($0) }) { last.value = $0 })
        let base = journal.plan(scenario.receive)
        let plan = ReceivePlan(
            transfer: base.transfer, name: base.name, offer: base.offer, directory: base.directory, freeSpaceReserve: 0,
            manifest: base.manifest, committed: base.committed, leftOut: base.leftOut, finishMark: base.finishMark,
            inspector: inspector)
        let box = Box<ReceiveJob>()
        let job = ReceiveJob(plan, journal: journal, clocks: FastClocks(), files: FusedFiles.lasting) { progress in
            if let cutAfter, progress.bytesDone >= UInt64(cutAfter) { box.value?.cancel() }
        }
        box.value = job
        let receiving = scenario.startReceiver(right, journal, job)
        let received = try receiving.wait()
        return Outcome(sent: try sending.wait(), received: received, told: told.files, progress: last.value)
    }

    private func tree(_ folder: TemporaryFolder) throws -> String {
        let root = try folder.folder("tree")
        try folder.write("tree/a.txt", content(100, seed: 1))
        try folder.write("tree/b.pdf", Array("\u{7F}ELF".utf8) + content(5 * TransferLimits.chunkBytes, seed: 2))
        try folder.write("tree/c.exe", content(3 * TransferLimits.chunkBytes, seed: 3))
        try folder.write("tree/empty", [])
        try folder.write("tree/sub/d.bin", content(2 * TransferLimits.chunkBytes + 1, seed: 4))
        try folder.write("tree/sub/e.pdf", Array("\u{7F}ELF".utf8))
        return root
    }

    @Test("refused names and beginnings are never stored, the other files are, and both sides know")
    func refused() throws {
        let folder = try TemporaryFolder()
        let scenario = try Scenario(try tree(folder), to: try folder.folder("out"))
        let journal = MemoryJournal()
        let picky = Picky(names: ["c.exe"], beginnings: [Array("\u{7F}ELF".utf8)])
        let outcome = try run(scenario, picky, journal)
        #expect(try outcome.sent.get())
        #expect(try outcome.received.get().path == folder.path("out/tree"))
        #expect(try folder.list("out/tree") == ["a.txt", "empty", "sub"])
        #expect(try folder.list("out/tree/sub") == ["d.bin"])
        let expected = ["b.pdf", "c.exe", "sub/e.pdf"]
        #expect(journal.leftOut.map(\.path).sorted() == expected)
        #expect(outcome.told.map(\.path).sorted() == expected)
        #expect(journal.leftOut.allSatisfy { $0.problem.reason == .typeNotAllowed })
        #expect(outcome.told.allSatisfy { $0.problem.reason == .typeNotAllowed })
        let bytes = UInt64(100 + 2 * TransferLimits.chunkBytes + 1)
        #expect(outcome.progress?.bytesDone == bytes && outcome.progress?.filesDone == 3)
        // A file with a refused name is not even inspected; an empty file is inspected like the others.
        #expect(picky.seen.files.map(\.path).sorted() == ["a.txt", "b.pdf", "empty", "sub/d.bin", "sub/e.pdf"])
    }

    @Test(
        "a single file is refused by name before any byte comes, and by content without leaving a trace",
        arguments: [true, false])
    func single(byName: Bool) throws {
        let folder = try TemporaryFolder()
        let source = try folder.write("a.pdf", Array("MZ".utf8) + content(3 << 20, seed: 1))
        let scenario = try Scenario(source, to: try folder.folder("out"))
        let picky = byName ? Picky(names: [""]) : Picky(beginnings: [Array("MZ".utf8)])
        let outcome = try run(scenario, picky, MemoryJournal())
        #expect(throws: TransferFailure.refused(.typeNotAllowed, path: "")) { try outcome.received.get() }
        #expect(throws: TransferFailure.peer(.typeNotAllowed, detail: "")) { try outcome.sent.get() }
        #expect(picky.seen.files.count == (byName ? 0 : 1))
        #expect(try folder.list("out").allSatisfy { $0.hasSuffix(".kibo-part") })
        for name in try folder.list("out") { #expect(try folder.read("out/" + name).allSatisfy { $0 == 0 }) }
    }

    @Test("a folder in which everything is refused fails, by name and by content", arguments: [true, false])
    func nothingLeft(byName: Bool) throws {
        let folder = try TemporaryFolder()
        try folder.write("tree/a", Array("MZ".utf8))
        try folder.write("tree/b", Array("MZ".utf8))
        let scenario = try Scenario(folder.path("tree"), to: try folder.folder("out"))
        let picky = byName ? Picky(names: ["a", "b"]) : Picky(beginnings: [Array("MZ".utf8)])
        let outcome = try run(scenario, picky, MemoryJournal())
        #expect(throws: TransferFailure.refused(.typeNotAllowed, path: "")) { try outcome.received.get() }
        #expect((try? outcome.sent.get()) == nil)
        #expect(try folder.list("out").allSatisfy { $0.hasSuffix(".kibo-part") })
    }

    @Test("files that can't be read or are gone are skipped with their reasons")
    func unreadable() throws {
        let folder = try TemporaryFolder()
        let scenario = try Scenario(try tree(folder), to: try folder.folder("out"))
        unlink(folder.path("tree/a.txt"))
        rename(folder.path("tree/sub"), folder.path("elsewhere"))
        symlink("../elsewhere", folder.path("tree/sub"))
        let journal = MemoryJournal()
        let outcome = try run(scenario, nil, journal)
        #expect(try outcome.sent.get())
        _ = try outcome.received.get()
        #expect(try folder.list("out/tree") == ["b.pdf", "c.exe", "empty", "sub"])
        #expect(try folder.list("out/tree/sub").isEmpty)
        let reasons = Dictionary(uniqueKeysWithValues: outcome.told.map { ($0.path, $0.problem.reason) })
        #expect(reasons == ["a.txt": .notFound, "sub/d.bin": .sourceChanged, "sub/e.pdf": .sourceChanged])
        #expect(journal.leftOut == outcome.told)
    }

    @Test("what was left out before a break stays left out, and half a file leaves no trace", arguments: 0..<6)
    func resumed(_ seed: UInt64) throws {
        let folder = try TemporaryFolder()
        let source = try tree(folder)
        let scenario = try Scenario(source, to: try folder.folder("out"))
        let journal = MemoryJournal()
        let picky = Picky(names: ["c.exe"], beginnings: [])
        let first = try run(scenario, picky, journal, cutAfter: Int(seed + 1) << 20)
        #expect((try? first.received.get()) == nil)
        let known = journal.leftOut
        #expect(known.map(\.path) == ["c.exe"])
        // The current file changes meanwhile, so its bytes must be removed.
        usleep(20_000)
        utimes(folder.path("tree/b.pdf"), nil)
        let second = try run(scenario, picky, journal)
        #expect(try second.sent.get())
        _ = try second.received.get()
        let isComplete = try folder.list("out/tree").contains("b.pdf")
        #expect(try folder.list("out/tree").filter { $0 != "b.pdf" } == ["a.txt", "empty", "sub"])
        #expect(try folder.list("out/tree/sub") == ["d.bin", "e.pdf"])
        if isComplete {
            // The whole file had come before the break.
            #expect(try folder.read("out/tree/b.pdf") == folder.read("tree/b.pdf"))
        }
        let leftOut = Set(journal.leftOut.map(\.path))
        #expect(leftOut == (isComplete ? ["c.exe"] : ["b.pdf", "c.exe"]))
        #expect(Set(second.told.map(\.path)) == leftOut)
    }

    @Test("a hole at the beginning is inspected as zeros")
    func hole() throws {
        let folder = try TemporaryFolder()
        try folder.write("tree/a", [1])
        let path = try folder.write("tree/sparse", [])
        truncate(path, 5 << 20)
        let scenario = try Scenario(folder.path("tree"), to: try folder.folder("out"))
        let journal = MemoryJournal()
        let outcome = try run(scenario, Picky(beginnings: [[UInt8](repeating: 0, count: 1 << 20)]), journal)
        #expect(try outcome.sent.get())
        _ = try outcome.received.get()
        #expect(try folder.list("out/tree") == ["a"])
        #expect(journal.leftOut.map(\.path) == ["sparse"])
    }
}
