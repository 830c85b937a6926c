import CText

/// Texts by which entries are found: without case, accents, and other forms of the same letters.
public enum SearchText {
    /// Why libkibo-text.so can't be used, without which texts are only made lower-case and no telephone number is read; nil where it
    /// can. Loads it.
    public static var problem: String? { kibo_text_problem().map { String(cString: $0) } }

    /// The text in the form in which it is compared. Only its letters count: `Zoë` equals `zoe`, and `Straße` equals
    /// `STRASSE`.
    public static func fold(_ text: String) -> String {
        let bytes = Array(text.utf8)
        if bytes.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
        guard let length = Int32(exactly: bytes.count) else { return text.lowercased() }
        var out = [CChar](repeating: 0, count: bytes.count * 2 + 16)
        for _ in 0..<2 {
            let needed = bytes.withUnsafeBufferPointer { source in
                source.withMemoryRebound(to: CChar.self) {
                    kibo_fold($0.baseAddress, length, &out, Int32(clamping: out.count))
                }
            }
            guard needed >= 0 else { break }
            if needed <= out.count {
                return String(decoding: out.prefix(Int(needed)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
            }
            out = [CChar](repeating: 0, count: Int(needed))
        }
        return text.lowercased()
    }

    /// Everything in an entry that a search looks at: its name, addresses, numbers as they are written, and their
    /// digits.
    public static func of(_ entry: AddressEntry) -> String {
        var lines = [entry.name] + entry.emails
        for phone in entry.phones {
            lines.append(phone.given)
            lines.append(digits(phone.given))
            if let e164 = phone.e164 { lines.append(e164) }
        }
        return fold(lines.joined(separator: "\n"))
    }

    /// The text to search for. If the user typed a number, it is the digits, however they were grouped.
    public static func query(_ text: String) -> String {
        let folded = fold(text)
        let isNumber = folded.contains(where: \.isNumber) && folded.allSatisfy { $0.isNumber || " +-/().".contains($0) }
        guard isNumber else { return folded }
        return (folded.contains("+") ? "+" : "") + digits(folded)
    }

    private static func digits(_ text: String) -> String {
        let bytes = text.utf8
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return text.filter(\.isNumber) }
        return String(decoding: bytes.filter { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }, as: UTF8.self)
    }
}
