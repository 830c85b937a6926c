import Basics
import Foundation
import Testing
import Vocabulary

@testable import Transfer

@Suite("The source")
struct SourceTests {
    @Test("links, pipes, unfit names and clashes in a folder are left out and listed; all else is found")
    func scan() throws {
        let folder = try TemporaryFolder()
        try folder.write("in/b.txt", [1, 2])
        try folder.write("in/a/x", [1])
        symlink("/etc/passwd", folder.path("in/link"))
        symlink("/etc", folder.path("in/linkdir"))
        mkfifo(folder.path("in/pipe"), 0o600)
        try folder.write("in/bad\nname", [])
        try folder.write("in/README", [])
        try folder.write("in/readme", [])
        try folder.write("in/old.kibo-part", [])
        close(open(folder.path("in/") + "\u{1}", O_CREAT | O_RDWR, 0o600))
        let invalid: [CChar] = Array((folder.path("in/")).utf8CString.dropLast()) + [CChar(bitPattern: 0xFF), 0]
        close(open(invalid, O_CREAT | O_RDWR, 0o600))
        let scanned = try SourceScanner.scan(folder.path("in") + "//")
        #expect(scanned.name == "in")
        #expect(scanned.kind == .folder)
        #expect(scanned.entries.map(\.entry.path) == ["", "README", "a", "a/x", "b.txt"])
        #expect(scanned.size == 3)
        #expect(scanned.files == 3)
        var skipped: [LeftOutCause: Int] = [:]
        for item in scanned.skipped { skipped[item.cause, default: 0] += 1 }
        #expect(skipped == [.symbolicLink: 2, .special: 1, .name: 4, .clash: 1])
    }

    @Test("a path that can't be offered gives the reason")
    func refused() throws {
        let folder = try TemporaryFolder()
        try folder.write("file", [])
        symlink(folder.path("file"), folder.path("link"))
        mkfifo(folder.path("pipe"), 0o600)
        #expect(throws: SourceScanner.Failure.relativePath) { try SourceScanner.scan("file") }
        #expect(throws: SourceScanner.Failure.relativePath) { try SourceScanner.scan("") }
        #expect(throws: SourceScanner.Failure.notFound) { try SourceScanner.scan(folder.path("none")) }
        #expect(throws: SourceScanner.Failure.notFound) { try SourceScanner.scan(folder.path("file/x")) }
        #expect(throws: SourceScanner.Failure.symbolicLink) { try SourceScanner.scan(folder.path("link")) }
        #expect(throws: SourceScanner.Failure.special) { try SourceScanner.scan(folder.path("pipe")) }
        #expect(throws: SourceScanner.Failure.name(.empty)) { try SourceScanner.scan("/") }
    }

    @Test(
        "a file that changed before or during the transfer fails; in a folder it is left out and nothing of it arrives",
        arguments: [
            "touch", "grow", "shrink", "replace", "remove", "link",
        ])
    func changed(_ how: String) throws {
        @Sendable func change(_ path: String) {
            let bytes = content(10, seed: 1)
            switch how {
            case "touch": utimes(path, nil)
            case "grow":
                let descriptor = open(path, O_WRONLY | O_APPEND)
                write(descriptor, bytes, 10)
                close(descriptor)
            case "shrink": truncate(path, 100)
            case "replace":
                _ = FileManager.default.createFile(atPath: path + ".new", contents: Data(bytes))
                rename(path + ".new", path)
            case "remove": unlink(path)
            default:
                rename(path, path + ".old")
                symlink(path + ".old", path)
            }
        }
        for inMiddle in [false, true] {
            for others in (inMiddle ? [nil, ["a", "z"]] : [nil, [], ["a", "z"]]) as [[String]?] {
                let folder = try TemporaryFolder()
                let large = try folder.write("tree/large", content(24 * TransferLimits.chunkBytes, seed: 1))
                for name in others ?? [] { try folder.write("tree/" + name, content(7, seed: 2)) }
                let scenario = try Scenario(
                    others == nil ? large : folder.path("tree"), to: try folder.folder("out"))
                usleep(20_000)
                if !inMiddle { change(large) }
                let (left, right) = try connectionPair()
                let told = Collected()
                let tell: @Sendable ([LeftOutFile]) -> Void = { told.add($0) }
                let job = SendJob(scenario.send, clocks: FastClocks(step: .milliseconds(250)), leftOut: tell) {
                    progress in
                    if inMiddle, progress.bytesDone > 9 << 20, progress.bytesDone < 11 << 20 { change(large) }
                }
                let sending = scenario.startSender(left, job)
                let journal = MemoryJournal()
                let received = try scenario.startReceiver(right, journal).wait()
                let sent = try sending.wait()
                guard let others, !others.isEmpty else {
                    // Nothing is left, so the transfer fails on both sides for the same reason.
                    let reason = try #require(failure(sent)).reason
                    #expect([.sourceChanged, .notFound].contains(reason), "\(how) \(inMiddle) \(sent)")
                    #expect(failure(received) == .peer(reason, detail: ""), "\(how) \(inMiddle)")
                    #expect(try folder.list("out").allSatisfy { $0.hasSuffix(".kibo-part") })
                    continue
                }
                #expect(try sent.get() && received.get().files == 3, "\(how) \(inMiddle)")
                #expect(try folder.list("out/tree") == others)
                #expect(told.files.map(\.path) == ["large"] && journal.leftOut == told.files)
                #expect([.sourceChanged, .notFound].contains(told.files.first?.problem.reason))
            }
        }
    }

