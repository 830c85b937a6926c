import Basics
import ControlProtocol
import Crypto
import Glibc
import TestSupport
import Testing
import Vocabulary

/// Goal: the recovery code opens every backup of its account, and a text that doesn't open one is told why.
@Suite("Backups and the recovery code", .serialized)
struct CodeBackupTests {
    static func code(_ daemon: DaemonProcess) throws -> String {
        try #require(try daemon.call("recovery.code")["code"]?.string)
    }

    @Test("A backup with a passphrase is looked into and restored by the recovery code, in any writing")
    func opens() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        let (id, code) = (try anna.account.id, try Self.code(anna))
        let path = anna.directory.file("anna.kibo")
        let made = try anna.backUp(to: path)
        #expect(made.takesPassphrase && made.takesCode)
        let checked = try BackupSummary(json: anna.slowly("backup.check", DaemonProcess.backup(path, code)))
        #expect(checked == made)
        let typed = code.uppercased().enumerated().map { ($0.offset % 4 == 0 ? " " : "") + "\($0.element)" }.joined()
        let secret = anna.directory.file("code")
        try TextFile.write("\(typed)\n".utf8, to: secret)
        try anna.startEmpty()
        let answer = try anna.kibo("restore", path, "--passphrase-file", secret, within: .seconds(120))
        #expect(answer.isDone && answer.text.contains("You are Anna again"), "\(answer)")
        try anna.reconnect { $0["account"]?.string == id }
        #expect(try Self.code(anna) == code, "the account's key came back, not only what is in the rows")
        #expect(try anna.kibo("backup", "check", path, "--passphrase-file", secret).text.contains("and so does the"))
    }

    @Test("A mistyped code, a code of another account and a file without a box each have a sentence of their own")
    func refusals() throws {
        let (anna, ben) = (try DaemonProcess.launch(name: "Anna"), try DaemonProcess.launch(name: "Ben"))
        let (path, code) = (anna.directory.file("anna.kibo"), try Self.code(anna))
        try anna.backUp(to: path)
        func refusal(_ text: String, _ path: String = path) throws -> RPCError {
            try #require(try anna.backupRefusal("backup.check", DaemonProcess.backup(path, text)))
        }
        // q and p stand for other values.
        let place = try #require(code.dropFirst(20).firstIndex { $0 != "q" })
        var mistyped = code
        mistyped.replaceSubrange(place...place, with: "q")
        let wrong = try refusal(mistyped)
        let number = code.distance(from: code.startIndex, to: place) + 1
        #expect(wrong.kind == .invalid && wrong.hint == .retypeCode)
        #expect(wrong.data?["parameters"]?["places"]?.array == [.integer(Int64(number))], "\(wrong)")
        #expect(try refusal(String(code.dropLast())).message.contains("70 characters"))
        let other = try refusal(try Self.code(ben))
        #expect(other.kind == .invalid && other.message.contains("not of the account"), "\(other)")
        // No delay follows: a code of 256 bits is found by nobody.
        #expect(try refusal(try Self.code(ben)).message == other.message)
        let odd = anna.directory.file("odd.kibo")
        try OddBackup.write(odd, schema: 1, [])
        #expect(try refusal(code, odd).message.contains("without the recovery code"))
        // The box is ours, and what it opens is another's.
        let key = try RecoveryCode.key(code)
        try OddBackup.write(odd, schema: 1, [], for: key.recoveryKey.publicKey)
        #expect(try refusal(code, odd).message.contains("don't belong together"))
        let backup = DaemonProcess.backup(path, code)
        #expect(try anna.backupRefusal("backup.create", backup)?.data?["field"]?.string == "passphrase")
        try anna.startEmpty()
        for text in [mistyped, try Self.code(ben)] {
            #expect(try anna.backupRefusal("backup.restore", DaemonProcess.backup(path, text))?.kind == .invalid)
            #expect(anna.restoreLeftovers == [])
        }
    }
}
