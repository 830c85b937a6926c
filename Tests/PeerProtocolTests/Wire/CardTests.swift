import Basics
import Crypto
import PeerProtocol
import Testing

@Suite("Cards")
struct CardTests {
    private func card(_ profile: Card.Profile) throws -> Card {
        let person = try Person(1)
        return try Card.issue(by: person.deviceKey, certificate: person.certificate, profile: profile, version: 7)
    }

    @Test("A card comes back unchanged, with all its fields")
    func roundTrip() throws {
        let full = try card(
            Card.Profile(
                displayName: "Zoë 🦊", statusText: "At sea", avatarDigest: [UInt8](repeating: 3, count: 32),
                email: "zoe@example.org", phone: "+4915112345678"))
        for card in [full, try card(Card.Profile(displayName: "Al"))] {
            #expect(try Card(decoding: card.encoded) == card)
        }
    }

    @Test("A card with any changed byte is refused")
    func anyBitCounts() throws {
        let original = try Person(1).card.encoded
        for index in original.indices {
            var bytes = original
            bytes[index] ^= 1
            #expect(throws: WireError.self, "byte \(index)") { try Card(decoding: bytes) }
        }
        for count in 0..<original.count {
            #expect(throws: WireError.self) { try Card(decoding: Array(original.prefix(count))) }
        }
    }

    @Test("A device can't sign a card for another device")
    func foreignKey() throws {
        let (one, other) = (try Person(1), try Person(2))
        #expect(throws: WireError.forged) {
            try Card.issue(
                by: other.deviceKey, certificate: one.certificate, profile: Card.Profile(displayName: "x"), version: 1)
        }
        // These are made by hand: one's certificate with the other's signature, or another account's name in the field.
        func forge(account: AccountID, by key: SigningKey) -> [UInt8] {
            let signed = CBOR.map([
                1: .bytes(account.bytes), 2: .bytes(one.certificate.encoded()), 3: .text("x"), 4: .text(""),
                8: .unsigned(1),
            ]).encoded()
            return CBOR.map([1: .bytes(signed), 2: .bytes(key.sign(signed, label: Card.label))]).encoded()
        }
        #expect(throws: Never.self) { try Card(decoding: forge(account: one.account, by: one.deviceKey)) }
        #expect(throws: WireError.forged) { try Card(decoding: forge(account: one.account, by: other.deviceKey)) }
        #expect(throws: WireError.invalid(field: "account")) {
            try Card(decoding: forge(account: other.account, by: one.deviceKey))
        }
    }

    @Test("Fields of a later version are kept, so that passing the card on does no harm")
    func laterFields() throws {
        let person = try Person(1)
        let signed = CBOR.map([
            1: .bytes(person.account.bytes), 2: .bytes(person.certificate.encoded()), 3: .text("x"), 4: .text(""),
            8: .unsigned(1), 40: .text("later"),
        ]).encoded()
        let bytes = CBOR.map([
            1: .bytes(signed), 2: .bytes(person.deviceKey.sign(signed, label: Card.label)),
        ]).encoded()
        #expect(try Card(decoding: bytes).encoded == bytes)
    }

    @Test("Each limit allows its value and not one more")
    func limits() throws {
        func name(_ count: Int) throws -> Card {
            try card(Card.Profile(displayName: String(repeating: "n", count: count)))
        }
        func status(_ count: Int) throws -> Card {
            try card(Card.Profile(displayName: "n", statusText: String(repeating: "s", count: count)))
        }
        func email(_ count: Int) throws -> Card {
            let end = "@" + String(repeating: "e.", count: 94) + "e"
            return try card(Card.Profile(displayName: "n", email: String(repeating: "a", count: count - 190) + end))
        }
        #expect(throws: Never.self) { try Card(decoding: name(128).encoded) }
        #expect(throws: WireError.tooLong(field: "display name", limit: 128)) { try name(129) }
        #expect(throws: Never.self) { try Card(decoding: status(256).encoded) }
        #expect(throws: WireError.tooLong(field: "status text", limit: 256)) { try status(257) }
        #expect(throws: Never.self) { try Card(decoding: email(254).encoded) }
        #expect(throws: WireError.tooLong(field: "e-mail", limit: 254)) { try email(255) }
    }

    @Test("Invalid names, addresses and numbers are refused")
    func values() {
        for name in ["", "  ", "a\nb", "a\u{202E}b"] {
            #expect(throws: WireError.invalid(field: "display name")) { try card(Card.Profile(displayName: name)) }
        }
        for status in [
            "", " ", "שלום\u{200F}!", "\u{2067}a\u{2069}", "\u{202B}",
            "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
        ] {
            #expect(throws: Never.self) {
                try Card(decoding: card(Card.Profile(displayName: "n", statusText: status)).encoded)
            }
        }
        for status in ["a\nb", "a\tb", "a\u{202E}b", "\u{1B}[2J", "\u{2028}", "\u{FEFF}"] {
            #expect(throws: WireError.invalid(field: "status text")) {
                try card(Card.Profile(displayName: "n", statusText: status))
            }
        }
        for email in ["", "a", "@b", "a@", "a@b@c", "a b@c", "a@b?subject=c"] {
            #expect(throws: WireError.invalid(field: "e-mail")) {
                try card(Card.Profile(displayName: "n", email: email))
            }
        }
        for phone in ["", "+", "+1234", "+1234567890123456", "0049123456", "+49 12345", "+49١٢٣٤٥"] {
            #expect(throws: WireError.invalid(field: "phone")) {
                try card(Card.Profile(displayName: "n", phone: phone))
            }
        }
        #expect(throws: WireError.invalid(field: "avatar digest")) {
            try card(Card.Profile(displayName: "n", avatarDigest: [1]))
        }
    }

    @Test("A card of another program with an address or a number that is none counts without them")
    func leftOut() throws {
        let person = try Person(1)
        func foreign(email: CBOR, phone: CBOR) throws -> [UInt8] {
            let signed = CBOR.map([
                1: .bytes(person.certificate.account.bytes), 2: .bytes(person.certificate.encoded()), 3: .text("Anna"),
                4: .text(""), 6: email, 7: phone, 8: .unsigned(3),
            ]).encoded()
            let signature = person.deviceKey.sign(signed, label: Card.label)
            return CBOR.map([1: .bytes(signed), 2: .bytes(signature)]).encoded()
        }
        for (email, phone) in [
            ("boss@example.org?subject=Fired&attach=/etc/passwd", "+49 30;x"), ("a", ""),
            ("a@b\n", "+4930123456,1"), (String(repeating: "a", count: 300) + "@b", "tel:+4930123456"),
            ("a@b\u{202E}", String(repeating: "1", count: 300)),
        ] {
            let card = try Card(decoding: foreign(email: .text(email), phone: .text(phone)))
            #expect(card.profile == Card.Profile(displayName: "Anna") && card.hasLeftOut)
            #expect(!PeerExchange.isForAll(card, fromFriend: true), "its owner may have shown that to friends only")
        }
        let card = try Card(decoding: foreign(email: .text("anna@example.org"), phone: .text("+4930123456")))
        #expect(card.profile.email == "anna@example.org" && card.profile.phone == "+4930123456")
        #expect(throws: WireError.self) {
            try Card(decoding: foreign(email: .unsigned(1), phone: .text("+4930123456")))
        }
    }
}
