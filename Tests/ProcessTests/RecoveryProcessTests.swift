import Basics
import ControlProtocol
import Crypto
import Glibc
import PeerProtocol
import TestSupport
import Testing
import Vocabulary

/// Goal: with a line of text on paper a lost disk costs messages, and neither the account nor a friend nor what friends send
/// meanwhile.
@Suite("An account comes back from its recovery code", .serialized)
struct RecoveryProcessTests {
    private static func code(_ daemon: DaemonProcess) throws -> String {
        try #require(try daemon.call("recovery.code")["code"]?.string)
    }

    /// Starts a daemon without data, and makes the account of the code there.
    private static func recover(_ code: String, options: DaemonProcess.Options) throws -> DaemonProcess {
        let daemon = try DaemonProcess(name: "Anna", options: options)
        try daemon.start()
        try daemon.call("account.recover", ["code": .string(code), "displayName": "Anna"])
        return daemon
    }

    private static func waiting(_ daemon: DaemonProcess) throws -> [Contact] {
        try (daemon.call("contact.list", ["relation": "incoming"])["contacts"]?.array ?? []).map {
            try Contact(json: $0)
        }
    }

    @Test("A friend is back after one accept, without a new request, and what the friend sent meanwhile comes")
    func friend() throws {
        let options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        let ben = try DaemonProcess.launch(name: "Ben", options: options)
        try anna.befriend(ben)
        let (id, device) = (try anna.account.id, try anna.account.device.id)
        let code = try Self.code(anna)
        #expect(code.count == RecoveryCode.characters)
        try anna.stop()
        let first = try MessageProcessTests.send("Are you there?", from: ben, to: id)

        // It is typed in upper case, in groups.
        let typed = code.uppercased().enumerated().map { ($0.offset % 4 == 0 ? " " : "") + "\($0.element)" }.joined()
        let again = try Self.recover(typed, options: options)
        #expect(try again.account.id == id)
        #expect(try again.account.device.id != device, "a new device")
        let request = try Patience.until("Ben to show up", report: again.logTail + ben.logTail) {
            try Self.waiting(again).first
        }
        #expect(try request.id == ben.account.id && request.knowsUs && request.displayName == "Ben")
        #expect(try again.kibo("requests").text.contains("takes you for a friend"))
        // What comes before the person has looked waits, and nothing fails.
        let second = try MessageProcessTests.send("Hello?", from: ben, to: id)
        try Patience.until("a refusal for now", report: ben.logTail) {
            try ben.kibo("why", second.id).text.contains("not known as a friend here yet")
        }
        #expect(try again.kibo("accept", "Ben").isDone)
        for message in [first, second] { try MessageProcessTests.waitForState(.delivered, of: message.id, at: ben) }
        let conversation = try again.conversation(with: ben)
        #expect(try MessageProcessTests.texts(again, conversation) == ["Are you there?", "Hello?"])
        let answer = try MessageProcessTests.send("My disk was lost.", from: again, to: ben.account.id)
        try MessageProcessTests.waitForState(.delivered, of: answer.id, at: again)
        let contact = try #require(try ben.contact(id))
        #expect(contact.relation == .friend && contact.trust == .unverified)
        // Nothing of it is left after a restart.
        try again.stop()
        try again.start()
        #expect(try again.contact(ben.account.id)?.relation == .friend)
        #expect(try Self.waiting(again).isEmpty)
    }

    @Test("A friend who is declined stays so, and hears that there is no friendship")
    func declined() throws {
        let options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        let ben = try DaemonProcess.launch(name: "Ben", options: options)
        try anna.befriend(ben)
        let (id, code) = (try anna.account.id, try Self.code(anna))
        try anna.stop()
        let again = try Self.recover(code, options: options)
        try Patience.until("Ben to show up", report: again.logTail + ben.logTail) { try Self.waiting(again).first }
        try again.call("contact.decline", ["id": .string(try ben.account.id)])
        let sent = try MessageProcessTests.send("Hello?", from: ben, to: id)
        try MessageProcessTests.waitForState(.failed, of: sent.id, at: ben)
        #expect(try Self.waiting(again).isEmpty)
        // Nor after a restart, with another session.
        try again.stop()
        try again.start()
        try again.waitToSee(ben)
        let later = try MessageProcessTests.send("Hello?", from: ben, to: id)
        try MessageProcessTests.waitForState(.failed, of: later.id, at: ben)
        #expect(try Self.waiting(again).isEmpty)
    }

    @Test(
        "After 30 days a friend of before is a stranger again",
        .enabled(if: ChatProcessTests.python != nil, "there is no Python: scripts/test installs it"))
    func over() throws {
        let options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        let ben = try DaemonProcess.launch(name: "Ben", options: options)
        try anna.befriend(ben)
        let (id, code) = (try anna.account.id, try Self.code(anna))
        try anna.stop()
        let friend = try ben.account.id
        try ben.stop()
        let again = try Self.recover(code, options: options)
        try again.stop()
        let output = again.directory.file("ageing")
        let ageing = """
            import sqlite3, sys
            base = sqlite3.connect(sys.argv[1])
            changed = base.execute("UPDATE meta SET value = value - 31 * 86400000 WHERE name = 'recovered'")
            assert changed.rowcount == 1
            base.commit()
            """
        let process = try ChildProcess(
            try #require(ChatProcessTests.python), ["-c", ageing, again.dataPath + "/kibo.sqlite"],
            environment: ["PATH": "/usr/bin:/bin"], outputPath: output)
        #expect(process.wait(.seconds(60)) == .exited(0), "\((try? TextFile.text(output)) ?? "")")
        try again.start()
        try ben.start()
        let sent = try MessageProcessTests.send("Hello?", from: ben, to: id)
        try MessageProcessTests.waitForState(.failed, of: sent.id, at: ben)
        #expect(try again.contact(friend) == nil)
    }

