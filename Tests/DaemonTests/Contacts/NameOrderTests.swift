import Messaging
import Testing

@testable import Daemon

/// Goal: lists stand in the order that speakers of a language expect, and a search finds people however their names are
/// typed.
@Suite("Names: order and search")
struct NameOrderTests {
    private func sorted(_ names: [String], _ locale: String?) -> [String] {
        NameOrder(sortingFor: locale).sorted(names.shuffled(), by: { $0 }, then: { $0 })
    }

    @Test("Each locale has its own order, and an unknown one has that of all languages")
    func order() {
        let names = ["Ahlberg", "Åkesson", "Ängström", "Östberg", "Zorn"]
        #expect(sorted(names, "sv_SE") == ["Ahlberg", "Zorn", "Åkesson", "Ängström", "Östberg"])
        let german = ["Ahlberg", "Åkesson", "Ängström", "Östberg", "Zorn"]
        for locale in ["de_DE", "en_GB", nil, "xx_YY", "tlh", String(repeating: "x", count: 300)] {
            #expect(sorted(names, locale) == german, "\(locale ?? "none")")
        }
        #expect(sorted(["cesta", "chata", "hora"], "cs_CZ") == ["cesta", "hora", "chata"])
        #expect(sorted(["cesta", "chata", "hora"], nil) == ["cesta", "chata", "hora"])
        #expect(sorted(["anna", "Anna", "ANNE", "Ben"], nil) == ["anna", "Anna", "ANNE", "Ben"])
        let long = String(repeating: "ä", count: 5_000)
        #expect(sorted([long + "b", long + "a", ""], "de_DE") == ["", long + "a", long + "b"])
    }

    @Test("The locale is the first of three variables that is set, without its character set")
    func locale() {
        func own(_ variables: [String: String]) -> String? { NameLocale.of { variables[$0] } }
        #expect(own([:]) == nil)
        #expect(own(["LANG": "C.UTF-8"]) == nil)
        #expect(own(["LANG": "POSIX"]) == nil)
        #expect(own(["LANG": "de_DE.UTF-8"]) == "de_DE")
        #expect(own(["LANG": "de_DE@euro", "LC_COLLATE": "sv_SE"]) == "sv_SE")
        #expect(own(["LANG": "de_DE", "LC_COLLATE": "sv_SE", "LC_ALL": "fr_FR.UTF-8"]) == "fr_FR")
        #expect(own(["LANG": "de_DE", "LC_ALL": ""]) == "de_DE")
    }

    @Test("Case, accents and forms of letters don't count in a search; letters do")
    func search() {
        let order = NameOrder.letters()
        let found = [
            ("zoe", "Zoë"), ("ZOË", "zoe"), ("muller", "Hans Müller"), ("strasse", "Straße"), ("ngst", "Ångström"),
            ("moller", "Møller"), ("lodz", "Łódź"), ("иван", "ИВАН"), ("e\u{301}m", "Émile"), ("em", "E\u{301}mile"),
            ("ben", "BEN"), ("o'b", "Flann O'Brien"),
        ]
        for (pattern, text) in found { #expect(order.finds(pattern, in: text), "\(pattern) in \(text)") }
        for (pattern, text) in [("zoa", "Zoë"), ("b", ""), ("anna", "Ann"), ("иван", "Ivan")] {
            #expect(!order.finds(pattern, in: text), "\(pattern) in \(text)")
        }
        #expect(order.finds("", in: ""))
        #expect(order.key("BÉN") == order.key("ben") && order.key("ben") != order.key("bem"))
    }

    @Test("People are found by name, alias, e-mail and id, and by a number in any form")
    func people() {
        func fits(_ query: String, phone: String? = nil) -> Bool {
            PersonQuery(query).fits(names: ["Zoë Ångström", "Boss", "zoe@example.org"], phone: phone, id: "kibo1qqz")
        }
        for query in ["", "zoe", "ANG", "boss", "example.org", "@", "kibo1qq", "KIBO1QQZ"] {
            #expect(fits(query), "\(query)")
        }
        for query in ["kibo2", "bosses", "zoe@example.com"] { #expect(!fits(query), "\(query)") }
        let phone = "+493012345678"
        for query in ["+49 30 12345678", "030 / 1234 5678", "(030) 1234-5678", "0049 30 1234", "12345678", "5678"] {
            #expect(fits(query, phone: phone), "\(query)")
        }
        for query in ["030 87654321", "+44 30"] { #expect(!fits(query, phone: phone), "\(query)") }
        #expect(!fits("0", phone: nil) && !fits("+", phone: nil))
    }
}
