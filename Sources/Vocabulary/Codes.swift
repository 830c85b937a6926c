// Vocabulary: the words that the database, the wire and the contract share, each spelled once. A word's raw value is
// its name in the contract; `stored` is its number in the database and `wire` its number between peers. These codes
// never change their meaning. The module has no logic but conversions.

/// A word that the database keeps as a number.
public protocol StoredWord: CaseIterable, Hashable, Sendable {
    /// Its number in the database, another one for each word.
    var stored: Int64 { get }
}

extension StoredWord {
    /// Finds the word with a number; nil if there is none.
    @inlinable public init?(stored: Int64) {
        guard let word = Self.allCases.first(where: { $0.stored == stored }) else { return nil }
        self = word
    }
}

/// A word that peers tell each other as a number.
public protocol WireWord: CaseIterable, Hashable, Sendable {
    /// Its number on the wire, different for each word; nil for a word that peers never send.
    var wire: UInt64? { get }
}

extension WireWord {
    /// Finds the word with a number; nil if there is none. A later version may know it.
    @inlinable public init?(wire: UInt64) {
        guard let word = Self.allCases.first(where: { $0.wire == wire }) else { return nil }
        self = word
    }
}
