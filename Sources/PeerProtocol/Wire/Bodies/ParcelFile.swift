import Basics

/// What a courier has to know of a file that goes with a parcel, to fetch it from the maker: `{1: id, 2: root, 3: bytes}`.
public struct ParcelFile: Hashable, Sendable {
    /// The same as ``SealedFile/file``.
    public let id: UUIDv7
    public let root: [UInt8]
    public let bytes: UInt64

    public init(id: UUIDv7, root: [UInt8], bytes: UInt64) {
        self.id = id
        self.root = root
        self.bytes = bytes
    }

    init(_ value: CBOR, _ field: String) throws(WireError) {
        let body = try BodyReader(value, field: field)
        id = try body.id(1, field)
        root = try Self.root(body, 2, field)
        bytes = try Self.size(body, 3, field)
    }

    package var value: CBOR { .map([1: .bytes(id.bytes), 2: .bytes(root), 3: .unsigned(bytes)]) }

    static func root(_ body: BodyReader, _ key: UInt64, _ field: String) throws(WireError) -> [UInt8] {
        let root = try body.bytes(key, field, maximum: PeerLimits.fileRootBytes)
        guard root.count == PeerLimits.fileRootBytes else { throw .invalid(field: field) }
        return root
    }

    static func size(_ body: BodyReader, _ key: UInt64, _ field: String) throws(WireError) -> UInt64 {
        let size = try body.unsigned(key, field)
        guard size <= UInt64(Int64.max) else { throw .invalid(field: field) }
        return size
    }
}
