import Backup
import Basics
import ControlProtocol
import Crypto
import Glibc
import TestSupport
import Testing
import Vocabulary

/// Goal: a backup brings a person back on an empty daemon, as a new device, and life goes on with everybody.
@Suite("Restoring backups", .serialized)
struct RestoreProcessTests {
    private func found(_ word: String, at daemon: DaemonProcess) throws -> Int {
        try daemon.call("message.search", ["query": .string(word)])["messages"]?.array?.count ?? 0
    }

    @Test("People, chats, groups, pictures, what is searched for and what waits come back, and all goes on")
    func story() throws {
        let scene = try GroupScene(["Anna", "Bert", "Cleo"])
        let (anna, bert, cleo) = (scene.people[0], scene.people[1], scene.people[2])
        let (annaID, bertID) = (try anna.account.id, try bert.account.id)
        let device = try anna.account.device.id
        let picture = anna.directory.file("me.png")
        try TextFile.write(SampleFiles.png(width: 300, height: 200), to: picture)
        try anna.call("account.update", ["avatarPath": .string(picture), "statusText": "at sea"])
        try anna.call("contact.update", ["id": .string(bertID), "alias": "Bertie"])
        let lighthouse = try MessageProcessTests.send("the lighthouse", from: anna, to: bertID)
        try MessageProcessTests.waitForState(.delivered, of: lighthouse.id, at: anna)
        _ = try MessageProcessTests.send("I see it", from: bert, to: annaID)
        try scene.say("ahoy", as: anna)
        for other in [bert, cleo] {
            try Patience.until("ahoy", report: other.logTail) { try scene.texts(at: other) == ["ahoy"] }
        }
        try scene.say("ahoy yourself", as: cleo)
        try Patience.until("Cleo's answer", report: anna.logTail) {
            try scene.texts(at: anna) == ["ahoy", "ahoy yourself"]
        }
        // What waits for somebody who is away.
        try bert.stop()
        _ = try MessageProcessTests.send("while you were away", from: anna, to: bertID)
        let path = anna.directory.file("anna.kibo")
        let made = try anna.backUp(to: path)
        #expect(made.people == 2 && made.conversations >= 2 && made.displayName == "Anna" && !made.hasPassphrase)

        // The command line waits until the daemon is back.
        try anna.startEmpty()
        let secret = anna.directory.file("secret")
        try TextFile.write("\(DaemonProcess.backupPassphrase)\n".utf8, to: secret)
        let pid = anna.pid
        let answer = try anna.kibo("restore", path, "--passphrase-file", secret, within: .seconds(120))
        #expect(answer.isDone && answer.text.contains("You are Anna again: 2 contacts"), "\(answer)")
        try anna.reconnect { $0["account"]?.string == annaID }
        #expect(anna.pid == pid, "a service manager sees one service all along")

        let account = try anna.account
        #expect(account.id == annaID && account.statusText == "at sea" && account.device.id != device)
        #expect(try TextFile.bytes(#require(account.avatar)).starts(with: [0xFF, 0xD8, 0xFF]))
        #expect(try anna.contact(bertID)?.alias == "Bertie")
        let chat = try Conversation(json: anna.call("conversation.open", ["contact": .string(bertID)])).id
        #expect(
            try MessageProcessTests.texts(anna, chat) == ["the lighthouse", "I see it", "while you were away"])
        #expect(try scene.texts(at: anna) == ["ahoy", "ahoy yourself"])
        try Patience.until("the search to find it", report: anna.logTail) { try found("lighthouse", at: anna) == 1 }
        #expect(anna.restoreLeftovers == ["keys"])

