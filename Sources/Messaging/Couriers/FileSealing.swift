import Basics
import Crypto
import PeerProtocol
import Store
import Transfer

/// A file of ours that goes with a parcel.
package struct MadeFile: Sendable {
    package let sealed: SealedFile
    /// The transfer's id here.
    package let transfer: UUIDv7
    /// The hashes of its sealed chunks.
    package let leaves: [UInt8]
}

/// A file that a message offers to somebody who is away, before it is sealed.
package struct OfferedFile: Sendable {
    fileprivate let row: TransferRow
    fileprivate let pages: [TransferPageRow]

    package var bytes: Int64 { row.size }

    /// Nil for an offer whose content waits for the direct path: a folder, a file that is too large, one that the
    /// recipient has or doesn't want, or that somebody has paused.
    /// - Parameter maximum: the most bytes that couriers are given unasked.
    init?(_ transfer: UUIDv7, to recipient: AccountID, maximum: Int64, in transaction: ReadTransaction) throws {
        guard let row = try transaction.transfer(transfer), row.direction == .outgoing, row.peer == recipient,
            row.mayGoWithParcels(maximum: maximum)
        else { return nil }
        self.row = row
        pages = try transaction.pages(of: row.id)
    }

    /// Reads the file and seals it. Blocking.
    /// - Parameter isOver: whether the time is over; asked before each chunk.
    /// - Returns: nil if it can't be read in time, or isn't what was offered any more.
    func seal(at time: WallTime, isOver: () -> Bool) -> MadeFile? {
        var random = SodiumGenerator()
        guard !isOver(), let path = row.path, let seal = FileSeal(),
            let source = try? SourceList(pages: pages.lazy.map { (page: $0.entries, sources: $0.sources ?? []) }),
            !source.manifest.isFolder, source.manifest.size == UInt64(clamping: row.size),
            let list = try? SharedFileList(path: path, source: source, sealedBy: seal, stopped: isOver)
        else { return nil }
        let sealed = SealedFile(
            transfer: row.wireID, file: UUIDv7(at: time, using: &random), root: list.fileRoot.bytes, key: seal.key,
            size: source.manifest.size, modified: source.manifest.modified(0), mode: source.manifest.mode(0))
        return MadeFile(sealed: sealed, transfer: row.id, leaves: list.leaves)
    }
}

extension TransferRow {
    /// Whether couriers may be given the file, if its receiver is away.
    /// - Parameter maximum: the most bytes that they are given unasked.
    package func mayGoWithParcels(maximum: Int64) -> Bool {
        direction == .outgoing && kind != .folder && fileRoot == nil && size <= maximum && !state.isOver
            && life.pausedBy == nil && path != nil
    }
}
