import Basics
import Vocabulary

/// A sealed file of a friend for a friend that is kept here, or is to be fetched.
public struct SealedFileRow: Hashable, Sendable {
    public let id: UUIDv7
    /// The parcel with which it came, which may be gone.
    public let parcel: UUIDv7
    public let depositor: AccountID
    public let recipient: AccountID
    public let root: [UInt8]
    public let bytes: Int64
    /// How long it is kept, counted from the coming of its parcel.
    public let days: Int
    /// The hashes of its chunks; nil until all of it is here.
    public var leaves: [UInt8]?

    public init(
        id: UUIDv7, parcel: UUIDv7, depositor: AccountID, recipient: AccountID, root: [UInt8], bytes: Int64, days: Int,
        leaves: [UInt8]? = nil
    ) {
        self.id = id
        self.parcel = parcel
        self.depositor = depositor
        self.recipient = recipient
        self.root = root
        self.bytes = bytes
        self.days = days
        self.leaves = leaves
    }
}

/// A file of ours that goes with a parcel.
public struct SentSealedFileRow: Hashable, Sendable {
    public let id: UUIDv7
    public let courier: AccountID
    public let parcel: UUIDv7
    public let transfer: UUIDv7
    public let root: [UInt8]
    public let key: [UInt8]
    public let leaves: [UInt8]

    public init(
        id: UUIDv7, courier: AccountID, parcel: UUIDv7, transfer: UUIDv7, root: [UInt8], key: [UInt8], leaves: [UInt8]
    ) {
        self.id = id
        self.courier = courier
        self.parcel = parcel
        self.transfer = transfer
        self.root = root
        self.key = key
        self.leaves = leaves
    }
}

/// A file for us that a courier keeps, and how to open it.
public struct ComingSealedFileRow: Hashable, Sendable {
    public let id: UUIDv7
    public let courier: AccountID
    public let transfer: UUIDv7
    public let root: [UInt8]
    public let key: [UInt8]
    /// What the sender's list says of it.
    public let modified: Int64
    public let mode: UInt16

    public init(
        id: UUIDv7, courier: AccountID, transfer: UUIDv7, root: [UInt8], key: [UInt8], modified: Int64, mode: UInt16
    ) {
        self.id = id
        self.courier = courier
        self.transfer = transfer
        self.root = root
        self.key = key
        self.modified = modified
        self.mode = mode
    }

    /// The same file at another courier.
    public func at(_ courier: AccountID) -> ComingSealedFileRow {
        ComingSealedFileRow(
            id: id, courier: courier, transfer: transfer, root: root, key: key, modified: modified, mode: mode)
    }
}
