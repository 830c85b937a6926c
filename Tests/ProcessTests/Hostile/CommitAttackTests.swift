import Basics
import ControlProtocol
import PeerProtocol
import TestSupport
import Testing
import Vocabulary

/// Frames must be on the disk before they are answered: tests what a peer can do with that.
@Suite("Commits of peers' frames, against a real daemon")
struct CommitAttackTests {
    /// Runs SQL on a daemon's database, as a careless backup tool might.
    private func run(_ statements: String, on daemon: DaemonProcess) throws {
        let program =
            "import sqlite3, sys\nbase = sqlite3.connect(sys.argv[1], timeout=20)\nbase.executescript(sys.argv[2])"
        let output = daemon.directory.file("sql")
        let process = try ChildProcess(
            try #require(ChatProcessTests.python), ["-c", program, daemon.dataPath + "/kibo.sqlite", statements],
            environment: ["PATH": "/usr/bin:/bin"], outputPath: output)
        #expect(process.wait(.seconds(60)) == .exited(0), "\((try? TextFile.text(output)) ?? "")")
    }

    @Test("A friend repeats a long frame without waiting for receipts: memory is bounded, and the frame is answered")
    func repeatedFrame() throws {
        let scene = try Scene()
        let fred = try TestPeer("Fred").befriend(scene.anna)
        let frame = Frame(
            kind: .message, id: freshID(), body: try textBody(String(repeating: "x", count: SharedLimits.textBytes)))
        let bytes = frame.encoded()
        // Another process locks the database for a moment: nothing can be committed, and all frames have to be kept.
        let program = """
            import sqlite3, sys, time
            base = sqlite3.connect(sys.argv[1], timeout=20, isolation_level=None)
            base.execute("BEGIN IMMEDIATE")
            print("locked", flush=True)
            time.sleep(3)
            """
        let output = scene.anna.directory.file("lock")
        let lock = try ChildProcess(
            try #require(ChatProcessTests.python), ["-c", program, scene.anna.dataPath + "/kibo.sqlite"],
            environment: ["PATH": "/usr/bin:/bin"], outputPath: output)
        try Patience.until("the lock") {
            // Whoever says nothing for nine seconds counts as dead.
            fred.send(Frame(kind: .ping))
            return (try? TextFile.text(output))?.contains("locked") == true
        }
        // All of it would take 96 MiB. The daemon stops reading when it has enough, and then writing waits for it.
        let many = Array([[UInt8]](repeating: bytes, count: 64).joined())
        for number in 0..<24 {
            // An expectation would print all of it.
            let isTaken = fred.send(plaintext: many, within: .seconds(60))
            try #require(isTaken, "the session ended before part \(number)")
        }
        #expect(lock.wait(.seconds(60)) == .exited(0))
        #expect(try fred.receipt(for: frame.id).status == .stored)
        try scene.expectUnharmed(memory: 24 << 20)
    }

    @Test(
        "A frame that the database always refuses is put off; those around it are stored, and so is it once it can be")
    func poison() throws {
        let scene = try Scene()
        let fred = try TestPeer("Fred")
        let link = try fred.befriend(scene.anna)
        try run(
            """
            CREATE TRIGGER poison BEFORE INSERT ON message WHEN NEW.text LIKE 'poison%'
            BEGIN SELECT RAISE(ABORT, 'not this one'); END
            """, on: scene.anna)
        let texts = (0..<40).map { $0 % 13 == 5 ? "poison \($0)" : "plain \($0)" }
        let frames = try texts.map { Frame(kind: .message, id: freshID(), body: try textBody($0)) }
        link.send(plaintext: frames.flatMap { $0.encoded() })
        var refusals: [String: Reason] = [:]
        for (frame, text) in zip(frames, texts) where text.hasPrefix("poison") {
            refusals[text] = try link.refusal(of: frame.id)
        }
        #expect(refusals == ["poison 5": .busy, "poison 18": .busy, "poison 31": .busy])
        let last = Frame(kind: .message, id: freshID(), body: try textBody("behind"))
        link.send(last)
        #expect(try link.receipt(for: last.id).status == .stored, "the session goes on")
        let plain = texts.filter { $0.hasPrefix("plain") } + ["behind"]
        #expect(try scene.texts(from: fred.id).sorted() == plain.sorted())
        try run("DROP TRIGGER poison", on: scene.anna)
        link.send(frames[5])
        #expect(try link.receipt(for: frames[5].id).status == .stored)
        try scene.expectUnharmed()
    }

    @Test("Contact frames that can't be stored are refused as busy, and the first message behind them is not lost")
    func poisonedAnswer() throws {
        let scene = try Scene()
        let fred = try TestPeer("Fred")
        let link = try fred.openSession(with: scene.anna)
        _ = try link.frame(.card)
        _ = try scene.anna.call("contact.request", ["id": .string(fred.id)])
        let request = try link.frame(.contactRequest)
        try run(
            """
            CREATE TRIGGER poison BEFORE UPDATE ON contact
            BEGIN SELECT RAISE(ABORT, 'not now'); END
            """, on: scene.anna)
        let answer = Frame(
            kind: .contactAnswer, id: freshID(),
            body: try ContactAnswerBody(accepted: true, request: request.id).encoded())
        let message = Frame(kind: .message, id: freshID(), body: try textBody("hello"))
        link.send(answer, message)
        #expect(try link.refusal(of: answer.id) == .busy)
        link.send(message)
        #expect(try link.refusal(of: message.id) == .busy)
        try run("DROP TRIGGER poison", on: scene.anna)
        link.send(answer, message)
        #expect(try link.receipt(for: message.id).status == .stored)
        #expect(try scene.texts(from: fred.id) == ["hello"])
    }

    @Test("An account with too many devices gets no more sessions, and other accounts lose none")
    func manyDevices() throws {
        let scene = try Scene()
        let account = try TestPeer("Fred")
        var links = [try account.befriend(scene.anna)]
        for _ in 0..<20 {
            links.append(try TestPeer("Fred", account: account.accountKey).openSession(with: scene.anna))
        }
        try links[20].roundTrip()
        #expect(try scene.anna.status.sessions <= 16 + 1)
        #expect(try links[0].closeReason() == .busy)
        try scene.expectUnharmed()
    }
}
