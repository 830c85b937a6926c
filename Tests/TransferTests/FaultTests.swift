import Basics
import Foundation
import Glibc
import Testing

@testable import Transfer

/// A disk whose n-th synchronisation fails. What was written since the last good one is lost then, as with a kernel
/// that has dropped its dirty pages. The next synchronisation succeeds and brings nothing back.
private final class LossyDisk: FileLayer, @unchecked Sendable {  // Owner: the lock.
    private struct Stretch {
        let path: String
        let offset: UInt64
        let length: Int
    }

    private let system = SystemFiles()
    private let lock = NSLock()
    private var unsafe: [Stretch] = []
    private var syncs = 0
    private let failing: Int
    private var _hasFailed = false

    /// - Parameter failing: the number of the synchronisation that fails, from 0.
    init(failing: Int) { self.failing = failing }

    var hasFailed: Bool { lock.withLock { _hasFailed } }

    func synchronise(_ descriptor: CInt, _ scope: SyncScope) throws(FileError) {
        let lost: [Stretch]? = lock.withLock {
            defer {
                syncs += 1
                unsafe = []
            }
            guard syncs == failing else { return nil }
            _hasFailed = true
            return unsafe
        }
        guard let lost else { return try system.synchronise(descriptor, scope == .fileSystem ? .file : scope) }
        for stretch in lost {
            // What was there before is unknown, but it differs from what was written.
            guard let handle = FileHandle(forWritingAtPath: stretch.path) else { continue }
            try? handle.seek(toOffset: stretch.offset)
            try? handle.write(contentsOf: Data(repeating: 0xEE, count: stretch.length))
            try? handle.close()
        }
        throw FileError("synchronise", EIO)
    }

    func write(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt, at offset: UInt64) throws(FileError) {
        try system.write(bytes, to: descriptor, at: offset)
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
        guard count > 0 else { return }
        let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        lock.withLock { unsafe.append(Stretch(path: path, offset: offset, length: bytes.count)) }
    }

    func open(_ path: String, in folder: CInt, flags: CInt, mode: mode_t) throws(FileError) -> CInt {
        try system.open(path, in: folder, flags: flags, mode: mode)
    }
    func openFolder(_ path: String) throws(FileError) -> CInt { try system.openFolder(path) }
    func close(_ descriptor: CInt) { system.close(descriptor) }
    func status(_ descriptor: CInt) throws(FileError) -> FileStatus { try system.status(descriptor) }
    func status(_ name: String, in folder: CInt) throws(FileError) -> FileStatus? {
        try system.status(name, in: folder)
    }
    func makeFolder(_ name: String, in folder: CInt) throws(FileError) { try system.makeFolder(name, in: folder) }
    func read(
        into bytes: UnsafeMutableRawBufferPointer, from descriptor: CInt, at offset: UInt64
    ) throws(FileError) -> Int { try system.read(into: bytes, from: descriptor, at: offset) }
    func reserve(_ descriptor: CInt, size: UInt64) throws(FileError) { try system.reserve(descriptor, size: size) }
    func truncate(_ descriptor: CInt, size: UInt64) throws(FileError) { try system.truncate(descriptor, size: size) }
    func punch(_ descriptor: CInt, offset: UInt64, length: UInt64) throws(FileError) {
        try system.punch(descriptor, offset: offset, length: length)
    }
    func setAttributes(_ descriptor: CInt, mode: UInt16?, modified: Int64) throws(FileError) {
        try system.setAttributes(descriptor, mode: mode, modified: modified)
    }
    func rename(_ name: String, from source: CInt, to other: String, in folder: CInt) throws(FileError) {
        try system.rename(name, from: source, to: other, in: folder)
    }
    func replace(_ name: String, in folder: CInt, by other: String, from source: CInt) throws(FileError) {
        try system.replace(name, in: folder, by: other, from: source)
    }
    func remove(_ name: String, in folder: CInt, isFolder: Bool) throws(FileError) {
        try system.remove(name, in: folder, isFolder: isFolder)
    }
    func freeBytes(_ descriptor: CInt) throws(FileError) -> UInt64 { try system.freeBytes(descriptor) }
}

/// Disks that fail once, below the part file. Wrong content never has the final name, and the failed transfer
/// continues.
@Suite("Disks that fail")
struct FaultTests {
    private func source(_ folder: TemporaryFolder, isFolder: Bool) throws -> String {
        guard isFolder else {
            return try folder.write("file.bin", content(3 * TransferLimits.chunkBytes + 9, seed: 3))
        }
        let path = try folder.folder("tree")
        try folder.write("tree/a", content(2 * TransferLimits.chunkBytes + 1, seed: 1))
        try folder.write("tree/b/c", content(5, seed: 2))
        try folder.write("tree/gone", content(2 * TransferLimits.chunkBytes, seed: 4))
        try folder.write("tree/z", [])
        return path
    }

