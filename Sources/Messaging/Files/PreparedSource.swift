import Basics
import PeerProtocol
import Store
import Transfer

/// A file or folder that a user wants to send.
package struct NamedPath: Hashable, Sendable {
    package let path: String
    /// The name under which it goes; nil for its own.
    package let name: String?

    package init(_ path: String, name: String? = nil) { (self.path, self.name) = (path, name) }
}

/// A file or folder that was looked at and can be offered.
package struct PreparedSource: Sendable {
    package let path: String
    package let scanned: ScannedSource
    /// The list of files as it is stored. It is made here, on the scanning thread, and not on the store's.
    package let pages: [TransferPageRow]
    /// The type, duration and preview of the file, which the offer carries; nil for a folder.
    package var show: FileShow?
    /// For a group: the hashes of the file's chunks, whose root the message names.
    package var list: SharedFileList?
    /// The types that the offer names, because the user has said that files of any type are sent.
    package var unlisted: [String] = []

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
        row.unlisted = unlisted
        return row
    }

    /// Stores what belongs to the source beside its row: its list, chunk hashes, problems and preview.
    package func store(of transfer: UUIDv7, in transaction: WriteTransaction) throws {
        try transaction.replacePages(of: transfer, with: pages)
        if let list { try transaction.setLeaves(list.leaves, of: transfer) }
        try transaction.appendProblems(TransferRecords.problems(of: scanned), to: transfer)
        if let preview = show?.preview { try transaction.setAsset(transfer, preview) }
    }
}

extension TransferRow {
    /// Marks the transfer as done, because the source of a note stays where it is and is sent nowhere.
    mutating func keep(at time: WallTime) {
        state = .done
        (bytesDone, filesDone) = (size, files)
        finishedAt = time
    }
}
