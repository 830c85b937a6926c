import Basics
import ControlProtocol
import Messaging
import PeerProtocol
import Reactor
import Runtime
import Store

/// Removes old files, a piece at a time: received files that were not used for `files.keepDays`, and parts whose sender
/// was away for a month.
@ReactorActor package final class Retention {
    private let environment: Environment
    private let contacts: ContactIndex
    private let log: Logger
    private lazy var removal = Chore(clocks: environment.clocks, log: log) { [weak self] in
        try await self?.removePiece() ?? false
    }
    /// How far the files have been looked through.
    private var position: ListPosition?
    /// When the last look through all files was.
    private var looked: Instant?
    /// Whether a file that was looked at for the first time is old already: the next look may remove it.
    private var isLookedAgain = false

    package init(environment: Environment, contacts: ContactIndex) {
        self.environment = environment
        self.contacts = contacts
        log = environment.log.labelled("retention")
    }

    package func start() {
        environment.settings.onChange(SettingsCatalogue.filesKeepDays) { [weak self] _ in self?.lookAgain() }
        removal.start()
    }

    package func stop() { removal.stop() }

    /// Looks through all files again soon, because the setting has changed.
    private func lookAgain() {
        position = nil
        looked = nil
        removal.wake()
    }

    /// - Returns: whether there are more files to look at.
    private func removePiece() async throws -> Bool {
        var hasMore = false
        defer { if !hasMore { position = nil } }
        try await giveUp()
        try await removeLists()
        hasMore = try await removeFiles()
        return hasMore
    }

    // MARK: Parts

    /// Fails transfers that wait for a peer that has been away for too long.
    private func giveUp() async throws {
        let here = Set(contacts.all.keys.filter { contacts.isOnline($0) })
        try await environment.store.commit { transaction in
            try Self.giveUp(after: TransferServiceLimits.partAge, here: here, in: transaction)
        }
    }

    /// Stores the failure and queues the news of it for the other side, so that both know if the other side comes back
    /// after all.
    package nonisolated static func giveUp(
        after age: Duration, here: Set<AccountID>, in transaction: WriteTransaction
    ) throws {
        let rows = try transaction.abandonedTransfers(after: age, limit: TransferServiceLimits.removalsAtOnce)
        for var row in rows where !here.contains(row.peer) {
            row.state = .failed
            row.reason = .offline
            row.detail =
                "nothing was heard of the other side for \(age.components.seconds / 86_400) days"
            row.finishedAt = transaction.wallTime
            try transaction.update(row)
            let refusal = Refusal(.offline, detail: row.detail)
            try FileFrames.status(.failed, of: row, refusal: refusal, in: transaction)
        }
    }

    // MARK: Lists

    /// Removes the lists of the oldest transfers that are over, beyond a bound. We can then no longer give those
    /// groups' files to others.
    private func removeLists() async throws {
        let old = try await environment.store.read {
            try $0.transfersWithOldLists(limit: TransferServiceLimits.removalsAtOnce)
        }
        guard !old.isEmpty else { return }
        for id in old { try await environment.store.commit { try $0.removeParts(of: id) } }
        log.info("lists of old transfers were removed", [("count", "\(old.count)")])
    }

    // MARK: Files

    /// Looks at one page of files. Because it looks at each file every day, it notices a use whatever time the file
    /// system has written down.
    /// - Returns: whether there are more.
    private func removeFiles() async throws -> Bool {
        let days = environment.settings[SettingsCatalogue.filesKeepDays]
        guard days > 0 else { return false }
        let now = environment.clocks.now
        if position == nil, let looked, now - looked < TransferServiceLimits.fileLook { return false }
        let (age, position) = (Duration.seconds(days * 24 * 3600) + StoreLimits.useSlack, position)
        let (files, old) = try await environment.store.commit {
            (
                try $0.keptFiles(after: position, limit: TransferServiceLimits.filesLookedAtOnce),
                $0.stamp(before: age)
            )
        }
        looked = now
        guard let last = files.last?.transfer, let finishedAt = last.finishedAt else { return false }
        self.position = ListPosition(time: finishedAt, id: last.id)
        // A file that the user has put into another place stays.
        let directory = environment.settings[SettingsCatalogue.filesDownloadDirectory]
        let verdicts = try await environment.workers.files.run {
            files.map { file in
                guard KeptFile.lies(file.transfer, in: directory) else { return KeptFile.Verdict.stays }
                return KeptFile.look(file, old: old)
            }
        }
        let removed = zip(files, verdicts).filter { $1 == .removed }.map(\.0.transfer.id)
        for id in removed {
            environment.commits.commit(.fileRemoved(id)) { transaction in
                guard var row = try transaction.transfer(id) else { return }
                row.life.removedAt = transaction.wallTime
                try transaction.update(row)
            }
        }
        if !removed.isEmpty {
            log.info("files were removed for their age", [("count", "\(removed.count)"), ("days", "\(days)")])
        }
        let hasOld = try await environment.store.commit { try Self.note(verdicts, of: files, old: old, in: $0) }
        isLookedAgain = isLookedAgain || hasOld
        if files.count == TransferServiceLimits.filesLookedAtOnce { return true }
        guard isLookedAgain else { return false }
        isLookedAgain = false
        self.position = nil
        looked = nil
        return true
    }

    /// Stores when files were used.
    /// - Returns: whether a file that was looked at for the first time is old already.
    package nonisolated static func note(
        _ verdicts: [KeptFile.Verdict], of files: [KeptFileRow], old: Int64, in transaction: WriteTransaction
    ) throws -> Bool {
        var hasOld = false
        for (file, verdict) in zip(files, verdicts) {
            guard case .used(let time) = verdict else { continue }
            let since = KeptFile.since(file, usedAt: time, in: transaction)
            try transaction.noteUse(of: file.transfer.id, at: time, since: since)
            hasOld = hasOld || since <= old
        }
        return hasOld
    }
}
