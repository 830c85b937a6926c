import ControlProtocol
import TestSupport
import Testing

/// A host boots with a slow clock, which is set right while its daemon runs: messages that came meanwhile don't count
/// as old.
@Suite("A slow clock that is set right", .serialized)
struct SlowClockProcessTests {
    private static let day = Duration.seconds(86_400)

    /// Makes one message old, as if it had come long ago.
    private static let ageing = """
        import sqlite3, sys
        base = sqlite3.connect(sys.argv[1])
        long = 100 * 86400000
        base.execute("UPDATE message SET received_at = received_at - ? WHERE text = 'ancient'", (long,))
        if any(row[1] == "first_seen" for row in base.execute("PRAGMA table_info(message)")):
            base.execute("UPDATE message SET first_seen = first_seen - ? WHERE text = 'ancient'", (long,))
        base.commit()
        """

    @Test(
        "Messages that came under the slow clock stay for messages.keepDays, read or not, behind the earlier ones",
        .enabled(if: ChatProcessTests.python != nil, "there is no Python: scripts/test installs it"))
    func keepDays() throws {
        let clock = try TestClock()
        let options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        var slow = options
        slow.environment.merge(clock.environment) { $1 }
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        let bert = try DaemonProcess.launch(name: "Bert", options: slow)
        try anna.befriend(bert)
        let id = try bert.account.id
        let conversation = try bert.conversation(with: anna)
        /// Sends a message to Bert and waits until it is there, and until it is read if the caller wants that.
        func deliver(_ text: String, isRead: Bool = true) throws {
            let sent = try MessageProcessTests.send(text, from: anna, to: id)
            try MessageProcessTests.waitForState(.delivered, of: sent.id, at: anna)
            guard isRead else { return }
            try bert.call("conversation.markRead", ["id": .string(conversation), "upTo": .string(sent.id)])
        }
        for text in ["ancient", "before"] { try deliver(text) }
        try bert.stop()
        let output = bert.directory.file("ageing")
        let ageing = try ChildProcess(
            try #require(ChatProcessTests.python), ["-c", Self.ageing, bert.dataPath + "/kibo.sqlite"],
            environment: ["PATH": "/usr/bin:/bin"], outputPath: output)
        #expect(ageing.wait(.seconds(60)) == .exited(0), "\((try? TextFile.text(output)) ?? "")")

        // The host boots, and its clock is twenty days slow.
        clock.set(ahead: .zero - Self.day * 20)
        try bert.start()
        try deliver("read")
        try deliver("unread", isRead: false)
        #expect(try MessageProcessTests.texts(bert, conversation) == ["ancient", "before", "read", "unread"])
        clock.set(ahead: .zero)
        try bert.set("messages.keepDays", to: 14)
        let left = try Patience.until("the ancient message to go", report: bert.logTail) {
            let texts = try MessageProcessTests.texts(bert, conversation)
            return texts.contains("ancient") ? nil : texts
        }
        #expect(left == ["before", "read", "unread"])
        // The next start looks through all messages once more.
        try bert.stop()
        try bert.start()
        #expect(try MessageProcessTests.texts(bert, conversation) == ["before", "read", "unread"])
    }
}
