import Basics
import Foundation
import TestSupport
import Testing

/// Goal: of what people write, what a script or a flag needs is shown, and nothing that deceives.
@Suite("Written text") struct WrittenTextTests {
    private static func flag(_ region: String) -> String {
        var scalars: String.UnicodeScalarView = "\u{1F3F4}".unicodeScalars
        scalars.append(contentsOf: region.unicodeScalars.compactMap { Unicode.Scalar(0xE0000 + $0.value) })
        scalars.append("\u{E007F}")
        return String(scalars)
    }

    @Test("Unicode's own list of flags with tags is shown, each as one sign, and no other tag is")
    func flags() throws {
        let list = try String(contentsOfFile: "/usr/share/unicode/emoji/emoji-sequences.txt", encoding: .utf8)
        let lines = list.split(separator: "\n").filter { $0.contains("; RGI_Emoji_Tag_Sequence") }
        #expect(lines.count >= 3)
        for line in lines {
            var scalars = String.UnicodeScalarView()
            for code in line.prefix(while: { $0 != ";" }).split(separator: " ") {
                scalars.append(try #require(UInt32(code, radix: 16).flatMap(Unicode.Scalar.init)))
            }
            let flag = String(scalars)
            #expect(ForeignText.isTaggedFlag(flag) && ForeignText.shown("a\(flag)b") == "a\(flag)b")
            #expect(ForeignText.escapedName(flag) != flag)
        }
        let england = Self.flag("gbeng")
        for text in [Self.flag("ustx"), String(england.unicodeScalars.dropLast()), "\u{E0067}", england + "\u{E0067}"] {
            #expect(!ForeignText.isTaggedFlag(text) && ForeignText.shown(text) != text)
        }
        #expect(ForeignText.shown(england + "\u{E0067}") == england + "\\u{e0067}")
    }

    @Test("marks of direction, and pairs that end in their line, are shown and isolated; all others are escaped")
    func directions() {
        for text in [
            "שלום\u{200F}!", "a\u{200E}\u{61C}", "\u{202A}+49 30\u{202C}",
            "\u{2067}\u{202B}\u{2068}a\u{2069}\u{202C}\u{2069}",
        ] {
            #expect(ForeignText.shown(text) == "\u{2068}\(text)\u{2069}")
            #expect(ForeignText.escapedName(text).contains("\\u{"))
        }
        #expect(ForeignText.shown("a\n\u{2066}b\u{2069}\nc") == "a\n\u{2068}\u{2066}b\u{2069}\u{2069}\nc")
        for (text, shown) in [
            ("\u{202E}a\u{202C}", "\\u{202e}a\\u{202c}"), ("\u{202A}a", "\\u{202a}a"), ("a\u{2069}", "a\\u{2069}"),
            ("\u{2066}a\u{202C}", "\\u{2066}a\\u{202c}"), ("\u{202A}a\u{2069}", "\\u{202a}a\\u{2069}"),
            ("\u{2066}a\nb\u{2069}", "\\u{2066}a\nb\\u{2069}"), ("a\r\nb\u{FEFF}", "a\\u{d}\nb\\u{feff}"),
            ("\u{2066}\u{202A}a\u{2069}\u{202C}", "\u{2068}\u{2066}\\u{202a}a\u{2069}\\u{202c}\u{2069}"),
        ] { #expect(ForeignText.shown(text) == shown) }
    }

    @Test("each shown line ends all that it begins, and has no override", arguments: 0..<40 as Range<UInt64>)
    func balanced(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let signs: [Unicode.Scalar] = [
            "a", "א", "\n", "\u{200F}", "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}", "\u{2066}",
            "\u{2067}",
            "\u{2068}", "\u{2069}", "\u{1F3F4}", "\u{E0067}", "\u{E007F}", "\u{1B}",
        ]
        var text = String.UnicodeScalarView()
        for _ in 0..<300 { text.append(signs[Int.random(in: 0..<signs.count, using: &random)]) }
        let shown = ForeignText.shown(String(text))
        #expect(!shown.unicodeScalars.contains { "\u{202D}\u{202E}\u{1B}".unicodeScalars.contains($0) })
        for line in shown.split(separator: "\n") {
            var open: [Bool] = []
            for scalar in line.unicodeScalars {
                switch scalar.value {
                case 0x202A, 0x202B: open.append(false)
                case 0x2066...0x2068: open.append(true)
                case 0x202C: #expect(open.popLast() == false)
                case 0x2069: #expect(open.popLast() == true)
                default: break
                }
            }
            #expect(open.isEmpty)
        }
        let part = shown.prefix(while: { $0 != "\n" }).prefix(40)
        let whole = part + ForeignText.openings(in: part).end
        #expect(ForeignText.openings(in: whole).end == "")
    }

    @Test("Marks by the thousand are left out: a character is short wherever it is shown or compared")
    func manyMarks() {
        let shown = ForeignText.shown("x" + String(repeating: "\u{315}\u{300}", count: 15_000) + "y")
        #expect(shown.allSatisfy { $0.unicodeScalars.count <= 1 + ForeignText.combiningMarks })
        #expect(shown.unicodeScalars.count == 2 + ForeignText.combiningMarks && shown.hasSuffix("y"))
        let honest = "Z\u{30C}\u{323}\u{301}, क्षि, ที่, e\u{301}"
        #expect(ForeignText.shown(honest).unicodeScalars.elementsEqual(honest.unicodeScalars))
    }

    @Test("Ends of isolates that end nothing are escaped, however much is open before them")
    func idleEnds() {
        let count = 20_000
        let (open, close) = (String(repeating: "\u{202A}", count: count), String(repeating: "\u{2069}", count: count))
        let shown = ForeignText.shown(open + close)
        #expect(shown == String(repeating: "\\u{202a}", count: count) + String(repeating: "\\u{2069}", count: count))
        // One that ends the isolate ends what is open within it, and the rest ends nothing.
        #expect(ForeignText.shown("\u{2066}\u{202A}a\u{2069}\u{2069}").hasSuffix("\u{2069}\\u{2069}\u{2069}"))
    }
}
