import Basics
import Crypto
import PeerProtocol
import Testing

/// A peer that does the handshake by hand, with a payload that the test makes.
@Suite("Identity in the handshake")
struct IdentityTests {
    private static let label = "kibo-noise-static-v1"

    /// The fields of a valid payload, for tests to change.
    private func fields(_ person: Person, staticKey: AgreementKey? = nil, notAfter: UInt64? = nil) -> CBORMap {
        let notAfter = notAfter ?? UInt64(person.identity.notAfter.milliseconds)
        var signed = (staticKey ?? person.staticKey).publicKey.bytes
        signed.appendBigEndian(notAfter)
        return [
            1: .bytes(person.account.bytes), 2: .bytes(person.certificate.encoded()),
            3: .bytes(person.deviceKey.sign(signed, label: Self.label)), 4: .unsigned(notAfter), 5: .unsigned(15426),
            6: .array([.text("chat")]), 7: .text("kibod 0.1.0"),
        ]
    }

    /// The acceptor's error for a dialler that shows this payload; nil if it is accepted.
    private func verdict(
        _ payload: [UInt8], staticKey: AgreementKey, wallTime: WallTime = someTime
    ) throws -> ChannelError? {
        let preface = Array("KIBO".utf8) + [1, 1, 0, 0]
        let prologue = Array("kibo-prologue-v1".utf8) + [0] + preface + [UInt8](repeating: 0, count: 32)
        var handshake = try NoiseHandshake(.initiator, staticKey: staticKey, prologue: prologue)
        let acceptor = Endpoint(accepting: try Person(2))
        try acceptor.feed(preface + framed(try handshake.write(payload: [])))
        _ = try handshake.read(acceptor.takeOutput().dropFirst(2))
        let third = framed(try handshake.write(payload: payload))
        do {
            try acceptor.feed(third, wallTime: wallTime)
        } catch {
            #expect(acceptor.established == nil)
            return error
        }
        #expect(acceptor.isEstablished)
        return nil
    }

    private func framed(_ message: [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        out.appendBigEndian(UInt16(message.count))
        return out + message
    }

    private func verdict(_ person: Person, changing change: (inout CBORMap) -> Void) throws -> ChannelError? {
        var map = fields(person)
        change(&map)
        return try verdict(CBOR.map(map).encoded(), staticKey: person.staticKey)
    }

    @Test("The honest payload is accepted, even with fields of a later version and without optional ones")
    func honest() throws {
        let person = try Person(1)
        #expect(try verdict(person) { _ in } == nil)
        #expect(try verdict(person) { $0[50] = .text("later") } == nil)
        #expect(try verdict(person) { $0[6] = nil } == nil)
        #expect(try verdict(person) { $0[7] = nil } == nil)
        #expect(try verdict(person) { $0[5] = .unsigned(0) } == nil)
    }

    @Test("A forged certificate for our device in another account's name is refused")
    func forgedCertificate() throws {
        let (person, victim) = (try Person(1), try Person(3))
        // The attacker's own device is under the victim's account, signed by the attacker's account key.
        let inner = CBOR.map([
            1: .bytes(victim.account.bytes), 2: .bytes(person.device.bytes), 3: .text("x"), 4: .unsigned(1),
        ]).encoded()
        let forged = CBOR.map([
            1: .bytes(inner), 2: .bytes(person.accountKey.sign(inner, label: DeviceCertificate.label)),
        ]).encoded()
        #expect(
            try verdict(person) { map in
                map[1] = .bytes(victim.account.bytes)
                map[2] = .bytes(forged)
            } == .identity(.certificate(.forged)))
    }

