import Crypto

/// A BLAKE2b-256 hash of a chunk, of a node above chunks, or of everything.
public struct TreeHash: Hashable, Sendable {
    /// The bytes of a hash.
    public static let size = 32
    public let bytes: [UInt8]

    /// Nil unless there are exactly 32 bytes.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = Array(bytes)
    }

    init(of content: some Collection<UInt8>, key: StaticString) {
        let name = key.withUTF8Buffer { Array($0) }
        bytes = Blake2b.hash(content, length: Self.size, key: name)
    }

    /// The hash of one chunk.
    public init(chunk: UnsafeRawBufferPointer) { self.init(of: chunk, key: "kibo-file-chunk-v1") }

    init(left: TreeHash, right: TreeHash) {
        self.init(of: left.bytes + right.bytes, key: "kibo-file-node-v1")
    }

    init(manifest: TreeHash, chunks: TreeHash) {
        self.init(of: manifest.bytes + chunks.bytes, key: "kibo-file-root-v1")
    }

    /// The hash of a full chunk of zeros.
    static let fullZeros: TreeHash = {
        let zeros = [UInt8](repeating: 0, count: TransferLimits.chunkBytes)
        return zeros.withUnsafeBytes { TreeHash(chunk: $0) }
    }()
}
