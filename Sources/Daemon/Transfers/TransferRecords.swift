import Basics
import ControlProtocol
import PeerProtocol
import Runtime
import Store
import Transfer

/// Between the Transfer module's plans and the rows of the database.
enum TransferRecords {
    // MARK: Plans

    /// As ``receivePlan(_:from:)``, for one that is to go on. Blocking.
    static func fetchPlan(_ id: UUIDv7, from store: Store, media: MediaProgram? = nil) throws -> ReceivePlan {
        // It may have been cancelled or paused since it was put into the queue.
        if let row = try store.readAndWait({ try $0.transfer(id) }), row.state.isOver || !row.life.pausedBy.isEmpty {
            throw TransferFailure.cancelled
        }
        let plan = try receivePlan(id, from: store, media: media)
        // What was taken without asking may be the first to go there. Where something is there already, the folder is only
        // away: its disk is not mounted.
        let downloads = try store.readAndWait { try $0.setting(SettingsCatalogue.filesDownloadDirectory) }
        if plan.directory == downloads, plan.committed.isEmpty { try? Paths.makeDirectory(downloads, mode: 0o755) }
        return plan
    }

    /// What to fetch, and what of it is there already. Blocking; the list is read here, not on the store's thread.
    static func receivePlan(_ id: UUIDv7, from store: Store, media: MediaProgram? = nil) throws -> ReceivePlan {
        let (found, pages, runs, leftOut, policy) = try store.readAndWait {
            (
                try $0.transfer(id), try $0.pages(of: id), try $0.runs(of: id), try $0.leftOutFiles(of: id),
                try FilePolicy(in: $0)
            )
        }
        guard let row = found, row.direction == .incoming, let folder = row.path else {
            throw TransferFailure.invalid("no such transfer")
        }
        let mark: FinishMark? =
            if let path = row.partPath, let inode = row.finalIno {
                FinishMark(path: path, inode: inode)
            } else { nil }
        let inspector = media.flatMap { media in
            policy.types.isUnlimited
                ? nil
                : OfferInspector(
                    inspector: TypeInspector(types: policy.types, media: media, sender: row.peer), name: row.name)
        }
        return ReceivePlan(
            transfer: id, name: row.name,
            offer: ReceiverMachine.Offer(
                isFolder: row.kind == .folder, size: UInt64(clamping: row.size), files: Int(clamping: row.files)),
            directory: folder,
            freeSpaceFloor: policy.freeSpaceFloor,
            // A list that can't be read is asked for again.
            manifest: pages.isEmpty ? nil : try? Manifest(pages: pages.lazy.map(\.entries)),
            committed: runs.compactMap(run), leftOut: leftOut.compactMap { refused(file: $0, reason: $1) },
            finishMark: mark, mask: UserMask.bits, hasFormerPart: row.life.hasFormerPart, inspector: inspector)
    }

    /// What to send to whoever asks for it, if it is theirs to have. Blocking.
    static func sendPlan(_ id: UUIDv7, to account: AccountID, from store: Store) throws -> SendPlan {
        let (found, pages) = try store.readAndWait { (try $0.transfer(id), try $0.pages(of: id)) }
        guard let row = found, row.direction == .outgoing, row.peer == account, row.root == nil,
            let path = row.path
        else { throw TransferFailure.peer(.notFound, detail: "no such transfer") }
        // Whoever asks has not heard of it yet, and comes again when it has.
        guard row.life.pausedBy.isEmpty else { throw TransferFailure.peer(.busy, detail: "the transfer is paused") }
        switch row.state {
        case .offered, .queued, .active, .paused: break
        case .cancelled, .declined: throw TransferFailure.peer(.cancelled, detail: "the transfer was cancelled")
        // A receiver that lost its memory of having everything may ask again.
        case .done: break
        // A receiver that resumes dials at once, and may be here before its word that it does is committed. If we have
        // given up, ours is on its way.
        case .failed:
            throw TransferFailure.peer(.busy, detail: TransferFailure.told(row.detail ?? "the transfer failed"))
        }
        let source =
            pages.isEmpty
            ? try scanAnew(row, at: path, store)
            : try SourceList(pages: pages.lazy.map { (page: $0.entries, sources: $0.sources ?? []) })
        return SendPlan(transfer: id, path: path, source: source)
    }

    /// Older versions kept the list in another form: then the source is looked at once more.
    private static func scanAnew(_ row: TransferRow, at path: String, _ store: Store) throws -> SourceList {
        guard let scanned = try? SourceScanner.scan(path), Int64(clamping: scanned.size) == row.size,
            Int64(scanned.files) == row.files
        else { throw TransferFailure.sourceChanged("") }
        let rows = pages(scanned.source)
        let id = row.id
        try store.writeAndWait { try $0.replacePages(of: id, with: rows) }
        return scanned.source
    }

    /// A list as it is stored.
    static func pages(_ source: SourceList) -> [TransferPageRow] {
        var rows: [TransferPageRow] = []
        source.forEachPage { page, sources in
            rows.append(TransferPageRow(number: Int64(rows.count), entries: page, sources: sources))
        }
        return rows
    }

    private static func run(_ row: TransferRunRow) -> ChunkRun? {
        UInt64(exactly: row.first).map { ChunkRun(first: $0, checksums: row.checksums) }
    }

