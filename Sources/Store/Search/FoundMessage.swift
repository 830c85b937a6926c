import Basics

/// A message that matches a search, with its snippet.
public struct FoundMessage: Hashable, Sendable {
    public var message: MessageRow
    public var snippet: Snippet

    /// Its position, after which the next page may begin.
    public var position: ArrivalPosition { ArrivalPosition(number: message.arrival) }
}

/// A page of search results, the newest first.
public struct SearchPage: Hashable, Sendable {
    public var found: [FoundMessage]
    /// The position where the next page begins; nil after the last page.
    public var next: ArrivalPosition?
}

/// A position in a list of messages whose latest arrivals come first. Messages that arrive meanwhile stand before it, so
/// it doesn't move.
public struct ArrivalPosition: Hashable, Sendable, CustomStringConvertible {
    let number: Int64

    init(number: Int64) { self.number = number }

    /// Nil for text that ``description`` doesn't make.
    public init?(_ text: String) {
        guard let number = Int64(text), number > 0, String(number) == text else { return nil }
        self.number = number
    }

    public var description: String { String(number) }
}
