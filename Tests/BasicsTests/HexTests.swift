import Basics
import Testing

@Suite("Hexadecimal") struct HexTests {
    @Test("every byte is written with two lower-case digits and read again")
    func allBytes() {
        let bytes = (0...255).map { UInt8($0) }
        let text = Hex.encode(bytes)
        #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff"))
        #expect(Hex.decode(text) == bytes)
        #expect(Hex.decode(text.uppercased()) == bytes)
    }

    @Test("no bytes are an empty text")
    func empty() {
        #expect(Hex.encode([]) == "")
        #expect(Hex.decode("") == [])
    }

    @Test("odd lengths, spaces, signs, prefixes and letters that only look like digits are refused")
    func wrong() {
        for text in ["a", "abc", "0x00", " 00", "00 ", "+1", "g0", "0G", "é0", "٠٠", "00\n", "0\u{0}"] {
            #expect(Hex.decode(text) == nil, "\(text.debugDescription)")
        }
    }
}
