extension CBOR {
    /// The deterministic encoding (RFC 8949 §4.2.1).
    public func encoded() -> [UInt8] {
        var out: [UInt8] = []
        append(to: &out)
        return out
    }

    /// Appends the deterministic encoding.
    public func append(to out: inout [UInt8]) {
        switch self {
        case .unsigned(let value): Self.appendHead(0, value, to: &out)
        case .negative(let value): Self.appendHead(1, value, to: &out)
        case .bytes(let bytes):
            Self.appendHead(2, UInt64(bytes.count), to: &out)
            out.append(contentsOf: bytes)
        case .text(let text):
            Self.appendHead(3, UInt64(text.utf8.count), to: &out)
            out.append(contentsOf: text.utf8)
        case .array(let items):
            Self.appendHead(4, UInt64(items.count), to: &out)
            for item in items { item.append(to: &out) }
        case .map(let map):
            Self.appendHead(5, UInt64(map.count), to: &out)
            for entry in map.entries {
                Self.appendHead(0, entry.key, to: &out)
                entry.value.append(to: &out)
            }
        case .boolean(let value): out.append(value ? 0xF5 : 0xF4)
        case .null: out.append(0xF6)
        }
    }

    /// Appends the head of a value (major type and argument) in the shortest form, for writers that make a long value
    /// piece by piece.
    public static func appendHead(_ major: UInt8, _ value: UInt64, to out: inout [UInt8]) {
        let top = major << 5
        switch value {
        case 0..<24: out.append(top | UInt8(value))
        case 24..<0x100:
            out.append(top | 24)
            out.append(UInt8(value))
        case 0x100..<0x1_0000:
            out.append(top | 25)
            out.appendBigEndian(UInt16(value))
        case 0x1_0000..<0x1_0000_0000:
            out.append(top | 26)
            out.appendBigEndian(UInt32(value))
        default:
            out.append(top | 27)
            out.appendBigEndian(value)
        }
    }
}
