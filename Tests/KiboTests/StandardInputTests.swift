import Testing

@testable import kibo

@Suite("Standard input") struct StandardInputTests {
    @Test(
        "What Windows' programs put into texts is taken off: a byte order mark before it, and one CR before each newline"
    )
    func windows() {
        func plain(_ text: String) -> String {
            String(decoding: StandardInput.withoutWindows(Array(text.utf8)), as: UTF8.self)
        }
        #expect(plain("\u{FEFF}one\r\ntwo\r\n") == "one\ntwo\n")
        #expect(plain("a\u{FEFF}b\rc\n") == "a\u{FEFF}b\rc\n")
        #expect(Array(plain("\r\r\n\r\n").utf8) == [13, 10, 10])
        #expect(plain("\u{FEFF}") == "" && plain("") == "" && plain("\r") == "\r")
    }
}
