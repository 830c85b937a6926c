import CText

/// Decides how names sort and when two are alike, by ICU's collation (Unicode TR 10). One thread uses it, for one list
/// or search.
package final class NameOrder {
    private let collator: OpaquePointer?
    private var room = [UInt8](repeating: 0, count: 256)

    /// Makes an order that sorts as people of a locale do. If ICU has no rules for the locale, the rules for all
    /// languages count.
    /// - Parameter locale: such as `de_DE`; nil for the root locale.
    package init(sortingFor locale: String? = NameLocale.own) {
        collator = kibo_collator_open(locale ?? "", 0) ?? kibo_collator_open("", 0)
    }

    private init(letters: Void) { collator = kibo_collator_open("", 1) }

    /// Makes an order that compares letters only: case, accents and forms of letters don't count.
    package static func letters() -> NameOrder { NameOrder(letters: ()) }

    deinit { if let collator { kibo_collator_close(collator) } }

    /// Bytes that sort as the text does, and are the same for texts that count as equal.
    package func key(_ text: String) -> [UInt8] {
        guard let collator else { return Array(text.lowercased().utf8) }
        let letters = Array(text.utf16)
        let count = Int32(clamping: letters.count)
        var length = Int(kibo_collator_key(collator, letters, count, &room, Int32(clamping: room.count)))
        if length > room.count {
            room = [UInt8](repeating: 0, count: length)
            length = Int(kibo_collator_key(collator, letters, count, &room, Int32(clamping: room.count)))
        }
        return Array(room.prefix(length))
    }

    /// Whether a pattern occurs anywhere in a text. An empty pattern always does.
    package func finds(_ pattern: String, in text: String) -> Bool {
        if pattern.isEmpty { return true }
        guard !text.isEmpty else { return false }
        guard let collator else { return text.lowercased().contains(pattern.lowercased()) }
        let (pattern, text) = (Array(pattern.utf16), Array(text.utf16))
        return kibo_collator_finds(
            collator, pattern, Int32(clamping: pattern.count), text, Int32(clamping: text.count)) != 0
    }

    /// Sorts by name, and equal names by something that always differs.
    package func sorted<Value>(_ values: [Value], by name: (Value) -> String, then rest: (Value) -> String) -> [Value] {
        values.map { (key: key(name($0)), rest: rest($0), value: $0) }.sorted { left, right in
            left.key == right.key ? left.rest < right.rest : left.key.lexicographicallyPrecedes(right.key)
        }.map(\.value)
    }
}

/// libkibo-text.so, with ICU's rules for all languages and those of telephone numbers. It is loaded when it is needed.
package enum TextLibrary {
    /// Whether it is there, as far as that can be told without loading it. Without it names sort by their lower-case letters'
    /// codes, and an address book can't be imported.
    package static var isInstalled: Bool { kibo_text_is_installed() != 0 }
}

/// What a user types to find people: part of a name, an e-mail address, a telephone number, an id.
package struct PersonQuery {
    private let text: String
    private let digits: String?
    private let letters = NameOrder.letters()

    /// An empty text, or none, fits everyone.
    package init(_ text: String?) {
        self.text = text ?? ""
        digits = Self.digits(ofNumber: self.text)
    }

    package func fits(names: [String], phone: String? = nil, id: String) -> Bool {
        if text.isEmpty || id == text.lowercased() || id.hasPrefix(text.lowercased()) { return true }
        if let digits, let phone, phone.filter(\.isNumber).contains(digits) { return true }
        return (names + [phone ?? ""]).contains { letters.finds(text, in: $0) }
    }

    /// The digits of a text that looks like a telephone number, however it is written. The zeros with which numbers are
    /// dialled at home and abroad are left out.
    private static func digits(ofNumber text: String) -> String? {
        guard text.allSatisfy({ $0.isASCII && ($0.isNumber || "+-/(). ".contains($0)) }) else { return nil }
        let digits = text.filter(\.isNumber).drop { $0 == "0" }
        return digits.count >= 2 ? String(digits) : nil
    }
}