    @Test(
        "what moves only the time of a file's last change is no change: a hard link, a mode, an owner, also again and again",
        arguments: ["hard link", "mode", "owner"])
    func touched(_ how: String) throws {
        for (inMiddle, inFolder) in [(false, false), (false, true), (true, false), (true, true)] {
            let folder = try TemporaryFolder()
            let large = try folder.write("tree/large", content(24 * TransferLimits.chunkBytes, seed: 1))
            @Sendable func touch(_ number: Int) {
                switch how {
                case "hard link": link(large, large + ".backup \(number)")
                case "mode": chmod(large, number % 2 == 0 ? 0o600 : 0o644)
                default: chown(large, getuid(), getgid())
                }
            }
            let scenario = try Scenario(inFolder ? folder.path("tree") : large, to: try folder.folder("out"))
            usleep(20_000)
            if !inMiddle { touch(0) }
            let (left, right) = try connectionPair()
            let job = SendJob(scenario.send, clocks: FastClocks(step: .milliseconds(250))) { progress in
                if inMiddle { touch(Int(progress.bytesDone >> 20)) }
            }
            let sending = scenario.startSender(left, job)
            let received = try scenario.startReceiver(right, MemoryJournal()).wait()
            #expect(try sending.wait().get() && received.get().files == 1, "\(inMiddle) \(inFolder)")
            #expect(
                try folder.read(inFolder ? "out/tree/large" : "out/large")
                    == content(24 * TransferLimits.chunkBytes, seed: 1))
        }
    }

    @Test("content that changes under its old time is found, where parts of two contents could meet")
    func restamped() throws {
        @Sendable func overwrite(_ path: String) throws {
            var status = stat()
            try #require(stat(path, &status) == 0)
            let descriptor = open(path, O_WRONLY)
            try #require(pwrite(descriptor, [1, 2, 3], 3, 5) == 3)
            let times = [status.st_atim, status.st_mtim]
            try #require(futimens(descriptor, times) == 0)
            close(descriptor)
        }
        let folder = try TemporaryFolder()
        let large = try folder.write("large", content(24 * TransferLimits.chunkBytes, seed: 1))
        // While it is sent.
        let scenario = try Scenario(large, to: try folder.folder("out"))
        usleep(20_000)
        let (left, right) = try connectionPair()
        let job = SendJob(scenario.send, clocks: FastClocks()) { progress in
            if progress.bytesDone > 9 << 20, progress.bytesDone < 11 << 20 { try? overwrite(large) }
        }
        let sending = scenario.startSender(left, job)
        let journal = MemoryJournal()
        _ = try scenario.startReceiver(right, journal).wait()
        #expect(failure(try sending.wait()) == .sourceChanged(""))
        #expect(journal.committedChunks > 0 && journal.finished == nil)
        // Between two connections, of which the second asks for the rest.
        let (sent, received) = try scenario.run(journal)
        #expect(failure(sent) == .sourceChanged("") && failure(received) == .peer(.sourceChanged, detail: ""))
        #expect(journal.finished == nil)
    }

    private func failure<Value>(_ result: Result<Value, TransferFailure>) -> TransferFailure? {
        if case .failure(let failure) = result { failure } else { nil }
    }

    @Test("a file of a folder that changes after it was sent arrives as it was sent")
    func changedAfterItsTurn() throws {
        let folder = try TemporaryFolder()
        let source = try folder.folder("tree")
        let early = try folder.write("tree/a", [1, 2, 3])
        try folder.write("tree/b", content(24 * TransferLimits.chunkBytes, seed: 1))
        let scenario = try Scenario(source, to: try folder.folder("out"))
        usleep(20_000)
        let (left, right) = try connectionPair()
        let job = SendJob(scenario.send, clocks: FastClocks()) { progress in
            if progress.bytesDone > 15 << 20 { utimes(early, nil) }
        }
        let sending = scenario.startSender(left, job)
        let journal = MemoryJournal()
        _ = try scenario.startReceiver(right, journal).wait().get()
        #expect(try sending.wait().get())
        #expect(journal.leftOut.isEmpty)
        #expect(try folder.read("out/tree/a") == [1, 2, 3])
    }

    @Test("a new file beside the sent ones is no change of the source")
    func newNeighbour() throws {
        let folder = try TemporaryFolder()
        let source = try makeTree(folder, "tree")
        let scenario = try Scenario(source, to: try folder.folder("out"))
        try folder.write("tree/sub/new", [1])
        let (sent, received) = try scenario.run(MemoryJournal())
        #expect(try sent.get())
        _ = try received.get()
        #expect(try folder.list("out/tree/sub") == ["deep", "large.bin"])
    }
}
