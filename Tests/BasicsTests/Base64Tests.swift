import Basics
import Testing

@Suite("Base 64")
struct Base64Tests {
    @Test(
        "The examples of RFC 4648 §10",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func examples(text: String, encoded: String) {
        #expect(Base64.encode(Array(text.utf8)) == encoded)
        #expect(Base64.decode(encoded) == Array(text.utf8))
    }

    @Test("All characters of the alphabet are written")
    func alphabet() {
        let bytes: [UInt8] = [0, 16, 131, 16, 81, 135, 251, 239, 255]
        #expect(Base64.encode(bytes) == "ABCDEFGH++//")
        #expect(Base64.decode("ABCDEFGH++//") == bytes)
        for count in 0..<300 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
    }

    @Test(
        "Only what the encoder writes is read: whole groups of four, padding at the end alone, no bits left over",
        arguments: [
            "Z", "Zg", "Zg=", "Zh==", "Zm9=", "====", "=", "Z===", "Zg==Zg==", "Zm9v\n", "Zm 9", "Zm-_", "Zm9é", "Z=g=",
            "\u{0}AAA",
        ])
    func refused(text: String) { #expect(Base64.decode(text) == nil) }
}
