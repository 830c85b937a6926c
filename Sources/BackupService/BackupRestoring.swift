import Account
import Backup
import Basics
import ControlProtocol
import Crypto
import Glibc
import Messaging
import Runtime
import Store
import Threads

/// Restores one backup into the data directory of a daemon without an account. It blocks.
struct BackupRestoring: Sendable {
    let directory: String
    let deviceName: String
    let opening: BackupOpening
    /// Whether a file that is cut or damaged is taken as far as it goes.
    let evenIfCut: Bool
    let clocks: any Clocks
    let choices: TransactionSettings
    /// Bytes that have to stay free on the disk with the data.
    let reserve: UInt64
    let picturePath: @Sendable ([UInt8]) -> String
    let log: Logger

    /// Makes the restored data count, whole or not at all: the next start of the daemon finds them.
    /// - Returns: what was there.
    func run(_ path: String, _ work: BackupWork) throws -> BackupSummary {
        let file = try BackupFile(path: path)
        let secret = try file.secret(opening)
        let data = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard data >= 0 else { throw FileProblem(errno) }
        defer { close(data) }
        let room = Room(file: data, path: directory, reserve: reserve)
        let (wanted, overflow) = file.bytes.multipliedReportingOverflow(by: BackupServiceLimits.leastTimes)
        try room.require(overflow ? .max : UInt64(clamping: wanted))
        var filling = Filling(
            path: Store.beginRestore(directory: directory), clocks: clocks, room: room, picturePath: picturePath)
        var isDone = false
        defer {
            if !isDone {
                Store.abandonRestore(directory: directory)
                filling.removePictures()
            }
        }
        let contents = try file.read(secret, work) { try filling.ingest($0) }
        if let damage = contents.damage, !evenIfCut || filling.fill == nil { throw damage }
        let (certificate, key) = try BackupFile.certificate(contents.beginning, secret)
        let account = try LocalAccount.newDevice(of: key, deviceName: deviceName, at: clocks.wallTime)
        work.begin(.finishing)
        let report = try filling.finish(
            contents.beginning, adoption(account, certificate, isCut: contents.damage != nil))
        try work.check()
        try commit(account)
        isDone = true
        var summary = contents.summary(path, file, certificate)
        summary.rows = report.tables.reduce(0) { $0 + Int64(clamping: $1.saved) }
        return summary
    }

    /// Writes the keys and then makes the database count. A crash in between leaves keys that the next restore or account puts
    /// aside.
    private func commit(_ account: LocalAccount) throws {
        let aside = try KeyFile.adopt(account, in: directory, at: clocks.wallTime)
        do {
            try Store.commitRestore(directory: directory)
        } catch {
            KeyFile.giveBack(aside, in: directory)
            throw error
        }
        if let aside { log.warning("the keys of another account that were here are now in \(aside)") }
    }

    /// Makes the rows those of a new device, inside the transaction with which the database is complete.
    private func adoption(
        _ account: LocalAccount, _ certificate: DeviceCertificate, isCut: Bool
    ) -> @Sendable (WriteTransaction, inout RepairReport) throws -> Void {
        { [choices] transaction, report in
            if isCut {
                try RepairedPeople.mend(certificate, in: transaction, &report)
                try RepairedGroups(own: account.id, choices: choices, transaction).mend(&report)
            }
            guard let row = try transaction.ownAccount(), row.account == account.id else {
                throw StoreError.corrupt(detail: "the account of the rows is another one")
            }
            try Adoption(transaction).run(row, by: account.device, name: account.certificate.name)
        }
    }
}

/// Takes the entries of a backup into a new database and the folder of pictures.
private struct Filling {
    let path: String
    let clocks: any Clocks
    let room: Room
    let picturePath: @Sendable ([UInt8]) -> String
    private(set) var fill: TableFill?
    private var written: [String] = []
    private var sinceLook = 0

    init(path: String, clocks: any Clocks, room: Room, picturePath: @escaping @Sendable ([UInt8]) -> String) {
        (self.path, self.clocks, self.room, self.picturePath) = (path, clocks, room, picturePath)
    }

    mutating func ingest(_ entry: BackupEntry) throws {
        switch entry {
        case .beginning(let beginning):
            fill = try TableFill(path: path, schema: beginning.schema, clocks: clocks)
        case .picture(let digest, let bytes): try ingestPicture(digest, bytes)
        case .table(let table): try fill?.begin(table.name, columns: table.columns)
        case .rows(let rows):
            try look(rows.count)
            try fill?.add(rows)
        case .end: break
        }
    }

    private mutating func look(_ bytes: Int) throws {
        sinceLook += bytes
        guard sinceLook >= BackupServiceLimits.roomLook else { return }
        sinceLook = 0
        try room.require(0)
    }

    /// Writes a picture under its name, which is a digest and no path. What no row names is removed at the next start.
    private mutating func ingestPicture(_ digest: [UInt8], _ bytes: [UInt8]) throws {
        try look(bytes.count)
        // Each that Kibo keeps is a JPEG.
        guard bytes.starts(with: [0xFF, 0xD8, 0xFF]) else { return }
        let path = picturePath(digest)
        guard access(path, F_OK) != 0 else { return }
        if let folder = path.lastIndex(of: "/") { try Paths.makeDirectory(String(path[..<folder])) }
        written.append(path)
        try AtomicFile.write(bytes, to: path)
    }

    func removePictures() { for path in written { unlink(path) } }

    mutating func finish(
        _ beginning: BackupBeginning,
        _ adoption: @escaping @Sendable (WriteTransaction, inout RepairReport) throws -> Void
    ) throws -> RepairReport {
        guard let fill else { throw BackupError.damaged(at: 0) }
        return try fill.finish(
            beginning.tables.map { ($0.name, $0.rows) }, lastEvent: (beginning.lastEvent, beginning.lastEventAt),
            mend: adoption)
    }
}
