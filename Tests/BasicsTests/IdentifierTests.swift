import Basics
import Testing

@Suite("Identifiers") struct IdentifierTests {
    @Test("BIP-350's valid strings that hold whole bytes are decoded, and encode to themselves")
    func bech32mValid() throws {
        let vectors: [(text: String, prefix: String, hex: String)] = [
            ("A1LQFN3A", "a", ""), ("a1lqfn3a", "a", ""),
            (
                "an83characterlonghumanreadablepartthatcontainsthetheexcludedcharactersbioandnumber11sg7hg6",
                "an83characterlonghumanreadablepartthatcontainsthetheexcludedcharactersbioandnumber1", ""
            ),
            ("abcdef1l7aum6echk45nj3s0wdvt2fg8x9yrzpqzd3ryx", "abcdef", "ffbbcdeb38bdab49ca307b9ac5a928398a418820"),
            (
                "split1checkupstagehandshakeupstreamerranterredcaperredlc445v", "split",
                "c5f38b70305f519bf66d85fb6cf03058f3dde463ecd7918f2dc743918f2d"
            ),
            ("?1v759aa", "?", ""),
        ]
        for vector in vectors {
            let decoded = try #require(Bech32m.decode(vector.text), "\(vector.text)")
            #expect(decoded.prefix == vector.prefix && Hex.encode(decoded.bytes) == vector.hex)
            #expect(Bech32m.encode(prefix: decoded.prefix, decoded.bytes) == vector.text.lowercased())
        }
    }

    @Test("invalid strings of BIP-350 are refused")
    func bech32mInvalid() {
        let vectors = [
            "\u{20}1xj0phk", "\u{7F}1g6xzxy", "\u{80}1vctc34",
            "an84characterslonghumanreadablepartthatcontainsthetheexcludedcharactersbioandnumber11d6pts4",
            "qyrz8wqd2c9m", "1qyrz8wqd2c9m", "y1b0jsk6g", "lt1igcx5c0", "in1muywd", "mm1crxm3i", "au1s5cgom",
            "M1VUXWEZ", "16plkw9", "1p2gdwpf", "", "1", "a1",
            // A checksum of the older form, from BIP-173.
            "A12UEL5L",
            // This string is valid, but its 82 characters of data hold two bits that are no padding.
            "11llllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllludsr8",
            // Mixed case.
            "A1lqfn3a",
        ]
        for text in vectors { #expect(Bech32m.decode(text) == nil, "\(text.debugDescription)") }
    }

    @Test(
        "One or two wrong characters are found, and nothing is said of a right text", arguments: 0..<10 as Range<UInt64>
    )
    func suspects(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let right = Bech32m.encode(
            prefix: "kiborecover", (0..<33).map { _ in UInt8.random(in: 0...255, using: &random) })
        #expect(Bech32m.suspects(in: right).isEmpty)
        let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l")
        func changed(_ places: [Int]) throws -> String {
            var characters = Array(right)
            for place in places {
                characters[place] = try #require(
                    alphabet.filter { $0 != characters[place] }.randomElement(using: &random))
            }
            return String(characters)
        }
        for _ in 0..<20 {
            let places = Array((12..<71).shuffled(using: &random).prefix(2)).sorted()
            #expect(try Bech32m.suspects(in: changed([places[0]])) == [places[0]])
            #expect(try Bech32m.suspects(in: changed(places).uppercased()) == places)
            // Of three it finds none, or two that would explain them.
            let many = try Bech32m.suspects(in: changed(Array((12..<71).shuffled(using: &random).prefix(3))))
            #expect(many.isEmpty || many.count == 2)
        }
        for text in ["", "1", "kiborecover", "kiborecover1", "kiborecover1bio", right + "qqqqqqqqqqqqqqqqqqqq", "ä1ö"] {
            #expect(Bech32m.suspects(in: text).allSatisfy { $0 < text.utf8.count })
        }
    }

