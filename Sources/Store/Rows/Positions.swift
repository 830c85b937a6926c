import Basics
import Vocabulary

/// A message's position in its conversation. Its text (`position` of the control API) sorts in the same way.
public struct MessagePosition: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The key of the order: a hybrid time, or the number of arrival.
    public let key: UInt64
    public let id: UUIDv7

    public init(key: UInt64, id: UUIDv7) {
        self.key = key
        self.id = id
    }

    /// Nil for text that ``description`` doesn't make.
    public init?(_ text: String) {
        guard let (number, id) = PositionText.parse(text) else { return nil }
        self.init(key: number, id: id)
    }

    /// Whether it can be a position in this order: hybrid times since 1970 are far greater than numbers of arrival. The
    /// beginning is a position in both orders.
    public func isPosition(in order: MessageOrder) -> Bool {
        key == 0 || (key < Self.earliestTime.rawValue) == (order == .arrival)
    }

    /// The earliest time under which a message is filed, whatever a peer claims: about an hour after 1970 began.
    static let earliestTime = HybridTime(rawValue: 1 << 38)

    public var description: String { PositionText.make(key, id) }

    public static func < (left: MessagePosition, right: MessagePosition) -> Bool {
        (left.key, left.id) < (right.key, right.id)
    }
}

/// A position in a list that is ordered by a time. It is the cursor of `transfer.list` and, with a mark for pinned
/// conversations, of `conversation.list`.
public struct ListPosition: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let time: WallTime
    public let id: UUIDv7

    public init(time: WallTime, id: UUIDv7) {
        self.time = time
        self.id = id
    }

    /// Nil for text that ``description`` doesn't make.
    public init?(_ text: String) {
        guard let (number, id) = PositionText.parse(text), let time = Int64(exactly: number) else { return nil }
        self.init(time: WallTime(milliseconds: time), id: id)
    }

    public var description: String { PositionText.make(UInt64(clamping: time.milliseconds), id) }

    public static func < (left: ListPosition, right: ListPosition) -> Bool {
        (left.time, left.id) < (right.time, right.id)
    }
}

/// A position in the list of conversations: pinned ones first, then the latest.
public struct ConversationPosition: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let pinned: Bool
    public let position: ListPosition

    public init(pinned: Bool, position: ListPosition) {
        self.pinned = pinned
        self.position = position
    }

    /// Nil for text that ``description`` doesn't make.
    public init?(_ text: String) {
        guard let mark = text.first, mark == "p" || mark == "n", let position = ListPosition(String(text.dropFirst()))
        else { return nil }
        self.init(pinned: mark == "p", position: position)
    }

    public var description: String { (pinned ? "p" : "n") + position.description }

    public static func < (left: ConversationPosition, right: ConversationPosition) -> Bool {
        left.pinned == right.pinned ? left.position < right.position : right.pinned
    }
}

/// The text of a position: sixteen hexadecimal digits, a hyphen, the identifier.
private enum PositionText {
    static func make(_ number: UInt64, _ id: UUIDv7) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits + "-" + id.description
    }

    static func parse(_ text: String) -> (UInt64, UUIDv7)? {
        // Only text that `make` makes is accepted, without signs or capitals, so that equal positions have equal texts.
        guard text.utf8.count == 53, let number = UInt64(text.prefix(16), radix: 16),
            let id = UUIDv7(String(text.dropFirst(17))), make(number, id) == text
        else { return nil }
        return (number, id)
    }
}
