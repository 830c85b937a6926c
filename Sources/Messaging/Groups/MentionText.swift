import Basics
import Store
import Vocabulary

/// `@Name` in the text of a group. Nothing but the name says who is meant: the text stays what was typed. The web client's
/// `mentions.ts` reads texts by the same rules.
package enum MentionText {
    /// So many signs of a text are looked at: each is compared with every name, and a text of others may be all signs.
    private static let looked = 64
    private static let sign = UInt8(ascii: "@")

    /// Whether a text mentions somebody.
    /// - Parameters:
    ///   - name: what they call themselves, in any case.
    ///   - others: the names of the other members. If one name begins with another, the longer one counts.
    package static func mentions(
        _ name: String, in text: String, besides others: () throws -> [String]
    ) rethrows -> Bool {
        guard !name.isEmpty, text.utf8.contains(sign) else { return false }
        let (text, name) = (Array(text.unicodeScalars), folded(name.unicodeScalars))
        var longer: [[String]]?
        let signs = text.indices.lazy.filter { text[$0] == "@" }.prefix(looked)
        for at in signs where !(at > 0 && joins(text[at - 1])) && stands(name, at + 1, text) {
            // Most names end to look like this one with their first letter, so little is folded.
            let known = try longer ?? others().filter { begins($0, with: name) }.map { folded($0.unicodeScalars) }
            longer = known
            if !known.contains(where: { stands($0, at + 1, text) }) { return true }
        }
        return false
    }

    private static func folded(_ name: some Sequence<Unicode.Scalar>) -> [String] {
        name.map(\.properties.lowercaseMapping)
    }

    /// Whether a name goes on behind another one.
    private static func begins(_ name: String, with other: [String]) -> Bool {
        var scalars = name.unicodeScalars.makeIterator()
        for part in other where scalars.next()?.properties.lowercaseMapping != part { return false }
        return scalars.next() != nil
    }

    /// Whether a name stands at a place, and the word doesn't go on behind it.
    private static func stands(_ name: [String], _ start: Int, _ text: [Unicode.Scalar]) -> Bool {
        let end = start + name.count
        guard end <= text.count,
            zip(text[start..<end], name).allSatisfy({ $0.properties.lowercaseMapping == $1 })
        else { return false }
        return !(end < text.count && joins(text[end]) && joins(text[end - 1]))
    }

    /// Whether a word goes on over this character: `anna@example.org` mentions nobody.
    private static func joins(_ character: Unicode.Scalar) -> Bool {
        switch character.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
            !isUnspaced(character)
        default: character == "_"
        }
    }

    /// Whether the character is of a script that puts no blank between words: Thai, Lao, Burmese, Khmer, Japanese and Chinese.
    private static func isUnspaced(_ character: Unicode.Scalar) -> Bool {
        switch character.value {
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0xA9E0...0xA9FF, 0xAA60...0xAA7F, 0x1780...0x17FF, 0x3005...0x3007,
            0x3040...0x30FF, 0x31F0...0x31FF, 0xFF66...0xFF9F, 0x1B000...0x1B16F:
            true
        default: character.properties.isIdeographic
        }
    }
}

extension MentionText {
    /// Notes whether a message that is stored in a group mentions this account.
    static func note(_ message: MessageRow, in group: UUIDv7, own: AccountID, _ transaction: WriteTransaction) throws {
        guard message.unread else { return }
        var isMention = false
        if message.text.utf8.contains(sign), let name = try transaction.ownAccount()?.displayName {
            isMention = try mentions(name, in: message.text) {
                try Mentions.names(in: group, besides: own, transaction)
            }
        }
        try Mentions.note(isMention, of: message, in: transaction)
    }
}
