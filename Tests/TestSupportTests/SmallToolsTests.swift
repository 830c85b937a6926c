import Basics
import Glibc
import TestSupport
import Testing

@Suite("Clocks, logs, files and patience of tests")
struct SmallToolsTests {
    @Test("Hands move when they are turned, and only then")
    func clocks() {
        let clocks = ManualClocks()
        let (now, wall) = (clocks.now, clocks.wallTime)
        #expect(clocks.now == now)
        clocks.advance(by: .milliseconds(1_500))
        #expect(clocks.now - now == .milliseconds(1_500))
        #expect(clocks.wallTime == wall + .milliseconds(1_500))
        clocks.setWallTime(wall)
        #expect(clocks.wallTime == wall)
        #expect(clocks.now - now == .milliseconds(1_500))
    }

    @Test("A log is kept from its level on, and found by its words")
    func log() {
        let capture = LogCapture(level: .info)
        let logger = capture.logger("session")
        logger.debug("below")
        logger.info("peer is here", [("peer", "kibo1x")])
        logger.warning("peer is gone")
        #expect(capture.records.map(\.message) == ["peer is here", "peer is gone"])
        #expect(capture.lines(containing: "gone").map(\.level) == [.warning])
        #expect(capture.lines(containing: "peer", atLeast: .warning).count == 1)
    }

    @Test("A temporary directory goes with all that is in it, and nothing it only points to")
    func directory() throws {
        let outside = try TemporaryDirectory()
        try TextFile.write([1, 2], to: outside.file("stays"))
        var inside: TemporaryDirectory? = try TemporaryDirectory()
        let path = try #require(inside?.path)
        try inside?.makeDirectory("a")
        try inside?.makeDirectory("a/b", mode: 0o700)
        try TextFile.write(Array("x".utf8), to: path + "/a/b/file")
        #expect(symlink(outside.path, path + "/a/link") == 0)
        #expect(chmod(path + "/a/b", 0) == 0)
        #expect(TemporaryDirectory.names(in: path + "/a").sorted() == ["b", "link"])
        inside = nil
        #expect(access(path, F_OK) != 0)
        #expect(try TextFile.bytes(outside.file("stays")) == [1, 2])
    }

    @Test("A program is written when nobody has it open for writing any more, so that it can be started")
    func program() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("program")
        let writer = try ChildProcess(
            "/bin/sh", ["-c", "exec 3>>'\(path)'; : >'\(path).open'; sleep 0.5"],
            environment: ["PATH": "/usr/bin:/bin"],
            outputPath: "/dev/null")
        try Patience.until("the writer") { access(path + ".open", F_OK) == 0 }
        try TextFile.writeProgram("#!/bin/sh\nexit 7\n".utf8, to: path)
        let program = try ChildProcess(path, [], environment: [:], outputPath: "/dev/null")
        #expect(program.wait(Patience.usual) == .exited(7))
        #expect(writer.wait(Patience.usual) == .exited(0))
    }

    @Test("Patience returns what comes, and says what did not")
    func patience() throws {
        var asked = 0
        let value = try Patience.until("three") {
            asked += 1
            return asked == 3 ? asked : nil
        }
        #expect(value == 3)
        let failure = #expect(throws: Patience.Exhausted.self) {
            try Patience.until("never", within: .milliseconds(20), report: "the log", isTrue: { false })
        }
        #expect(failure?.description.contains("never") == true)
        #expect(failure?.description.contains("the log") == true)
    }

    @Test("Ports that are free can be bound again")
    func ports() throws {
        #expect(try FreePort.udp() > 0)
        #expect(try FreePort.tcp() > 0)
    }
}
