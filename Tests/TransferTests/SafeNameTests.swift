import Basics
import Testing

@testable import Transfer

@Suite("Names from a peer")
struct SafeNameTests {
    @Test(
        "names that lead elsewhere, deceive the reader or break tools are refused",
        arguments: [
            ("", SafeName.Problem.empty), (".", .reserved), ("..", .reserved), ("/", .separator),
            ("/etc/passwd", .separator),
            ("../x", .separator), ("a/b", .separator), ("a\\b", .separator), ("..\\x", .separator),
            ("a\u{0}b", .hostileCharacter),
            ("a\nb", .hostileCharacter), ("a\tb", .hostileCharacter), ("\u{1b}[31mred", .hostileCharacter),
            ("invoice\u{202e}fdp.exe", .hostileCharacter), ("a\u{2066}b", .hostileCharacter),
            ("a\u{200f}b", .hostileCharacter),
            ("\u{85}", .hostileCharacter), ("a\u{2028}", .hostileCharacter), ("\u{feff}a", .hostileCharacter),
            (" a", .outerSpace), ("a ", .outerSpace), ("\u{3000}a", .outerSpace), ("   ", .outerSpace),
            (".x.12345678.kibo-part", .partFile), ("x.KIBO-PART", .partFile),
            (String(repeating: "a", count: 256), .tooLong),
            (String(repeating: "é", count: 128), .tooLong),
        ])
    func refused(_ name: String, _ problem: SafeName.Problem) {
        #expect(SafeName.problem(name) == problem)
    }

    @Test(
        "ordinary names in any script pass unchanged",
        arguments: [
            "a", "report.pdf", ".profile", "...", "日本語.txt", "naïve café", "عربي.pdf", "👩‍👩‍👧.png", "-rf", "con", "a:b",
            "~",
            String(repeating: "a", count: 255),
        ])
    func accepted(_ name: String) {
        #expect(SafeName.problem(name) == nil)
    }

    @Test("names that some file systems consider equal have one key")
    func clashes() {
        #expect(SafeName.clashKey("README") == SafeName.clashKey("readme"))
        #expect(SafeName.clashKey("caf\u{e9}") == SafeName.clashKey("CAFE\u{301}"))
        #expect(SafeName.clashKey("straße") == SafeName.clashKey("STRASSE"))
        #expect(SafeName.clashKey("a") != SafeName.clashKey("b"))
    }

    @Test("numbered and part names keep the extension and the limit of 255 bytes")
    func derived() {
        #expect(SafeName.numbered("a.tar", 0, isFolder: false) == "a.tar")
        #expect(SafeName.numbered("a.tar", 1, isFolder: false) == "a (1).tar")
        #expect(SafeName.numbered("v1.2", 3, isFolder: true) == "v1.2 (3)")
        #expect(SafeName.numbered(".profile", 1, isFolder: false) == ".profile (1)")
        let id = UUIDv7(high: 1, low: 0x1122_3344_5566_7788)
        #expect(SafeName.part(id) == ".00000000000000011122334455667788.kibo-part")
        for name in [
            String(repeating: "é", count: 127), String(repeating: "👩‍👩‍👧", count: 14),
            "e" + String(repeating: "\u{301}", count: 127),
        ] {
            #expect(SafeName.numbered(name + "", 9_999, isFolder: false).utf8.count <= 255)
        }
    }

    @Test(
        "A foreign name becomes one that may be used: without folders, hidden signs and white space around it",
        arguments: [
            ("a.png", "a.png"), ("日本語.txt", "日本語.txt"), (".bashrc", ".bashrc"), ("...", "..."),
            ("Trip/days/été.png", "été.png"), ("C:\\Users\\Anna\\x.txt", "x.txt"), ("/etc/passwd", "passwd"),
            ("../../x", "x"), ("..\\..\\x", "x"), ("a/../b\\..\\c.txt", "c.txt"), ("folder/", "folder"),
            ("..", "file"), (".", "file"), ("a/..", "file"), ("a\\.", "file"), ("", "file"), ("/", "file"),
            ("\\/\\", "file"), ("   ", "file"), ("a/ ", "file"), ("\u{3000} a b.txt \t", "a b.txt"),
            ("a\u{0}b.txt", "ab.txt"), ("\u{0}", "file"), ("a\r\nb.txt", "ab.txt"),
            ("\u{1B}[31mred.txt", "[31mred.txt"),
            ("invoice\u{202E}fdp.exe", "invoicefdp.exe"), ("\u{202E}..", "file"), (".\u{200F}.", "file"),
            ("\u{2066}\u{FEFF}", "file"), ("x.kibo-part", "x.kibo-part_"), (".0011.KIBO-PART", ".0011.KIBO-PART_"),
            (".kibo-part", ".kibo-part_"), ("x.kibo-\u{0}part", "x.kibo-part_"), ("x.kibo-part \n", "x.kibo-part_"),
        ])
    func made(foreign: String, name: String) {
        #expect(SafeName.made(from: foreign) == name)
        #expect(SafeName.problem(name) == nil)
    }

    @Test("A name that is too long is cut before its extension")
    func madeOfLongNames() {
        func letters(_ count: Int) -> String { String(repeating: "x", count: count) }
        #expect(SafeName.made(from: letters(296) + ".png") == letters(251) + ".png")
        #expect(SafeName.made(from: "folder/" + letters(300)) == letters(255))
        #expect(SafeName.made(from: letters(255)) == letters(255))
        #expect(SafeName.made(from: letters(279) + "." + letters(20)) == letters(255))
        let wide = SafeName.made(from: String(repeating: "é", count: 148) + ".png")
        #expect(wide == String(repeating: "é", count: 125) + ".png")
        #expect(SafeName.made(from: letters(290) + ".kibo-part") == letters(245) + ".kibo-par_")
        #expect(SafeName.made(from: letters(245) + ".kibo-part") == letters(245) + ".kibo-par_")
        let marks = SafeName.made(from: "e" + String(repeating: "\u{301}", count: 200) + ".txt")
        #expect(SafeName.problem(marks) == nil && marks.hasSuffix(".txt") && marks.unicodeScalars.first == "e")
    }

    @Test("Whatever the foreign name is, what is made of it may be used, and stays as it is", arguments: 0..<20)
    func madeOfAnything(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let parts = [
            "a", "B7", ".", "..", "/", "\\", " ", "\t", "\n", "\u{0}", "\u{202E}", "\u{301}", "\u{200D}", "\u{600}",
            "é", "👩‍👩‍👧",
            ".png", ".kibo-part", ".KIBO-Part", "_", ":", "\u{3000}", "\u{E0041}", String(repeating: "y", count: 120),
        ]
        for _ in 0..<300 {
            let count = Int.random(in: 0...12, using: &random)
            let foreign = (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
            let name = SafeName.made(from: foreign)
            #expect(SafeName.problem(name) == nil, "\(foreign.debugDescription)")
            #expect(SafeName.made(from: name) == name)
            #expect(!name.utf8.contains(UInt8(ascii: "/")) && !name.utf8.contains(0) && 1...255 ~= name.utf8.count)
        }
    }
}
