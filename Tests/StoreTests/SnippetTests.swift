import Basics
import Testing

@testable import Store

@Suite("Snippets")
struct SnippetTests {
    private func snippet(_ parts: String...) -> Snippet {
        var bytes: [UInt8] = []
        for (index, part) in parts.enumerated() {
            if index > 0 { bytes.append(index.isMultiple(of: 2) ? Snippet.close : Snippet.open) }
            bytes += part.utf8
        }
        return Snippet(marked: bytes)
    }

    private func marked(_ snippet: Snippet) -> [String] {
        let scalars = Array(snippet.text.unicodeScalars)
        return snippet.marks.map { String(String.UnicodeScalarView(scalars[$0])) }
    }

    @Test("Marks count Unicode scalars of the plain text; breaks and controls become spaces")
    func marks() {
        let found = snippet("e\u{301}\r\n\n👍 ", "wo\nrd", "\u{0}\u{1B}[1m … ", "x", "")
        #expect(found.text == "e\u{301} 👍 wo rd [1m … x")
        #expect(found.marks == [5..<10, 17..<18])
        #expect(marked(found) == ["wo rd", "x"])
        #expect(snippet("plain") == Snippet(text: "plain", marks: []))
        #expect(snippet("") == Snippet(text: "", marks: []))
        #expect(Snippet(marked: [0xFE, 0xFF, 0xFF, 0xFE, 0x61]) == Snippet(text: "a", marks: []))
    }

    @Test("A text that is too long is cut around the first mark, or inside it, and marks stay in place")
    func cut() {
        let long = String(repeating: "x", count: 500)
        let early = snippet("", "hit", " \(long)")
        #expect(early.text.hasPrefix("hit x") && early.text.hasSuffix("x…"))
        let middle = snippet("\(long) ", "hit", " and ", "hit", long)
        #expect(middle.text.hasPrefix("…") && middle.text.hasSuffix("…"))
        #expect(marked(middle) == ["hit", "hit"])
        let late = snippet("\(long) ", "hit", "")
        #expect(late.text.hasPrefix("…") && late.text.hasSuffix(" hit"))
        let huge = snippet("a ", long, " b")
        #expect(marked(huge).first?.allSatisfy { $0 == "x" } == true)
        for found in [early, middle, late, huge, snippet(long + long)] {
            #expect(found.text.unicodeScalars.count <= StoreLimits.snippetScalars)
            #expect(found.text.unicodeScalars.count > StoreLimits.snippetScalars / 2)
        }
    }

    @Test("A cut never splits a grapheme")
    func clusters() {
        for count in 90..<130 {
            let found = snippet(String(repeating: "a", count: count) + String(repeating: "👩🏽‍🚀", count: 60), "hit", "")
            #expect(!found.text.contains("\u{200D}…"))
            #expect(found.text.allSatisfy { "a👩🏽‍🚀hit…".contains($0) }, "\(found.text)")
        }
    }

    @Test(
        "A cut splits neither flags nor families, and cuts through a heap of marks",
        arguments: ["🇩🇪", "👩‍👩‍👧‍👦", "e\u{301}\u{323}"])
    func more(character: Character) {
        for count in 80..<130 {
            let text = String(repeating: "a", count: count) + String(repeating: character, count: 200)
            let found = snippet(text, "hit", String(repeating: character, count: 200))
            let allowed = Set("ahit…" + String(character))
            #expect(found.text.allSatisfy { allowed.contains($0) }, "\(found.text)")
        }
        let heap = snippet("a" + String(repeating: "\u{301}", count: 5000), "", "")
        #expect(heap.text.unicodeScalars.count > StoreLimits.snippetScalars / 2)
    }
}
