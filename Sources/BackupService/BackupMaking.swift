import Backup
import Basics
import ControlProtocol
import Crypto
import Glibc
import Messaging
import Runtime
import Store

/// Makes one backup. It blocks.
struct BackupMaking: Sendable {
    let store: Store
    let certificate: DeviceCertificate
    /// Nil while the account is locked.
    let account: LocalAccount?
    let hasPassphrase: Bool
    /// Nil for a file that the recovery code alone opens.
    let passphrase: Passphrase?
    /// The public half of the account's recovery key; nil where it isn't known.
    let recoveryKey: Key32?
    let now: WallTime
    /// The data directory, on whose disk some bytes have to stay free.
    let directory: String
    let reserve: UInt64
    let picturePath: @Sendable ([UInt8]) -> String

    /// Writes the whole file or none. A backup that has the name already stays until the new one was read back.
    /// - Returns: what the file holds, as it was read back.
    func run(to path: String, _ work: BackupWork) throws -> BackupSummary {
        guard try Self.isFree(path) else { throw FileProblem(EEXIST) }
        let partial = path + ".part"
        // A daemon that was killed may have left it.
        guard try Self.isFree(partial) else {
            throw ControlError(FileProblem(EEXIST), backup: partial) ?? .noAccount
        }
        unlink(partial)
        let file = open(partial, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw FileProblem(errno) }
        var isDone = false
        defer {
            close(file)
            if !isDone { unlink(partial) }
        }
        let room = Room(file: file, path: path, reserve: try reserve(on: file))
        try room.require(UInt64(clamping: store.databaseBytes / BackupServiceLimits.leastPart))
        let secret = try newSecret()
        try write(secret, to: file, room, work)
        guard fsync(file) == 0 else { throw FileProblem(errno) }
        let summary = try readBack(secret, file, path, work)
        guard rename(partial, path) == 0 else { throw FileProblem(errno) }
        isDone = true
        Self.sync(directoryOf: path)
        return summary
    }

    // MARK: Writing

    /// The key of a new file. A file that the recovery code alone opens has no seed: the code is the seed.
    private func newSecret() throws -> BackupSecret {
        guard passphrase != nil else {
            guard recoveryKey != nil else { throw NoRecoveryKey() }
            return .withoutSeed()
        }
        guard let account else { throw MessagingError.locked }
        return account.accountKey.withSeed { BackupSecret(seed: SecretBytes(copying: $0)) }
    }

    private func write(
        _ secret: borrowing BackupSecret, to file: CInt, _ room: Room, _ work: BackupWork
    ) throws {
        var keystore: Keystore?
        if let passphrase { keystore = try secret.sealed(with: passphrase) }
        var box: [UInt8]?
        if let recoveryKey { box = try secret.box(for: recoveryKey) }
        let head = BackupHead(madeAt: now, keystore: keystore, recoveryBox: box)
        var writer = try BackupWriter(head, secret)
        var output = Output(file: file, room: room)
        try output.add(writer.beginning)
        var tables: [BackupTableCount] = []
        try store.walk(rowBytes: BackupLimits.rowsBytes) { step in
            try work.check()
            switch step {
            case .beginning(let summary):
                guard summary.account?.account == certificate.account else { throw ControlError.noAccount }
                tables = summary.tables.map { BackupTableCount(name: $0.name, rows: $0.rows) }
                work.begin(.writing, total: summary.tables.reduce(0) { $0 + Int64(clamping: $1.rows) })
                try output.add(try writer.append(.beginning(beginning(summary, tables))))
                for digest in summary.pictures {
                    guard let picture = picture(digest) else { continue }
                    try output.add(try writer.append(.picture(digest: digest, bytes: picture)))
                }
            case .table(let name, let columns):
                try output.add(try writer.append(.table(BackupTable(name: name, columns: columns))))
            case .rows(let rows, let count):
                try output.add(try writer.append(.rows(rows)))
                work.add(count)
            }
        }
        try output.add(try writer.append(.end(tables)))
        try output.add(try writer.finish())
        try output.flush()
    }

