import AddressBook
import Basics

/// A file of vCards, read whole and in pieces, and all that is made from it: entries, a plan, invitations.
enum FuzzTarget {
    static let seeds: [[UInt8]] =
        [
            "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Anna\\, B\r\nitem1.TEL;type=CELL;type=pref:+49 170 1234567\r\nitem1.X-ABLabel:_$!<Mobile>!$_\r\nEND:VCARD\r\n",
            "BEGIN:VCARD\nVERSION:2.1\nN;CHARSET=Windows-1252;ENCODING=QUOTED-PRINTABLE:Gr=F6=DFe;J=\n=FCrgen\nTEL;WORK:0170\nEND:VCARD\n",
            "BEGIN:VCARD\nVERSION:4.0\nUID:urn:uuid:1\nTEL;VALUE=uri;TYPE=\"cell,voice\":tel:+1-201-555-0123;ext=7\nEMAIL;PREF=1:a@b.c\nEND:VCARD",
            "BEGIN:VCARD\nAGENT:\nBEGIN:VCARD\nEND:VCARD\nPHOTO;ENCODING=b:QUJD\n QUJD\nKIND:group\nEND:VCARD\nBEGIN:VCARD\nORG:a;b",
            "\u{FEFF}BEGIN:VCARD\rFN;CHARSET=SHIFT_JIS:\\\u{7F}\rEND:VCARD\r",
        ].map { Array($0.utf8) } + [[0xFF, 0xFE, 0x42, 0x00, 0x45, 0x00, 0x3D, 0xD8, 0x00, 0xDE]]

    static func run(_ bytes: [UInt8]) {
        let whole = read(bytes, by: bytes.count)
        require(whole == read(bytes, by: 1), "in pieces it is the same")
        require(whole == read(bytes, by: 7), "in pieces it is the same")
        guard let file = whole else { return }
        var count = NumberCount()
        var entries: [AddressEntry] = []
        for card in file.cards {
            require(!card.name.isEmpty && card.name.count <= AddressBookLimits.nameCharacters, "a name")
            require(!(card.phones.isEmpty && card.emails.isEmpty), "a way to reach them")
            require(card.emails.allSatisfy(EmailAddress.isOne), "addresses")
            require(card.phones.count <= AddressBookLimits.values, "so many numbers")
            let entry = AddressEntry(card, country: Country("DE"), count: &count)
            for phone in entry.phones {
                guard let e164 = phone.e164 else { continue }
                require(e164.first == "+" && e164.dropFirst().allSatisfy { ("0"..."9").contains($0) }, "E.164")
                require(e164.hasPrefix("+\(phone.callingCode)"), "the prefix is its own")
                require(PhoneNumber.read(e164, in: nil) != .needsCountry, "known everywhere")
            }
            let text = InviteText(card.name).filled(name: card.name, me: "{name}", link: "{me}", package: "{link}")
            let link = InviteLink.mail(to: entry.emails, subject: text, body: text)
            require(link.utf8.allSatisfy { 0x21...0x7E ~= $0 }, "a link")
            if let email = entry.emails.first {
                let message = String(decoding: MailMessage.bytes(to: email, subject: text, body: text), as: UTF8.self)
                let head = message.split(separator: "\n", omittingEmptySubsequences: false).prefix { !$0.isEmpty }
                require(head.allSatisfy { $0.hasPrefix(" ") || $0.contains(": ") }, "headers")
            }
            entries.append(entry)
        }
        let plan = ImportPlan<Int>(present: [], entries: entries)
        let again = ImportPlan(present: plan.added.enumerated().map { ($0.offset, $0.element) }, entries: entries)
        require(again.added.isEmpty && again.updated.isEmpty && again.removed.isEmpty, "the same again changes nothing")
        require(again.unchanged == plan.added.count, "and all are there")
    }

    private static func read(_ bytes: [UInt8], by size: Int) -> VCardFile? {
        var reader = VCardReader()
        var rest = bytes[...]
        do {
            while !rest.isEmpty {
                try reader.feed(Array(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            return try reader.finish()
        } catch { return nil }
    }
}
