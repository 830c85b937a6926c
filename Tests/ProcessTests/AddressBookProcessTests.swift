import Basics
import ControlProtocol
import Glibc
import PeerProtocol
import TestSupport
import Testing
import Vocabulary

@Suite("The address book of a real daemon", .serialized)
struct AddressBookProcessTests {
    private static let cards = """
        BEGIN:VCARD
        VERSION:4.0
        UID:urn:uuid:1
        FN:Anna Schmidt
        TEL;TYPE=cell:0170 1234567
        EMAIL:anna@example.org
        END:VCARD
        BEGIN:VCARD
        VERSION:3.0
        FN:Zoë Novák
        TEL;TYPE=HOME:+420 224 123 456
        TEL;TYPE=CELL:+420 601 123 456
        END:VCARD
        BEGIN:VCARD
        VERSION:3.0
        FN:Élodie
        EMAIL:elodie@example.org
        END:VCARD
        BEGIN:VCARD
        VERSION:3.0
        FN:Nobody
        END:VCARD

        """

    private func write(_ text: String, _ name: String, at daemon: DaemonProcess) throws -> JSONValue {
        let path = daemon.directory.file(name)
        try TextFile.write(Array(text.utf8), to: path)
        return .string(path)
    }

    private func entries(_ daemon: DaemonProcess, _ params: JSONObject = [:]) throws -> [AddressBookEntry] {
        try (daemon.call("addressBook.list", params)["entries"]?.array ?? []).map { try AddressBookEntry(json: $0) }
    }

    private func refusal(_ body: () throws -> Void) -> RPCError? {
        do {
            try body()
            return nil
        } catch {
            guard case ClientError.refused(let refusal) = error else { return nil }
            return refusal
        }
    }

    /// Imports a file with thousands of people, for which an unoptimised daemon needs long beside other tests.
    private func importBook(_ params: JSONObject, at daemon: DaemonProcess) throws -> JSONValue {
        try daemon.client.call("addressBook.import", params, timeout: .seconds(120))
    }

    @Test(
        "A file is imported with its country, listed in order, searched and updated, and survives kill -9"
    )
    func importing() throws {
        var options = DaemonProcess.Options()
        options.environment = ["LC_ALL": "C.UTF-8"]
        let daemon = try DaemonProcess.launch(name: "Ben", options: options)
        let events = try daemon.connect()
        _ = try events.call("events.subscribe", ["types": ["addressBook.changed"]])
        let path = try write(Self.cards, "a.vcf", at: daemon)
        let first = try AddressBookImport(json: daemon.call("addressBook.import", ["path": path]))
        #expect(first.added == 3 && first.skipped == 1 && first.numbersWithoutCountry == 1 && first.country == nil)
        #expect(first.problems.map(\.name) == ["Nobody"])
        #expect(try events.nextEvent(timeout: Patience.usual)?.data["added"] == 3)
        #expect(try entries(daemon).first { $0.name == "Anna Schmidt" }?.phones.map(\.e164) == [nil])

        // With the country, the file gives the same entry with a complete number; a third import changes nothing.
        let second = try AddressBookImport(
            json: daemon.call("addressBook.import", ["path": path, "defaultCountry": "de"]))
        #expect(second.added == 0 && second.updated == 1 && second.unchanged == 2 && second.country == "DE")
        let third = try AddressBookImport(
            json: daemon.call("addressBook.import", ["path": path, "defaultCountry": "+49"]))
        #expect(third.unchanged == 3 && third.updated == 0)

        daemon.kill()
        try daemon.start()
        let all = try entries(daemon)
        #expect(all.map(\.name) == ["Anna Schmidt", "Élodie", "Zoë Novák"])
        let phone = try #require(all.first?.phones.first)
        #expect(phone.number == "0170 1234567" && phone.e164 == "+491701234567")
        #expect(
            phone.prefix == "+49" && phone.national == "1701234567" && phone.region == "DE" && phone.label == "mobile")
        for (query, names) in [
            ("zoe", ["Zoë Novák"]), ("ELODIE@", ["Élodie"]), ("0170/123", ["Anna Schmidt"]), ("+420", ["Zoë Novák"]),
            ("%", []),
        ] {
            #expect(try entries(daemon, ["query": .string(query)]).map(\.name) == names, "\(query)")
        }
        // The pages together give the same list.
        var names: [String] = []
        var next: JSONValue? = .null
        while let after = next {
            let page = try daemon.call("addressBook.list", ["limit": 1, "after": after])
            names += page["entries"]?.array?.compactMap { $0["name"]?.string } ?? []
            #expect(page["total"] == 3)
            next = page["next"]
        }
        #expect(names == ["Anna Schmidt", "Élodie", "Zoë Novák"])

