import Basics
import ControlProtocol
import Media
import Messaging
import Runtime
import Store
import Transfer
import Vocabulary

/// Plans of what to fetch and what to give, made from the rows of the database.
extension TransferRecords {
    /// Stores how far a sender came, so that users see it: a sender has no checkpoints.
    static func keep(_ progress: TransferProgress, of id: UUIDv7, in transaction: WriteTransaction) throws {
        guard let row = try transaction.transfer(id), !row.state.isOver else { return }
        try transaction.setProgress(
            of: id, bytesDone: Int64(clamping: progress.bytesDone), filesDone: Int64(progress.filesDone))
    }

    /// Makes the plan of ``receivePlan(_:from:)`` for a transfer that is about to be fetched. Blocking.
    static func fetchPlan(_ id: UUIDv7, from store: Store, media: MediaProgram? = nil) throws -> ReceivePlan {
        // The transfer may have been cancelled or paused since it was put into the queue.
        if let row = try store.readAndWait({ try $0.transfer(id) }), row.state.isOver || row.life.pausedBy != nil {
            throw TransferFailure.cancelled
        }
        let plan = try receivePlan(id, from: store, media: media)
        // This may be the first file for the download directory, so make that if it is missing. If we have chunks there
        // already, the directory is only away: its disk is not mounted.
        let downloads = try store.readAndWait { try $0.setting(SettingsCatalogue.filesDownloadDirectory) }
        if plan.directory == downloads, plan.committed.isEmpty { try? Paths.makeDirectory(downloads, mode: 0o755) }
        return plan
    }

    /// Makes the plan: what to fetch, and what of it is already here. Blocking; the list is read here, not on the
    /// store's thread.
    static func receivePlan(_ id: UUIDv7, from store: Store, media: MediaProgram? = nil) throws -> ReceivePlan {
        let (stored, pages, runs, leftOut, listed, reserve) = try store.readAndWait {
            (
                try $0.transfer(id), try $0.pages(of: id), try $0.runs(of: id), try $0.leftOutFiles(of: id),
                FileTypes(try $0.setting(SettingsCatalogue.filesAllowedTypes)),
                UInt64(clamping: try $0.setting(SettingsCatalogue.filesFreeSpaceReserveBytes))
            )
        }
        guard let row = stored, row.direction == .incoming, let folder = row.path else {
            throw TransferFailure.invalid("no such transfer")
        }
        let mark: FinishMark? =
            if let path = row.partPath, let inode = row.finalIno {
                FinishMark(path: path, inode: inode)
            } else { nil }
        // The user has taken an offer that was held back, with the types that it names.
        let types = listed.adding(row.unlisted)
        let inspector = media.flatMap { media in
            types.isUnlimited
                ? nil
                : OfferInspector(
                    inspector: TypeInspector(types: types, media: media, origin: .peer(row.peer)), name: row.name)
        }
        return ReceivePlan(
            transfer: id, wireID: row.wireID, name: row.name,
            offer: ReceiverMachine.Offer(
                isFolder: row.kind == .folder, size: UInt64(clamping: row.size), files: Int(clamping: row.files)),
            directory: folder,
            freeSpaceReserve: reserve,
            // A list that can't be read is asked for again.
            manifest: pages.isEmpty ? nil : try? Manifest(pages: pages.lazy.map(\.entries)),
            committed: runs.compactMap(run), leftOut: leftOut.compactMap { refused(file: $0, reason: $1) },
            finishMark: mark, mask: UserMask.bits,
            isPlain: !row.unlisted.isEmpty, inspector: inspector)
    }

    /// Makes the plan of what to send to an account that asks for a transfer, if the account may have it. Blocking.
    static func sendPlan(_ id: UUIDv7, to account: AccountID, from store: Store) throws -> SendPlan {
        let (transfer, pages) = try store.readAndWait { (try $0.transfer(id), try $0.pages(of: id)) }
        guard let row = transfer, row.direction == .outgoing, row.peer == account, row.fileRoot == nil,
            let path = row.path
        else { throw TransferFailure.peer(.notFound, detail: "no such transfer") }
        // The receiver has not heard of the pause yet, and comes again when it has.
        guard row.life.pausedBy == nil else { throw TransferFailure.peer(.busy, detail: "the transfer is paused") }
        switch row.state {
        case .offered, .queued, .active, .paused: break
        case .cancelled, .declined: throw TransferFailure.peer(.cancelled, detail: "the transfer was cancelled")
        // A receiver that lost its memory of having everything may ask again.
        case .done: break
        // A receiver that resumes dials at once, perhaps before we have committed its message that it resumes. If we
        // have given up, our message about that is on its way.
        case .failed:
            throw TransferFailure.peer(.busy, detail: TransferFailure.told(row.detail ?? "the transfer failed"))
        }
        let source =
            pages.isEmpty
            ? try scanAnew(row, at: path, store)
            : try SourceList(pages: pages.lazy.map { (page: $0.entries, sources: $0.sources ?? []) })
        return SendPlan(transfer: id, path: path, source: source)
    }

    /// Scans the source again if its list is gone: lists of old transfers make room for others.
    private static func scanAnew(_ row: TransferRow, at path: String, _ store: Store) throws -> SourceList {
        guard let scanned = try? SourceScanner.scan(path), Int64(clamping: scanned.size) == row.size,
            Int64(scanned.files) == row.files
        else { throw TransferFailure.sourceChanged("") }
        let rows = pages(scanned.source)
        let id = row.id
        try store.commitAndWait { try $0.replacePages(of: id, with: rows) }
        return scanned.source
    }

    private static func run(_ row: TransferRunRow) -> ChunkRun? {
        UInt64(exactly: row.first).map { ChunkRun(first: $0, checksums: row.checksums) }
    }

    package static func refused(file: Int64, reason: Reason) -> RefusedFile? {
        UInt32(exactly: file).map { RefusedFile(file: $0, reason: reason) }
    }

    /// Returns a closure that stores which files a sender leaves out. The closure blocks.
    static func leftOutWriter(_ id: UUIDv7, _ store: Store) -> @Sendable ([LeftOutFile]) throws -> Void {
        { files in
            try store.commitAndWait { transaction in
                try transaction.appendProblems(files.map(row), to: id)
                // The receiver's word over the session that it is done may have been faster.
                guard var row = try transaction.transfer(id), row.state == .done else { return }
                try complete(&row, in: transaction)
                try transaction.update(row)
            }
        }
    }
}