    private func beginning(_ summary: TableSummary, _ tables: [BackupTableCount]) -> BackupBeginning {
        BackupBeginning(
            certificate: certificate.encoded(),
            software: String("kibo \(ControlProtocol.productVersion)".prefix(BackupLimits.nameBytes)),
            schema: summary.schema, tables: tables, hasPassphrase: hasPassphrase, lastEvent: summary.lastEvent.number,
            lastEventAt: summary.lastEvent.at)
    }

    /// A picture of a person or a group; nil if it isn't here.
    private func picture(_ digest: [UInt8]) -> [UInt8]? {
        guard digest.count == CryptoLimits.keyBytes,
            let bytes = try? Paths.readFile(picturePath(digest), limit: BackupLimits.pictureBytes), !bytes.isEmpty
        else { return nil }
        return bytes
    }

    // MARK: Reading back

    /// Opens what was written as a restore would, and reads all of it. While the account is locked nothing opens the box, and the
    /// key that made the file reads it.
    private func readBack(
        _ secret: borrowing BackupSecret, _ file: CInt, _ path: String, _ work: BackupWork
    ) throws -> BackupSummary {
        let again = dup(file)
        guard again >= 0 else { throw FileProblem(errno) }
        // From the disk, as far as the kernel does that.
        _ = posix_fadvise(again, 0, 0, POSIX_FADV_DONTNEED)
        let written = try BackupFile(taking: again)
        var openings: [BackupOpening] = passphrase.map { [.passphrase($0)] } ?? []
        if let account, recoveryKey != nil { openings.append(.code(account.accountKey)) }
        for opening in openings where try !written.secret(opening).hasKey(of: secret) {
            throw BackupError.damaged(at: 0)
        }
        let contents = try written.read(secret, work) { _ in }
        if let damage = contents.damage { throw damage }
        return contents.summary(path, written, certificate)
    }

    // MARK: The disk

    /// Whether a file may get this name: there is none, or an earlier backup, or an empty file.
    private static func isFree(_ path: String) throws -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY)
        guard file >= 0 else {
            if errno == ENOENT { return true }
            if errno == ELOOP { return false }
            throw FileProblem(errno)
        }
        defer { close(file) }
        return BackupFile.mayBeReplaced(file)
    }

    /// What has to stay free where the file goes: something only where the data are, too.
    private func reserve(on file: CInt) throws -> UInt64 {
        var (target, data) = (stat(), stat())
        guard fstat(file, &target) == 0, stat(directory, &data) == 0 else { throw FileProblem(errno) }
        return target.st_dev == data.st_dev ? reserve : 0
    }

    private static func sync(directoryOf path: String) {
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let directory = open(parent.isEmpty ? "/" : parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        fsync(directory)
        close(directory)
    }
}

/// The room on the disk of an open file.
struct Room {
    let file: CInt
    /// For the refusal.
    let path: String
    /// Bytes that have to stay free.
    let reserve: UInt64

    /// - Throws: ``NoRoom`` unless so many bytes can be written.
    func require(_ bytes: UInt64) throws {
        var figures = statvfs()
        guard fstatvfs(file, &figures) == 0 else { return }
        let (free, overflow) = UInt64(figures.f_bavail).multipliedReportingOverflow(by: UInt64(figures.f_frsize))
        let (needed, tooMany) = bytes.addingReportingOverflow(reserve)
        guard overflow || (!tooMany && free >= needed) else { throw NoRoom(path: path, needed: needed, free: free) }
    }
}

/// Writes bytes in large pieces, and looks at the room meanwhile.
private struct Output {
    let file: CInt
    let room: Room
    private var waiting: [UInt8] = []
    private var sinceLook = 0

    init(file: CInt, room: Room) { (self.file, self.room) = (file, room) }

    mutating func add(_ bytes: [UInt8]) throws {
        waiting += bytes
        if waiting.count >= BackupServiceLimits.chunk { try flush() }
    }

    mutating func flush() throws {
        sinceLook += waiting.count
        if sinceLook >= BackupServiceLimits.roomLook {
            try room.require(0)
            sinceLook = 0
        }
        var rest = waiting[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileProblem(errno) }
            rest = rest.dropFirst(count)
        }
        waiting.removeAll(keepingCapacity: true)
    }
}
