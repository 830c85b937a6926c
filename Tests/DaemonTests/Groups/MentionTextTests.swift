import Messaging
import Testing

/// The rules are those of the web client, which lights the same mentions (`Tests/Web/text.test.ts`).
@Suite("Mentions in a text")
struct MentionTextTests {
    private func isMention(_ name: String, _ text: String, besides others: [String] = []) -> Bool {
        MentionText.mentions(name, in: text, besides: { others })
    }

    @Test(
        "The name after @ mentions its owner, in any case, wherever it stands",
        arguments: [
            ("Ben", "@Ben"), ("Ben", "hello @ben!"), ("Ben Ito", "(@BEN ITO)"), ("Ben", "@Ben's boat"),
            ("Ben", "@@Ben"), ("דנה לוי", "שלום @דנה לוי,"), ("山田太郎", "こんにちは@山田太郎さん"), ("Ben", "ค่ะ@Ben"),
            ("Jo!", "@Jo!n"), ("Ünal", "@ünal"),
        ])
    func named(name: String, text: String) { #expect(isMention(name, text)) }

    @Test(
        "Addresses, longer words and what is no name mention nobody",
        arguments: [
            ("Ben", "Ben"), ("Ben", "anna@ben.example"), ("Ben", "@Benjamin"), ("Ben", "@ Ben"), ("Ben", "@Be"),
            ("Ben", "@Ben_1"), ("", "@"), ("", "@ "), ("Ben", "_@Ben"), ("Ben", ""),
        ])
    func nobody(name: String, text: String) { #expect(!isMention(name, text)) }

    @Test("Of two names of which one begins with the other, the longer one is meant where it stands")
    func longer() {
        #expect(!isMention("Bo", "@Bo Berg", besides: ["Bo Berg", "Anna"]))
        #expect(isMention("Bo", "@Bo Berg", besides: ["Anna"]))
        #expect(isMention("Bo", "@Bo Bergmann", besides: ["Bo Berg"]))
        #expect(isMention("Bo", "@bo berg and @bo", besides: ["BO BERG"]))
        #expect(isMention("Bo Berg", "@Bo Berg", besides: ["Bo"]))
    }

    @Test("Only so many signs are looked at, and the names of others only where one's own stands")
    func bounded() {
        let signs = String(repeating: "@", count: 63)
        #expect(isMention("Bo", signs + "@Bo"))
        #expect(!isMention("Bo", signs + "@@Bo"))
        var looks = 0
        _ = MentionText.mentions("Bo", in: "@Anna @Ben") {
            looks += 1; return []
        }
        #expect(looks == 0)
        _ = MentionText.mentions("Bo", in: String(repeating: "@Bo Berg ", count: 60)) {
            looks += 1; return ["Bo Berg"]
        }
        #expect(looks == 1)
    }
}
