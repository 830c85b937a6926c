/// The bytes of a file as UTF-8, whatever came before them: a byte order mark goes, and UTF-16, which old Outlooks write, is
/// put into UTF-8. Bytes of other encodings pass as they are; each line says what it is in, or has to be guessed.
struct FileDecoder {
    private enum Form { case unknown, asItIs, little, big }

    private var form = Form.unknown
    /// The beginning, while it is too short to tell.
    private var begin: [UInt8] = []
    /// Of UTF-16: the first byte of a unit whose second has not come.
    private var half: UInt8?
    private var lead: UInt16?

    /// The next piece.
    mutating func decode(_ bytes: [UInt8]) -> [UInt8] {
        switch form {
        case .asItIs: return bytes
        case .little, .big: return transcode(bytes[...])
        case .unknown:
            begin += bytes
            guard begin.count >= 4 else { return [] }
            return settle()
        }
    }

    /// What is left at the end.
    mutating func finish() -> [UInt8] {
        var rest = form == .unknown ? settle() : []
        if lead != nil || half != nil { rest += Self.replacement }
        return rest
    }

    private mutating func settle() -> [UInt8] {
        defer { begin = [] }
        let head = begin.prefix(4) + [UInt8](repeating: 1, count: max(0, 4 - begin.count))
        switch (head[0], head[1], head[2]) {
        case (0xEF, 0xBB, 0xBF):
            form = .asItIs
            return Array(begin.dropFirst(3))
        case (0xFF, 0xFE, _):
            form = .little
            return transcode(begin.dropFirst(2))
        case (0xFE, 0xFF, _):
            form = .big
            return transcode(begin.dropFirst(2))
        // Without a mark: a vCard begins with a letter of ASCII.
        case (1..., 0, 1...):
            form = .little
            return transcode(begin[...])
        case (0, 1..., 0):
            form = .big
            return transcode(begin[...])
        default:
            form = .asItIs
            return begin
        }
    }

    private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]

    private mutating func transcode(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count)
        for byte in bytes {
            guard let first = half else {
                half = byte
                continue
            }
            half = nil
            let (low, high) = form == .little ? (first, byte) : (byte, first)
            take(UInt16(high) << 8 | UInt16(low), into: &out)
        }
        return out
    }

    private mutating func take(_ unit: UInt16, into out: inout [UInt8]) {
        if let lead {
            self.lead = nil
            if 0xDC00...0xDFFF ~= unit {
                let value = 0x10000 + (UInt32(lead) - 0xD800) << 10 + (UInt32(unit) - 0xDC00)
                if let scalar = Unicode.Scalar(value) { out += UTF8.encode(scalar) ?? .init(Self.replacement) }
                return
            }
            out += Self.replacement
        }
        if 0xD800...0xDBFF ~= unit {
            lead = unit
        } else if let scalar = Unicode.Scalar(UInt32(unit)) {
            out += UTF8.encode(scalar) ?? .init(Self.replacement)
        } else {
            out += Self.replacement
        }
    }
}
