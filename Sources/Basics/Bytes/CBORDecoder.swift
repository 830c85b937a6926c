/// Strict decoding of untrusted CBOR: one value with nothing behind it. Every rule of the deterministic encoding is
/// checked, so that a value has exactly one accepted encoding.
public struct CBORDecoder: Sendable {
    /// Why bytes are not an acceptable value.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        case truncated
        /// Bytes behind the value.
        case trailingBytes
        /// A tag, float, indefinite length or reserved form.
        case unsupported
        /// An integer or length in a longer form than needed.
        case notShortest
        /// Map keys out of order or twice.
        case keyOrder
        /// A map key that is not an unsigned integer.
        case keyType
        case invalidUTF8
        /// Nested deeper than ``CBORDecoder/maximumDepth``.
        case tooDeep

        public var description: String {
            switch self {
            case .truncated: "the CBOR is cut off"
            case .trailingBytes: "there are bytes behind the CBOR"
            case .unsupported: "the CBOR has a form that is not permitted"
            case .notShortest: "the CBOR has a number in a longer form than needed"
            case .keyOrder: "the CBOR has keys out of order or twice"
            case .keyType: "the CBOR has a key that is no number"
            case .invalidUTF8: "the CBOR has a text that is not UTF-8"
            case .tooDeep: "the CBOR is nested too deep"
            }
        }
    }

    /// The greatest depth of arrays and maps. Kibo's own messages need five levels; the rest is room for later
    /// versions.
    public static let maximumDepth = 16

    private var reader: ByteReader

    /// The one value that the bytes hold.
    public static func decode(_ bytes: [UInt8]) throws(Failure) -> CBOR { try decode(bytes[...]) }

    /// The one value that the bytes hold.
    public static func decode(_ bytes: ArraySlice<UInt8>) throws(Failure) -> CBOR {
        var decoder = CBORDecoder(reader: ByteReader(bytes))
        let value = try decoder.value(depth: 0)
        guard decoder.reader.isAtEnd else { throw .trailingBytes }
        return value
    }

    private mutating func value(depth: Int) throws(Failure) -> CBOR {
        guard depth < Self.maximumDepth else { throw .tooDeep }
        let first = try byte()
        let major = first >> 5
        if major == 7 {
            switch first {
            case 0xF4: return .boolean(false)
            case 0xF5: return .boolean(true)
            case 0xF6: return .null
            default: throw .unsupported
            }
        }
        let argument = try self.argument(first & 31)
        switch major {
        case 0: return .unsigned(argument)
        case 1: return .negative(argument)
        case 2: return .bytes(Array(try advance(argument)))
        case 3:
            guard let text = String(validating: try advance(argument), as: UTF8.self) else { throw .invalidUTF8 }
            return .text(text)
        case 4:
            // Every element takes at least one byte, so a count greater than the bytes left is refused before anything
            // is reserved.
            guard argument <= UInt64(reader.remaining) else { throw .truncated }
            var items: [CBOR] = []
            for _ in 0..<argument { items.append(try value(depth: depth + 1)) }
            return .array(items)
        case 5: return .map(try map(count: argument, depth: depth))
        default: throw .unsupported
        }
    }

    private mutating func map(count: UInt64, depth: Int) throws(Failure) -> CBORMap {
        guard count <= UInt64(reader.remaining) else { throw .truncated }
        var map = CBORMap()
        var previous: UInt64?
        for _ in 0..<count {
            let first = try byte()
            guard first >> 5 == 0 else { throw .keyType }
            let key = try argument(first & 31)
            if let previous, key <= previous { throw .keyOrder }
            previous = key
            map.appendLast(key, try value(depth: depth + 1))
        }
        return map
    }

    /// How many bytes of a head's argument follow it, and the least number that needs so many (RFC 8949, section 3). No
    /// bytes: the argument is `info` itself.
    static func argumentSize(_ info: UInt8) throws(Failure) -> (count: Int, floor: UInt64) {
        switch info {
        case 0..<24: (0, 0)
        case 24: (1, 24)
        case 25: (2, 0x100)
        case 26: (4, 0x1_0000)
        case 27: (8, 0x1_0000_0000)
        default: throw .unsupported
        }
    }

    private mutating func argument(_ info: UInt8) throws(Failure) -> UInt64 {
        let (count, floor) = try Self.argumentSize(info)
        if count == 0 { return UInt64(info) }
        var value: UInt64 = 0
        for byte in try advance(UInt64(count)) { value = value << 8 | UInt64(byte) }
        guard value >= floor else { throw .notShortest }
        return value
    }

    private mutating func byte() throws(Failure) -> UInt8 {
        do { return try reader.readUInt8() } catch { throw .truncated }
    }

    private mutating func advance(_ count: UInt64) throws(Failure) -> ArraySlice<UInt8> {
        guard let count = Int(exactly: count) else { throw .truncated }
        do { return try reader.read(count) } catch { throw .truncated }
    }
}
