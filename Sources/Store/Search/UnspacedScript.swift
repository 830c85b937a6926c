/// The scripts that put no spaces between words, or none between words and their endings: Chinese, Japanese, Korean,
/// Thai, Lao, Khmer and Burmese, and their neighbours.
///
/// The database's index was made by these rules, and they are needed to take an entry out again. If they change, the
/// index must be made again.
enum UnspacedScript {
    /// By Unicode's blocks (Blocks.txt), ascending.
    private static let blocks: [ClosedRange<UInt32>] = [
        0x0E00...0x0EFF,  // Thai, Lao
        0x1000...0x109F,  // Myanmar
        0x1100...0x11FF,  // Hangul Jamo
        0x1780...0x17FF,  // Khmer
        0x1950...0x19DF,  // Tai Le, New Tai Lue
        0x1A20...0x1AAF,  // Tai Tham
        0x3005...0x3007,  // 々〆〇
        0x3040...0x31FF,  // Hiragana, Katakana, Bopomofo, Hangul Compatibility Jamo
        0x3400...0x4DBF,  // CJK Unified Ideographs Extension A
        0x4E00...0x9FFF,  // CJK Unified Ideographs
        0xA960...0xA97F,  // Hangul Jamo Extended-A
        0xA9E0...0xA9FF,  // Myanmar Extended-B
        0xAA60...0xAADF,  // Myanmar Extended-A, Tai Viet
        0xAC00...0xD7FF,  // Hangul Syllables, Hangul Jamo Extended-B
        0xF900...0xFAFF,  // CJK Compatibility Ideographs
        0xFF66...0xFFDC,  // halfwidth Katakana and Hangul
        0x1AFF0...0x1B16F,  // Kana Extended and Supplement
        0x20000...0x3FFFF,  // CJK Unified Ideographs Extension B and later
    ]

    /// The first byte in UTF-8 of the first block's characters.
    private static let firstByte: UInt8 = 0xE0

    /// False if the bytes of the text show that no character can belong to these scripts.
    static func mayBegin(in text: [UInt8]) -> Bool { text.contains { $0 >= firstByte } }

    /// Whether the scalar is a letter, a digit or a mark of these scripts.
    static func contains(_ scalar: Unicode.Scalar) -> Bool {
        let value = scalar.value
        // Nearly every character of a Chinese or Korean text.
        if 0x4E00...0x9FFF ~= value || 0xAC00...0xD7A3 ~= value { return true }
        guard value >= 0x0E00, blocks.contains(where: { $0 ~= value }) else { return false }
        return switch scalar.properties.generalCategory {
        case .otherLetter, .modifierLetter, .decimalNumber, .letterNumber, .nonspacingMark, .spacingMark: true
        default: false
        }
    }
}

/// A character of an unspaced script with the marks upon it, in a form that is the same for canonically equal texts.
struct UnspacedCharacter {
    /// Marks that count. People write two at most; a heap of them is no other character.
    private static let marksKept = 4

    /// Its bytes in the text.
    private(set) var range: Range<Int>
    private var base: Unicode.Scalar
    private var marks: [Unicode.Scalar] = []

    init(_ scalar: Unicode.Scalar, _ range: Range<Int>) {
        (base, self.range) = (scalar, range)
    }

    /// Takes the next scalar of the text if it belongs to this character.
    mutating func ingest(_ scalar: Unicode.Scalar, _ place: Range<Int>) -> Bool {
        if marks.isEmpty, let whole = Self.composed(base, scalar) {
            base = whole
        } else if scalar.properties.isVariationSelector || scalar == "\u{200D}" {
            // A further mark changes the look, but the character is the same.
        } else if Self.isMark(scalar) {
            if marks.count < Self.marksKept { marks.append(scalar) }
        } else {
            return false
        }
        range = range.lowerBound..<place.upperBound
        return true
    }

    /// Appends its normal form in UTF-8.
    func append(to bytes: inout [UInt8]) {
        bytes += UTF8.encode(base)?.map { $0 } ?? []
        for mark in marks { bytes += UTF8.encode(mark)?.map { $0 } ?? [] }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        // The halfwidth sound marks of kana are letters to Unicode.
        if scalar == "\u{FF9E}" || scalar == "\u{FF9F}" { return true }
        return switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }

    /// The composed form of two scalars, as names of files from a Mac have them apart; nil if there is none.
    private static func composed(_ base: Unicode.Scalar, _ next: Unicode.Scalar) -> Unicode.Scalar? {
        switch next.value {
        // The Unicode Standard, 3.12: arithmetic composes Hangul.
        case 0x1161...0x1175 where 0x1100...0x1112 ~= base.value:
            return Unicode.Scalar(0xAC00 + ((base.value - 0x1100) * 21 + (next.value - 0x1161)) * 28)
        case 0x11A8...0x11C2 where 0xAC00...0xD7A3 ~= base.value && (base.value - 0xAC00) % 28 == 0:
            return Unicode.Scalar(base.value + next.value - 0x11A7)
        case 0x3099, 0x309A: return composedKana["\(base)\(next)"]
        default: return nil
        }
    }

    /// The kana that have a sound mark. Strings are equal if they are canonically equal, so the mark may stand apart.
    private static let composedKana: [String: Unicode.Scalar] = {
        let kana = (0x3041...0x30FF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
        return Dictionary(kana.map { (String($0), $0) }, uniquingKeysWith: { first, _ in first })
    }()
}
