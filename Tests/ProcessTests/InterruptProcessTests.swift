import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing
import Vocabulary

/// Goal: Ctrl-C while `kibo send --wait read` waits ends the waiting, says how far it is, and nothing else ends.
@Suite("Ctrl-C while kibo send waits, with real daemons", .serialized)
struct InterruptProcessTests {
    typealias Steps = MessageProcessTests

    @Test("What was delivered stays so, and is read later; what is queued goes out later")
    func waitingForRead() throws {
        let (anna, bert) = try Steps.friends()
        let child = try Self.send("seen?", from: anna, to: bert)
        let sent = try Patience.until("it is delivered", report: anna.logTail) {
            try Self.messages(anna).first { $0.text == "seen?" && $0.state == .delivered }
        }
        try Self.interrupt(child)
        let text = try TextFile.text(anna.directory.file("seen?"))
        #expect(
            text == """
                Delivered to \(bert.name); the rest happens by itself. To see its state: kibo why \(sent.id)

                """)
        #expect(try bert.kibo("mark-read", anna.name).isDone)
        try Steps.waitForState(.read, of: sent.id, at: anna)

        bert.kill()
        let late = try Self.send("later", from: anna, to: bert)
        try Patience.until("it is stored", report: anna.logTail) {
            try Self.messages(anna).contains { $0.text == "later" }
        }
        try Self.interrupt(late)
        #expect(
            try TextFile.text(anna.directory.file("later")).contains("it goes out by itself when \(bert.name) is there")
        )
        try bert.start()
        try Patience.until("it comes", report: bert.logTail) {
            try Self.messages(bert).contains { $0.text == "later" }
        }
    }

    /// Sends by the program, which waits; its output goes to a file called as the text.
    private static func send(
        _ text: String, from sender: DaemonProcess, to receiver: DaemonProcess
    ) throws -> ChildProcess {
        try ChildProcess(
            ProgramPaths.kibo,
            ["--socket", sender.socketPath, "send", receiver.name, "--text", text, "--wait", "read"],
            environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "NO_COLOR": "1"],
            outputPath: sender.directory.file(text))
    }

    private static func interrupt(_ child: ChildProcess, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try Patience.until("it waits") { try ProcessFigures.holdsInterrupts(child.pid) }
        child.signal(SIGINT)
        #expect(child.wait(Patience.usual) == .exited(130), sourceLocation: sourceLocation)
    }

    private static func messages(_ daemon: DaemonProcess) throws -> [Message] {
        try (daemon.call("message.recent")["messages"]?.array ?? []).map { try Message(json: $0) }
    }
}
