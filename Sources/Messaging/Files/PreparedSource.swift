import Basics
import PeerProtocol
import Store
import Transfer

/// A file or folder that was looked at and can be offered.
package struct PreparedSource: Sendable {
    package let path: String
    package let scanned: ScannedSource
    /// The list as it is stored: it is made here, on the scanning thread, and not on the store's.
    package let pages: [TransferPageRow]
    /// Nil for a folder.
    package var show: FileShow?
    /// For a group: the hashes of the file's chunks, whose root the message names.
    package var list: SharedFileList?

    package init(path: String, scanned: ScannedSource, show: FileShow? = nil) {
        self.path = path
        self.scanned = scanned
        self.show = show
        pages = TransferRecords.pages(scanned.source)
    }

    /// The type serves for showing the file, never for trusting it.
    private var mediaType: MediaType {
        scanned.kind == .folder ? .folder : show?.type ?? MediaType(ofName: scanned.name)
    }

    package func row(
        id: UUIDv7, peer: AccountID, conversation: UUIDv7, message: UUIDv7, at time: WallTime
    ) -> TransferRow {
        var row = TransferRow(
            id: id, direction: .outgoing, peer: peer, conversation: conversation, message: message, name: scanned.name,
            size: Int64(clamping: scanned.size), files: Int64(scanned.files), state: .offered, path: path,
            kind: mediaType.kind,
            mediaType: mediaType.name, duration: show?.duration, createdAt: time)
        row.fileRoot = list?.fileRoot.bytes
        return row
    }

    /// Stores what there is to say of the source beside its row.
    package func store(of transfer: UUIDv7, in transaction: WriteTransaction) throws {
        try transaction.replacePages(of: transfer, with: pages)
        if let list { try transaction.setLeaves(list.leaves, of: transfer) }
        try transaction.appendProblems(TransferRecords.problems(of: scanned), to: transfer)
        if let preview = show?.preview { try transaction.setAsset(transfer, preview) }
    }
}