    @Test("A wrong code, one of another account, one with errors, and an account that is there: each is told apart")
    func wrong() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        let carl = try DaemonProcess.launch(name: "Carl")
        let code = try Self.code(anna)
        func check(_ text: String, at daemon: DaemonProcess) throws -> String {
            let answer = try daemon.call("recovery.check", ["code": .string(text)])
            let places = (answer["places"]?.array ?? []).compactMap(\.integer)
            return "\(answer["result"]?.string ?? "") \(places)"
        }
        var typo = Array(code)
        typo[30] = typo[30] == "q" ? "p" : "q"
        #expect(try check(code, at: anna) == "right []")
        #expect(try check(code, at: carl) == "other []")
        #expect(try check(String(typo), at: anna) == "damaged [31]")
        #expect(try check(String(code.dropLast()), at: anna) == "damaged []")
        #expect(try check(anna.account.id, at: anna) == "none []")
        // Only where there is no account one is made, and nothing is made of a wrong code.
        #expect(throws: ClientError.self) {
            try carl.call("account.recover", ["code": .string(code), "displayName": "Anna"])
        }
        let empty = try DaemonProcess(name: "Empty", options: .init())
        try empty.start()
        for text in [String(typo), String(code.dropLast()), "hello"] {
            do {
                try empty.call("account.recover", ["code": .string(text), "displayName": "Anna"])
                Issue.record("\(text) was taken")
            } catch let error as ClientError {
                guard case .refused(let refusal) = error else { throw error }
                #expect(refusal.kind == .invalid && refusal.hint == .retypeCode)
            }
        }
        let typed = empty.directory.file("code")
        try TextFile.write(Array(String(typo).utf8), to: typed)
        let refused = try empty.kibo("recover", "--name", "Anna", "--code-file", typed)
        #expect(!refused.isDone && refused.text.contains("character 3 of group 8"), "\(refused.text)")
        #expect(access(empty.dataPath + "/keys", F_OK) != 0, "nothing was made")
        try TextFile.write(Array((code + "\n").utf8), to: typed)
        let made = try empty.kibo("recover", "--name", "Anna", "--code-file", typed)
        #expect(made.isDone, "\(made.text)")
        #expect(try empty.account.id == anna.account.id)
        #expect(try Self.code(empty) == code)
    }

    @Test(
        "The code is shown only with the passphrase and unlocked, is never in the log, and the doctor reminds until then"
    )
    func shown() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        func reminds() throws -> Bool {
            let checks = try (anna.call("system.doctor")["checks"]?.array ?? []).map { try DoctorCheck(json: $0) }
            let check = try #require(checks.first { $0.name == "recovery" })
            #expect(check.ok)
            return check.findings.first?.code == .recoveryCodeUnseen
        }
        #expect(try reminds())
        try anna.call("account.changePassphrase", ["new": "long enough"])
        func refusal(_ params: JSONObject = [:]) throws -> Reason? { try anna.refusal("recovery.code", params) }
        #expect(try refusal() == .wrongPassphrase)
        #expect(try refusal(["passphrase": "something else"]) == .wrongPassphrase)
        // The next try has to wait, as with unlocking.
        #expect(try refusal(["passphrase": "something else"]) == .busy)
        #expect(try reminds(), "it was not shown")
        let code = try Patience.until("the next try", report: anna.logTail) {
            try? anna.call("recovery.code", ["passphrase": "long enough"])["code"]?.string
        }
        #expect(try !reminds())
        try anna.call("account.lock")
        #expect(try refusal(["passphrase": "long enough"]) == .locked)
        #expect(try anna.call("recovery.check", ["code": .string(code)])["result"] == "right")
        #expect(!anna.log.contains(code) && !anna.log.contains("kiborecover1"))
    }

    @Test("Strangers who say that they are friends get no more room than strangers who ask, and keep no friend out")
    func claims() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        let code = try Self.code(anna)
        try anna.stop()
        let again = try Self.recover(code, options: .init())
        let key = try #require(SharedKey(bytes: [UInt8](repeating: 1, count: 32)))
        let keys = Frame(
            kind: .discoveryKeys, body: DiscoveryKeysBody(number: 1, shared: key, pair: key, held: 0).encoded())
        let begin = SystemClocks().now
        var links: [PeerLink] = []
        for number in 0..<60 {
            guard
                let link = try? TestPeer("Mallory \(number)").openSession(with: again, from: .v4(0x7F00_0005))
            else { continue }
            for _ in 0..<20 { link.send(keys) }
            links.append(link)
        }
        let honest = try TestPeer("Honest").openSession(with: again, from: .v4(0x7F00_0002))
        honest.send(keys)
        try Patience.until("the honest one", report: again.logTail) {
            try Self.waiting(again).contains { $0.displayName == "Honest" && $0.knowsUs }
        }
        // Their frames wait, and cost no more than a refusal.
        let message = Frame(kind: .message, id: freshID(), body: try textBody("hello"))
        honest.send(message)
        #expect(try honest.refusal(of: message.id) == .busy)
        let rows = try Self.waiting(again)
        let seconds = Int((SystemClocks().now - begin).milliseconds / 1_000)
        #expect(rows.count { $0.requestSource == "127.0.0.5" } <= 21 + seconds / 30, "\(rows.count) in \(seconds) s")
        #expect(rows.allSatisfy { $0.relation == .incoming && $0.note.isEmpty })
        withExtendedLifetime((links, honest)) {}
    }
}
