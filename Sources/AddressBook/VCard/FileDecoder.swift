/// Turns the bytes of a file into UTF-8. A byte order mark is dropped, and UTF-16, which old versions of Outlook write,
/// is converted. Bytes of other encodings pass as they are: each line names its encoding, or it has to be guessed.
struct FileDecoder {
    private enum Form { case unknown, asItIs, little, big }

    private var form = Form.unknown
    /// The first bytes, while they are too few to tell the form.
    private var begin: [UInt8] = []
    /// The first byte of a UTF-16 unit whose second byte has not come.
    private var half: UInt8?
    private var lead: UInt16?

    /// Decodes the next piece.
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

    /// Decodes what is left at the end of the file.
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
        // There is no mark, but a vCard begins with an ASCII letter.
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
            ingest(UInt16(high) << 8 | UInt16(low), into: &out)
        }
        return out
    }

    private mutating func ingest(_ unit: UInt16, into out: inout [UInt8]) {
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
