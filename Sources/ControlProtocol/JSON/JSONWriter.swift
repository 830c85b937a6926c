/// Writing JSON. Objects keep their order. Nothing is put between the parts, so a value is always one line.
extension JSONValue {
    /// Appends this value as UTF-8. A double that is no number is written as `null`, as JavaScript does.
    public func append(to out: inout [UInt8]) {
        switch self {
        case .null: out.append(contentsOf: "null".utf8)
        case .bool(let value): out.append(contentsOf: value ? "true".utf8 : "false".utf8)
        case .integer(let value): JSONWriter.append(value, to: &out)
        case .double(let value): out.append(contentsOf: (value.isFinite ? value.description : "null").utf8)
        case .string(let value): JSONWriter.append(value, to: &out)
        case .array(let elements): elements.append(to: &out)
        case .object(let object): object.append(to: &out)
        }
    }

    /// This value as bytes of UTF-8.
    public var encoded: [UInt8] {
        var out: [UInt8] = []
        append(to: &out)
        return out
    }

    /// How many bytes ``encoded`` has, without making them.
    public var encodedCount: Int {
        switch self {
        case .null, .bool(true): 4
        case .bool(false): 5
        case .integer(let value): value.description.utf8.count
        case .double(let value): value.isFinite ? value.description.utf8.count : 4
        case .string(let value): JSONWriter.count(value)
        // Brackets, and commas between.
        case .array(let elements): elements.reduce(max(2, 1 + elements.count)) { $0 + $1.encodedCount }
        case .object(let object): object.encodedCount
        }
    }

    /// Makes the bytes of an object of the contract now and keeps them beside it, so that counting and writing it don't make them again.
    public mutating func encodeOnce() {
        guard case .object(var object) = self else { return }
        object.encodeOnce()
        self = .object(object)
    }

    /// This value as text.
    public var text: String { String(decoding: encoded, as: UTF8.self) }
}

/// The parts of the writer that envelopes use directly, without making a value first.
enum JSONWriter {
    private static let hexadecimal = Array("0123456789abcdef".utf8)

    /// The fields of an object, with its braces.
    static func append(_ fields: [JSONObject.Field], to out: inout [UInt8]) {
        out.append(UInt8(ascii: "{"))
        var isFirst = true
        for field in fields {
            if !isFirst { out.append(UInt8(ascii: ",")) }
            isFirst = false
            append(field.name, to: &out)
            out.append(UInt8(ascii: ":"))
            field.value.append(to: &out)
        }
        out.append(UInt8(ascii: "}"))
    }

    /// How many bytes those fields make.
    static func count(_ fields: [JSONObject.Field]) -> Int {
        fields.reduce(max(2, 1 + fields.count)) { $0 + count($1.name) + 1 + $1.value.encodedCount }
    }

    /// A string with its quotation marks. Only what must be escaped is; runs between are copied whole.
    static func append(_ text: String, to out: inout [UInt8]) {
        var text = text
        out.append(UInt8(ascii: "\""))
        text.withUTF8 { bytes in
            var start = 0
            for index in 0..<bytes.count {
                let byte = bytes[index]
                guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
                if start < index { out.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<index])) }
                start = index + 1
                appendEscaped(byte, to: &out)
            }
            out.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start...]))
        }
        out.append(UInt8(ascii: "\""))
    }

    /// How many bytes ``append(_:to:)`` makes of a string.
    static func count(_ text: String) -> Int {
        var text = text
        return text.withUTF8 { bytes in
            var count = bytes.count + 2
            for byte in bytes where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x08, 0x09, 0x0A, 0x0C, 0x0D: count += 1
                default: count += 5
                }
            }
            return count
        }
    }

    private static func appendEscaped(_ byte: UInt8, to out: inout [UInt8]) {
        out.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): out.append(byte)
        case 0x08: out.append(UInt8(ascii: "b"))
        case 0x09: out.append(UInt8(ascii: "t"))
        case 0x0A: out.append(UInt8(ascii: "n"))
        case 0x0C: out.append(UInt8(ascii: "f"))
        case 0x0D: out.append(UInt8(ascii: "r"))
        default:
            out.append(UInt8(ascii: "u"))
            out.append(UInt8(ascii: "0"))
            out.append(UInt8(ascii: "0"))
            out.append(hexadecimal[Int(byte >> 4)])
            out.append(hexadecimal[Int(byte & 15)])
        }
    }

    static func append(_ number: Int64, to out: inout [UInt8]) {
        var magnitude = number.magnitude
        if number < 0 { out.append(UInt8(ascii: "-")) }
        // 64 bits have twenty digits at most.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var first = 20
            repeat {
                first -= 1
                digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: magnitude % 10)
                magnitude /= 10
            } while magnitude > 0
            out.append(contentsOf: UnsafeBufferPointer(rebasing: digits[first...]))
        }
    }
}
