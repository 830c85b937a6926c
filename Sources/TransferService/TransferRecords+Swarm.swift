import Basics
import Media
import Messaging
import Store
import Transfer

/// What it takes to fetch a group's file.
struct DownloadPlan: Sendable {
    let plan: ReceivePlan
    let fileRoot: TreeHash
    let leaves: [UInt8]?
}

extension TransferRecords {
    /// Makes the plan of ``fetchPlan(_:from:media:)`` for a group's file, with the hashes that are here. Blocking.
    static func downloadPlan(_ id: UUIDv7, from store: Store, media: MediaProgram) throws -> DownloadPlan {
        let plan = try fetchPlan(id, from: store, media: media)
        guard let fileRoot = try store.readAndWait({ try $0.transfer(id) })?.fileRoot.flatMap({ TreeHash($0) }) else {
            throw TransferFailure.invalid("no file of a group")
        }
        return DownloadPlan(
            plan: plan, fileRoot: fileRoot,
            leaves: try plan.manifest.flatMap { try Self.leaves(of: id, $0, from: store) })
    }

    /// The hashes of a file's chunks, read in pieces; nil if not all are stored. Blocking.
    private static func leaves(of id: UUIDv7, _ manifest: Manifest, from store: Store) throws -> [UInt8]? {
        let wanted = ChunkLayout(manifest).count * UInt64(TreeHash.size)
        let rows = Int64(StoreLimits.listBytesAtOnce / StoreLimits.leafBytes)
        var (leaves, row): ([UInt8], Int64) = ([], 0)
        while UInt64(leaves.count) < wanted {
            let first = row
            let piece = try store.readAndWait { try $0.leaves(of: id, from: first, count: rows) }
            guard !piece.isEmpty else { return nil }
            leaves += piece
            row += rows
        }
        return UInt64(leaves.count) == wanted ? leaves : nil
    }

    /// Checks whether an account may have a group's file from here now; the error says why not.
    package static func check(
        _ request: PieceRequest, by account: AccountID, members: any GroupMembership, in transaction: ReadTransaction
    ) throws -> TransferRow {
        // An account that is no member learns nothing, not even whether the file exists. The id belongs to the author,
        // and the request doesn't name the author. The file is the one with the root that is asked for, from any
        // sender.
        let rows = try transaction.transfers(request.transfer, root: request.fileRoot.bytes).filter { row in
            guard let conversation = row.conversation, members.members(of: conversation).contains(account) else {
                return false
            }
            return row.state != .cancelled && row.state != .declined && row.life.removedAt == nil
        }
        guard !rows.isEmpty else { throw TransferFailure.peer(.notFound, detail: "no such file") }
        let free = rows.filter { $0.life.pausedBy == nil }
        guard let row = free.first(where: { $0.direction == .outgoing || $0.state == .done }) ?? free.first else {
            throw TransferFailure.peer(.busy, detail: "the transfer is paused")
        }
        return row
    }

    /// A file that is here whole, for the members that ask for it. Blocking.
    package static func sharedFile(for row: TransferRow, from store: Store) throws -> SharedFile {
        guard row.direction == .outgoing || row.state == .done, let path = row.path else {
            throw TransferFailure.peer(.notFound, detail: "it is not here yet")
        }
        let id = row.id
        let (pages, leftOut) = try store.readAndWait { (try $0.pages(of: id), try $0.leftOutFiles(of: id)) }
        guard !pages.isEmpty, let manifest = try? Manifest(pages: pages.lazy.map(\.entries)),
            let leaves = try Self.leaves(of: id, manifest, from: store),
            let list = SharedFileList(manifest: manifest, leaves: leaves), list.fileRoot.bytes == row.fileRoot
        else { throw TransferFailure.peer(.notFound, detail: "its list is not here") }
        var have = ChunkSet(allBelow: list.layout.count)
        for (file, _) in leftOut {
            guard let file = UInt32(exactly: file) else { continue }
            for index in list.layout.indices(of: file) { have.remove(index) }
        }
        var random = SystemRandomNumberGenerator()
        return SharedFile(
            transfer: id, wireID: row.wireID, list: list, path: path, have: have, isAuthor: row.direction == .outgoing,
            seed: random.next())
    }

    /// Stores that a member that took the file has gone. Once one member has the whole file, we are no longer needed,
    /// and the transfer is done. The members that have the file are stored, so that people see them.
    package static func gave(
        _ sharedFile: SharedFile, to account: AccountID, isWhole: Bool, in transaction: WriteTransaction
    ) throws {
        guard var row = try transaction.transfer(sharedFile.transfer) else {
            // A file that goes with a parcel.
            if isWhole {
                try SealedFiles.given(sharedFile.transfer, to: account, in: transaction)
            } else if sharedFile.hasChanged {
                try SealedFiles.spoil(sharedFile.transfer, givenTo: account, in: transaction)
            }
            return
        }
        guard row.direction == .outgoing else { return }
        let isNew = try isWhole && transaction.addHolder(account, of: row.id)
        guard !row.state.isOver else {
            if isNew { try transaction.update(row, isKnown: true) }
            return
        }
        if isWhole {
            row.state = .done
            try complete(&row, in: transaction)
            row.reason = nil
            row.detail = nil
            row.finishedAt = transaction.wallTime
        } else if sharedFile.hasChanged {
            let failure = TransferFailure.sourceChanged("")
            row.state = .failed
            row.life.failure = failure.reason
            row.reason = failure.reason
            row.detail = failure.detail
            row.finishedAt = transaction.wallTime
        } else {
            row.bytesDone = max(row.bytesDone, min(row.size, Int64(clamping: sharedFile.bytesGiven)))
        }
        try transaction.update(row, isKnown: true)
    }
}
