import Basics
import Vocabulary

/// A file or folder on its way.
public struct TransferRow: Hashable, Sendable {
    /// Names it on this host.
    public var id: UUIDv7
    /// What its sender calls it, where that is another id than ``id``.
    public internal(set) var wire: UUIDv7?
    public var direction: TransferDirection
    public var peer: AccountID
    public var conversation: UUIDv7?
    /// The message that it is attached to.
    public var message: UUIDv7?
    public var name: String
    /// The number of bytes in all.
    public var size: Int64
    public var bytesDone: Int64
    public var files: Int64
    public var filesDone: Int64
    public var state: TransferState
    /// An error kind of the control API.
    public var reason: Reason?
    public var detail: String?
    /// The source on this host, or the destination of an incoming transfer.
    public var path: String?
    public var kind: AttachmentKind
    public var mediaType: String
    /// The duration of audio in milliseconds, as the sender claims.
    public var duration: Int64?
    public var createdAt: WallTime
    public var finishedAt: WallTime?
    /// The part file or folder of an incoming transfer.
    public var partPath: String?
    /// The inode of the file that is about to be renamed to ``path``, by which a rename before a crash is recognised.
    public var finalIno: UInt64?
    public var manifestDigest: [UInt8]?
    /// The number of files and folders that were left out. Only the methods that append them change it.
    public var problems: Int64 = 0
    public var life = TransferLife()
    /// For a file that we have sent to a group: the number of members that have reported to have all of it. Only the
    /// methods that add them change it.
    public var holders: Int64 = 0
    /// For a group's file: the root of its tree, 32 bytes; nil for a transfer between two. It is stored with the row
    /// and never changed.
    public var fileRoot: [UInt8]?
    /// The types of its files for which the receiver may hold it back, as ``FileType/offered(_:)`` gives them. They are
    /// stored with the row and never changed.
    public var unlisted: [String] = []
    /// The couriers that keep the file for us. They are not stored with the row.
    public internal(set) var keepers: [AccountID] = []

    public init(
        id: UUIDv7, direction: TransferDirection, peer: AccountID, conversation: UUIDv7? = nil, message: UUIDv7? = nil,
        name: String, size: Int64, bytesDone: Int64 = 0, files: Int64 = 1, filesDone: Int64 = 0,
        state: TransferState = .offered, reason: Reason? = nil, detail: String? = nil, path: String? = nil,
        kind: AttachmentKind = .other, mediaType: String = "", duration: Int64? = nil, createdAt: WallTime,
        finishedAt: WallTime? = nil,
        partPath: String? = nil, finalIno: UInt64? = nil, manifestDigest: [UInt8]? = nil
    ) {
        self.id = id
        self.direction = direction
        self.peer = peer
        self.conversation = conversation
        self.message = message
        self.name = name
        self.size = size
        self.bytesDone = bytesDone
        self.files = files
        self.filesDone = filesDone
        self.state = state
        self.reason = reason
        self.detail = detail
        self.path = path
        self.kind = kind
        self.mediaType = mediaType
        self.duration = duration
        self.createdAt = createdAt
        self.finishedAt = finishedAt
        self.partPath = partPath
        self.finalIno = finalIno
        self.manifestDigest = manifestDigest
    }

    /// The id that the two sides use between them.
    public var wireID: UUIDv7 { wire ?? id }

    /// The name on this disk of what was received, if it isn't the offered one; nil if it is, or if nothing is here.
    public var nameHere: String? {
        guard direction == .incoming, state == .done, life.removedAt == nil, let path,
            let last = path.split(separator: "/").last, last != name
        else { return nil }
        return String(last)
    }

    /// Its position in the list of transfers.
    public var position: ListPosition { ListPosition(time: createdAt, id: id) }
}