    /// Runs as they are stored, in portions for one commit each.
    static func portions(of runs: [ChunkRun]) -> [[TransferRunRow]] {
        var portions: [[TransferRunRow]] = []
        var room = 0
        for run in runs {
            let row = TransferRunRow(first: Int64(clamping: run.first), checksums: run.checksums)
            for piece in row.pieces(of: Int64(StoreLimits.listBytesAtOnce / TransferLimits.checksumBytes)) {
                if portions.isEmpty || room < piece.checksums.count {
                    portions.append([])
                    room = StoreLimits.listBytesAtOnce
                }
                portions[portions.count - 1].append(piece)
                room -= piece.checksums.count
            }
        }
        return portions
    }

    // MARK: States

    /// After a start nothing runs: what was active waits. Returns what is to be fetched.
    static func recoverAfterStart(in transaction: WriteTransaction) throws -> [TransferRow] {
        let unfinished = try transaction.unfinishedTransfers()
        try FileFrames.ask(
            about: unfinished.filter { $0.state == .offered && $0.direction == .outgoing }, in: transaction)
        return try unfinished.compactMap { found in
            var row = found
            // What was sent to a group is given to who asks for it, and waits for nobody.
            if row.root != nil, row.direction == .outgoing { return nil }
            if row.state == .active {
                row.state = .queued
                try transaction.update(row)
            }
            // What stood for want of space may find some now; what goes out is the receiver's to fetch, or ours to call.
            let stands = row.state == .paused && row.direction == .incoming && row.life.pausedBy.isEmpty
            return row.state == .queued || stands ? row : nil
        }
    }

    /// A connection for it is there.
    /// - Returns: false if it was given up meanwhile.
    static func setActive(_ id: UUIDv7, in transaction: WriteTransaction) throws -> Bool {
        guard var row = try transaction.transfer(id) else { return false }
        guard row.life.pausedBy.isEmpty else { return false }
        switch row.state {
        case .offered, .queued, .paused:
            row.state = .active
            row.reason = nil
            row.detail = nil
            row.life.acceptedAt = row.life.acceptedAt ?? transaction.wallTime
            row.life.hasPart = row.direction == .incoming
            try transaction.update(row)
            return true
        case .active, .done: return true
        case .declined, .cancelled, .failed: return false
        }
    }

    struct Settled: Sendable {
        /// To be tried again.
        var retry: TransferRow?
        /// Given up.
        var failed: TransferRow?
    }

    /// Writes down how a connection ended.
    static func settle(
        _ id: UUIDv7, _ result: Result<Void, TransferFailure>, in transaction: WriteTransaction
    ) throws -> Settled {
        var settled = Settled()
        guard var row = try transaction.transfer(id), !row.state.isOver else { return settled }
        switch (result, row.direction) {
        case (.success, .incoming):
            // The journal wrote it down, with the news for the sender.
            break
        case (.success, .outgoing):
            row.state = .done
            try complete(&row, in: transaction)
            row.finishedAt = transaction.wallTime
            try transaction.update(row)
        case (.failure(let failure), let direction):
            switch Verdict(failure, direction) {
            // Somebody has paused it just before the connection broke by itself.
            case .again where !row.life.pausedBy.isEmpty, .stand where !row.life.pausedBy.isEmpty: break
            case .again:
                if row.state != .queued {
                    row.state = .queued
                    try transaction.update(row)
                }
                settled.retry = row
            case .stand where row.state == .paused && row.detail == failure.detail:
                // It was looked again whether there is room, and there is none: no news.
                if direction == .incoming { settled.retry = row }
            case .stand:
                row.state = .paused
                row.reason = kind(failure.reason).rawValue
                row.detail = failure.detail
                try transaction.update(row)
                if direction == .incoming { settled.retry = row }
            case .fail:
                row.state = .failed
                row.life.failure = failure.reason.rawValue
                row.reason = kind(failure.reason).rawValue
                row.detail = failure.detail
                row.finishedAt = transaction.wallTime
                try transaction.update(row)
                if !isPeersWord(failure) {
                    // In the words of transfers, which are more than those of the interface.
                    let reason = ReasonKind(rawValue: failure.kind) ?? .internal
                    try FileFrames.status(
                        .failed, of: row, refusal: Refusal(reason, detail: failure.told), in: transaction)
                }
                settled.failed = row
            }
        }
        return settled
    }

    /// What follows from a failure.
    private enum Verdict {
        case again, stand, fail

        init(_ failure: TransferFailure, _ direction: TransferRow.Direction) {
            switch failure {
            case _ where failure.isRetryable: self = .again
            // A receiver that can't write its journal just now fetches again; if it gives up it says so.
            case .peer(.internalError, _) where direction == .outgoing: self = .again
            case .cancelled, .journal: self = .again
            // A receiver that breaks the protocol has ended its connection, and no more: it may do better over the next one.
            case .invalid where direction == .outgoing: self = .again
            case .noSpace, .peer(.noSpace, _): self = .stand
            // The disk is not mounted, or the host is short of something: that passes.
            case .io(let error) where direction == .incoming && error.mayPass: self = .stand
            case .interrupted, .sourceChanged, .sourceGone, .peer, .invalid, .unsupported, .refused, .io: self = .fail
            }
        }
    }

    private static func isPeersWord(_ failure: TransferFailure) -> Bool {
        if case .peer = failure { true } else { false }
    }

    /// The kinds of the interface are fewer: a changed source is an invalid one, and the detail says which.
    static func kind(_ reason: TransferReason) -> ErrorKind { ErrorKind(rawValue: reason.rawValue) ?? .invalid }
}
