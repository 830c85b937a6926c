/// Reads big-endian integers and byte strings from untrusted bytes without ever trapping.
///
/// A value: copying one is a bookmark. After an error the position is unchanged.
public struct ByteReader: Sendable {
    /// Why reading failed; it can fail in no other way.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// Fewer bytes are left than were asked for.
        case truncated

        public var description: String { "the bytes are cut off" }
    }

    private let bytes: ArraySlice<UInt8>
    private var position: Int

    public init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    public init(_ bytes: [UInt8]) {
        self.init(bytes[...])
    }

    /// Bytes not read yet.
    public var remaining: Int { bytes.endIndex - position }
    public var isAtEnd: Bool { position == bytes.endIndex }
    /// The remaining bytes, without reading them.
    public var rest: ArraySlice<UInt8> { bytes[position...] }

    /// A slice of the next `count` bytes. A negative count is `truncated` like one that is too large.
    public mutating func read(_ count: Int) throws(Failure) -> ArraySlice<UInt8> {
        guard count >= 0, count <= remaining else { throw .truncated }
        let slice = bytes[position..<position + count]
        position += count
        return slice
    }

    public mutating func readUInt8() throws(Failure) -> UInt8 {
        guard position < bytes.endIndex else { throw .truncated }
        defer { position += 1 }
        return bytes[position]
    }

    public mutating func readUInt16() throws(Failure) -> UInt16 { UInt16(truncatingIfNeeded: try readInteger(2)) }
    public mutating func readUInt32() throws(Failure) -> UInt32 { UInt32(truncatingIfNeeded: try readInteger(4)) }
    public mutating func readUInt64() throws(Failure) -> UInt64 { try readInteger(8) }

    private mutating func readInteger(_ count: Int) throws(Failure) -> UInt64 {
        var value: UInt64 = 0
        for byte in try read(count) { value = value << 8 | UInt64(byte) }
        return value
    }
}

extension Array where Element == UInt8 {
    /// Appends the integer's bytes, most significant first.
    @inlinable
    public mutating func appendBigEndian<Integer: FixedWidthInteger & UnsignedInteger>(_ value: Integer) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
