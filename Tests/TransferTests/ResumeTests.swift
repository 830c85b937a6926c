import Basics
import Foundation
import Testing

@testable import Transfer

/// Passes bytes between two sockets, and breaks both after a number of bytes from left to right.
private final class Cutter: @unchecked Sendable {  // Owner: its thread, after init.
    init(_ left: CInt, _ right: CInt, after limit: Int) {
        Thread {
            var left = limit > 0 ? left : left
            var budget = limit
            var buffer = [UInt8](repeating: 0, count: 65_536)
            var polls = [
                pollfd(fd: left, events: Int16(POLLIN), revents: 0),
                pollfd(fd: right, events: Int16(POLLIN), revents: 0),
            ]
            var isOpen = true
            while isOpen, budget > 0, poll(&polls, 2, 10_000) > 0 {
                for index in 0..<2 where polls[index].revents != 0 {
                    let room = index == 0 ? min(buffer.count, budget) : buffer.count
                    let count = recv(polls[index].fd, &buffer, room, 0)
                    guard count > 0 else {
                        isOpen = false
                        break
                    }
                    var done = 0
                    while done < count {
                        let sent = buffer.withUnsafeBytes {
                            send(
                                polls[1 - index].fd, $0.baseAddress?.advanced(by: done), count - done,
                                CInt(MSG_NOSIGNAL))
                        }
                        if sent <= 0 { break }
                        done += sent
                    }
                    if index == 0 { budget -= count }
                }
            }
            close(left)
            close(right)
            left = -1
        }.start()
    }
}

@Suite("Broken and resumed transfers")
struct ResumeTests {
    /// Runs with a connection that breaks after so many bytes from the sender.
    private func runCut(
        _ scenario: Scenario, _ journal: MemoryJournal, after limit: Int
    ) throws -> (SendResult, ReceiveResult) {
        let (senderEnd, left) = try socketPair()
        let (right, receiverEnd) = try socketPair()
        let (sender, receiver) = try connections(senderEnd, receiverEnd)
        _ = Cutter(left, right, after: limit)
        let sending = scenario.startSender(sender)
        let receiving = scenario.startReceiver(receiver, journal)
        return (try sending.wait(), try receiving.wait())
    }

