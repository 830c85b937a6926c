import AddressBook
import Testing

@Suite("Telephone numbers")
struct PhoneTests {
    private func e164(_ text: String, _ country: String?) -> String? {
        guard case .number(let number) = PhoneNumber.read(text, in: country.flatMap { Country($0) }) else { return nil }
        return number.e164
    }

    @Test("Numbers are read as people write them in their countries; a leading zero stays in Italy only")
    func normalised() {
        for (text, country, expected): (String, String?, String?) in [
            ("0170 1234567", "DE", "+491701234567"), ("(0170) 123-4567", "DE", "+491701234567"),
            ("+49 (0)170 / 1234567", nil, "+491701234567"), ("0049 170 1234567", "DE", "+491701234567"),
            ("0049 170 1234567", "FR", "+491701234567"), ("011 49 170 1234567", "US", "+491701234567"),
            ("00 49 170 1234567", nil, nil), ("06 698 12345", "IT", "+390669812345"),
            ("+39 06 698 12345", "DE", "+390669812345"),
            ("0039 06 698 12345", "IT", "+390669812345"), ("8 (495) 123-45-67", "RU", "+74951234567"),
            ("07700 900123", "GB", "+447700900123"), ("1-201-555-0123", "US", "+12015550123"),
            ("(201) 555-0123", "CA", "+12015550123"),
            ("1-800-FLOWERS", "US", "+18003569377"), ("06 12 34 56 78", "FR", "+33612345678"),
            ("90-1234-5678", "JP", "+819012345678"),
            ("٠٥٠ ١٢٣ ٤٥٦٧", "SA", "+966501234567"), ("０３０ １２３４５６７", "DE", "+49301234567"),
            ("tel:+1-201-555-0123", nil, "+12015550123"), ("+1 201 555 0123;ext=7", nil, "+12015550123"),
            ("+1 201 555 0123 ext. 7", nil, "+12015550123"), ("+800 1234 5678", nil, "+80012345678"),
            ("0170 1234567", nil, nil), ("110", "DE", nil), ("555-0123", "US", nil), ("1234567", "DE", nil),
            ("0000", "DE", nil),
            ("+999 12345", nil, nil), ("call me", "DE", nil), ("", "DE", nil), ("+", "DE", nil), ("+49", "DE", nil),
            ("*100#", "DE", nil), ("+49 170 1234567 890123", "DE", nil),
        ] { #expect(e164(text, country) == expected, "\(text) in \(country ?? "–")") }
    }

    @Test("The country's prefix and the national number are kept apart; a missing part is reported")
    func parts() throws {
        guard case .number(let rome) = PhoneNumber.read("+39 06 698 12345", in: nil) else {
            return #expect(Bool(false))
        }
        #expect(rome.callingCode == 39 && rome.national == "0669812345")
        guard case .number(let desk) = PhoneNumber.read("(201) 555-0123 x45", in: Country("US")) else {
            return #expect(Bool(false))
        }
        #expect(desk.callingCode == 1 && desk.national == "2015550123" && desk.extension == "45" && desk.region == "US")
        #expect(PhoneNumber.read("0170 1234567", in: nil) == .needsCountry)
        #expect(PhoneNumber.read("110", in: Country("DE")) == .short)
        #expect(PhoneNumber.read("?", in: Country("DE")) == .none)
        #expect(PhoneNumber.read(String(repeating: "1", count: 100_000), in: nil) == .none)
        #expect(PhoneNumber.read("1\u{0}2", in: Country("DE")) == .none)
    }

    @Test("Countries are found by region, code, name and locale")
    func countries() throws {
        #expect(Country.all.count > 200)
        let germany = try #require(Country("de"))
        #expect(
            germany.region == "DE" && germany.callingCode == 49 && germany.trunkPrefix == "0"
                && germany.name == "Germany")
        #expect(
            Country("+49") == germany && Country("49") == germany && Country("Germany") == germany
                && Country(" DE ") == germany)
        #expect(Country("0049") == germany)
        #expect(Country("1")?.region == "US" && Country("44")?.region == "GB")
        #expect(Country("IT")?.trunkPrefix == "")
        for unknown in ["", "XX", "+", "999", "99999999999999", "800", "Atlantis"] {
            #expect(Country(unknown) == nil, "\(unknown)")
        }
        #expect(Country(locale: "de_AT.UTF-8")?.region == "AT" && Country(locale: "sr_RS@latin")?.region == "RS")
        #expect(Country(locale: "zh_Hant_TW.UTF-8")?.region == "TW")
        for unknown in ["C", "C.UTF-8", "POSIX", "", "eo", "en_001.UTF-8", "de_", "_"] {
            #expect(Country(locale: unknown) == nil, "\(unknown)")
        }
        for country in Country.all { #expect(Country(country.region) == country && !country.name.isEmpty) }
    }
}

@Suite("Finding entries")
struct SearchTextTests {
    @Test("Case, accents, width and the grouping of a number make no difference")
    func fold() {
        for (one, other) in [
            ("Zoë Müller", "ZOE muller"), ("Straße", "STRASSE"), ("ｋｉｂｏ", "kibo"), ("e\u{301}", "é"), ("Ǆ", "dž"),
            ("", ""),
            ("ﷺ", "صلى الله عليه وسلم"),
        ] { #expect(SearchText.fold(one) == SearchText.fold(other)) }
        #expect(SearchText.fold("a") != SearchText.fold("b"))
        let entry = AddressEntry(
            name: "Zoë", phones: [.init(given: "(0170) 123-4567", e164: "+491701234567")], emails: ["Z@Example.org"])
        let text = SearchText.of(entry)
        for query in ["zoe", "Z@example", "0170 1234", "+49 170", "170/1234567", "(0170)"] {
            #expect(text.contains(SearchText.query(query)), "\(query)")
        }
        #expect(!text.contains(SearchText.query("0171")))
    }
}
