import Basics
import Crypto
import Messaging
import Store
import Transfer

/// Why an account may fetch a file by pieces: it is a member of a group, a courier that was given a parcel of ours, or the
/// recipient of a parcel that is kept here.
package enum PieceRight {
    case group(TransferRow)
    /// A file of ours, which is sealed while it is given.
    case courier(SentSealedFileRow, path: String, size: Int64)
    /// A sealed file that is kept here, and its path.
    case recipient(SealedFileRow, path: String)

    /// The name under which threads share it.
    package var id: UUIDv7 {
        switch self {
        case .group(let row): row.id
        case .courier(let row, _, _): row.id
        case .recipient(let row, _): row.id
        }
    }

    /// Whether the file goes with a parcel: one that was damaged on the disk is fetched again.
    package var isOfParcel: Bool {
        if case .group = self { return false }
        return true
    }

    /// Checks whether an account may have a file from here now; the error says why not.
    /// - Parameter parcels: the folder with the sealed files that are kept for others.
    package init(
        _ request: PieceRequest, by account: AccountID, members: any GroupMembership, parcels: String,
        in transaction: ReadTransaction
    ) throws {
        if let right = try Self.ofParcel(request, by: account, parcels, in: transaction) {
            self = right
        } else {
            self = .group(try TransferRecords.check(request, by: account, members: members, in: transaction))
        }
    }

    /// Nil if the request is for no file that goes with a parcel, or for one of somebody else: an account that has no right
    /// learns nothing.
    private static func ofParcel(
        _ request: PieceRequest, by account: AccountID, _ parcels: String, in transaction: ReadTransaction
    ) throws -> PieceRight? {
        guard try transaction.contact(account)?.relation == .friend else { return nil }
        // A file of ours may have the same id as one of a friend.
        if let row = try SealedFiles.kept(request.transfer, transaction), row.recipient == account,
            row.root == request.fileRoot.bytes
        {
            guard row.leaves != nil else { throw TransferFailure.peer(.busy, detail: "it is not here yet") }
            return .recipient(row, path: ParcelFiles.path(of: row.id, in: parcels))
        }
        guard let row = try SealedFiles.sent(request.transfer, to: account, transaction),
            row.root == request.fileRoot.bytes, let transfer = try transaction.transfer(row.transfer),
            transfer.mayGoWithParcels(maximum: .max), let path = transfer.path
        else { return nil }
        return .courier(row, path: path, size: transfer.size)
    }

    /// What is given. Blocking.
    package func sharedFile(from store: Store) throws -> SharedFile {
        switch self {
        case .group(let row): try TransferRecords.sharedFile(for: row, from: store)
        case .courier(let row, let path, let size):
            try Self.nameless(
                row.id, row.root, row.leaves, path, size, seal: SharedKey(bytes: row.key).map(FileSeal.init))
        case .recipient(let row, let path):
            try Self.nameless(row.id, row.root, row.leaves ?? [], path, row.bytes, seal: nil)
        }
    }

    private static func nameless(
        _ id: UUIDv7, _ root: [UInt8], _ leaves: [UInt8], _ path: String, _ size: Int64, seal: FileSeal?
    ) throws -> SharedFile {
        let manifest = Manifest.nameless(size: UInt64(clamping: size))
        guard let list = SharedFileList(manifest: manifest, leaves: leaves), list.fileRoot.bytes == root else {
            throw TransferFailure.peer(.notFound, detail: "its list is not here")
        }
        var random = SystemRandomNumberGenerator()
        return SharedFile(transfer: id, list: list, path: path, seal: seal, isAuthor: false, seed: random.next())
    }
}
