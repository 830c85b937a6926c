import Backup
import Basics
import ControlProtocol
import Crypto
import Glibc

/// What opens a backup.
package enum BackupOpening: Sendable {
    case passphrase(Passphrase)
    /// The account's key, as the recovery code gives it.
    case code(SigningKey)
}

/// What was read of a backup.
struct BackupContents {
    var beginning: BackupBeginning
    /// The rows that are there, by table.
    var found: [BackupTableCount]
    var displayName: String?
    /// Why the rest can't be read; nil if there is nothing more.
    var damage: BackupError?

    var damagedAt: Int? {
        if case .damaged(let place)? = damage { return place }
        return nil
    }
}

/// The file of a backup, open for reading. Its methods block.
final class BackupFile {
    private let file: CInt
    let bytes: Int64
    let head: BackupHead
    private let header: [UInt8]

    /// Opens a file and reads its head.
    /// - Throws: ``BackupError``, `Keystore.Failure`, ``FileProblem``.
    convenience init(path: String) throws {
        // A pipe must not hold up anything.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { throw FileProblem(errno) }
        try self.init(taking: file)
    }

    /// Reads the head of an open file, which is closed with this value.
    init(taking file: CInt) throws {
        self.file = file
        do {
            var status = stat()
            guard fstat(file, &status) == 0 else { throw FileProblem(errno) }
            guard status.st_mode & S_IFMT == S_IFREG else { throw BackupError.notABackup }
            bytes = Int64(status.st_size)
            let prefix = try Self.read(file, from: 0, count: BackupHead.prefixBytes)
            let length = try BackupHead.length(prefix)
            let encoded = try Self.read(file, from: 0, count: length)
            guard encoded.count == length else { throw BackupError.damaged(at: encoded.count) }
            head = try BackupHead(decoding: encoded)
            header = try Self.read(file, from: length, count: CryptoLimits.streamHeaderBytes)
            guard header.count == CryptoLimits.streamHeaderBytes else { throw BackupError.damaged(at: length) }
        } catch {
            close(file)
            throw error
        }
    }

    deinit { close(file) }

    /// Whether an open file is a backup of any version, or an empty file.
    static func mayBeReplaced(_ file: CInt) -> Bool {
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        if status.st_size == 0 { return true }
        guard let prefix = try? read(file, from: 0, count: BackupHead.prefixBytes) else { return false }
        do { _ = try BackupHead.length(prefix) } catch BackupError.notABackup { return false } catch {}
        return true
    }

    /// Computes the secret. With a passphrase this takes a second and 256 MiB.
    /// - Throws: `Keystore.Failure`, ``BackupError``, ``WrongOpening``.
    func secret(_ opening: BackupOpening) throws -> BackupSecret {
        switch opening {
        case .passphrase(let passphrase):
            guard let keystore = head.keystore else { throw WrongOpening.noPassphrase }
            return try BackupSecret(keystore, with: passphrase)
        case .code(let account):
            guard let box = head.recoveryBox else { throw WrongOpening.noBox }
            do { return try BackupSecret(recoveryBox: box, of: account) } catch { throw WrongOpening.otherAccount }
        }
    }

    /// Reads everything behind the head. Damage behind the beginning is no error: the result names it.
    /// - Parameter take: called with each entry, in order.
    /// - Throws: ``BackupError``, what `take` throws, `CancellationError`.
    func read(
        _ secret: borrowing BackupSecret, _ work: BackupWork, _ take: (BackupEntry) throws -> Void
    ) throws -> BackupContents {
        var reader = try BackupReader(head, header: header, secret)
        var name = NameFinder()
        var damage: BackupError?
        work.begin(.reading, total: bytes)
        do {
            var place = head.encoded.count + header.count
            while true {
                try work.check()
                let chunk = try Self.read(file, from: place, count: BackupServiceLimits.chunk)
                if chunk.isEmpty { break }
                place += chunk.count
                work.add(chunk.count)
                try reader.feed(chunk) {
                    name.note($0)
                    try take($0)
                }
            }
            try reader.finish {
                name.note($0)
                try take($0)
            }
        } catch BackupError.damaged(let place) where reader.summary != nil {
            damage = .damaged(at: place)
        }
        guard let beginning = reader.summary else { throw BackupError.damaged(at: head.encoded.count) }
        return BackupContents(beginning: beginning, found: reader.found, displayName: name.name, damage: damage)
    }

    /// The account and the certificate of the device that has made the backup.
    /// - Throws: ``BackupError/malformed(at:_:)`` if they don't belong to the seed.
    static func certificate(
        _ beginning: BackupBeginning, _ secret: borrowing BackupSecret
    ) throws -> (DeviceCertificate, SigningKey) {
        guard let certificate = try? DeviceCertificate(decoding: beginning.certificate),
            let key = try? SigningKey(seed: secret.seed), key.publicKey == certificate.account.key
        else { throw BackupError.malformed(at: 0, "the certificate and the key of the account don't belong together") }
        return (certificate, key)
    }

    /// Reads up to `count` bytes; fewer at the end of the file.
    private static func read(_ file: CInt, from place: Int, count: Int) throws -> [UInt8] {
        var end = 0
        var bytes = [UInt8](repeating: 0, count: count)
        while end < count {
            let got = bytes.withUnsafeMutableBytes {
                pread(file, $0.baseAddress.map { $0 + end }, count - end, place + end)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw FileProblem(errno) }
            if got == 0 { break }
            end += got
        }
        return end == count ? bytes : Array(bytes[..<end])
    }
}

/// Finds the person's name among the rows.
private struct NameFinder {
    private(set) var name: String?
    private var column: Int?

    mutating func note(_ entry: BackupEntry) {
        switch entry {
        case .table(let table):
            column = table.name == "account" ? table.columns.firstIndex(of: "display_name") : nil
        case .rows(let rows):
            guard let column, name == nil, let cells = (try? CBORDecoder.decode(rows))?.arrayValue,
                cells.indices.contains(column)
            else { return }
            name = cells[column].textValue
        default: break
        }
    }
}

extension BackupContents {
    /// What a client hears of it.
    func summary(_ path: String, _ file: BackupFile, _ certificate: DeviceCertificate) -> BackupSummary {
        func count(_ table: String) -> Int64 { Int64(clamping: found.first { $0.name == table }?.rows ?? 0) }
        var summary = BackupSummary(path: path)
        summary.bytes = file.bytes
        summary.madeAt = file.head.madeAt.milliseconds
        summary.account = certificate.account.description
        summary.displayName = displayName.map { String(ForeignText.escaped($0).prefix(128)) }
        summary.software = ForeignText.escaped(beginning.software)
        summary.schema = Int64(clamping: beginning.schema)
        summary.hasPassphrase = beginning.hasPassphrase
        summary.takesPassphrase = file.head.keystore != nil
        summary.takesCode = file.head.recoveryBox != nil
        summary.people = count("contact")
        summary.conversations = count("conversation")
        summary.messages = count("message")
        summary.rows = found.reduce(0) { $0 + Int64(clamping: $1.rows) }
        summary.rowsAnnounced = Int64(clamping: max(0, beginning.rows))
        summary.complete = damage == nil
        summary.damagedAt = damagedAt.map { Int64(clamping: $0) }
        return summary
    }
}
