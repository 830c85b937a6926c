import Basics
import Foundation
import Testing

@Suite("Foreign text") struct ForeignTextTests {
    /// One of each kind of character that must not be in a name.
    static let hostile: [Unicode.Scalar] = [
        "\u{0}", "\u{7}", "\u{8}", "\u{D}", "\u{1B}", "\u{7F}", "\u{85}", "\u{9B}", "\u{61C}", "\u{200E}", "\u{200F}",
        "\u{2028}", "\u{2029}", "\u{202A}", "\u{202E}", "\u{2066}", "\u{2069}", "\u{FEFF}", "\u{FFF9}", "\u{E0041}",
    ]

    @Test("names show invisible characters as escapes, and keep those that join signs")
    func invisible() {
        #expect(ForeignText.escapedName("Ben\u{200B}") == "Ben\\u{200b}" && ForeignText.hasInvisible("Ben\u{2060}"))
        #expect(ForeignText.escapedName("a\u{AD}\u{202E}b") == "a\\u{ad}\\u{202e}b")
        for name in ["Anna", "👩‍👩‍👧", "می‌خواهم", "Zoë"] {
            #expect(ForeignText.escapedName(name) == name && !ForeignText.hasInvisible(name))
        }
    }

    @Test("controls, separators and bidirectional marks are refused in labels and shown escaped")
    func hostileScalars() {
        for scalar in Self.hostile {
            let text = "a\(Character(scalar))b"
            #expect(ForeignText.isHostile(scalar, multiline: true))
            #expect(!ForeignText.isLabel(text, maximumCharacters: 50), "\(scalar.value)")
            #expect(ForeignText.escaped(text, multiline: true) == "a\\u{\(String(scalar.value, radix: 16))}b")
        }
    }

    @Test("escaped text has no hostile character left", arguments: 0..<20 as Range<UInt64>)
    func escapingIsComplete(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var text = ""
        for _ in 0..<500 {
            let value =
                Bool.random(using: &random)
                ? UInt32.random(in: 0...0x2100, using: &random) : .random(in: 0...0x10FFFF, using: &random)
            if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
        }
        for multiline in [true, false] {
            let escaped = ForeignText.escaped(text, multiline: multiline)
            #expect(!escaped.unicodeScalars.contains { ForeignText.isHostile($0, multiline: multiline) })
        }
    }

    @Test("the marks that no name can imitate are those of the recorded list, which has Unicode's")
    func quotationMarks() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let file = folder.appending(path: "../Recorded/quotation-marks.txt")
        var recorded: [Substring: Set<UInt32>] = [:]
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ")
            for range in words.dropFirst() {
                let ends = range.split(separator: "-").compactMap { UInt32($0, radix: 16) }
                guard let first = ends.first, let last = ends.last else { continue }
                recorded[words[0], default: []].formUnion(first...last)
            }
        }
        var double: Set<UInt32> = []
        var single: Set<UInt32> = []
        for value in UInt32(0)..<0x20000 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let sign = String(scalar)
            if ForeignText.escapedName(sign) != sign { continue }
            if ForeignText.quotable(sign) != sign {
                double.insert(value)
            } else if ForeignText.quotable(sign + sign) != sign + sign {
                single.insert(value)
            }
            // Corner brackets don't look like any mark that our words set.
            if scalar.properties.isQuotationMark, !"「」『』﹁﹂﹃﹄｢｣".unicodeScalars.contains(scalar) {
                #expect(double.contains(value) || single.contains(value), "U+\(String(value, radix: 16))")
            }
        }
        #expect(double == recorded["double"] && single == recorded["single"])
    }

    @Test("newline and tab are allowed in multi-line texts only")
    func lines() {
        #expect(ForeignText.escaped("a\n\tb", multiline: true) == "a\n\tb")
        #expect(ForeignText.escaped("a\n\tb") == "a\\u{a}\\u{9}b")
        #expect(ForeignText.escaped("a\r\nb", multiline: true) == "a\\u{d}\nb")
        #expect(!ForeignText.isLabel("a\nb", maximumCharacters: 9))
    }

    @Test("names of all scripts and emoji are left alone")
    func ordinaryText() {
        for text in ["Ann-Kathrin Müller", "Ō Sensei 翁長助静", "مريم", "שרה", "Zoë 👩‍👩‍👧", "क्षत्रिय", "नमस्‍ते", "O’Neil"] {
            #expect(ForeignText.isLabel(text, maximumCharacters: 50), "\(text)")
            #expect(ForeignText.escaped(text) == text)
        }
    }

    @Test("a label must show something")
    func blankLabels() {
        for text in [
            "", " ", "\u{A0}\u{3000}", "\u{200B}", "\u{200D}\u{2060}", "\u{AD}", "\u{3164}", "\u{2800} ",
            "\u{115F}\u{1160}",
        ] {
            #expect(!ForeignText.isLabel(text, maximumCharacters: 50), "\(text.debugDescription)")
            #expect(ForeignText.isOptionalLabel(text, maximumCharacters: 50))
        }
    }

    @Test("lengths are limited in characters, and in bytes against endless accents")
    func lengths() {
        #expect(ForeignText.isLabel(String(repeating: "é", count: 50), maximumCharacters: 50))
        #expect(!ForeignText.isLabel(String(repeating: "é", count: 51), maximumCharacters: 50))
        #expect(!ForeignText.isLabel("a" + String(repeating: "\u{301}", count: 500), maximumCharacters: 50))
    }
}
