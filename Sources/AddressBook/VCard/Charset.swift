import Glibc

/// The encodings of text in vCards.
enum Charset {
    /// Names as vCards write them, in capitals without hyphens, and iconv's names for them. The list holds what is in
    /// use, not all of iconv's encodings, because its converters for rare ones have had security holes.
    private static let known: [String: String] = {
        var names = [
            "GB2312": "GB18030", "GBK": "GB18030", "GB18030": "GB18030", "BIG5": "BIG5", "EUCKR": "EUC-KR",
            "KSC56011987": "EUC-KR", "SHIFTJIS": "CP932", "SJIS": "CP932", "WINDOWS31J": "CP932", "EUCJP": "EUC-JP",
            "KOI8R": "KOI8-R", "KOI8U": "KOI8-U", "MACINTOSH": "MACINTOSH", "UTF16": "UTF-16", "UTF16LE": "UTF-16LE",
            "UTF16BE": "UTF-16BE", "TIS620": "TIS-620",
        ]
        for number in 1...16 where number != 12 { names["ISO8859\(number)"] = "ISO-8859-\(number)" }
        for number in 1250...1258 {
            names["WINDOWS\(number)"] = "WINDOWS-\(number)"
            names["CP\(number)"] = "WINDOWS-\(number)"
        }
        for (alias, name) in [("LATIN1", "ISO-8859-1"), ("LATIN2", "ISO-8859-2"), ("ISO88591", "ISO-8859-1")] {
            names[alias] = name
        }
        return names
    }()

    /// Decodes bytes.
    /// - Parameter name: the encoding that the line names; nil if it names none.
    /// - Returns: the text, and in `isGuess` whether the bytes are not in the encoding that they should be in.
    static func text(_ bytes: [UInt8], named name: String?) -> (text: String, isGuess: Bool) {
        let plain = name.map { $0.uppercased().filter { $0 != "-" && $0 != "_" } } ?? "UTF8"
        if plain == "UTF8" || plain == "USASCII" || plain == "ASCII" {
            if let text = String(validating: bytes, as: UTF8.self) { return (text, false) }
            return (windows1252(bytes), true)
        }
        if let charset = known[plain], let text = convert(bytes, from: charset) { return (text, false) }
        return (String(validating: bytes, as: UTF8.self) ?? windows1252(bytes), true)
    }

    private static func convert(_ bytes: [UInt8], from name: String) -> String? {
        guard let converter = iconv_open("UTF-8", name), converter != iconv_t(bitPattern: -1) else { return nil }
        defer { iconv_close(converter) }
        var input = bytes.map { CChar(bitPattern: $0) }
        // Every encoding of the list takes at most three bytes of UTF-8 for one byte, except for UTF-16's mark.
        var output = [CChar](repeating: 0, count: bytes.count * 4 + 16)
        let written: Int? = input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                var (from, left) = (source.baseAddress, source.count)
                var (to, room) = (target.baseAddress, target.count)
                let result = iconv(converter, &from, &left, &to, &room)
                return result == -1 || left != 0 ? nil : target.count - room
            }
        }
        return written.flatMap {
            String(validating: output.prefix($0).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    /// Windows-1252, which Windows in western Europe and America writes without naming it: Latin-1, with letters in
    /// 0x80 to 0x9F.
    private static func windows1252(_ bytes: [UInt8]) -> String {
        var text = String.UnicodeScalarView()
        for byte in bytes {
            let value = 0x80...0x9F ~= byte ? UInt32(upper[Int(byte) - 0x80]) : UInt32(byte)
            text.append(Unicode.Scalar(value) ?? "\u{FFFD}")
        }
        return String(text)
    }

    /// The five undefined codes become U+FFFD.
    private static let upper: [UInt16] = [
        0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0xFFFD,
        0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
        0x0153, 0xFFFD, 0x017E, 0x0178,
    ]
}
