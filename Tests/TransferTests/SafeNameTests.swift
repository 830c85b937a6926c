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
}
