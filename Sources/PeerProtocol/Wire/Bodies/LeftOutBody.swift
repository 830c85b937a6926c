import Basics

/// The items of a folder that are not in its offer: a receiver that is asked to take it can see that it is not all, and
/// what is missing.
///
/// CBOR `{1: count, 2: [{1: path, 2: reason, 3: detail?}]}`.
public struct LeftOutBody: Hashable, Sendable {
    /// One file or folder that was left out.
    public struct Item: Hashable, Sendable {
        /// The path within the offer, for display only. At most ``PeerLimits/leftOutPathBytes``.
        public let path: String
        public let refusal: Refusal

        public init(path: String, refusal: Refusal) {
            self.path = path
            self.refusal = refusal
        }
    }

    /// How many items there are in all.
    public let count: UInt64
    /// The first; at most ``PeerLimits/leftOutItems``.
    public let items: [Item]

    /// Keeps as many items as fit; a path that is too long is among those that are only counted.
    public init(count: UInt64, items: [Item]) {
        self.count = count
        let fitting = items.filter { 1...PeerLimits.leftOutPathBytes ~= $0.path.utf8.count }
        self.items = Array(fitting.prefix(PeerLimits.leftOutItems))
    }

    init(reading value: CBOR) throws(WireError) {
        let body = try BodyReader(value, field: "left out")
        let limit = PeerLimits.leftOutItems
        let items =
            try body.optionalList(2, "left out", maximum: limit) { (value, field) throws(WireError) -> Item in
                let item = try BodyReader(value, field: field)
                let path = try item.text(1, "path", maximumBytes: PeerLimits.leftOutPathBytes)
                guard let refusal = try item.refusal(reason: 2, detail: 3), !path.isEmpty else {
                    throw .invalid(field: field)
                }
                return Item(path: path, refusal: refusal)
            } ?? []
        let count = try body.unsigned(1, "left out")
        // The number is converted to a signed one, and must include the items that are named.
        guard count <= PeerLimits.transferEntries * 1000, count >= items.count else {
            throw .invalid(field: "left out")
        }
        self.init(count: count, items: items)
    }

    var value: CBOR {
        .map([
            1: .unsigned(count),
            2: .array(
                items.map { item in
                    var map: CBORMap = [1: .text(item.path), 2: .text(item.refusal.reason.rawValue)]
                    map[3] = item.refusal.detail.map { .text($0) }
                    return .map(map)
                }),
        ])
    }
}
