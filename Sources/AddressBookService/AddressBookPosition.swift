import AddressBook
import Basics
import Store

/// The place of an entry in the alphabetical list: what a page ends with, and where the next one begins.
struct AddressBookPosition: Comparable, CustomStringConvertible {
    /// Bytes of the name that take part in sorting, because a position must fit into the interface's opaque texts.
    /// Names that are equal up to there are sorted by id.
    private static let keyBytes = 200

    private let key: [UInt8]
    private let id: UUIDv7

    init(_ entry: AddressEntryName) {
        key = Array(SearchText.fold(entry.name).utf8.prefix(Self.keyBytes))
        id = entry.id
    }

    /// Parses a position; nil for any other text.
    init?(_ text: String) {
        guard let dot = text.firstIndex(of: "."), let id = UUIDv7(String(text[..<dot])),
            let key = Hex.decode(String(text[text.index(after: dot)...])), key.count <= Self.keyBytes
        else { return nil }
        self.id = id
        self.key = key
    }

    var description: String { "\(id).\(Hex.encode(key))" }

    static func < (left: Self, right: Self) -> Bool {
        if left.key == right.key { return left.id < right.id }
        return left.key.lexicographicallyPrecedes(right.key)
    }
}
