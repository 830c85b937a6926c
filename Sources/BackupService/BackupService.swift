import Account
import Basics
import ControlProtocol
import Crypto
import Glibc
import Messaging
import Reactor
import Runtime
import Store
import Threads

/// Makes, looks at and restores backups, one at a time, each on a thread of its own.
@ReactorActor package final class BackupService {
    private let environment: Environment
    private let current: CurrentAccount
    private let state: AccountState
    private let keeper: AccountKeeper
    private let choices: TransactionSettings
    private let picturePath: @Sendable ([UInt8]) -> String
    private let restart: @ReactorActor () -> Void
    private var delay = PassphraseDelay()
    /// Ends the work that goes on; nil if there is none.
    private var running: BackupWork?

    /// - Parameters:
    ///   - picturePath: where the picture with a digest lies.
    ///   - restart: lets the daemon start again, with the data of a restore.
    package init(
        environment: Environment, current: CurrentAccount, state: AccountState, keeper: AccountKeeper,
        choices: TransactionSettings, picturePath: @escaping @Sendable ([UInt8]) -> String,
        restart: @escaping @ReactorActor () -> Void
    ) {
        self.environment = environment
        self.current = current
        self.state = state
        self.keeper = keeper
        self.choices = choices
        self.picturePath = picturePath
        self.restart = restart
    }

    /// Ends what goes on: the daemon stops.
    package func stop() { running?.stop() }

    func create(_ path: String, _ passphrase: Passphrase) async throws -> BackupSummary {
        guard current.keys != nil else { throw MessagingError.locked }
        let making = try await making(passphrase)
        return try await noting { try await run("backup", path) { try making.run(to: path, $0) } }
    }

    /// Makes a backup with a new name in a folder, and removes this daemon's oldest ones there.
    /// - Returns: the new one, and how many are gone.
    func rotate(_ directory: String, keep: Int) async throws -> (BackupSummary, removed: Int) {
        let making = try await making(nil)
        let removed = Lock(0)
        let summary = try await noting {
            try await run("backup", directory) { work in
                let folder = try BackupFolder(path: directory, account: making.certificate.account)
                let summary = try making.run(to: folder.newPath(at: making.now), work)
                removed.withLock { $0 = folder.prune(keep: keep, new: summary.path) }
                return summary
            }
        }
        return (summary, removed.withLock { $0 })
    }

    /// How the backups of the account are.
    func status() async throws -> BackupStatus {
        var status = BackupStatus()
        status.running = running?.progress
        guard let account = current.profile?.account.description else { return status }
        let directory = environment.directory
        status.last = try await environment.workers.files.run { LastBackup.read(of: account, in: directory) }
        status.due = isDue(status.last)
        status.codeShownAt = try await environment.store.read { try RecoveryRows.codeShown(in: $0) }?.milliseconds
        return status
    }

    /// Whether there is no backup of the last days, as the doctor tells it. It is a hint, and nothing is wrong.
    package func check() async -> DoctorCheck? {
        guard current.profile != nil, let status = try? await status() else { return nil }
        guard let last = status.last else {
            return DoctorCheck(
                name: "backup", ok: true, findings: [.init(.backupNone, [:])], advice: [.init(.makeBackup, [:])])
        }
        return DoctorCheck(
            name: "backup", ok: true,
            findings: [.init(status.due ? .backupOld : .backupMade, ["at": .integer(last.madeAt)])],
            advice: status.due ? [.init(.makeBackup, [:])] : [])
    }

    private func isDue(_ last: BackupStatus.Last?) -> Bool {
        guard let last else { return true }
        // A date that is to come is that of a clock that was wrong: nobody knows how old the backup is.
        let (now, days) = (
            environment.clocks.wallTime.milliseconds, BackupServiceLimits.dueAfter.components.seconds * 1000
        )
        return !(now - days...now + days).contains(last.madeAt)
    }

    /// Stores when and where a backup was made. The backup counts even if that can't be written.
    private func noting(_ make: () async throws -> BackupSummary) async throws -> BackupSummary {
        let summary = try await make()
        let directory = environment.directory
        do {
            try await environment.workers.files.run { try LastBackup(summary).write(in: directory) }
        } catch {
            environment.log.labelled("backup").warning("it can't be noted that a backup was made: \(error)")
        }
        return summary
    }

    private func making(_ passphrase: Passphrase?) async throws -> BackupMaking {
        guard let certificate = keeper.certificate else { throw ControlError.noAccount }
        let account = current.keys
        var recoveryKey = account?.accountKey.recoveryKey.publicKey
        if recoveryKey == nil { recoveryKey = try await environment.store.read { try RecoveryRows.key(in: $0) } }
        return BackupMaking(
            store: environment.store, certificate: certificate, account: account,
            hasPassphrase: state.current.hasPassphrase, passphrase: passphrase, recoveryKey: recoveryKey,
            now: environment.clocks.wallTime, directory: environment.directory, reserve: reserve,
            picturePath: picturePath)
    }

    func check(_ path: String, _ opening: BackupOpening) async throws -> BackupSummary {
        try await trying {
            try await run("backup-check", path) { work in
                let file = try BackupFile(path: path)
                let secret = try file.secret(opening)
                let contents = try file.read(secret, work) { _ in }
                return contents.summary(path, file, try BackupFile.certificate(contents.beginning, secret).0)
            }
        }
    }

    func restore(_ path: String, _ opening: BackupOpening, evenIfCut: Bool) async throws -> BackupSummary {
        let restoring = BackupRestoring(
            directory: environment.directory, deviceName: AccountKeeper.deviceName(), opening: opening,
            evenIfCut: evenIfCut, clocks: environment.clocks, choices: choices, reserve: reserve,
            picturePath: picturePath, log: environment.log.labelled("backup"))
        let summary = try await keeper.restore {
            try await noting { try await trying { try await run("restore", path) { try restoring.run(path, $0) } } }
        }
        environment.log.notice("a backup was restored; starting again with it")
        let restart = restart
        _ = Reactor.shared.schedule(at: environment.clocks.now + BackupServiceLimits.restartPause) { restart() }
        return summary
    }

    /// Bytes that have to stay free on the disk with the data.
    private var reserve: UInt64 {
        min(
            UInt64(clamping: environment.settings[SettingsCatalogue.filesFreeSpaceReserveBytes]),
            MessagingLimits.peerSpaceReserve)
    }

    /// Tries a passphrase, unless the last wrong one was given a moment ago.
    private func trying(_ body: () async throws -> BackupSummary) async throws -> BackupSummary {
        try delay.check(now: environment.clocks.now)
        do {
            let summary = try await body()
            delay.succeeded()
            return summary
        } catch let error as ControlError where error.kind == .wrongPassphrase {
            delay.failed(now: environment.clocks.now)
            throw error
        }
    }

    /// Runs blocking work, unless some goes on. It ends early if the client goes away or the daemon stops.
    private func run(
        _ name: String, _ path: String, _ body: @escaping @Sendable (BackupWork) throws -> BackupSummary
    ) async throws -> BackupSummary {
        guard running == nil else {
            throw ControlError(.busy, "another backup is being made, looked at or restored", hint: .tryInAMoment)
        }
        let work = BackupWork()
        running = work
        defer { running = nil }
        do {
            return try await withTaskCancellationHandler {
                try await PlatformThread.run(name: name) {
                    setpriority(Int32(PRIO_PROCESS.rawValue), 0, BackupServiceLimits.niceness)
                    return try body(work)
                }
            } onCancel: {
                work.stop()
            }
        } catch {
            throw ControlError(error, backup: path) ?? error
        }
    }
}
