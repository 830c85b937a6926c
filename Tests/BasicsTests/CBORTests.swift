import Basics
import Testing

@Suite("CBOR") struct CBORTests {
    /// The examples of RFC 8949, Appendix A, that belong to the subset.
    static let examples: [(hex: String, value: CBOR)] = [
        ("00", .unsigned(0)), ("01", .unsigned(1)), ("0a", .unsigned(10)), ("17", .unsigned(23)),
        ("1818", .unsigned(24)), ("1819", .unsigned(25)), ("1864", .unsigned(100)), ("1903e8", .unsigned(1000)),
        ("1a000f4240", .unsigned(1_000_000)), ("1b000000e8d4a51000", .unsigned(1_000_000_000_000)),
        ("1bffffffffffffffff", .unsigned(.max)), ("3bffffffffffffffff", .negative(.max)),
        ("20", .integer(-1)), ("29", .integer(-10)), ("3863", .integer(-100)), ("3903e7", .integer(-1000)),
        ("f4", .boolean(false)), ("f5", .boolean(true)), ("f6", .null),
        ("40", .bytes([])), ("4401020304", .bytes([1, 2, 3, 4])),
        ("60", .text("")), ("6161", .text("a")), ("6449455446", .text("IETF")), ("62225c", .text("\"\\")),
        ("62c3bc", .text("\u{fc}")), ("63e6b0b4", .text("\u{6c34}")), ("64f0908591", .text("\u{10151}")),
        ("80", .array([])), ("83010203", .array([.unsigned(1), .unsigned(2), .unsigned(3)])),
        (
            "8301820203820405",
            .array([
                .unsigned(1), .array([.unsigned(2), .unsigned(3)]), .array([.unsigned(4), .unsigned(5)]),
            ])
        ),
        (
            "98190102030405060708090a0b0c0d0e0f101112131415161718181819",
            .array((1...25).map { .unsigned($0) })
        ),
        ("a0", .map([:])), ("a201020304", .map([1: .unsigned(2), 3: .unsigned(4)])),
    ]

    @Test("the examples of RFC 8949 are encoded and decoded")
    func appendixA() throws {
        for (hex, value) in Self.examples {
            #expect(Hex.encode(value.encoded()) == hex)
            let bytes = try #require(Hex.decode(hex))
            #expect(try CBORDecoder.decode(bytes) == value, "\(hex)")
        }
    }

    /// CBOR outside the subset, values in a longer form than the shortest, and bytes that are no CBOR.
    static let refused: [(hex: String, failure: CBORDecoder.Failure)] = [
        // RFC 8949, Appendix A: floats, undefined, simple values, tags, indefinite lengths, text keys.
        ("f90000", .unsupported), ("fa47c35000", .unsupported), ("fb3ff199999999999a", .unsupported),
        ("f7", .unsupported), ("f0", .unsupported), ("f8ff", .unsupported), ("ff", .unsupported),
        ("c11a514b67b0", .unsupported), ("c249010000000000000000", .unsupported), ("d818456449455446", .unsupported),
        ("5f42010243030405ff", .unsupported), ("7f657374726561646d696e67ff", .unsupported),
        ("9fff", .unsupported), ("9f018202039f0405ffff", .unsupported), ("bfff", .unsupported),
        ("a26161016162820203", .keyType), ("a1200a", .keyType), ("a1f401", .keyType),
        // Reserved additional information.
        ("1c", .unsupported), ("1d", .unsupported), ("1e", .unsupported), ("1f", .unsupported), ("3e", .unsupported),
        // Longer forms than needed.
        ("1800", .notShortest), ("1817", .notShortest), ("190018", .notShortest), ("1900ff", .notShortest),
        ("1a0000ffff", .notShortest), ("1b00000000ffffffff", .notShortest), ("3817", .notShortest),
        ("580100", .notShortest), ("780161", .notShortest), ("980100", .notShortest), ("b8010000", .notShortest),
        ("a1180000", .notShortest),
        // Order of keys.
        ("a203040102", .keyOrder), ("a201020102", .keyOrder), ("a21818000100", .keyOrder),
        // Values that are cut off, and lengths beyond the end, up to absurd ones.
        ("", .truncated), ("18", .truncated), ("1901", .truncated), ("1b00000000000000", .truncated),
        ("41", .truncated), ("4401020", .truncated), ("61", .truncated), ("8201", .truncated), ("81", .truncated),
        ("a1", .truncated), ("a101", .truncated), ("5bffffffffffffffff", .truncated),
        ("5b7fffffffffffffff", .truncated),
        ("7bffffffffffffffff", .truncated), ("9bffffffffffffffff", .truncated), ("bbffffffffffffffff", .truncated),
        ("9a00ffffff0000", .truncated), ("bb7fffffffffffffff00", .truncated),
        // Text that is not UTF-8: lone continuation, overlong, surrogate, beyond U+10FFFF, cut.
        ("6180", .invalidUTF8), ("62c080", .invalidUTF8), ("63eda080", .invalidUTF8), ("64f4908080", .invalidUTF8),
        ("61c3", .invalidUTF8),
        // Bytes after the value.
        ("0000", .trailingBytes), ("8000", .trailingBytes),
    ]

