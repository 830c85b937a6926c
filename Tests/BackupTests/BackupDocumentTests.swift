import Basics
import Crypto
import FoundationEssentials
import Testing

@testable import Backup

/// Goal: a reader written from docs/PROTOCOL-BACKUP.md alone reads what this code reads.
@Suite("docs/PROTOCOL-BACKUP.md")
struct BackupDocumentTests {
    private static func block(_ name: String) throws -> [UInt8] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let document = String(
            decoding: try Data(contentsOf: root.appending(path: "docs/PROTOCOL-BACKUP.md")), as: UTF8.self)
        let start = try #require(document.firstRange(of: "```hex \(name)\n"))
        let rest = document[start.upperBound...]
        let end = try #require(rest.firstRange(of: "```"))
        return try #require(Hex.decode(rest[..<end.lowerBound].filter { !$0.isWhitespace }))
    }

    private static let entries: [BackupEntry] = {
        let tables = [BackupTableCount(name: "meta", rows: 1), BackupTableCount(name: "setting", rows: 2)]
        func row(_ cells: CBOR...) -> [UInt8] { CBOR.array(cells).encoded() }
        return [
            .beginning(
                BackupBeginning(
                    certificate: [0xAA, 0xBB, 0xCC], software: "kibo 1", schema: 1, tables: tables,
                    hasPassphrase: false, lastEvent: 7, lastEventAt: 1_719_999_999_000)),
            .picture(digest: Blake2b.hash(Array("face".utf8)), bytes: Array("face".utf8)),
            .table(BackupTable(name: "meta", columns: ["name", "value"])),
            .rows(row(.text("discovery_key"), .integer(-5))),
            .table(BackupTable(name: "setting", columns: ["name", "value"])),
            .rows(row(.text("a"), .null) + row(.text("ä"), .bytes([0]))), .end(tables),
        ]
    }()

    @Test("The file of the document opens with its passphrase, and has the entries that the document says")
    func file() throws {
        let file = try Self.block("backup-file")
        let length = try BackupHead.length(Array(file.prefix(BackupHead.prefixBytes)))
        let head = try BackupHead(decoding: Array(file[..<length]))
        #expect(head.madeAt.milliseconds == 1_720_000_000_000)
        let keystore = try #require(head.keystore)
        #expect(keystore.encoded() == (try Self.block("backup-keystore")))
        // What we would write again is the same head.
        #expect(BackupHead(madeAt: head.madeAt, keystore: keystore).encoded == Array(file[..<length]))
        let secret = try BackupSecret(keystore, with: Passphrase("correct horse"))
        let (key, seed) = (secret.streamKey(head).bytes, secret.seed.withUnsafeBytes { Array($0) })
        #expect(seed == [UInt8](repeating: 0x22, count: 32))
        #expect(key == (try Self.block("backup-stream-key")))
        var reader = try BackupReader(head, header: Array(file[length..<length + 24]), secret)
        var entries: [BackupEntry] = []
        try reader.feed(Array(file[(length + 24)...])) { entries.append($0) }
        try reader.finish { entries.append($0) }
        #expect(entries == Self.entries)
    }

    @Test("The file of the document for the code alone opens with the code, and has the same entries")
    func fileForCode() throws {
        let file = try Self.block("backup-file-for-code")
        let length = try BackupHead.length(Array(file.prefix(BackupHead.prefixBytes)))
        let head = try BackupHead(decoding: Array(file[..<length]))
        let box = try Self.block("recovery-box")
        #expect(head.keystore == nil && head.recoveryBox == box)
        #expect(BackupHead(madeAt: head.madeAt, keystore: nil, recoveryBox: box).encoded == head.encoded)
        let code = String(decoding: try Self.block("recovery-code"), as: UTF8.self)
        let secret = try BackupSecret(recoveryBox: box, of: RecoveryCode.key(code))
        var reader = try BackupReader(head, header: Array(file[length..<length + 24]), secret)
        var entries: [BackupEntry] = []
        try reader.feed(Array(file[(length + 24)...])) { entries.append($0) }
        try reader.finish { entries.append($0) }
        #expect(entries == Self.entries)
    }

    @Test("The recovery code, its key and the box of the document are those of its seed")
    func recovery() throws {
        let account = try SigningKey(
            seed: SecretBytes(count: 32) { $0.initializeMemory(as: UInt8.self, repeating: 0x22) })
        let code = String(decoding: try Self.block("recovery-code"), as: UTF8.self)
        #expect(RecoveryCode.text(of: account) == code)
        #expect(try RecoveryCode.key(code).publicKey == account.publicKey)
        #expect(account.recoveryKey.publicKey.bytes == (try Self.block("recovery-key")))
        let secret = try BackupSecret(recoveryBox: Self.block("recovery-box"), of: account)
        #expect(secret.streamKey(try Self.head()).bytes == (try Self.block("backup-stream-key")))
        #expect(secret.seed.withUnsafeBytes { Array($0) } == [UInt8](repeating: 0x22, count: 32))
    }

    @Test("A file for the recovery code alone is opened by it, and by no other account")
    func boxed() throws {
        let account = SigningKey()
        let made = BackupSecret.withoutSeed()
        let box = try made.box(for: account.recoveryKey.publicKey)
        let head = BackupHead(madeAt: WallTime(milliseconds: 1), keystore: nil, recoveryBox: box)
        var writer = try BackupWriter(head, made)
        var file = writer.beginning
        for entry in Self.entries { file += try writer.append(entry) }
        file += try writer.finish()

        let read = try BackupHead(decoding: Array(file[..<BackupHead.length(Array(file.prefix(12)))]))
        #expect(read == head && read.keystore == nil)
        let opened = try BackupSecret(recoveryBox: #require(read.recoveryBox), of: account)
        let start = head.encoded.count
        var reader = try BackupReader(read, header: Array(file[start..<start + 24]), opened)
        var entries: [BackupEntry] = []
        try reader.feed(Array(file[(start + 24)...])) { entries.append($0) }
        try reader.finish { entries.append($0) }
        #expect(entries == Self.entries)
        #expect(opened.seed.count == 32)
        #expect(throws: CryptoError.authenticationFailed) {
            _ = try BackupSecret(recoveryBox: box, of: SigningKey()).streamKey(head)
        }
    }

    private static func head() throws -> BackupHead {
        let file = try block("backup-file")
        return try BackupHead(decoding: Array(file[..<BackupHead.length(Array(file.prefix(BackupHead.prefixBytes)))]))
    }

    @Test("The entries of the document are coded as it says")
    func coding() throws {
        #expect(Self.entries.flatMap(BackupWriter.coded) == (try Self.block("backup-entries")))
    }
}
