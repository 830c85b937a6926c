import Basics

/// CBOR: a decoded value encodes to exactly the same bytes.
enum FuzzTarget {
    static let seeds: [[UInt8]] = [
        CBOR.map([
            1: .unsigned(1000), 2: .text("ä"), 3: .bytes([1, 2]), 300: .array([.null, .boolean(true), .integer(-500)]),
        ]).encoded(),
        CBOR.array([.map([0: .array([.map([:])])]), .unsigned(.max), .negative(.max)]).encoded(),
    ]

    static func run(_ bytes: [UInt8]) {
        guard let value = try? CBORDecoder.decode(bytes) else { return }
        require(value.encoded() == bytes, "one value, one encoding")
        _ = value.integerValue
    }
}