    @Test("a connection cut at any place is resumed, and nothing committed is sent again", arguments: 0..<24)
    func cuts(_ seed: UInt64) throws {
        let folder = try TemporaryFolder()
        let isFolder = seed % 2 == 0
        let source =
            isFolder
            ? try makeTree(folder, "tree")
            : try folder.write("file.bin", content(6 * TransferLimits.chunkBytes + 9, seed: seed))
        let destination = try folder.folder("out")
        let scenario = try Scenario(source, to: destination)
        let journal = MemoryJournal()
        var random = SeededGenerator(seed: seed)
        var tries = 0
        while journal.finished == nil, tries < 40 {
            tries += 1
            let before = journal.committedChunks
            let limit =
                tries > 6 ? .max : Int.random(in: 1...(Bool.random(using: &random) ? 300 : 4_000_000), using: &random)
            let (sent, received) = try runCut(scenario, journal, after: limit)
            if case .failure(let failure) = received {
                #expect(failure.isRetryable, "\(failure)")
                #expect(try folder.list("out").allSatisfy { $0.hasSuffix(".kibo-part") })
                #expect(journal.committedChunks >= before)
            }
            if case .failure(let failure) = sent { #expect(failure.isRetryable, "\(failure)") }
        }
        let path = try #require(journal.finished)
        #expect(try snapshot(path) == snapshot(source))
        #expect(try folder.list("out").count == 1)
        // Each chunk was committed once, so none was requested again afterwards.
        let layout = ChunkLayout(scenario.send.source.manifest)
        #expect(UInt64(journal.committedChunks) == layout.count)
    }

    @Test(
        "a file that is touched between two connections arrives; without knowing what was sent it counts as changed, and so does one with other content",
        arguments: [false, true], ["touched", "unknown", "overwritten"])
    func touchedBetween(inFolder: Bool, how: String) throws {
        let folder = try TemporaryFolder()
        let bytes = content(9 * TransferLimits.chunkBytes, seed: 1)
        let large = try folder.write("tree/large", bytes)
        try folder.write("tree/other", [1])
        let source = inFolder ? folder.path("tree") : large
        var scenario = try Scenario(source, to: try folder.folder("out"))
        usleep(20_000)
        let journal = MemoryJournal()
        _ = try runCut(scenario, journal, after: 4 * TransferLimits.chunkBytes)
        #expect(journal.committedChunks > 0 && journal.finished == nil)
        var status = stat()
        try #require(stat(large, &status) == 0)
        if how == "overwritten" {
            let descriptor = open(large, O_WRONLY)
            try #require(pwrite(descriptor, [1, 2, 3], 3, 5) == 3)
            try #require(futimens(descriptor, [status.st_atim, status.st_mtim]) == 0)
            close(descriptor)
        } else {
            try #require(link(large, folder.path("backup")) == 0)
        }
        // As after a start of the daemon.
        if how == "unknown" { scenario.sent = SentChunks() }
        let (sent, received) = try scenario.run(journal)
        if how == "touched" {
            #expect(try sent.get() && received.get().files == (inFolder ? 2 : 1))
            #expect(try folder.read(inFolder ? "out/tree/large" : "out/large") == bytes)
        } else if inFolder {
            #expect(journal.leftOut.map(\.path) == ["large"])
        } else {
            guard case .failure(.sourceChanged) = sent else {
                Issue.record("\(sent)")
                return
            }
            #expect(journal.finished == nil)
        }
    }

    @Test("a comparison that takes long goes on over further connections; in a folder the file is left out")
    func longComparison() throws {
        for inFolder in [false, true] {
            let folder = try TemporaryFolder()
            let bytes = content(50 * TransferLimits.chunkBytes, seed: 1)
            let large = try folder.write("tree/large", bytes)
            try folder.write("tree/other", [1])
            let scenario = try Scenario(inFolder ? folder.path("tree") : large, to: try folder.folder("out"))
            usleep(20_000)
            let journal = MemoryJournal()
            let backup = folder.path("backup")
            var connections = 0
            while journal.finished == nil, connections < 9 {
                connections += 1
                let (left, right) = try connectionPair()
                let isFirst = connections == 1
                let job = SendJob(scenario.send, sent: scenario.sent, clocks: FastClocks()) { progress in
                    if isFirst, progress.bytesDone > 9 << 20 { link(large, backup) }
                }
                let sending = scenario.startSender(left, job)
                _ = try scenario.startReceiver(right, journal).wait()
                if case .failure(let failure) = try sending.wait() { #expect(failure.isRetryable, "\(failure)") }
            }
            // Some 20 looks at the clock, a chunk each.
            #expect(inFolder ? connections == 1 : (3...4).contains(connections))
            #expect(journal.leftOut.map(\.path) == (inFolder ? ["large"] : []))
            if !inFolder { #expect(try folder.read("out/large") == bytes) }
        }
    }

    @Test("after a kill at any step of disk or journal, the next run finishes", arguments: [false, true])
    func killedAnywhere(isFolder: Bool) throws {
        var step = 0
        while true {
            let folder = try TemporaryFolder()
            let source: String
            if isFolder {
                source = try folder.folder("tree")
                try folder.write("tree/a", content(TransferLimits.chunkBytes + 1, seed: 1))
                try folder.write("tree/b/c", content(5, seed: 2))
                try folder.write("tree/z", [])
                chmod(source + "/a", 0o400)
            } else {
                source = try folder.write("file.bin", content(2 * TransferLimits.chunkBytes + 9, seed: 3))
                chmod(source, 0o400)
            }
            let destination = try folder.folder("out")
            let scenario = try Scenario(source, to: destination)
            let fuse = Fuse(after: step)
            let journal = MemoryJournal(fuse: fuse)
            let (_, first) = try scenario.run(journal, files: FusedFiles(fuse))
            if !fuse.isBurnt {
                #expect((try? first.get()) != nil)
                #expect(step > 8)
                break
            }
            #expect((try? first.get()) == nil)
            journal.replaceFuse(nil)
            let job = ReceiveJob(
                journal.plan(scenario.receive), journal: journal, files: FusedFiles.lasting
            ) { _ in }
            if let outcome = try job.prepare() {
                #expect(try snapshot(outcome.path) == snapshot(source))
            } else {
                let (sent, received) = try scenario.run(journal)
                // The receiver is checked first: where it fails, the sender only sees the connection end.
                #expect(try snapshot(received.get().path) == snapshot(source), "killed at step \(step)")
                #expect(try sent.get())
            }
            #expect(journal.finished != nil)
            #expect(try folder.list("out").count == 1, "killed at step \(step)")
            step += 1
        }
    }

    @Test("committed chunks that rotted on disk are fetched again, the others are not")
    func rotten() throws {
        let folder = try TemporaryFolder()
        let source = try folder.write("file.bin", content(6 * TransferLimits.chunkBytes, seed: 5))
        let destination = try folder.folder("out")
        let scenario = try Scenario(source, to: destination)
        let journal = MemoryJournal()
        _ = try runCut(scenario, journal, after: 4_500_000)
        let before = journal.committedChunks
        #expect(before >= 3 && before < 6)
        let part = try #require(FileHandle(forUpdatingAtPath: scenario.receive.partPath))
        try part.seek(toOffset: UInt64(TransferLimits.chunkBytes) + 7)
        try part.write(contentsOf: [1, 2, 3, 4])
        try part.close()
        let (_, received) = try scenario.run(journal)
        #expect(try snapshot(received.get().path) == snapshot(source))
        #expect(journal.calls.contains("replaced"))
    }

    @Test("a part that was removed is fetched again from the start")
    func partGone() throws {
        let folder = try TemporaryFolder()
        let source = try makeTree(folder, "tree")
        let destination = try folder.folder("out")
        let scenario = try Scenario(source, to: destination)
        let journal = MemoryJournal()
        _ = try runCut(scenario, journal, after: 2_000_000)
        #expect(journal.committedChunks > 0)
        try journal.plan(scenario.receive).discardPart()
        #expect(try folder.list("out").isEmpty)
        let (_, received) = try scenario.run(journal)
        #expect(try snapshot(received.get().path) == snapshot(source))
    }

    @Test("a finish that happened before the crash is recognised without a connection")
    func finishedBefore() throws {
        let folder = try TemporaryFolder()
        let source = try folder.write("a.txt", content(10, seed: 1))
        let destination = try folder.folder("out")
        let scenario = try Scenario(source, to: destination)
        let journal = MemoryJournal()
        _ = try scenario.run(journal).1.get()
        let again = MemoryJournal()
        let plan = ReceivePlan(
            transfer: scenario.receive.transfer, name: "a.txt", offer: scenario.receive.offer, directory: destination,
            freeSpaceReserve: 0, manifest: journal.manifest, committed: journal.runs, finishMark: journal.mark)
        let outcome = try ReceiveJob(plan, journal: again) { _ in }.prepare()
        #expect(outcome?.path == destination + "/a.txt")
        #expect(again.finished == destination + "/a.txt")
    }

    @Test("the message of a receiver that is done and gone before the sender looks is still read")
    func doneAndGone() throws {
        let folder = try TemporaryFolder()
        let scenario = try Scenario(try folder.write("a.txt", content(10, seed: 1)), to: folder.path)
        let (left, right) = try connectionPair()
        // All messages come at once: the receiver already has the file, wants nothing, is done and ends its direction.
        let digest = scenario.send.source.manifest.digest
        try right.send(
            .open(
                OpenRequest(
                    transfer: scenario.send.transfer, ciphers: [.chacha20Poly1305], manifestDigest: digest)))
        for message in [BulkMessage.want([], isComplete: true), .credit(1 << 20), .done] { try right.send(message) }
        shutdown(right.socket, CInt(SHUT_WR))
        #expect(try scenario.startSender(left).wait().get())
    }

    @Test("either side can be cancelled from another thread, at once", arguments: [true, false])
    func cancelled(sender: Bool) throws {
        let folder = try TemporaryFolder()
        let source = try folder.write("file.bin", content(20 * TransferLimits.chunkBytes, seed: 9))
        let scenario = try Scenario(source, to: try folder.folder("out"))
        let journal = MemoryJournal()
        let (left, right) = try connectionPair()
        let sendBox = Box<SendJob>()
        let receiveBox = Box<ReceiveJob>()
        let send = SendJob(scenario.send) { _ in }
        // The receiver's first report is the moment, so that the transfer is under way.
        let receive = ReceiveJob(scenario.receive, journal: journal, clocks: FastClocks()) { progress in
            if progress.bytesDone > 0 { sender ? sendBox.value?.cancel() : receiveBox.value?.cancel() }
        }
        sendBox.value = send
        receiveBox.value = receive
        let sending = scenario.startSender(left, send)
        let receiving = scenario.startReceiver(right, journal, receive)
        let (sent, received) = (try sending.wait(), try receiving.wait())
        if sender {
            #expect(throws: TransferFailure.cancelled) { try sent.get() }
            #expect((try? received.get()) == nil)
        } else {
            #expect(throws: TransferFailure.cancelled) { try received.get() }
            #expect((try? sent.get()) == nil)
        }
        try scenario.receive.discardPart()
        #expect(try folder.list("out").isEmpty)
    }
}

/// A clock on which a while passes at each look.
final class FastClocks: Clocks, @unchecked Sendable {  // Owner: the lock.
    private let lock = NSLock()
    private var time = Instant(nanoseconds: 0)
    private let step: Duration
    init(step: Duration = .seconds(1)) { self.step = step }
    var now: Instant {
        lock.withLock {
            time = time + step
            return time
        }
    }
    var wallTime: WallTime { WallTime(milliseconds: 0) }
}