    @Test("Another device's valid certificate is refused")
    func borrowedCertificate() throws {
        let (person, victim) = (try Person(1), try Person(3))
        // With the victim's certificate the signature over our key is missing.
        #expect(
            try verdict(person) { map in
                map[1] = .bytes(victim.account.bytes)
                map[2] = .bytes(victim.certificate.encoded())
            } == .identity(.staticSignature))
        // With the victim's whole payload the signature is over the victim's key.
        let payload = CBOR.map(fields(victim)).encoded()
        #expect(try verdict(payload, staticKey: person.staticKey) == .identity(.staticSignature))
        // The unencrypted account must be the certificate's.
        #expect(try verdict(person) { $0[1] = .bytes(victim.account.bytes) } == .identity(.accountMismatch))
    }

    @Test("A static signature over another role or key, or under another label, is refused")
    func forgedStaticSignature() throws {
        let person = try Person(1)
        #expect(
            try verdict(person) { $0[4] = .unsigned(UInt64(someTime.milliseconds) + 1) } == .identity(.staticSignature))
        let payload = CBOR.map(fields(person, staticKey: AgreementKey())).encoded()
        #expect(try verdict(payload, staticKey: person.staticKey) == .identity(.staticSignature))
        var signed = person.staticKey.publicKey.bytes
        signed.appendBigEndian(UInt64(person.identity.notAfter.milliseconds))
        let other = person.deviceKey.sign(signed, label: "kibo-card-v1")
        #expect(try verdict(person) { $0[3] = .bytes(other) } == .identity(.staticSignature))
        #expect(try verdict(person) { $0[3] = .bytes([1, 2, 3]) } == .identity(.staticSignature))
    }

    @Test("Clocks may be a month apart, either way; then both sides know whose clock is how far off")
    func clocksApart() throws {
        let person = try Person(1)
        let end = person.identity.notAfter
        let month = Duration.seconds(30 * 24 * 3600)
        #expect(end == someTime + month)
        let payload = CBOR.map(fields(person)).encoded()
        func verdict(at time: WallTime) throws -> ChannelError? {
            try self.verdict(payload, staticKey: person.staticKey, wallTime: time)
        }
        func apart(by days: Int64) -> ChannelError {
            .identity(.clocksApart(device: person.device, account: person.account, days: days))
        }
        #expect(try verdict(at: end) == nil)
        #expect(try verdict(at: end + .milliseconds(1)) == apart(by: -30))
        #expect(try verdict(at: someTime + (.zero - month)) == nil)
        #expect(try verdict(at: someTime + (.zero - month - .milliseconds(1))) == apart(by: 30))
        let text = "\(IdentityError.clocksApart(device: person.device, account: person.account, days: 2))"
        #expect(text == "the peer's clock is about 2 days ahead of ours")
    }

    @Test("The dialler checks as strictly as the acceptor")
    func diallerChecks() throws {
        let acceptorLater = WallTime(milliseconds: someTime.milliseconds + 31 * 24 * 3600 * 1000)
        let (dialler, acceptor) = (try Endpoint(dialling: .session, Person(1)), Endpoint(accepting: try Person(2)))
        try acceptor.feed(dialler.takeOutput())
        let two = try Person(2)
        #expect(
            throws: ChannelError.identity(.clocksApart(device: two.device, account: two.account, days: -31))
        ) {
            try dialler.feed(acceptor.takeOutput(), wallTime: acceptorLater)
        }
        #expect(dialler.output.isEmpty, "our own identity is not shown to a peer that was refused")
    }

    @Test(
        "Payloads that break the rules are refused",
        arguments: [
            (5, .unsigned(65_536), .invalid(field: "listen port")),
            (5, nil, .missing(field: "listen port")),
            (2, nil, .missing(field: "certificate")),
            (2, .bytes([UInt8](repeating: 0, count: 1025)), .tooLong(field: "certificate", limit: 1024)),
            (3, .bytes([UInt8](repeating: 0, count: 65)), .tooLong(field: "static signature", limit: 64)),
            (6, .array([CBOR](repeating: .text("x"), count: 33)), .tooLong(field: "capabilities", limit: 32)),
            (6, .array([.text(String(repeating: "x", count: 65))]), .tooLong(field: "capability", limit: 64)),
            (6, .array([.text("")]), .invalid(field: "capability")),
            (6, .array([.unsigned(1)]), .wrongType(field: "capability")),
            (7, .text(String(repeating: "v", count: 65)), .tooLong(field: "software version", limit: 64)),
            (7, .text("a\u{1B}[31m"), .invalid(field: "software version")),
        ] as [(UInt64, CBOR?, WireError)])
    func malformed(key: UInt64, value: CBOR?, error: WireError) throws {
        #expect(try verdict(Person(1)) { $0[key] = value } == .identity(.malformed(error)))
    }

    @Test("Payloads that are no CBOR are refused")
    func garbage() throws {
        let person = try Person(1)
        for payload in [[], [0xFF], [0xA0, 0x00], [0x80], [UInt8](repeating: 0x81, count: 100)] as [[UInt8]] {
            let verdict = try verdict(payload, staticKey: person.staticKey)
            guard case .identity(.malformed)? = verdict else {
                Issue.record("\(payload): \(String(describing: verdict))")
                continue
            }
        }
    }

    @Test("An identity that peers would refuse is not made")
    func ownLimits() throws {
        let (person, other) = (try Person(1), try Person(2))
        func make(_ key: SigningKey, _ capabilities: [String] = [], _ version: String = "v") throws -> LocalIdentity {
            try LocalIdentity.make(
                deviceKey: key, certificate: person.certificate, staticKey: person.staticKey, now: someTime,
                listenPort: 1, capabilities: capabilities, softwareVersion: version)
        }
        #expect(throws: WireError.forged) { try make(other.deviceKey) }
        #expect(throws: WireError.self) { try make(person.deviceKey, ["a b"]) }
        #expect(throws: WireError.self) { try make(person.deviceKey, [], String(repeating: "v", count: 65)) }
        #expect(throws: Never.self) { try make(person.deviceKey, ["a"], String(repeating: "v", count: 64)) }
    }
}
