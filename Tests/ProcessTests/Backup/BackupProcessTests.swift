import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing
import Vocabulary

/// Goal: a backup that is said to be made is whole; nothing else is ever in its place.
@Suite("Making backups", .serialized)
struct BackupProcessTests {
    @Test("A backup is made from the command line, looked into, and made again in its place")
    func commands() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        try MessageProcessTests.waitForState(
            .delivered, of: MessageProcessTests.send("hello", from: anna, to: bert.account.id).id, at: anna)
        let (path, secret) = (anna.directory.file("anna.kibo"), anna.directory.file("secret"))
        try TextFile.write("\(DaemonProcess.backupPassphrase)\n".utf8, to: secret)
        for _ in 0..<2 {
            let made = try anna.kibo("backup", path, "--passphrase-file", secret, within: .seconds(120))
            #expect(made.isDone && made.text.contains("read it back") && made.text.contains("1 contact,"), "\(made)")
        }
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let checked = try anna.kibo("backup", "check", path, "--passphrase-file", secret, within: .seconds(120))
        #expect(checked.isDone && checked.text.contains("A backup of Anna (kibo1"), "\(checked)")
        #expect(checked.text.contains("It is whole: 1 contact, 1 conversation and 1 message."), "\(checked)")
        // Nothing outside the seal says whose it is.
        let bytes = try TextFile.bytes(path)
        #expect(bytes.starts(with: Array("KIBOBACK".utf8)))
        for word in ["Anna", "hello", "Bert"] {
            let word = Array(word.utf8)
            #expect(!bytes.indices.contains { bytes[$0...].starts(with: word) })
        }
        #expect(Set(TemporaryDirectory.names(in: anna.directory.path)).isDisjoint(with: ["anna.kibo.part"]))
        #expect(try anna.kibo("backup").code == 2)
        #expect(try anna.kibo("backup", "check").code == 2)
        #expect(try anna.kibo("backup", path, path).code == 2)
        #expect(try anna.kibo("restore", path, "--passphrase-file", secret).text.contains("an account here already"))
    }

    @Test("A wrong passphrase, a changed byte and a cut file are told apart, and tries are delayed")
    func damage() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        let path = anna.directory.file("anna.kibo")
        try anna.backUp(to: path)
        let bytes = try TextFile.bytes(path)
        let wrong = DaemonProcess.backup(path, "paper boats on the lake")
        #expect(try anna.backupRefusal("backup.check", wrong)?.kind == .wrongPassphrase)
        #expect(try anna.refusal("backup.check", wrong) == .busy, "the next try has to wait")

        let other = anna.directory.file("other.kibo")
        func look() throws -> (kind: Reason?, summary: BackupSummary?) {
            var summary: BackupSummary?
            let refusal = try Patience.until("a check", within: .seconds(60)) { () -> Reason?? in
                do {
                    summary = try BackupSummary(json: anna.slowly("backup.check", DaemonProcess.backup(other)))
                    return .some(nil)
                } catch ClientError.refused(let error) {
                    return error.data?["hint"]?.string == "wait_before_trying" ? nil : .some(error.kind)
                }
            }
            return (refusal, summary)
        }
        // The head: its magic, its version, its map, the keystore in that.
        for (place, kind) in [(0, Reason.invalid), (9, .unsupported), (14, .invalid), (150, .invalid)] {
            var changed = bytes
            changed[place] ^= place == 9 ? 3 : 1
            try TextFile.write(changed, to: other)
            #expect(try look().kind == kind, "byte \(place)")
        }
        var changed = bytes
        changed[bytes.count - 5] ^= 1
        for damaged in [changed, Array(bytes.dropLast()), bytes + [0]] {
            try TextFile.write(damaged, to: other)
            let found = try look()
            #expect(found.kind == .invalid || found.summary?.complete == false, "\(damaged.count)")
            #expect(found.summary?.damagedAt ?? 1 > 0)
        }
        for count in [0, 5, 11, 100, 300] {
            try TextFile.write(bytes[..<count], to: other)
            #expect(try look().kind == .invalid, "cut to \(count)")
        }
        #expect(try anna.refusal("backup.check", DaemonProcess.backup("/nothing/there")) == .notFound)
        #expect(try anna.refusal("backup.check", DaemonProcess.backup(anna.dataPath)) == .invalid)
        #expect(try anna.refusal("backup.check", DaemonProcess.backup(path, "")) == .invalid)
    }

    @Test("Other files are never replaced, nor a backup by one that failed")
    func replacing() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        let thesis = anna.directory.file("thesis.odt")
        try TextFile.write("years of work".utf8, to: thesis)
        #expect(try anna.refusal("backup.create", DaemonProcess.backup(thesis)) == .alreadyExists)
        #expect(try TextFile.text(thesis) == "years of work")
        #expect(try anna.refusal("backup.create", DaemonProcess.backup("/nothing/there")) == .notFound)
        #expect(try anna.refusal("backup.create", DaemonProcess.backup(anna.dataPath)) == .alreadyExists)
        try TextFile.write("also mine".utf8, to: anna.directory.file("new.kibo.part"))
        let new = anna.directory.file("new.kibo")
        #expect(try anna.refusal("backup.create", DaemonProcess.backup(new)) == .alreadyExists)
        #expect(try TextFile.text(new + ".part") == "also mine")
        #expect(!TemporaryDirectory.names(in: anna.directory.path).contains("new.kibo"))
    }

    @Test(
        "On a full disk nothing is left of a backup but the earlier one",
        .enabled(if: getuid() == 0, "it takes root to mount a small file system"))
    func full() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        guard let disk = SmallDisk(at: try anna.directory.makeDirectory("stick"), bytes: 4 << 20) else { return }
        defer { withExtendedLifetime(disk) {} }
        let path = disk.path + "/anna.kibo"
        try anna.backUp(to: path)
        let before = try TextFile.bytes(path)
        disk.fill()
        let refusal = try anna.backupRefusal("backup.create", DaemonProcess.backup(path))
        #expect(refusal?.kind == .noSpace)
        #expect(try TextFile.holds(path, before))
        #expect(Set(TemporaryDirectory.names(in: disk.path)) == ["anna.kibo", "filling"])
        disk.makeRoom()
        try anna.backUp(to: path)
    }

    @Test("Messages come while a backup is made, a second backup has to wait, and a locked account makes none")
    func beside() throws {
        // The second backup and the messages have to arrive while the first backup is being made.
        let (anna, bert) = try MessageProcessTests.friends(logLevel: .info, paysForPassphrases: true)
        let (id, conversation) = (try bert.account.id, try anna.conversation(with: bert))
        for number in 0..<20 { _ = try MessageProcessTests.send("before \(number)", from: anna, to: id) }
        let (client, writer) = (try anna.connect(), try anna.connect())
        let path = anna.directory.file("anna.kibo")
        let first = try client.send("backup.create", DaemonProcess.backup(path))
        let second = try client.send("backup.create", DaemonProcess.backup(path + "2"))
        for number in 0..<300 {
            _ = try writer.send(
                "message.send", ["conversation": .string(conversation), "text": .string("during \(number)")])
        }
        for _ in 0..<300 {
            guard case .result = try writer.nextReply(timeout: Patience.usual).outcome else {
                Issue.record("a message was refused")
                return
            }
        }
        #expect(throws: ClientError.self) { try client.reply(to: second, timeout: .seconds(60)) }
        let made = try BackupSummary(json: client.reply(to: first, timeout: .seconds(120)))
        #expect(made.complete && (20...320).contains(made.messages), "\(made.messages)")
        #expect(try MessageProcessTests.texts(anna, conversation).count == 320)

        try anna.call("account.changePassphrase", ["new": "herons"])
        try anna.call("account.lock")
        #expect(try anna.refusal("backup.create", DaemonProcess.backup(path)) == .locked)
        let checked = try BackupSummary(json: anna.slowly("backup.check", DaemonProcess.backup(path)))
        #expect(checked.messages == made.messages && !checked.hasPassphrase)
    }

    @Test("A daemon that is killed while it makes a backup leaves the earlier one, and makes the next")
    func killed() throws {
        var options = DaemonProcess.Options()
        options.paysForPassphrases = true
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        let path = anna.directory.file("anna.kibo")
        try anna.backUp(to: path)
        let before = try TextFile.bytes(path)
        let client = try anna.connect()
        _ = try client.send("backup.create", DaemonProcess.backup(path))
        try client.flush()
        try Patience.until("it to be begun", within: .seconds(60)) {
            TemporaryDirectory.names(in: anna.directory.path).contains("anna.kibo.part")
        }
        anna.kill()
        #expect(try TextFile.holds(path, before))
        try anna.start()
        try anna.backUp(to: path)
        #expect(!TemporaryDirectory.names(in: anna.directory.path).contains("anna.kibo.part"))
    }
}
