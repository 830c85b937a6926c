import AddressBook

/// Files in the form in which programs write them, made after their documentation and their exports.
enum Samples {
    /// Google Contacts, "Export, vCard (for iOS Contacts)": version 3.0, CRLF, groups with X-ABLabel, no UID, empty
    /// names, a picture by link.
    static let google = lines(
        "BEGIN:VCARD", "VERSION:3.0", "FN:Anna Maria Schmidt", "N:Schmidt;Anna;Maria;;",
        "item1.EMAIL;TYPE=INTERNET:anna@example.org", "item1.X-ABLabel:",
        "item2.EMAIL;TYPE=INTERNET;TYPE=HOME:a.s@example.net",
        "TEL;TYPE=CELL:+49 170 1234567", "item3.TEL:030 1234567", "item3.X-ABLabel:Ferienhaus",
        "item4.ADR:;;Lange Straße 5\\nHinterhaus;Berlin;;10115;Germany;Lange Straße 5\\nHinterhaus\\nBerlin",
        "ORG:Beispiel GmbH",
        "PHOTO:https://lh3.googleusercontent.com/contacts/abc", "CATEGORIES:myContacts", "END:VCARD",
        "BEGIN:VCARD", "VERSION:3.0", "FN:", "N:;;;;", "item1.EMAIL;TYPE=INTERNET:noname@example.org",
        "item1.X-ABLabel:",
        "END:VCARD")

    /// iCloud and macOS: version 3.0, `type=` in small letters, Apple's labels, a picture folded by a blank, groups as
    /// cards.
    static let iCloud = lines(
        "BEGIN:VCARD", "VERSION:3.0", "PRODID:-//Apple Inc.//iPhone OS 17.5.1//EN", "N:Müller;Ben;;Dr.;",
        "FN:Dr. Ben Müller",
        "ORG:Werk;Einkauf", "item1.EMAIL;type=INTERNET;type=pref:ben@example.org", "item1.X-ABLabel:_$!<Work>!$_",
        "TEL;type=HOME;type=VOICE:(030) 555-0123", "TEL;type=IPHONE;type=CELL;type=VOICE;type=pref:0170 5550123",
        "TEL;type=HOME;type=FAX:030 5550199", "NOTE:eine\\, zwei\\; drei\\nTEL:+1 555 0100",
        "PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRgABAQAAAQABAAD/4gHYSUNDX1BST0ZJTEUAAQEAA",
        " AHIAAAAAAQwAABtbnRyUkdCIFhZWiAH4AABAAEAAAAAAABhY3NwAAAAAAAAAAAAAAAAAAAAAAAAAA", " AAAAAAAA==",
        "X-ABUID:0E5C:ABPerson", "UID:CF5C1C5F-23F5-4E32-A1CE-0D5E0C6E1F7A", "REV:2026-05-01T10:00:00Z", "END:VCARD",
        "BEGIN:VCARD", "VERSION:3.0", "N:Familie;;;;", "FN:Familie", "X-ADDRESSBOOKSERVER-KIND:group",
        "X-ADDRESSBOOKSERVER-MEMBER:urn:uuid:CF5C1C5F-23F5-4E32-A1CE-0D5E0C6E1F7A", "END:VCARD")

