import Backup
import Basics
import ControlProtocol
import Crypto
import Glibc
import TestSupport
import Testing
import Vocabulary

/// Steps that the tests of backups share.
extension DaemonProcess {
    static let backupPassphrase = "paper boats on the pond"

    /// Parameters that name a backup and its passphrase.
    static func backup(_ path: String, _ passphrase: String = backupPassphrase) -> JSONObject {
        ["path": .string(path), "passphrase": .string(passphrase)]
    }

    /// Calls a method that computes a key.
    func slowly(_ method: String, _ params: JSONObject) throws -> JSONValue {
        try client.call(method, params, timeout: .seconds(120))
    }

    /// Makes a backup and checks that it is whole.
    @discardableResult
    func backUp(to path: String) throws -> BackupSummary {
        let made = try BackupSummary(json: slowly("backup.create", Self.backup(path)))
        #expect(made.complete && made.path == path && made.rows == made.rowsAnnounced)
        return made
    }

    /// Starts without any data.
    func startEmpty() throws {
        if isRunning { try stop() }
        TemporaryDirectory.remove(dataPath)
        try directory.makeDirectory("data")
        try start()
    }

    /// Restores a backup, and waits until the daemon is back with it.
    @discardableResult
    func restore(
        _ path: String, _ passphrase: String = backupPassphrase, evenIfCut: Bool = false
    ) throws -> BackupSummary {
        var params = Self.backup(path, passphrase)
        params["evenIfCut"] = .bool(evenIfCut)
        let restored = try BackupSummary(json: slowly("backup.restore", params))
        try reconnect { $0["account"]?.string == restored.account }
        return restored
    }

    /// The refusal of a call that computes a key. A call that comes too soon after a wrong passphrase is made again.
    func backupRefusal(_ method: String, _ params: JSONObject) throws -> RPCError? {
        try Patience.until("\(method) to be tried", within: .seconds(60), report: logTail) { () -> RPCError?? in
            do {
                _ = try slowly(method, params)
                return .some(nil)
            } catch ClientError.refused(let error) {
                return error.data?["hint"]?.string == "wait_before_trying" ? nil : .some(error)
            }
        }
    }

    /// What is in the data directory of a restore that is not over.
    var restoreLeftovers: [String] {
        TemporaryDirectory.names(in: dataPath).filter { $0.contains("restor") || $0 == "keys" }
    }
}

/// Files of backups that no daemon would make.
enum OddBackup {
    /// Writes a backup of an account with one device.
    /// - Parameters:
    ///   - tables: with their columns and rows.
    ///   - recoveryKey: the code of its account opens the file, too.
    static func write(
        _ path: String, schema: Int, _ tables: [(BackupTable, rows: [[CBOR]])], certifiedBy other: SigningKey? = nil,
        for recoveryKey: Key32? = nil
    ) throws {
        let key = SigningKey()
        let certificate = try DeviceCertificate.issue(
            by: other ?? key, for: DeviceID(SigningKey().publicKey), name: "old", created: WallTime(milliseconds: 1))
        let secret = key.withSeed { BackupSecret(seed: SecretBytes(copying: $0)) }
        let keystore = try secret.sealed(with: Passphrase(DaemonProcess.backupPassphrase))
        var box: [UInt8]?
        if let recoveryKey { box = try secret.box(for: recoveryKey) }
        let head = BackupHead(madeAt: WallTime(milliseconds: 2), keystore: keystore, recoveryBox: box)
        let counts = tables.map { BackupTableCount(name: $0.0.name, rows: $0.rows.count) }
        var writer = try BackupWriter(head, secret)
        var file = writer.beginning
        file += try writer.append(
            .beginning(
                BackupBeginning(
                    certificate: certificate.encoded(), software: "kibo 0", schema: schema, tables: counts,
                    hasPassphrase: false, lastEvent: 0, lastEventAt: 0)))
        for (table, rows) in tables {
            file += try writer.append(.table(table))
            if !rows.isEmpty { file += try writer.append(.rows(rows.flatMap { CBOR.array($0).encoded() })) }
        }
        file += try writer.append(.end(counts))
        file += try writer.finish()
        try TextFile.write(file, to: path)
    }
}
