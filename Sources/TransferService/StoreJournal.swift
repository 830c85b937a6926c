import Basics
import Messaging
import Store
import Transfer

/// Writes a receiving transfer's progress into the database. The transfer's own threads call it, and may wait.
struct StoreJournal: TransferJournal {
    let transfer: UUIDv7
    let store: Store
    let log: Logger

    func manifestReceived(_ manifest: Manifest) throws {
        let transfer = transfer
        var rows: [TransferPageRow] = []
        ManifestCodec.forEachPage(of: manifest) { page, _ in
            rows.append(TransferPageRow(number: Int64(rows.count), entries: page))
        }
        let pages = rows
        try store.commitAndWait { try $0.replacePages(of: transfer, with: pages) }
    }

    func committedChunksReplaced(_ runs: [ChunkRun]) throws {
        let transfer = transfer
        let portions = TransferRecords.portions(of: runs)
        // The old runs go in the same commit in which the first new ones come: a crash in between must not cost
        // everything.
        try store.commitAndWait {
            try $0.removeRuns(of: transfer)
            if let first = portions.first { try $0.appendRuns(first, to: transfer) }
        }
        for rows in portions.dropFirst() { try store.commitAndWait { try $0.appendRuns(rows, to: transfer) } }
    }

    func leftOut(_ files: [LeftOutFile]) throws {
        let transfer = transfer
        try store.commitAndWait { try $0.appendProblems(files.map(TransferRecords.row), to: transfer) }
        log.debug("files left out", [("id", "\(transfer)"), ("count", "\(files.count)")])
    }

    func checkpoint(_ newChunks: [ChunkRun], bytesDone: UInt64, filesDone: Int) throws {
        let transfer = transfer
        // A hole of terabytes is a run of millions. It is written in pieces, between which others write. All of it is
        // on the disk already.
        var portions = TransferRecords.portions(of: newChunks)
        let last = portions.popLast() ?? []
        for rows in portions { try store.commitAndWait { try $0.appendRuns(rows, to: transfer) } }
        try store.commitAndWait { transaction in
            try transaction.appendRuns(last, to: transfer)
            try transaction.setProgress(
                of: transfer, bytesDone: Int64(clamping: bytesDone), filesDone: Int64(filesDone))
        }
        // From here on a crash loses nothing of these bytes.
        log.debug("checkpoint", [("id", "\(transfer)"), ("bytes", "\(bytesDone)")])
    }

    func willFinish(_ mark: FinishMark) throws {
        let transfer = transfer
        try store.commitAndWait { transaction in
            guard var row = try transaction.transfer(transfer) else { return }
            row.partPath = mark.path
            row.finalIno = mark.inode
            try transaction.update(row, isKnown: true)
        }
    }

    /// Commits the end, together with the news of it for the sender.
    func finished(path: String, renamed: [RenamedEntry]) throws {
        let transfer = transfer
        let modified = FileAge(path)?.modified
        try store.commitAndWait { transaction in
            guard var row = try transaction.transfer(transfer) else { return }
            row.life.hasPart = false
            row.life.finalModified = modified
            row.path = path
            row.partPath = nil
            // The transfer was cancelled at the last moment. The file is still there, and the user must be able to find
            // it.
            if row.state.isOver { return try transaction.update(row, isKnown: true) }
            row.state = .done
            try TransferRecords.complete(&row, in: transaction)
            row.reason = nil
            row.detail = Self.words(renamed)
            row.finishedAt = transaction.wallTime
            try transaction.update(row, isKnown: true)
            // The list stays if somebody will ask for it again: other members of the group, or the user who looks into
            // a folder.
            if row.fileRoot == nil, row.kind != .folder {
                try transaction.removeParts(of: transfer)
            } else {
                try transaction.removeRuns(of: transfer)
            }
            try FileFrames.status(.done, of: row, in: transaction)
            try ParcelRecords(transaction: transaction).arrived(row)
        }
    }

    /// Says which entries have another name here than offered; nil if there are none.
    private static func words(_ renamed: [RenamedEntry]) -> String? {
        guard let first = renamed.first else { return nil }
        let names = "“\(ForeignText.escaped(first.offered))” is called “\(ForeignText.escaped(first.name))”"
        let others = renamed.count - 1
        return "the disk here doesn't take every name: \(names)"
            + (others == 0 ? "" : ", and \(others) \(others == 1 ? "other name is" : "others are") changed, too")
    }
}
