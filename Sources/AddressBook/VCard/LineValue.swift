/// The value of a line with its encodings removed.
struct LineValue {
    /// A line whose value is in an encoding that is not for text.
    struct NotText: Error, CustomStringConvertible {
        var description: String { "the value is no text" }
    }

    /// The parts between semicolons, unescaped. A value that is no list is read through ``text``.
    let parts: [String]
    /// Whether some bytes were not in the encoding that they should be in.
    let isGuess: Bool

    /// All parts as one text.
    var text: String { parts.joined(separator: ";") }

    /// - Throws: ``NotText`` for base 64.
    init(_ line: ContentLine) throws(NotText) {
        let encoding = Self.encoding(of: line)
        let charset = line.parameter("CHARSET")
        var pieces: [[UInt8]]
        switch encoding {
        case .base64: throw NotText()
        case .quotedPrintable:
            // Encoded characters don't separate, so the value is split first.
            pieces = Self.split(line.value).map { Self.decodeQuotedPrintable($0) }
        case .none:
            // The charset is decoded before the value is split, because in Shift JIS a letter's second byte may be a
            // backslash.
            if let charset, charset.uppercased() != "UTF-8" {
                let (text, isGuess) = Charset.text(line.value, named: charset)
                parts = Self.split(Array(text.utf8)).map { String(decoding: Self.unescape($0), as: UTF8.self) }
                self.isGuess = isGuess
                return
            }
            pieces = Self.split(line.value)
        }
        var guessed = false
        parts = pieces.map { piece in
            let (text, isGuess) = Charset.text(Self.unescape(piece), named: charset)
            guessed = guessed || isGuess
            return text
        }
        isGuess = guessed
    }

    private enum Encoding { case none, quotedPrintable, base64 }

    private static func encoding(of line: ContentLine) -> Encoding {
        let words = line.parameters.filter { $0.name == "ENCODING" || $0.name.isEmpty }.flatMap(\.values)
        for word in words {
            switch word.uppercased() {
            case "QUOTED-PRINTABLE": return .quotedPrintable
            case "B", "BASE64": return .base64
            default: continue
            }
        }
        return .none
    }

    private static let backslash = UInt8(ascii: "\\")

    /// Splits at semicolons that have no backslash before them; the backslashes stay.
    private static func split(_ bytes: [UInt8]) -> [[UInt8]] {
        var parts: [[UInt8]] = [[]]
        var isEscaped = false
        for byte in bytes {
            if byte == UInt8(ascii: ";"), !isEscaped {
                parts.append([])
                continue
            }
            parts[parts.count - 1].append(byte)
            isEscaped = byte == backslash && !isEscaped
        }
        return parts
    }

    /// Removes escapes (RFC 6350 §3.4). A backslash before any other character stays, because 2.1 knows `\;` only and
    /// writes paths.
    private static func unescape(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(backslash) else { return bytes }
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            guard byte == backslash, let next = rest.first else {
                out.append(byte)
                continue
            }
            switch next {
            case UInt8(ascii: "n"), UInt8(ascii: "N"): out.append(UInt8(ascii: "\n"))
            case UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: ":"), backslash: out.append(next)
            default:
                out.append(byte)
                continue
            }
            rest.removeFirst()
        }
        return out
    }

    /// Decodes RFC 2045 §6.7; soft line breaks are gone already. Bytes that form no code stay as they are.
    static func decodeQuotedPrintable(_ bytes: [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "="), rest.count >= 2, let high = digit(rest[rest.startIndex]),
                let low = digit(rest[rest.startIndex + 1])
            {
                out.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                out.append(byte)
            }
        }
        return out
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
