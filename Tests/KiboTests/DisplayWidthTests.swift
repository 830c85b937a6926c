import Testing

@testable import kibo

@Suite("Width on a terminal")
struct DisplayWidthTests {
    @Test("A text that takes no columns, or one character of thousands of scalars, is cut all the same")
    func bounded() {
        let family = String(repeating: "👩\u{200D}", count: 10_000) + "👩"
        for text in [family, "a" + String(repeating: "\u{301}", count: 10_000)] {
            let cut = DisplayWidth.truncate(text, to: 20)
            #expect(cut.unicodeScalars.count < 400, "\(cut.unicodeScalars.count)")
        }
        #expect(DisplayWidth.truncate("👩\u{200D}👩\u{200D}👧 here", to: 20) == "👩\u{200D}👩\u{200D}👧 here")
    }
}
