/// The meaning of the sequences of function keys.
enum KeySequence {
    /// The characters that mean something with Alt.
    static let alt = Set("bfd".utf8)

    /// The numbers between semicolons; −1 for none or nonsense.
    static func numbers(_ parameters: [UInt8]) -> [Int] {
        parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map { part in
            Int(String(decoding: part, as: UTF8.self)) ?? -1
        }
    }

    /// `ESC [ … final`; nil for what has no meaning here.
    static func key(_ final: UInt8, _ numbers: [Int], isAlt: Bool) -> Keystroke? {
        let first = numbers.first ?? -1
        // xterm: one more than the sum of Shift 1, Alt 2, Ctrl 4.
        let modifiers = max(0, (numbers.count > 1 ? numbers[1] : 1) - 1)
        let isModified = isAlt || modifiers & 6 != 0
        let isAlt = isAlt || modifiers & 2 != 0
        switch final {
        case UInt8(ascii: "~"):
            if first == 27, numbers.count == 3, numbers[2] == 13 { return .newline }
            return numbered(first, isModified)
        // The same keys as numbers of characters: Enter with Shift, Alt or Ctrl.
        case UInt8(ascii: "u"): return first == 13 ? (modifiers == 0 ? .enter : .newline) : nil
        default: return letter(final, isModified, isAlt: isAlt)
        }
    }

    /// `ESC O final`.
    static func function(_ final: UInt8, isAlt: Bool) -> Keystroke? {
        final == UInt8(ascii: "M") ? .enter : letter(final, isAlt, isAlt: isAlt)
    }

    private static func letter(_ final: UInt8, _ isModified: Bool, isAlt: Bool) -> Keystroke? {
        switch final {
        case UInt8(ascii: "A"): isAlt ? .previousChat : isModified ? .previous : .up
        case UInt8(ascii: "B"): isAlt ? .nextChat : isModified ? .next : .down
        case UInt8(ascii: "C"): isModified ? .wordRight : .right
        case UInt8(ascii: "D"): isModified ? .wordLeft : .left
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        default: nil
        }
    }

    private static func numbered(_ number: Int, _ isModified: Bool) -> Keystroke? {
        switch number {
        case 1, 7: .home
        case 4, 8: .end
        case 3: isModified ? .alt("d") : .delete
        case 5: .pageUp
        case 6: .pageDown
        default: nil
        }
    }
}
