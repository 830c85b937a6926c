import Basics

/// A message's place in its conversation. As text (`position` of the control API) it sorts in the same way.
public struct MessagePosition: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let hlc: HybridTime
    public let id: UUIDv7

    public init(hlc: HybridTime, id: UUIDv7) {
        self.hlc = hlc
        self.id = id
    }

    /// Nil for text that ``description`` doesn't make.
    public init?(_ text: String) {
        guard let (number, id) = PositionText.parse(text) else { return nil }
        self.init(hlc: HybridTime(rawValue: number), id: id)
    }

    public var description: String { PositionText.make(hlc.rawValue, id) }

    public static func < (left: MessagePosition, right: MessagePosition) -> Bool {
        (left.hlc, left.id) < (right.hlc, right.id)
    }
}

/// A place in a list that is ordered by a time: the cursor of `conversation.list` and `transfer.list`.
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

/// Sixteen hexadecimal digits, a hyphen, the identifier.
private enum PositionText {
    static func make(_ number: UInt64, _ id: UUIDv7) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits + "-" + id.description
    }

    static func parse(_ text: String) -> (UInt64, UUIDv7)? {
        // Only what `make` makes: no signs, no capitals, so that equal places have equal texts.
        guard text.utf8.count == 53, let number = UInt64(text.prefix(16), radix: 16),
            let id = UUIDv7(String(text.dropFirst(17))), make(number, id) == text
        else { return nil }
        return (number, id)
    }
}
