import Basics

/// A message in which something was found.
public struct FoundMessage: Hashable, Sendable {
    public var message: MessageRow
    public var snippet: Snippet

    public init(message: MessageRow, snippet: Snippet) {
        self.message = message
        self.snippet = snippet
    }

    /// Its place: what is found behind it begins here.
    public var position: SearchPosition { SearchPosition(number: message.arrival) }
}

/// A page of what was found, the newest first.
public struct SearchPage: Hashable, Sendable {
    public var found: [FoundMessage]
    /// Where the next page begins; nil for the last one.
    public var next: SearchPosition?

    public init(found: [FoundMessage], next: SearchPosition?) {
        self.found = found
        self.next = next
    }
}

/// A place in what was found: what arrives meanwhile stands before it and moves nothing.
public struct SearchPosition: Hashable, Sendable, CustomStringConvertible {
    let number: Int64

    init(number: Int64) { self.number = number }

    /// Nil for text that ``description`` doesn't make.
    public init?(_ text: String) {
        guard let number = Int64(text), number > 0, String(number) == text else { return nil }
        self.number = number
    }

    public var description: String { String(number) }
}
