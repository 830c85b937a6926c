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
    func examples(text: String, encoded: String) { #expect(Base64.encode(Array(text.utf8)) == encoded) }

    @Test("All characters of the alphabet are written")
    func alphabet() {
        #expect(Base64.encode([0, 16, 131, 16, 81, 135, 251, 239, 255]) == "ABCDEFGH++//")
    }
}