        // What waited goes out, a friend's text comes, and the group goes on.
        try bert.start()
        let berts = try bert.conversation(with: anna)
        try Patience.until("what waited", report: anna.logTail + bert.logTail) {
            try MessageProcessTests.texts(bert, berts).last == "while you were away"
        }
        let back = try MessageProcessTests.send("welcome back", from: bert, to: annaID)
        try MessageProcessTests.waitForState(.delivered, of: back.id, at: bert)
        #expect(try MessageProcessTests.texts(anna, chat).last == "welcome back")
        try scene.say("still afloat", as: anna)
        for other in [bert, cleo] {
            try Patience.until("the group at \(other.name)", report: anna.logTail + other.logTail) {
                try scene.texts(at: other).last == "still afloat"
            }
        }
        try scene.say("good", as: cleo)
        try Patience.until("the group at Anna", report: anna.logTail + cleo.logTail) {
            try scene.texts(at: anna).last == "good"
        }
        // It is an account as any other: the next backup is made of it, and a restart finds it.
        try anna.backUp(to: path)
        try anna.stop()
        try anna.start()
        #expect(try anna.account.id == annaID)
    }

    @Test(
        "An account refuses, a wrong passphrase and damage make nothing, and a cut backup comes back as far as it goes")
    func refusals() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        let id = try anna.account.id
        let conversation = try Conversation(json: anna.call("conversation.open", ["contact": .string(id)])).id
        // Texts that can't be packed much make several pieces.
        var random = SeededGenerator(seed: 1)
        for _ in 0..<60 {
            let text = String(
                (0..<4000).map { _ in Character(UnicodeScalar(UInt8.random(in: 33...126, using: &random))) })
            try anna.call("message.send", ["conversation": .string(conversation), "text": .string(text)])
        }
        let path = anna.directory.file("anna.kibo")
        let made = try anna.backUp(to: path)
        let bytes = try TextFile.bytes(path)
        #expect(bytes.count > 150_000)
        #expect(try anna.refusal("backup.restore", DaemonProcess.backup(path)) == .alreadyExists)

        try anna.startEmpty()
        #expect(
            try anna.backupRefusal("backup.restore", DaemonProcess.backup(path, "a wrong one"))?.kind
                == .wrongPassphrase)
        let other = anna.directory.file("other.kibo")
        var changed = bytes
        changed[bytes.count / 2] ^= 1
        for damaged in [changed, Array(bytes.dropLast()), Array(bytes[..<(bytes.count / 2)]), Array(bytes[..<400])] {
            try TextFile.write(damaged, to: other)
            #expect(try anna.backupRefusal("backup.restore", DaemonProcess.backup(other))?.kind == .invalid)
            #expect(anna.restoreLeftovers == [])
            #expect(try anna.refusal("account.get") == .noAccount)
        }
        // Nothing stands before this cut.
        var params = DaemonProcess.backup(other)
        params["evenIfCut"] = true
        #expect(try anna.backupRefusal("backup.restore", params)?.kind == .invalid)
        try TextFile.write(Array(bytes[..<(bytes.count * 3 / 4)]), to: other)
        let restored = try anna.restore(other, evenIfCut: true)
        #expect(!restored.complete && restored.messages < made.messages && restored.messages > 0)
        #expect(restored.rows < restored.rowsAnnounced && restored.damagedAt ?? 0 > 0)
        #expect(try anna.account.id == id)
        let texts = try MessageProcessTests.texts(anna, conversation)
        #expect(Int64(texts.count) == restored.messages)
        try anna.call("message.send", ["conversation": .string(conversation), "text": "and on"])
    }

    @Test("Rows that the schema refuses, a newer schema and another's certificate make nothing")
    func hostile() throws {
        let anna = try DaemonProcess(name: "Anna", options: .init())
        try anna.start()
        let path = anna.directory.file("odd.kibo")
        let settings = BackupTable(name: "setting", columns: ["name", "value"])
        let text = [CBOR.text("messages.order"), .text("x")]
        for (name, schema, tables, kind): (String, Int, [(BackupTable, rows: [[CBOR]])], Reason) in [
            ("newer", 1_000_000, [], .unsupported),
            ("no account", 1, [], .invalid),
            ("twice", 1, [(settings, [text, text])], .invalid),
            ("a wrong type", 1, [(settings, [[.text("a"), .bytes([1])]])], .invalid),
            ("an unknown table", 1, [(BackupTable(name: "sqlite_schema", columns: ["sql"]), [])], .invalid),
        ] {
            try OddBackup.write(path, schema: schema, tables)
            let refusal = try anna.backupRefusal("backup.restore", DaemonProcess.backup(path))
            #expect(refusal?.kind == kind, "\(name)")
            #expect(anna.restoreLeftovers == [], "\(name)")
        }
        try OddBackup.write(path, schema: 1, [], certifiedBy: SigningKey())
        #expect(try anna.backupRefusal("backup.restore", DaemonProcess.backup(path))?.kind == .invalid)
        #expect(anna.restoreLeftovers == [])
        try anna.createAccount()
    }

    @Test(
        "An old backup over newer life: an ended friendship is shown, the group's entries come, deleted ones are back")
    func older() throws {
        let scene = try GroupScene(["Anna", "Bert", "Cleo"])
        let (anna, bert, cleo) = (scene.people[0], scene.people[1], scene.people[2])
        let (annaID, bertID) = (try anna.account.id, try bert.account.id)
        let gone = try MessageProcessTests.send("take this back", from: anna, to: bertID)
        try MessageProcessTests.waitForState(.delivered, of: gone.id, at: anna)
        try scene.say("before", as: anna)
        for other in [bert, cleo] {
            try Patience.until("before", report: other.logTail) { try scene.texts(at: other) == ["before"] }
        }
        let path = anna.directory.file("anna.kibo")
        try anna.backUp(to: path)
        try anna.call("message.delete", ["id": .string(gone.id), "for": "me"])
        try scene.say("mine since then", as: anna)
        try scene.say("Cleo's since then", as: cleo)
        let all = ["before", "mine since then", "Cleo's since then"]
        for daemon in scene.people {
            try Patience.until("all at \(daemon.name)", report: daemon.logTail) {
                try Set(scene.texts(at: daemon)) == Set(all)
            }
        }
        try anna.stop()
        try bert.call("contact.remove", ["id": .string(annaID)])
        try anna.startEmpty()
        try anna.restore(path)
        try Patience.until("what the others have", report: anna.logTail + cleo.logTail) {
            try Set(scene.texts(at: anna)) == Set(all)
        }
        let chat = try Conversation(json: anna.call("conversation.open", ["contact": .string(bertID)])).id
        #expect(try MessageProcessTests.texts(anna, chat) == ["take this back"])
        try Patience.until("the end of the friendship, or a refusal that says so", report: anna.logTail) {
            if try anna.contact(bertID)?.relation != .friend { return true }
            let sent = try MessageProcessTests.send("are you there?", from: anna, to: bertID)
            return try Patience.until("an answer") { () -> Bool? in
                let message = try Message(json: anna.call("message.get", ["id": .string(sent.id)]))
                return message.state == .queued || message.state == .sent ? nil : message.state == .failed
            }
        }
    }

    @Test("One backup on two hosts: both write in the group, no entry is lost, and nobody sees a fork")
    func twice() throws {
        let scene = try GroupScene(["Anna", "Bert"])
        let (anna, bert) = (scene.people[0], scene.people[1])
        try scene.say("before", as: anna)
        try Patience.until("before", report: bert.logTail) { try scene.texts(at: bert) == ["before"] }
        let path = anna.directory.file("anna.kibo")
        try anna.backUp(to: path)
        try anna.startEmpty()
        let again = try DaemonProcess(name: "Anna", options: anna.options)
        try again.start()
        try anna.restore(path)
        try again.restore(path)
        let devices = try [anna, again].map { try $0.account.device.id }
        #expect(Set(devices).count == 2)
        for (number, daemon) in [anna, again].enumerated() { try scene.say("from \(number)", as: daemon) }
        for daemon in [anna, again, bert] {
            try Patience.until("both at \(daemon.name)", within: .seconds(40), report: daemon.logTail + bert.logTail) {
                try Set(scene.texts(at: daemon)) == ["before", "from 0", "from 1"]
            }
        }
        for daemon in [anna, again, bert] {
            #expect(!daemon.log.contains("fork"), "\(daemon.name)")
        }
    }

    @Test("An account with a passphrase comes back without one, and is told so")
    func sealed() throws {
        let anna = try DaemonProcess.launchSealed(name: "Anna", remember: true)
        let path = anna.directory.file("anna.kibo")
        #expect(try anna.backUp(to: path).hasPassphrase)
        try anna.startEmpty()
        let secret = anna.directory.file("secret")
        try TextFile.write(DaemonProcess.backupPassphrase.utf8, to: secret)
        let answer = try anna.kibo("restore", path, "--passphrase-file", secret, within: .seconds(120))
        #expect(answer.text.contains("kibo passphrase"), "\(answer)")
        try anna.reconnect { $0["account"]?.string != nil }
        let account = try anna.account
        #expect(!account.hasPassphrase && !account.locked && !account.remembered)
    }
}
