import ControlProtocol
import Testing
import Transfer

@testable import GuestService

/// Goal: whatever a device calls a file, it lies in folders with safe names, and nothing of the name leads anywhere.
@Suite("Names that devices give to files")
struct OfferedNameTests {
    @Test(
        "A name is split at its slashes; what leads nowhere or elsewhere is left out",
        arguments: [
            ("1.jpg", nil, "1.jpg"), ("Holiday/1.jpg", "Holiday", "1.jpg"),
            ("Holiday/Day 1/1.jpg", "Holiday/Day 1", "1.jpg"), ("/etc/passwd", "etc", "passwd"),
            ("../../../etc/passwd", "etc", "passwd"), ("a//./b/../c", "a/b", "c"), ("a/", nil, "a"), ("a/..", nil, "a"),
            (".", nil, "file"), ("..", nil, "file"), ("/", nil, "file"), ("././..//", nil, "file"), ("", nil, "file"),
            ("..\\..\\b.txt", nil, "b.txt"), ("a\\b/c\\d", "b", "d"), ("\\/x", "file", "x"),
            (" a / b ", "a", "b"), ("\u{202E}/\u{200B}/x", "file/file", "x"), ("a\u{0}b/c\nd", "ab", "cd"),
            ("a/.kibo-part", "a", ".kibo-part_"), ("a.kibo-part/b", "a.kibo-part_", "b"), (".. /x", "file", "x"),
            (".../....", "...", "...."), ("a/\u{301}b", "a", "\u{301}b"), ("~/$(id)/%2e%2e", "~/$(id)", "%2e%2e"),
        ] as [(String, String?, String)])
    func split(_ offered: String, _ folder: String?, _ name: String) {
        let made = OfferedName(offered)
        #expect(made.folder == folder && made.name == name, "\(made)")
        #expect((made.folders + [made.name]).allSatisfy { SafeName.problem($0) == nil })
    }

    @Test("A file in too many folders lies in the last that it may have")
    func deep() {
        let offered = (1...20).map { "\($0)" }.joined(separator: "/") + "/x"
        let made = OfferedName(offered, depth: 16)
        #expect(made.folders == (1...16).map { "\($0)" } && made.name == "x")
        #expect(OfferedName(offered).folders.count == 20)
        let many = String(repeating: "\u{202E}/", count: 255) + "x"
        #expect(OfferedName(many, depth: 16).folder?.count ?? 0 <= ProtocolLimits.guestFolderCharacters)
        for sign in ["a", "é", "👩‍👩‍👧‍👦"] {
            let long = String(repeating: sign, count: 1022 / sign.utf8.count)
            for offered in [long + "/x", "x/" + long] {
                let made = OfferedName(offered, depth: 16)
                #expect(made.folders.count == 1 && (made.folders + [made.name]).allSatisfy { $0.utf8.count <= 255 })
            }
        }
    }

    @Test("An offer has so many folders; files in more of them lie in their outermost ones")
    func limited() {
        let deep = (1...15).map { "\($0)" }.joined(separator: "/")
        // The safe names are the same, and the directories are not.
        let roots = (0..<1000).map { number in
            "r" + (0..<10).map { number >> $0 & 1 == 1 ? "\u{202E}" : "\u{202D}" }.joined()
        }
        let made = OfferedName.all(roots.map { "\($0)/\(deep)/x" })
        #expect(made.map(\.folders.count) == (0..<1000).map { $0 < 62 ? 16 : 1 })
        #expect(made.map(\.folders.count).reduce(0, +) <= 2 * GuestLimits.foldersOfOffer)
        let usual = OfferedName.all((0..<1000).map { "Holiday/Day \($0 % 30)/\($0).jpg" } + ["x"])
        #expect(usual.dropLast().allSatisfy { $0.folders.count == 2 } && usual.last?.folders == [])
    }

    @Test("Folders are told apart by the bytes of their names")
    func roots() {
        let names = ["\u{E9}/a", "e\u{301}/a", "a/b", "a\u{202E}/b", "./a/c", "a", "b/a/c"].map { OfferedName($0) }
        let wanted: [String?] = ["\u{E9}", "e\u{301}", "a", "a\u{202E}", "a", nil, "b"]
        #expect(names.map(\.root) == wanted.map { name in name.map { Array($0.utf8) } })
        #expect(names[2].folder == names[3].folder)
    }
}
