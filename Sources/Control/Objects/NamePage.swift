import Basics
import ControlProtocol
import Messaging

/// The place of a person in a list by names, where a page ends and the next one begins, even if the person is gone or
/// has another name by then.
struct NamePlace: Comparable, CustomStringConvertible {
    /// Bytes of a name's collation key that it is sorted by: a place must fit the interface's opaque texts. Names whose
    /// keys are equal that far are sorted by what tells them apart.
    private static let keyBytes = 150

    private let key: [UInt8]
    private let rest: String

    init(_ name: String, rest: String, order: NameOrder) {
        key = Array(order.key(name).prefix(Self.keyBytes))
        self.rest = rest
    }

    /// Nil for a text that is no place.
    init?(_ text: String) {
        guard let dot = text.firstIndex(of: "."), let key = Hex.decode(String(text[..<dot])),
            key.count <= Self.keyBytes
        else { return nil }
        self.key = key
        rest = String(text[text.index(after: dot)...])
    }

    var description: String { "\(Hex.encode(key)).\(rest)" }

    static func < (left: Self, right: Self) -> Bool {
        left.key == right.key ? left.rest < right.rest : left.key.lexicographicallyPrecedes(right.key)
    }
}

/// One page of a list by names.
struct NamePage<Value> {
    let values: [Value]
    /// Where the next page begins; nil on the last.
    let next: NamePlace?

    /// - Parameters:
    ///   - rest: what tells values of one name apart.
    ///   - after: the place at which the page before ended; nil for the first page.
    ///   - limit: nil for all.
    init(
        of all: [Value], by name: (Value) -> String, then rest: (Value) -> String, after: NamePlace?, limit: Int?
    ) {
        let order = NameOrder()
        var entries = all.map { (place: NamePlace(name($0), rest: rest($0), order: order), value: $0) }
        if let after { entries.removeAll { $0.place <= after } }
        entries.sort { $0.place < $1.place }
        let page = entries.prefix(limit ?? entries.count)
        values = page.map(\.value)
        next = page.count < entries.count ? page.last?.place : nil
    }

    /// - Parameter next: where the next page begins.
    init(values: [Value], next: NamePlace?) {
        (self.values, self.next) = (values, next)
    }

    /// The page with something else in place of each value, or nothing.
    func compactMap<Other>(_ change: (Value) throws -> Other?) rethrows -> NamePage<Other> {
        NamePage<Other>(values: try values.compactMap(change), next: next)
    }
}

extension NamePage: Sendable where Value: Sendable {}