    /// Outlook: version 2.1, words without TYPE, quoted-printable with soft line breaks, a Windows code page, a picture
    /// with a blank line after it, an address of Exchange.
    static let outlook: [UInt8] =
        lines(
            "BEGIN:VCARD", "VERSION:2.1", "X-MS-SIGNATURE:YES",
            "N;LANGUAGE=de;CHARSET=Windows-1252;ENCODING=QUOTED-PRINTABLE:Gr=F6=DFe;J=FCrgen;;Herr",
            "FN;CHARSET=Windows-1252;ENCODING=QUOTED-PRINTABLE:Herr J=FCrgen =", "Gr=F6=DFe",
            "TEL;WORK;VOICE:+49 (89) 1234-0",
            "TEL;WORK;VOICE:+49 (89) 1234-567", "TEL;CELL;VOICE:0171/9876543", "TEL;WORK;FAX:+49 (89) 1234-99",
            "ADR;WORK;PREF;ENCODING=QUOTED-PRINTABLE:;;Stra=C3=9Fe 1=0D=0A=",
            "EMAIL:not this;M=C3=BCnchen;;80331;Deutschland",
            "EMAIL;PREF;INTERNET:juergen@example.com", "EMAIL;EX:/o=Beispiel/ou=Exchange/cn=Recipients/cn=jg",
            "PHOTO;TYPE=JPEG;ENCODING=BASE64:", " /9j/4AAQSkZJRgABAQEAYABgAAD/2wBDAAgGBgcGBQgHBwcJ",
            " CQgKDBQNDAsLDBkSEw8UHRofHh0a", "",
            "X-MS-OL-DESIGN;CHARSET=utf-8:<card xmlns=\"http://schemas.microsoft.com/office/outlook/12/electronicbusinesscards\"/>",
            "REV:20260501T100000Z", "END:VCARD")
        + [UInt8]("BEGIN:VCARD\r\nVERSION:2.1\r\nN:Ang\u{0}".utf8.dropLast()) + [0xE8] + [UInt8]("le;Ren".utf8) + [0xE9]
        + lines(";;;", "EMAIL;INTERNET:rene@example.com", "END:VCARD")

    /// Nextcloud: version 3.0 by default, lists of types in quotes, pictures with a media type, lines folded within a
    /// letter.
    static let nextcloud: [UInt8] =
        lines(
            "BEGIN:VCARD", "VERSION:3.0", "PRODID:-//Sabre//Sabre VObject 4.5.4//EN",
            "UID:5a1e9a4e-3a7e-4f6a-9a57-0d1f0c3b2a11",
            "FN:Zoë Novák", "N:Novák;Zoë;;;", "EMAIL;TYPE=\"HOME,pref\":zoe@example.org",
            "TEL;TYPE=\"CELL,VOICE\":+420 601 123 456",
            "TEL;TYPE=WORK,VOICE:+420 224 123 456", "REV;VALUE=DATE-AND-OR-TIME:20260501T100000Z",
            "PHOTO;ENCODING=b;TYPE=image/png:iVBORw0KGgo=", "END:VCARD")
        + [UInt8]("BEGIN:VCARD\r\nVERSION:4.0\r\nUID:urn:uuid:5A1E9A4E-3A7E-4F6A-9A57-0D1F0C3B2A12\r\nFN:Ji".utf8) + [
            0xC5
        ]
        + [UInt8]("\r\n ".utf8) + [0x99]
        + lines(
            "í Dlouhý\\, st.", "TEL;VALUE=uri;TYPE=cell:tel:+420-601-654-321",
            "TEL;VALUE=uri:tel:+420-224-654-321;ext=12",
            "END:VCARD")

    /// Thunderbird: version 4.0, PREF by number, VALUE=TEXT, LF only.
    static let thunderbird = lines(
        "BEGIN:VCARD", "VERSION:4.0", "EMAIL;PREF=2:second@example.org", "EMAIL;PREF=1:cleo@example.org", "FN:Cleo",
        "N:;Cleo;;;", "TEL;TYPE=cell;VALUE=TEXT:+1 201 555 0123", "TEL;TYPE=work;VALUE=TEXT:(201) 555-0199 ext. 7",
        "UID:9a5f3f5e-2df9-4b7b-9c1b-5c5b6c1a2b3c", "END:VCARD", end: "\n")

    static func lines(_ lines: String..., end: String = "\r\n") -> [UInt8] {
        Array(lines.map { $0 + end }.joined().utf8)
    }

    static func read(_ bytes: [UInt8], piece: Int = .max) throws(VCardError) -> VCardFile {
        var reader = VCardReader()
        var rest = bytes[...]
        while !rest.isEmpty {
            try reader.feed(Array(rest.prefix(piece)))
            rest = rest.dropFirst(piece)
        }
        return try reader.finish()
    }

    static func read(_ text: String) throws(VCardError) -> VCardFile { try read(Array(text.utf8)) }

    /// The card made from these lines.
    static func card(_ body: String...) throws -> VCard? {
        try read(
            lines("BEGIN:VCARD", "VERSION:4.0") + Array(body.map { $0 + "\r\n" }.joined().utf8) + lines("END:VCARD")
        )
        .cards.first
    }
}
