import Basics
import Crypto

/// What a recipient has to know of a file that a courier keeps sealed: `{1: transfer, 2: file, 3: root, 4: key, 5: size, 6:
/// modified, 7: mode}`, in a parcel beside the message that offers the file.
public struct SealedFile: Hashable, Sendable {
    /// The offer in the maker's message.
    public let transfer: UUIDv7
    /// Names the sealed file; each sealing has a name and a key of its own.
    public let file: UUIDv7
    /// The root of the tree above the sealed chunks, ``PeerLimits/fileRootBytes`` bytes.
    public let root: [UInt8]
    public let key: SharedKey
    /// Bytes of the file, sealed or not.
    public let size: UInt64
    /// The time of its last change, in nanoseconds since 1970, and its permission bits, as the maker's list has them.
    public let modified: Int64
    public let mode: UInt16

    public init(
        transfer: UUIDv7, file: UUIDv7, root: [UInt8], key: SharedKey, size: UInt64, modified: Int64, mode: UInt16
    ) {
        self.transfer = transfer
        self.file = file
        self.root = root
        self.key = key
        self.size = size
        self.modified = modified
        self.mode = mode
    }

    init(_ value: CBOR, _ field: String) throws(WireError) {
        let body = try BodyReader(value, field: field)
        transfer = try body.id(1, field)
        file = try body.id(2, field)
        root = try ParcelFile.root(body, 3, field)
        guard let key = SharedKey(bytes: try body.bytes(4, field, maximum: CryptoLimits.keyBytes)) else {
            throw .invalid(field: field)
        }
        self.key = key
        size = try ParcelFile.size(body, 5, field)
        guard let modified = body.value(6)?.integerValue,
            let mode = UInt16(exactly: try body.unsigned(7, field)), mode <= 0o777
        else { throw .invalid(field: field) }
        (self.modified, self.mode) = (modified, mode)
    }

    package var value: CBOR {
        .map([
            1: .bytes(transfer.bytes), 2: .bytes(file.bytes), 3: .bytes(root), 4: .bytes(key.bytes),
            5: .unsigned(size), 6: .integer(modified), 7: .unsigned(UInt64(mode)),
        ])
    }
}
