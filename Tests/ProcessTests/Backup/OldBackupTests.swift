import Basics
import ControlProtocol
import Crypto
import Glibc
import TestSupport
import Testing
import Vocabulary

/// Goal: a backup that any released version has made comes back in every later one (`Tests/Backups/README.md`).
@Suite("Backups of earlier versions", .serialized)
struct OldBackupTests {
    private static let folder =
        "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/Backups"
    private static let isWriting = getenv("KIBO_WRITE_BACKUPS") != nil
    private static let suffix = ".kibo"

    /// What is in each file, by the number of the schema. The code is that of the account.
    private static let codes = [
        1: "kiborecover1q86yl4n4urdmgk8aa5fn2f6s34zpll5mljf6hsvlecrg2a06uexacdn3560",
        2: "kiborecover1q9y28g5dzg6gdrq50x6e5g7cvr4czcaw6zyrymle53kftf992n755qwvzxt",
        3: "kiborecover1qx9uvekwudxfyegagpm3n55yaafmmglrfu5vmrqn6m8x7jwfw3g0yelzxk7",
        4: "kiborecover1q8mumqw9r6hruq592mtda4gycll9hytfnuw0dm9xqzycjjmp2kw87zyl3en",
        5: "kiborecover1qxyrpsxzghlgnmgxtdnwc2tv3kpuy45k9h0rxl4d2h2wtfw2knhdcpnuyjy",
        6: "kiborecover1q9fgafez5nkddvy04ek4ur6r74ps4phathkrxk7e44xdjt85639dj8u63vl",
        7: "kiborecover1qxrntutaxqrmq0rvty2pwfpp5z8yqphgrqz70rqervaj7vxt9j667xpx2jz",
        8: "kiborecover1qy945sldh396fchutdrltpem74tqmg2wav4vhhh7uje5y3ggjs6c2xnd5zg",
    ]

    /// The texts of the notes, which are the same each time.
    private static let notes: [String] = {
        var random = SeededGenerator(seed: 38)
        return (0..<30).map { number in
            let words = (0..<Int.random(in: 1...9, using: &random)).map { _ in
                ["harbour", "lantern", "über", "灯台", "rope", "🦀", "tide"].randomElement(using: &random) ?? ""
            }
            return "\(number): " + words.joined(separator: " ")
        }
    }()

    private static func path(_ schema: Int) -> String { "\(folder)/schema-\(schema)\(suffix)" }

    /// The schemas of which there is a file.
    private static var schemas: [Int] {
        TemporaryDirectory.names(in: folder).compactMap { name in
            guard name.hasPrefix("schema-"), name.hasSuffix(suffix) else { return nil }
            return Int(name.dropFirst("schema-".count).dropLast(suffix.count))
        }
    }

    @Test("A file of this version is made", .enabled(if: isWriting, "KIBO_WRITE_BACKUPS=1 lets it be written"))
    func write() throws {
        // scripts/test --filter OldBackupTests pays what users pay.
        try #require(getenv("KIBO_CHEAP_PASSPHRASES") == nil, "nobody could open the file")
        let scene = try GroupScene(["Anna", "Bert"])
        let (anna, bert) = (scene.people[0], scene.people[1])
        let (annaID, bertID) = (try anna.account.id, try bert.account.id)
        let picture = anna.directory.file("me.png")
        try TextFile.write(SampleFiles.png(width: 48, height: 48), to: picture)
        try anna.call("account.update", ["avatarPath": .string(picture), "statusText": "at sea"])
        try anna.call("contact.update", ["id": .string(bertID), "alias": "Bertie"])
        try anna.set("files.autoDownload", to: "never")
        let sent = try MessageProcessTests.send("the lighthouse", from: anna, to: bertID)
        try MessageProcessTests.waitForState(.delivered, of: sent.id, at: anna)
        let answer = try MessageProcessTests.send("I see it", from: bert, to: annaID)
        try MessageProcessTests.waitForState(.delivered, of: answer.id, at: bert)
        try anna.call("message.react", ["id": .string(answer.id), "emoji": "👍"])
        try scene.say("ahoy", as: anna)
        try Patience.until("ahoy", report: bert.logTail) { try scene.texts(at: bert) == ["ahoy"] }
        try scene.say("ahoy yourself", as: bert)
        try Patience.until("the answer", report: anna.logTail) { try scene.texts(at: anna).count == 2 }
        let notes = try Conversation(json: anna.call("conversation.open", ["contact": .string(annaID)])).id
        for text in Self.notes {
            try anna.call("message.send", ["conversation": .string(notes), "text": .string(text)])
        }
        try bert.stop()
        _ = try MessageProcessTests.send("while you were away", from: anna, to: bertID)
        let path = anna.directory.file("anna.kibo")
        let made = try anna.backUp(to: path)
        let target = Self.path(Int(made.schema))
        #expect(access(target, F_OK) != 0, "\(target) is there, and a released file is never changed")
        guard access(target, F_OK) != 0 else { return }
        try TextFile.write(try TextFile.bytes(path), to: target)
        Issue.record("put this code into the test: \(try CodeBackupTests.code(anna))")
    }