        // Entries that a newer file doesn't have stay, unless it is to replace the whole book.
        let newer = try write(
            "BEGIN:VCARD\nUID:1\nFN:Anna Meier\nEMAIL:anna@example.org\nEND:VCARD\n", "b.vcf", at: daemon)
        let change = try AddressBookImport(json: daemon.call("addressBook.import", ["path": newer]))
        #expect(change.updated == 1 && change.removed == 0)
        #expect(try entries(daemon).map(\.name) == ["Anna Meier", "Élodie", "Zoë Novák"])
        let replaced = try AddressBookImport(json: daemon.call("addressBook.import", ["path": newer, "replace": true]))
        #expect(replaced.removed == 2 && replaced.unchanged == 1)
        let last = try #require(try entries(daemon).first)
        #expect(try daemon.call("addressBook.remove", ["entries": [.string(last.id)]])["removed"] == 1)
        #expect(try entries(daemon).isEmpty)
        #expect(
            try daemon.call("addressBook.countries")["countries"]?.array?.contains {
                $0["region"] == "IT" && $0["callingCode"] == "39"
            } == true)
    }

    @Test("A file that is no vCard, unreadable or cut off is refused with advice, and nothing of it is stored")
    func refusals() throws {
        let daemon = try DaemonProcess.launch(name: "Ben")
        let good = try write(Self.cards, "good.vcf", at: daemon)
        _ = try daemon.call("addressBook.import", ["path": good])
        let cut = try write("BEGIN:VCARD\nFN:A\nTEL:+491701234567\n", "cut.vcf", at: daemon)
        let many = try write(
            String(repeating: "BEGIN:VCARD\nFN:A\nTEL:1\nEND:VCARD\n", count: 50_001), "many.vcf", at: daemon)
        let pipe = daemon.directory.file("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        for (params, kind, field): (JSONObject, Reason, String) in [
            (["path": "/no/such/file"], .notFound, "path"), (["path": "/"], .invalid, "path"),
            (["path": .string(pipe)], .invalid, "path"),
            (["path": "/dev/zero"], .invalid, "path"),
            (["path": try write("name;phone\n", "a.csv", at: daemon)], .invalid, "path"),
            (["path": try write("", "empty.vcf", at: daemon)], .invalid, "path"), (["path": many], .tooLarge, "path"),
            (["path": cut, "replace": true], .invalid, "path"),
            (["path": good, "defaultCountry": "Atlantis"], .invalid, "defaultCountry"),
        ] {
            let found = refusal { _ = try importBook(params, at: daemon) }
            #expect(found?.kind == kind && found?.field == field, "\(params)")
        }
        #expect(try entries(daemon).count == 3)
        let taken = try AddressBookImport(json: daemon.call("addressBook.import", ["path": cut]))
        #expect(
            taken.added == 1 && taken.problemCount == 1,
            "without replacing, the entries up to the damage are taken, and the damage is told")
        #expect(refusal { _ = try daemon.call("addressBook.list", ["after": "x"]) }?.field == "after")
        let empty = try DaemonProcess(name: "Cleo", options: .init())
        try empty.start()
        #expect(refusal { _ = try empty.call("addressBook.import", ["path": good]) }?.kind == .noAccount)
    }

    @Test("Strangers with a number fit while they are here, friends also when away; both sides show it, with an event")
    func matching() throws {
        let daemon = try DaemonProcess.launch(name: "Ben")
        let events = try daemon.connect()
        _ = try events.call("events.subscribe", ["types": ["addressBook.matched"]])
        func matched(_ name: String, _ isOn: Bool) throws -> AddressBookEntry {
            let event = try #require(try events.nextEvent(timeout: Patience.usual))
            let entry = try AddressBookEntry(json: event.data)
            #expect(entry.name == name && entry.onKibo == isOn && event.seq == nil)
            return entry
        }
        // One peer is here before the book is imported.
        let zoe = try TestPeer("Zoe", phone: "+420601123456")
        let zoeLink = try zoe.openSession(with: daemon)
        try Patience.until("Zoe to be seen") { try daemon.peers.contains { $0.account == zoe.id } }
        let path = try write(Self.cards, "a.vcf", at: daemon)
        _ = try daemon.call("addressBook.import", ["path": path, "defaultCountry": "DE"])
        let entry = try matched("Zoë Novák", true)
        #expect(
            entry.contact == zoe.id
                && entry.matches == [.init(account: zoe.id, displayName: "Zoe", relation: .none, here: true)])
        #expect(try entries(daemon, ["onKibo": true]).map(\.name) == ["Zoë Novák"])
        #expect(try entries(daemon, ["onKibo": false]).map(\.name) == ["Anna Schmidt", "Élodie"])
        #expect(
            try daemon.peers.first { $0.account == zoe.id }?.entry?.name == "Zoë Novák", "the peer shows its entry, too"
        )

        // Another peer comes after the import, and becomes a friend.
        let anna = try TestPeer("Anna", email: "ANNA@example.org")
        let annaLink = try anna.befriend(daemon)
        #expect(try matched("Anna Schmidt", true).contact == anna.id)
        try Patience.until("Anna to be known as a friend") {
            try entries(daemon, ["query": "anna"]).first?.matches.first?.relation == .friend
        }
        #expect(try daemon.contact(anna.id)?.entry?.name == "Anna Schmidt")
        // A friend's card is stored.
        annaLink.send(Frame(kind: .card, body: anna.card.encoded))
        try Patience.until("the card to be kept") { try daemon.contact(anna.id)?.email == "ANNA@example.org" }

        // Both go; the friend still fits.
        zoeLink.socket.close()
        annaLink.socket.close()
        try Patience.until("Zoe to be gone") { try entries(daemon, ["onKibo": true]).map(\.name) == ["Anna Schmidt"] }
        daemon.kill()
        try daemon.start()
        try Patience.until("the friend to fit after a start") {
            try entries(daemon, ["onKibo": true]).map(\.name) == ["Anna Schmidt"]
        }
    }

    @Test(
        "Several are invited at once, by links and by a command without a shell; entries that can't be invited are told"
    )
    func inviting() throws {
        let daemon = try DaemonProcess.launch(name: "Ben Müller")
        let path = try write(Self.cards, "a.vcf", at: daemon)
        _ = try daemon.call("addressBook.import", ["path": path, "defaultCountry": "DE"])
        let all = try entries(daemon)
        let (anna, elodie, zoe) = (all[0], all[1], all[2])
        let everybody = JSONValue.strings(all.map(\.id))
        let byMail = try Invitations(json: daemon.call("invite.compose", ["entries": everybody, "via": "email"]))
        #expect(byMail.recipients.map(\.to) == ["anna@example.org", "elodie@example.org"])
        #expect(
            byMail.links.count == 2
                && byMail.links[0].hasPrefix("mailto:anna@example.org?subject=Ben%20M%C3%BCller%20invites"))
        let own = try daemon.account.id
        #expect(
            byMail.links[0].contains("Hello%20Anna%20Schmidt%2C%0D%0A") && byMail.links[0].contains("kibo%3A\(own)"))
        #expect(byMail.failed.map(\.entry) == [zoe.id] && byMail.failed[0].detail == "has no e-mail address")
        let byText = try Invitations(
            json: daemon.call(
                "invite.compose", ["entries": everybody, "via": "sms", "text": "Join me", "together": true]))
        #expect(
            byText.links == ["sms:+491701234567,+420601123456?body=Join%20me"]
                && byText.failed.map(\.entry) == [elodie.id])
        // A text with a name can't go to several people; the usual text leaves the name out.
        let forOne: JSONObject = ["entries": everybody, "via": "sms", "text": "Hi {name}", "together": true]
        #expect(refusal { _ = try daemon.call("invite.compose", forOne) }?.field == "together")
        let usual = try Invitations(
            json: daemon.call("invite.compose", ["entries": everybody, "via": "sms", "together": true]))
        #expect(usual.links.count == 1 && usual.links[0].contains("?body=Hello%2C"), "\(usual.links)")

        let unset = refusal { _ = try daemon.call("invite.send", ["entries": everybody, "via": "email"]) }
        #expect(
            unset?.kind == .unsupported && unset?.hint == .setInviteCommand
                && unset?.parameters["key"] == "invite.emailCommand")
        // This program writes down its input, and fails for one of the entries.
        let outbox = daemon.directory.file("outbox")
        let program = daemon.directory.file("post it")
        try TextFile.writeProgram(
            "#!/bin/sh\ncase $1 in elodie*) echo 'no such mailbox' >&2; exit 67;; esac\n{ echo \"$1\"; cat; } >> '\(outbox)'\n"
                .utf8,
            to: program)
        _ = try daemon.call("settings.set", ["key": "invite.emailCommand", "value": .string("'\(program)' {email}")])
        let sent = try Invitations(
            json: daemon.call("invite.send", ["entries": everybody, "via": "email", "text": "Hi {name}"]))
        #expect(sent.sent == 1 && sent.recipients.map(\.entry) == [anna.id])
        #expect(sent.failed.map(\.entry) == [zoe.id, elodie.id])
        #expect(sent.failed[1].detail.hasSuffix("failed with 67: no such mailbox"))
        let mail = try TextFile.text(outbox)
        #expect(
            mail.hasPrefix("anna@example.org\nTo: anna@example.org\nSubject: =?UTF-8?B?")
                && mail.hasSuffix("\n\nSGkgQW5uYSBTY2htaWR0\n"))
        #expect(try entries(daemon).map { $0.invitedAt != nil } == [true, false, false])

        // An entry whose account is here is not invited, unless the caller asks for it.
        let peer = try TestPeer("Anna", phone: "+491701234567")
        let link = try peer.openSession(with: daemon)
        try Patience.until("Anna to be on Kibo") { try entries(daemon, ["query": "anna"]).first?.onKibo == true }
        let again = try Invitations(json: daemon.call("invite.compose", ["entries": [.string(anna.id)], "via": "sms"]))
        #expect(again.links.isEmpty && again.failed.map(\.reason) == [.alreadyExists])
        let even = try Invitations(
            json: daemon.call("invite.compose", ["entries": [.string(anna.id)], "via": "sms", "evenOnKibo": true]))
        #expect(even.recipients.count == 1)
        withExtendedLifetime(link) {}
    }

    @Test("Thousands of people are imported, listed and imported again")
    func many() throws {
        let count = Thorough.isWanted ? 10_000 : 2_500
        let daemon = try DaemonProcess.launch(name: "Ben")
        var text = ""
        for number in 0..<count {
            text += """
                BEGIN:VCARD
                VERSION:3.0
                FN:Person \(number)
                N:\(number);Person;;;
                UID:\(number)-5a1e9a4e-3a7e-4f6a-9a57-0d1f0c3b2a11
                TEL;TYPE=CELL:0170 \(1_000_000 + number)
                TEL;TYPE=WORK:+49 30 \(2_000_000 + number)
                EMAIL;TYPE=INTERNET:person\(number)@example.org
                ORG:Example;Department
                NOTE:a note of some length that nobody keeps\\, but that is in every export
                END:VCARD

                """
        }
        let path = try write(text, "many.vcf", at: daemon)
        let done = try AddressBookImport(
            json: importBook(["path": path, "defaultCountry": "DE"], at: daemon))
        #expect(done.added == count && done.problemCount == 0)
        #expect(
            try AddressBookImport(json: importBook(["path": path, "defaultCountry": "DE"], at: daemon))
                .unchanged == count)
        let page = try daemon.call("addressBook.list", ["limit": 500, "query": "person 249"])
        #expect(page["total"] == 11)
    }
}