    @Test("every encoding but the one deterministic form is refused with the reason")
    func strictness() {
        for (hex, failure) in Self.refused {
            // An odd digit at the end stands for missing bytes.
            let bytes = Hex.decode(hex.count % 2 == 0 ? hex : String(hex.dropLast())) ?? []
            #expect(throws: failure, "\(hex)") { try CBORDecoder.decode(bytes) }
        }
    }

    @Test("sixteen levels of arrays or maps are decoded, seventeen are not")
    func depth() throws {
        for (head, innermost) in [([0x81], [0x80]), ([0xA1, 0x00], [0xA0])] as [([UInt8], [UInt8])] {
            func nested(_ levels: Int) -> [UInt8] { (1..<levels).flatMap { _ in head } + innermost }
            #expect(throws: Never.self) { try CBORDecoder.decode(nested(16)) }
            #expect(throws: CBORDecoder.Failure.tooDeep) { try CBORDecoder.decode(nested(17)) }
            #expect(throws: CBORDecoder.Failure.tooDeep) { try CBORDecoder.decode(nested(100_000)) }
        }
    }

    @Test("signed integers survive a round trip, up to both ends", arguments: [Int64.min, .min + 1, -1, 0, 1, .max])
    func integers(value: Int64) throws {
        let decoded = try CBORDecoder.decode(CBOR.integer(value).encoded())
        #expect(decoded.integerValue == value)
        #expect(decoded.unsignedValue == UInt64(exactly: value))
    }

    @Test("integers beyond Int64 have no signed value")
    func largeIntegers() {
        #expect(CBOR.unsigned(UInt64(Int64.max) + 1).integerValue == nil)
        #expect(CBOR.negative(UInt64(Int64.max) + 1).integerValue == nil)
        #expect(CBOR.null.integerValue == nil && CBOR.text("1").unsignedValue == nil)
    }

    @Test("a map keeps its keys in order, each once, however it was filled")
    func maps() {
        var map: CBORMap = [300: .null, 1: .text("a"), 24: .unsigned(1)]
        map[1] = .text("b")
        map[7] = .boolean(true)
        map[24] = nil
        map[99] = nil
        #expect(map.entries.map(\.key) == [1, 7, 300])
        #expect(map[1] == .text("b") && map[24] == nil && map.count == 3)
        #expect(Hex.encode(CBOR.map(map).encoded()) == "a301616207f519012cf6")
        #expect(map == [7: .boolean(true), 300: .null, 1: .text("b")])
    }

    @Test(
        "random values survive a round trip, and no proper prefix of their bytes is a value",
        arguments: 0..<40 as Range<UInt64>)
    func randomValues(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let value = Self.value(depth: 0, using: &random)
        let bytes = value.encoded()
        #expect(try CBORDecoder.decode(bytes) == value)
        for count in 0..<min(bytes.count, 200) {
            #expect(throws: CBORDecoder.Failure.self) { try CBORDecoder.decode(bytes[..<count]) }
        }
    }

    @Test("bytes that decode are the encoding of the decoded value", arguments: 0..<20 as Range<UInt64>)
    func canonical(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            var bytes = Self.value(depth: 1, using: &random).encoded()
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                guard let index = bytes.indices.randomElement(using: &random) else { break }
                bytes[index] = .random(in: 0...255, using: &random)
            }
            if let value = try? CBORDecoder.decode(bytes) { #expect(value.encoded() == bytes) }
        }
    }

    private static func value(depth: Int, using random: inout SeededGenerator) -> CBOR {
        let width = UInt64.random(in: 0...63, using: &random)
        let number = UInt64.random(in: 0...UInt64.max >> width, using: &random)
        switch Int.random(in: 0...(depth < 4 ? 7 : 5), using: &random) {
        case 0: return .unsigned(number)
        case 1: return .negative(number)
        case 2: return .bytes((0..<number % 300).map { UInt8(truncatingIfNeeded: $0) })
        case 3: return .text(String(repeating: "ä🙂x", count: Int(number % 20)))
        case 4: return .boolean(number % 2 == 0)
        case 5: return .null
        case 6: return .array((0..<number % 5).map { _ in value(depth: depth + 1, using: &random) })
        default:
            var map = CBORMap()
            for _ in 0..<number % 6 {
                map[number / 7 ^ .random(in: 0...99, using: &random)] = value(depth: depth + 1, using: &random)
            }
            return .map(map)
        }
    }
}
