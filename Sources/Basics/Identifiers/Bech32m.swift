/// Bech32m (BIP-350): the text form of keys. It detects every typing error of up to four characters.
public enum Bech32m {
    private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
    private static let generator: [UInt32] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3]
    private static let constant: UInt32 = 0x2bc8_30a3
    /// BIP-173 allows 90 characters in all.
    private static let maximumLength = 90

    // Ids are written into every event and read from every request, so tables replace searches.

    /// The value of a character; 255 for a character outside the alphabet.
    private static let values: [UInt8] = {
        var table = [UInt8](repeating: 255, count: 256)
        for (value, character) in alphabet.enumerated() { table[Int(character)] = UInt8(value) }
        return table
    }()
    /// What the five bits that leave the checksum contribute to the rest of it.
    private static let folds: [UInt32] = (0..<32).map { top in
        generator.indices.reduce(0) { top >> $1 & 1 == 1 ? $0 ^ generator[$1] : $0 }
    }

    /// `prefix` in lower case, the separator `1`, the data and six characters of checksum.
    public static func encode(prefix: String, _ bytes: some Sequence<UInt8>) -> String {
        let (prefix, bytes) = (Array(prefix.utf8), Array(bytes))
        let length = prefix.count + 1 + (bytes.count * 8 + 4) / 5 + 6
        let alphabet = alphabet
        var checksum = fold(prefix: prefix[...])
        return folds.withUnsafeBufferPointer { folds in
            String(unsafeUninitializedCapacity: length) { out in
                var place = 0
                func append(_ character: UInt8) {
                    out[place] = character
                    place += 1
                }
                for character in prefix { append(character) }
                append(UInt8(ascii: "1"))
                // Regroups bits: eight go in, five come out.
                var (accumulator, bits): (UInt32, UInt32) = (0, 0)
                func add(_ value: UInt8) {
                    fold(value, into: &checksum, by: folds)
                    append(alphabet[Int(value)])
                }
                for byte in bytes {
                    accumulator = (accumulator << 8 | UInt32(byte)) & 0xfff
                    bits += 8
                    while bits >= 5 {
                        bits -= 5
                        add(UInt8(truncatingIfNeeded: accumulator >> bits & 31))
                    }
                }
                if bits > 0 { add(UInt8(truncatingIfNeeded: accumulator << (5 - bits) & 31)) }
                for _ in 0..<6 { fold(0, into: &checksum, by: folds) }
                checksum ^= constant
                for shift: UInt32 in [25, 20, 15, 10, 5, 0] { append(alphabet[Int(checksum >> shift & 31)]) }
                return place
            }
        }
    }

    /// Prefix and bytes; nil for mixed case, wrong characters, a wrong checksum or non-zero padding.
    public static func decode(_ text: String) -> (prefix: String, bytes: [UInt8])? {
        var characters = Array(text.utf8)
        guard characters.count <= maximumLength else { return nil }
        var hasUpper = false
        var hasLower = false
        for (place, character) in characters.enumerated() {
            switch character {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                hasUpper = true
                characters[place] = character | 0x20
            case UInt8(ascii: "a")...UInt8(ascii: "z"): hasLower = true
            case 33...126: break
            default: return nil
            }
        }
        guard !(hasUpper && hasLower), let separator = characters.lastIndex(of: UInt8(ascii: "1")), separator > 0,
            characters.count - separator - 1 >= 6
        else { return nil }
        var checksum = fold(prefix: characters[..<separator])
        var data: [UInt8] = []
        data.reserveCapacity(characters.count)
        for character in characters[(separator + 1)...] {
            let value = values[Int(character)]
            guard value < 32 else { return nil }
            fold(value, into: &checksum)
            data.append(value)
        }
        guard checksum == constant, let bytes = joined(data.dropLast(6)) else { return nil }
        return (String(decoding: characters[..<separator], as: UTF8.self), bytes)
    }

    /// The characters that are probably wrong in a text that ``decode(_:)`` refuses, counted from 0.
    ///
    /// The checksum can point at one or two wrong characters. With more it mostly points at none, and in one of some
    /// hundred cases at two that are right. So show the places to a person, and never mend the text.
    /// - Returns: nothing where the checksum can't tell, and for a text that has another fault than wrong characters of
    ///   the alphabet behind its separator.
    public static func suspects(in text: String) -> [Int] {
        let characters = Array(text.lowercased().utf8)
        guard characters.count <= maximumLength, let separator = characters.lastIndex(of: UInt8(ascii: "1")) else {
            return []
        }
        var checksum = fold(prefix: characters[..<separator])
        for character in characters[(separator + 1)...] {
            guard values[Int(character)] < 32 else { return [] }
            fold(values[Int(character)], into: &checksum)
        }
        // What the wrong characters add to the checksum doesn't depend on the right ones. Each two of them add something
        // else than any other one or two.
        let wrong = checksum ^ constant
        var places: [UInt32: Int] = [:]
        for difference in 1..<32 as Range<UInt32> {
            var added = difference
            for place in characters.indices.reversed() where place > separator {
                places[added] = place
                fold(0, into: &added)
            }
        }
        if let place = places[wrong] { return [place] }
        for (added, place) in places {
            if let other = places[wrong ^ added], other != place { return [min(place, other), max(place, other)] }
        }
        return []
    }

    /// The checksum after the prefix: its high bits, a zero, its low bits.
    private static func fold(prefix: ArraySlice<UInt8>) -> UInt32 {
        var checksum: UInt32 = 1
        for character in prefix { fold(character >> 5, into: &checksum) }
        fold(0, into: &checksum)
        for character in prefix { fold(character & 31, into: &checksum) }
        return checksum
    }

    private static func fold(_ value: UInt8, into checksum: inout UInt32) {
        folds.withUnsafeBufferPointer { fold(value, into: &checksum, by: $0) }
    }

    /// - Parameter folds: the table of that name, which a loop looks up once.
    private static func fold(_ value: UInt8, into checksum: inout UInt32, by folds: UnsafeBufferPointer<UInt32>) {
        checksum = (checksum & 0x1ff_ffff) << 5 ^ UInt32(value) ^ folds[Int(checksum >> 25)]
    }

    /// Regroups bits: five go in, eight come out. Nil if the bits left over aren't padding.
    private static func joined(_ values: ArraySlice<UInt8>) -> [UInt8]? {
        var (accumulator, bits): (UInt32, UInt32) = (0, 0)
        var out: [UInt8] = []
        out.reserveCapacity(values.count * 5 / 8)
        for value in values {
            accumulator = (accumulator << 5 | UInt32(value)) & 0xfff
            bits += 5
            if bits >= 8 {
                bits -= 8
                out.append(UInt8(truncatingIfNeeded: accumulator >> bits))
            }
        }
        guard bits < 5, accumulator & (1 << bits - 1) == 0 else { return nil }
        return out
    }
}