    @Test("any change of up to four characters of an account's id is detected", arguments: 0..<30 as Range<UInt64>)
    func typingErrors(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let account = try #require(AccountID(bytes: (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }))
        let text = account.description
        #expect(AccountID(text) == account && AccountID(text.uppercased()) == account)
        #expect(text.hasPrefix("kibo1") && text.utf8.count == 63)
        let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l")
        for _ in 0..<50 {
            var characters = Array(text)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                characters[Int.random(in: 5..<63, using: &random)] = alphabet.randomElement(using: &random) ?? "q"
            }
            let changed = String(characters)
            #expect(changed == text || AccountID(changed) == nil)
        }
        #expect(AccountID(String(text.dropLast())) == nil && AccountID(text + "q") == nil)
    }

    @Test("an account's id is not read as a device's, or the other way round")
    func prefixes() throws {
        let bytes = [UInt8](repeating: 7, count: 32)
        let account = try #require(AccountID(bytes: bytes))
        let device = try #require(DeviceID(bytes: bytes))
        #expect(DeviceID(device.description) == device && device.description.hasPrefix("kibodev1"))
        #expect(DeviceID(account.description) == nil && AccountID(device.description) == nil)
        #expect(AccountID(Bech32m.encode(prefix: "kibo", bytes.dropLast())) == nil)
    }

    @Test("keys have 32 bytes and compare like their bytes")
    func keys() throws {
        for count in [0, 31, 33] { #expect(Key32([UInt8](repeating: 0, count: count)) == nil) }
        var random = SeededGenerator(seed: 3)
        for _ in 0..<200 {
            let left = (0..<32).map { _ in UInt8.random(in: 0...2, using: &random) }
            var right = left
            for index in Int.random(in: 0...32, using: &random)..<32 {
                right[index] = .random(in: 0...255, using: &random)
            }
            let (a, b) = (try #require(Key32(left)), try #require(Key32(right)))
            #expect(a.bytes == left)
            #expect((a == b) == (left == right))
            #expect((a < b) == left.lexicographicallyPrecedes(right))
        }
    }

    @Test("a new UUID has version 7, variant 2, its time in front, and random bits after it")
    func freshUUID() {
        var random = SeededGenerator(seed: 1)
        // RFC 9562, Appendix A.6: 2022-02-22 14:22:22 -05:00 is 017F22E2-79B0-7….
        let time = WallTime(milliseconds: 0x017F_22E2_79B0)
        var seen: Set<UUIDv7> = []
        for _ in 0..<1000 {
            let id = UUIDv7(at: time, using: &random)
            #expect(id.high >> 16 == 0x017F_22E2_79B0 && id.high >> 12 & 0xF == 7 && id.low >> 62 == 2)
            seen.insert(id)
        }
        #expect(seen.count == 1000)
        #expect(UUIDv7(at: WallTime(milliseconds: -5), using: &random).high >> 16 == 0)
        #expect(UUIDv7(at: WallTime(milliseconds: .max), using: &random).high >> 16 == 0xFFFF_FFFF_FFFF)
    }

    @Test("a UUID is written in one form, is read from it, and sorts like it")
    func uuidText() throws {
        let text = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"  // RFC 9562, Appendix A.6.
        let id = try #require(UUIDv7(text))
        #expect(id.description == text && UUIDv7(bytes: id.bytes) == id && UUIDv7(text.uppercased()) == id)
        let later = try #require(UUIDv7("017f22e2-79b1-7000-8000-000000000000"))
        #expect(id < later && id.description < later.description)
        for wrong in [
            "", "017f22e279b07cc398c4dc0c0c07398f", "{\(text)}", text + "0", " " + text,
            "017f22e2-79b0-7cc3-98c4dc-0c0c07398f",
            "017f22e2-79b0-7cc3-98c4-dc0c0c07398g", "017f22e2--79b07cc3-98c4-dc0c0c07398f",
            text.replacing("-", with: "–"),
        ] { #expect(UUIDv7(wrong) == nil, "\(wrong)") }
        #expect(UUIDv7(bytes: [UInt8](repeating: 0, count: 15)) == nil)
        #expect(UUIDv7(bytes: [UInt8](repeating: 0, count: 16)) == .zero)
    }

    @Test("the seeded generator is SplitMix64")
    func seededGenerator() {
        var random = SeededGenerator(seed: 1_234_567)
        let expected: [UInt64] = [
            6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
        ]
        #expect((0..<3).map { _ in random.next() } == expected)
    }
}