    @Test("The database of today has a file here, and each file has a code")
    func present() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        let schema = Int(try anna.backUp(to: anna.directory.file("anna.kibo")).schema)
        #expect(Set(Self.schemas) == Set(1...schema), "see Tests/Backups/README.md")
        #expect(Set(Self.codes.keys) == Set(Self.schemas))
    }

    @Test("Each file opens with its passphrase and with its code, and everything is back", arguments: schemas)
    func opens(_ schema: Int) throws {
        let (path, code) = (Self.path(schema), try #require(Self.codes[schema]))
        // The passphrase of a file costs what it cost when the file was made; its code costs nothing.
        var options = DaemonProcess.Options()
        options.paysForPassphrases = true
        let reader = try DaemonProcess(name: "Reader", options: options)
        try reader.start()
        let checked = try BackupSummary(json: reader.slowly("backup.check", DaemonProcess.backup(path)))
        try reader.stop()
        let anna = try DaemonProcess(name: "Anna", options: .init())
        try anna.start()
        #expect(checked.complete && checked.schema == schema && checked.displayName == "Anna")
        #expect(checked.takesPassphrase && checked.takesCode)
        let restored = try anna.restore(path, code)
        #expect(restored.complete && restored.rows == restored.rowsAnnounced && restored.messages >= 35)

        let account = try anna.account
        #expect(account.id == checked.account && account.displayName == "Anna" && account.statusText == "at sea")
        #expect(try TextFile.bytes(#require(account.avatar)).starts(with: [0xFF, 0xD8, 0xFF]))
        #expect(try CodeBackupTests.code(anna) == code)
        let contacts = try (anna.call("contact.list")["contacts"]?.array ?? []).map { try Contact(json: $0) }
        let bert = try #require(contacts.first { $0.alias == "Bertie" })
        #expect(contacts.count == 1 && bert.relation == .friend && bert.displayName == "Bert")
        let chats = try (anna.call("conversation.list")["conversations"]?.array ?? []).map {
            try Conversation(json: $0)
        }
        func texts(_ title: String) throws -> [String] {
            let chat = try #require(chats.first { $0.title == title }, "\(chats.map(\.title))")
            return try MessageProcessTests.texts(anna, chat.id).filter { !$0.isEmpty }
        }
        #expect(try texts("Bertie") == ["the lighthouse", "I see it", "while you were away"])
        // The lines that tell of changes stand before.
        #expect(try texts("Boat").suffix(2) == ["ahoy", "ahoy yourself"])
        #expect(try texts("Notes") == Self.notes)
        #expect(try anna.call("settings.get", ["key": "files.autoDownload"])["value"]?.string == "never")
        try Patience.until("the index of words", report: anna.logTail) {
            try anna.call("message.search", ["query": "lighthouse"])["messages"]?.array?.count == 1
        }
        // It is an account as any other.
        try anna.backUp(to: anna.directory.file("again.kibo"))
    }
}
