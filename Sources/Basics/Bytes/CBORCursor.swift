/// Reads flat CBOR (the subset of ``CBOR``) item by item where it lies, for long lists of small values that are not worth a
/// ``CBOR`` each. It checks what ``CBORDecoder`` checks, except for maps, which it refuses.
public struct CBORCursor {
    /// One item. Texts and bytes are named by their places, and texts are known to be UTF-8.
    public enum Item: Hashable, Sendable {
        case null
        case integer(Int64)
        case text(Range<Int>)
        case bytes(Range<Int>)
        /// The head of an array of so many items, which follow.
        case array(Int)
    }

    private let bytes: UnsafeRawBufferPointer
    /// The place of the next item.
    public private(set) var place = 0

    /// - Parameter bytes: must stay valid for as long as the cursor is used.
    public init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    public var isAtEnd: Bool { place == bytes.count }

    /// The next item. After an error nothing more may be read.
    public mutating func next() throws(CBORDecoder.Failure) -> Item {
        guard place < bytes.count else { throw .truncated }
        let first = bytes[place]
        place += 1
        if first == 0xF6 { return .null }
        let argument = try argument(first & 31)
        switch first >> 5 {
        case 0:
            guard let number = Int64(exactly: argument) else { throw .unsupported }
            return .integer(number)
        case 1:
            guard let number = Int64(exactly: argument) else { throw .unsupported }
            return .integer(-1 - number)
        case 2: return .bytes(try advance(argument))
        case 3:
            let range = try advance(argument)
            guard String(validating: bytes[range], as: UTF8.self) != nil else { throw .invalidUTF8 }
            return .text(range)
        case 4:
            // Each item takes a byte at least.
            guard argument <= UInt64(bytes.count - place) else { throw .truncated }
            return .array(Int(argument))
        default: throw .unsupported
        }
    }

    private mutating func advance(_ count: UInt64) throws(CBORDecoder.Failure) -> Range<Int> {
        guard count <= UInt64(bytes.count - place) else { throw .truncated }
        let range = place..<place + Int(count)
        place = range.upperBound
        return range
    }

    private mutating func argument(_ info: UInt8) throws(CBORDecoder.Failure) -> UInt64 {
        let (count, floor) = try CBORDecoder.argumentSize(info)
        if count == 0 { return UInt64(info) }
        var value: UInt64 = 0
        for place in try advance(UInt64(count)) { value = value << 8 | UInt64(bytes[place]) }
        guard value >= floor else { throw .notShortest }
        return value
    }
}
