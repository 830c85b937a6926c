import AddressBook
import Testing

@Suite("vCards as programs write them")
struct VCardTests {
    @Test("Google: groups and their labels are read; a card without a name takes its address")
    func google() throws {
        let file = try Samples.read(Samples.google)
        #expect(file.cards.map(\.name) == ["Anna Maria Schmidt", "noname@example.org"])
        let anna = file.cards[0]
        #expect(anna.emails == ["anna@example.org", "a.s@example.net"] && anna.uid == nil)
        #expect(
            anna.phones == [
                VCard.Phone("+49 170 1234567", label: "mobile"), VCard.Phone("030 1234567", label: "Ferienhaus"),
            ])
        #expect(file.skipped == 0 && file.problemCount == 0 && !file.isCut)
    }

    @Test("iCloud: preferred values first, a fax is marked, digits in a note don't count, groups are skipped")
    func iCloud() throws {
        let file = try Samples.read(Samples.iCloud)
        let ben = try #require(file.cards.first)
        #expect(
            file.cards.count == 1 && ben.name == "Dr. Ben Müller" && ben.uid == "CF5C1C5F-23F5-4E32-A1CE-0D5E0C6E1F7A")
        #expect(
            ben.phones == [
                VCard.Phone("0170 5550123", label: "mobile", isPreferred: true),
                VCard.Phone("(030) 555-0123", label: "home"),
                VCard.Phone("030 5550199", label: "home fax", isFax: true),
            ])
        #expect(ben.emails == ["ben@example.org"])
        #expect(file.skipped == 1 && file.problemCount == 0)
    }

    @Test("Outlook: quoted-printable over two lines, named and unnamed code pages, an Exchange address is reported")
    func outlook() throws {
        let file = try Samples.read(Samples.outlook)
        #expect(file.cards.map(\.name) == ["Herr Jürgen Größe", "René Angèle"])
        #expect(
            file.cards[0].phones.map(\.text) == [
                "+49 (89) 1234-0", "+49 (89) 1234-567", "0171/9876543", "+49 (89) 1234-99",
            ])
        #expect(file.cards[0].phones.map(\.label) == ["work", "work", "mobile", "work fax"])
        #expect(file.cards[0].emails == ["juergen@example.com"], "the continuation of an address is no e-mail")
        #expect(file.problems.map(\.line) == [14, 24])
        #expect(file.problems[0].problem == .notEmail && file.problems[0].detail?.contains("/o=Beispiel") == true)
        #expect(file.problems[0].name == "Herr Jürgen Größe")
        #expect(file.problems[1].problem == .encoding)
    }

    @Test("Nextcloud: types in quotes, a fold within a letter, tel: URIs, an identifier with and without urn:uuid")
    func nextcloud() throws {
        let file = try Samples.read(Samples.nextcloud)
        #expect(file.cards.map(\.name) == ["Zoë Novák", "Jiří Dlouhý, st."])
        #expect(file.cards[0].phones.map(\.label) == ["mobile", "work"])
        #expect(file.cards[1].uid == "5a1e9a4e-3a7e-4f6a-9a57-0d1f0c3b2a12")
        #expect(file.cards[1].phones.map(\.text) == ["+420-601-654-321", "+420-224-654-321;ext=12"])
        #expect(file.problemCount == 0)
    }

    @Test("Thunderbird: values with a lower PREF come first")
    func thunderbird() throws {
        let file = try Samples.read(Samples.thunderbird)
        #expect(file.cards[0].emails == ["cleo@example.org", "second@example.org"])
        #expect(file.cards[0].phones.map(\.text) == ["+1 201 555 0123", "(201) 555-0199 ext. 7"])
    }

    @Test("A file reads the same in pieces of any size, with any line ends, in UTF-8 with a mark and in UTF-16")
    func pieces() throws {
        for sample in [Samples.google, Samples.iCloud, Samples.outlook, Samples.nextcloud, Samples.thunderbird] {
            let whole = try Samples.read(sample)
            for size in [1, 2, 3, 7, 64, 1000] { #expect(try Samples.read(sample, piece: size) == whole) }
            for ending: UInt8 in [0x0A, 0x0D] {
                let other = sample.filter { $0 != 0x0D }.map { $0 == 0x0A ? ending : $0 }
                #expect(try Samples.read(other) == whole)
                #expect(try Samples.read(other, piece: 1) == whole)
            }
        }
        let text = String(decoding: Samples.google, as: UTF8.self)
        let whole = try Samples.read(text)
        #expect(try Samples.read([0xEF, 0xBB, 0xBF] + Samples.google, piece: 1) == whole)
        let units = Array(text.utf16)
        let little = units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        let big = units.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        for bytes in [little, big, [0xFF, 0xFE] + little, [0xFE, 0xFF] + big] {
            #expect(try Samples.read(bytes) == whole)
            #expect(try Samples.read(bytes, piece: 1) == whole)
        }
        let clef = Array("BEGIN:VCARD\nFN:𝄞\u{E9}\nEMAIL:a@b\nEND:VCARD\n".utf16).flatMap {
            [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)]
        }
        #expect(try Samples.read([0xFF, 0xFE] + clef, piece: 3).cards.map(\.name) == ["𝄞é"])
    }

    @Test("A missing name comes from N, in the order of the language, from a nickname or from the company")
    func names() throws {
        #expect(
            try Samples.card("N:Schmidt;Anna;Maria,Luise;Dr.;jun.", "EMAIL:a@b")?.name
                == "Dr. Anna Maria Luise Schmidt jun.")
        #expect(try Samples.card("N:山田;太郎", "EMAIL:a@b")?.name == "山田太郎")
        #expect(try Samples.card("N:;;;;", "NICKNAME:Nanni", "EMAIL:a@b")?.name == "Nanni")
        #expect(try Samples.card("FN: ", "ORG:Werk;Einkauf;", "TEL:1234")?.name == "Werk, Einkauf")
        #expect(try Samples.card("TEL:+49 30 1234567")?.name == "+49 30 1234567")
        #expect(try Samples.card("FN:b", "FN;PREF=1:a", "FN;PREF=2:c", "TEL:1")?.name == "a")
        #expect(try Samples.card("FN:a\\nb\\;c\\, d\\\\e\\x", "TEL:1")?.name == "a b;c, d\\e\\x")
        #expect(try Samples.card("FN:Anna \u{202E}gpj.exe\u{7}", "TEL:1")?.name == "Anna gpj.exe")
        #expect(
            try Samples.read("BEGIN:VCARD\nVERSION:2.1\nN:Ritter, Graf;Udo\nTEL:1\nEND:VCARD").cards[0].name
                == "Udo Ritter, Graf")
        // In ソニー the second byte of the first letter is a backslash.
        let japanese: [UInt8] = [0x83, 0x5C, 0x83, 0x6A, 0x81, 0x5B]
        let card =
            Array("BEGIN:VCARD\nVERSION:2.1\nN;CHARSET=SHIFT_JIS:".utf8) + japanese + Array(";\nTEL:1\nEND:VCARD".utf8)
        #expect(try Samples.read(card).cards[0].name == "ソニー")
    }

    @Test("Parameters are read in quotes, with colons and carets, in any case, and without a value")
    func parameters() throws {
        let card = try #require(
            try Samples.card(
                "tel;Type=\"cell\";x-a=\"a:b;c\":+1 201 555 0100", "home.TEL;label=\"^'x^n\";WORK:2",
                "TEL;TYPE=\"unclosed:3", "TEL;=;:4"))
        #expect(card.phones.map(\.text) == ["+1 201 555 0100", "2", "3", "4"])
        #expect(card.phones.map(\.label) == ["mobile", "work", "", ""])
    }

    @Test("Nested cards, cards without an end and a truncated file never mix people's numbers")
    func nesting() throws {
        let agent =
            "BEGIN:VCARD\nVERSION:2.1\nFN:Boss\nAGENT:\nBEGIN:VCARD\nFN:Secretary\nTEL:1111\nEND:VCARD\nTEL:2222\nEND:VCARD\n"
        #expect(try Samples.read(agent).cards.map(\.phones) == [[VCard.Phone("2222")]])
        let inline =
            "BEGIN:VCARD\nVERSION:3.0\nFN:Boss\nAGENT:BEGIN:VCARD\\nFN:Secretary\\nTEL:1111\\nEND:VCARD\nTEL:2222\nEND:VCARD\n"
        #expect(try Samples.read(inline).cards == [VCard(name: "Boss", phones: [VCard.Phone("2222")])])
        let open = try Samples.read(
            "BEGIN:VCARD\nFN:A\nTEL:1\nBEGIN:VCARD\nFN:B\nTEL:2\nEND:VCARD\nBEGIN:VCARD\nFN:C\nTEL:3")
        #expect(open.cards.map(\.name) == ["A", "B", "C"] && open.isCut)
        #expect(open.problems.map(\.line) == [1, 8] && open.problems.map(\.name) == ["A", "C"])
        let lost = try Samples.read(
            "BEGIN:VCARD\nFN:A\nAGENT:\nBEGIN:VCARD\nTEL:1\nEND:VCARD\nBEGIN:VCARD\nFN:B\nTEL:2\nEND:VCARD\n")
        #expect(lost.cards.map(\.name) == ["B"] && lost.skipped == 1)
        #expect(
            try Samples.read("TEL:9\nEND:VCARD\nBEGIN:VCARD\nTEL:1\nEND:VCARD\nTEL:5\nEND:VCARD\n").cards.flatMap(
                \.phones) == [VCard.Phone("1")])
    }

    @Test("Lines within a quoted-printable note and within a picture without its blanks are not read as properties")
    func skipped() throws {
        let card = try Samples.read(
            "BEGIN:VCARD\nVERSION:2.1\nFN:A\nNOTE;ENCODING=QUOTED-PRINTABLE:one=0D=0A=\nTEL:1=\nEND:VCARD=\n=\n\nTEL:2\n"
                + "PHOTO;ENCODING=BASE64;JPEG:\nAAAA\nBBBB==\n\nTEL:3\nEND:VCARD\n")
        #expect(card.cards.map { $0.phones.map(\.text) } == [["2", "3"]])
    }

    @Test("Unusable cards are reported: nothing to reach the person by, base 64, no address")
    func unusable() throws {
        let file = try Samples.read(
            "BEGIN:VCARD\nFN:Nobody\nEND:VCARD\nBEGIN:VCARD\nFN;ENCODING=b:QW5uYQ==\nEMAIL:at\nEMAIL:a@b@c\nEMAIL:mailto:ok@example.org\nEND:VCARD\n"
        )
        #expect(file.cards.map(\.emails) == [["ok@example.org"]] && file.skipped == 1)
        #expect(file.problems.map(\.line) == [1, 5, 6, 7])
        #expect(file.problems[0].problem == .noWay && file.problems[0].name == "Nobody")
    }
}
