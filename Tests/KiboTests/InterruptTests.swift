import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing
import Vocabulary

@testable import kibo

/// Goal: who ends the waiting of `kibo send` by Ctrl-C knows of each receiver what has become of it.
@Suite("Ctrl-C while kibo send waits")
struct InterruptTests {
    @Test("Each one that has got it is named with what goes on by itself, and each one that was refused")
    func several() throws {
        let daemon = FakeDaemon()
        daemon.answer("message.send") { params, _ in
            if params.string("to") == Cast.annabel { throw RPCError(ControlError(.noSpace, "the disk is full")) }
            return Cast.message("x", .queued).json
        }
        let directory = try TemporaryDirectory()
        let output = directory.file("output")
        let child = try ChildProcess(
            ProgramPaths.kibo,
            ["--socket", daemon.path, "send", "Anna", "Bella", "--text", "x", "--wait", "read"],
            environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "NO_COLOR": "1"], outputPath: output)
        try Patience.until("both are asked for") { daemon.requests("message.send").count == 2 }
        try Patience.until("it waits") { try ProcessFigures.holdsInterrupts(child.pid) }
        child.signal(SIGINT)
        let end = child.wait(Patience.usual)
        let text = try TextFile.text(output)
        #expect(end == .exited(130), "\(text)")
        #expect(
            text.contains("Queued for Anna; it goes out by itself when Anna is there. To take it back: kibo delete"))
        #expect(text.contains("kibo: Not sent to Bella: the disk is full."), "\(text)")
    }
}