    private struct Fault: CustomTestStringConvertible {
        let code: CInt
        let isFolder: Bool
        var testDescription: String { "\(String(cString: strerror(code))), \(isFolder ? "folder" : "file")" }
    }

    private static let faults = [ENOSPC, EDQUOT, EIO].flatMap {
        [Fault(code: $0, isFolder: false), Fault(code: $0, isFolder: true)]
    }

    /// Runs until nothing is left to do. Expects the source under its name in the end, and nothing beside it.
    private func goOn(
        _ scenario: Scenario, _ journal: MemoryJournal, _ folder: TemporaryFolder, without leftOut: Set<String>,
        _ what: String
    ) throws {
        let job = ReceiveJob(journal.plan(scenario.receive), journal: journal, files: FusedFiles.lasting) { _ in }
        var path = try job.prepare()?.path
        if path == nil { path = try scenario.run(journal).1.get().path }
        try expectWhole(try #require(path), scenario, folder, without: leftOut, what)
        #expect(journal.finished == path, "\(what)")
    }

    private func expectWhole(
        _ path: String, _ scenario: Scenario, _ folder: TemporaryFolder, without leftOut: Set<String>, _ what: String
    ) throws {
        var expected = try snapshot(scenario.send.path)
        for name in leftOut { expected[name] = nil }
        #expect(try snapshot(path).filter { !$0.key.isEmpty } == expected.filter { !$0.key.isEmpty }, "\(what)")
        #expect(try folder.list("out").count == 1, "\(what)")
    }

    @Test(
        "if any one step fails, the reason is reported, no wrong content has the final name, and the next run ends it",
        arguments: faults)
    private func oneStep(_ fault: Fault) throws {
        var step = 0
        while true {
            let folder = try TemporaryFolder()
            let scenario = try Scenario(try source(folder, isFolder: fault.isFolder), to: try folder.folder("out"))
            // A file of a folder is left out meanwhile, so that its removal fails too.
            var leftOut: Set<String> = []
            if fault.isFolder {
                usleep(3_000)
                truncate(folder.path("tree/gone"), 7)
                leftOut = ["gone"]
            }
            let fuse = Fuse(after: step, isLasting: false)
            let journal = MemoryJournal()
            let (left, right) = try connectionPair()
            let sending = scenario.startSender(left)
            let job = ReceiveJob(
                journal.plan(scenario.receive), journal: journal, clocks: FastClocks(),
                files: FusedFiles(fuse, code: fault.code)
            ) { _ in }
            let result = try scenario.startReceiver(right, journal, job).wait()
            _ = try sending.wait()
            let what = "step \(step)"
            switch result {
            case .success(let outcome): try expectWhole(outcome.path, scenario, folder, without: leftOut, what)
            case .failure(let failure):
                #expect(fuse.isBurnt, "\(what): \(failure)")
                #expect(
                    fault.code == EIO ? failure.reason == .internal : failure == .noSpace, "\(what): \(failure)")
                // If the final name is taken already, it holds the whole content.
                for name in try folder.list("out") where !name.hasSuffix(".kibo-part") {
                    try expectWhole(folder.path("out/" + name), scenario, folder, without: leftOut, what)
                }
                try goOn(scenario, journal, folder, without: leftOut, what)
            }
            guard fuse.isBurnt else { break }
            step += 1
        }
        #expect(step > 8)
    }

    @Test(
        "what a failed synchronisation has lost is fetched again", arguments: [false, true])
    func lostPages(isFolder: Bool) throws {
        var sync = 0
        while true {
            let folder = try TemporaryFolder()
            let scenario = try Scenario(try source(folder, isFolder: isFolder), to: try folder.folder("out"))
            let disk = LossyDisk(failing: sync)
            let journal = MemoryJournal()
            let (left, right) = try connectionPair()
            let sending = scenario.startSender(left)
            let job = ReceiveJob(
                journal.plan(scenario.receive), journal: journal, clocks: FastClocks(), files: disk
            ) { _ in }
            let result = try scenario.startReceiver(right, journal, job).wait()
            _ = try sending.wait()
            guard disk.hasFailed else {
                try expectWhole(result.get().path, scenario, folder, without: [], "none failed")
                break
            }
            #expect((try? result.get()) == nil, "synchronisation \(sync) failed unnoticed")
            try goOn(scenario, journal, folder, without: [], "synchronisation \(sync)")
            sync += 1
        }
        #expect(sync >= 2)
    }
}
