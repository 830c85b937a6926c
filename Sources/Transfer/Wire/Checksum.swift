import Basics
import CXXHash

/// XXH3-128 (xxHash specification 0.2.0) with seed 0 in its canonical form, big-endian. It detects accidental errors of
/// disks and memory; the cipher protects against attackers on the network.
public struct Checksum: Hashable, Sendable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    @inline(__always)
    public init(of bytes: UnsafeRawBufferPointer) {
        let hash = kibo_xxh3_128(bytes.baseAddress, bytes.count)
        high = hash.high64
        low = hash.low64
    }

    /// Nil unless there are exactly 16 bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard let pair = UUIDv7(bytes: bytes) else { return nil }
        self.init(high: pair.high, low: pair.low)
    }

    /// Sixteen bytes, most significant first.
    public var bytes: [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(TransferLimits.checksumBytes)
        out.appendBigEndian(high)
        out.appendBigEndian(low)
        return out
    }

    /// Reads the canonical form. The caller has checked that there are 16 bytes.
    init(loadingFrom bytes: UnsafeRawBufferPointer) {
        high = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    /// Writes the canonical form. The caller has made sure that there is room for 16 bytes.
    func store(to bytes: UnsafeMutableRawBufferPointer) {
        bytes.storeBytes(of: high.bigEndian, toByteOffset: 0, as: UInt64.self)
        bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }

    /// The checksum of `count` zeros, at most a chunk's length.
    static func ofZeros(_ count: Int) -> Checksum {
        if count == TransferLimits.chunkBytes { return fullZeros }
        let zeros = [UInt8](repeating: 0, count: max(0, min(count, TransferLimits.chunkBytes)))
        return zeros.withUnsafeBytes { Checksum(of: $0) }
    }

    private static let fullZeros: Checksum = {
        let zeros = [UInt8](repeating: 0, count: TransferLimits.chunkBytes)
        return zeros.withUnsafeBytes { Checksum(of: $0) }
    }()

    /// The checksum of a whole file: that of its chunks' checksums, one after the other.
    public static func ofFile(_ chunks: [Checksum]) -> Checksum {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(chunks.count * TransferLimits.checksumBytes)
        for chunk in chunks {
            bytes.appendBigEndian(chunk.high)
            bytes.appendBigEndian(chunk.low)
        }
        return bytes.withUnsafeBytes { Checksum(of: $0) }
    }
}

/// The checksum of bytes that come in pieces.
public final class ChecksumStream {
    // The library allocates the state itself, because it needs more alignment than Swift's allocator gives.
    private let state: OpaquePointer?

    public init() {
        state = XXH3_createState()
        XXH3_128bits_reset(state)
    }

    deinit { XXH3_freeState(state) }

    public func update(_ bytes: UnsafeRawBufferPointer) { kibo_xxh3_128_update(state, bytes.baseAddress, bytes.count) }

    /// Begins a new checksum.
    public func reset() { XXH3_128bits_reset(state) }

    /// The checksum of all bytes so far.
    public var value: Checksum {
        let hash = XXH3_128bits_digest(state)
        return Checksum(high: hash.high64, low: hash.low64)
    }
}
