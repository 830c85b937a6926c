import Basics
import Crypto
import Testing

@testable import PeerProtocol

/// Goal: what a device tells of its mail key is believed only if the device has said it, and only whole.
@Suite("Mail notes")
struct MailNoteTests {
    /// The signed map of Anna's note, and her device's key.
    private func map(couriers: [UInt8] = [3]) throws -> (map: CBORMap, anna: Mailbox) {
        let anna = try Mailbox(1, couriers: couriers.map { try account($0) })
        let signed = try #require(try cborMap(anna.note.encoded())[1]?.bytesValue)
        return (try cborMap(signed), anna)
    }

    /// A note with this map, signed by this key.
    private func note(_ map: CBORMap, by key: SigningKey, label: String = MailNote.label) -> [UInt8] {
        let signed = CBOR.map(map).encoded()
        return CBOR.map([1: .bytes(signed), 2: .bytes(key.sign(signed, label: label))]).encoded()
    }

    @Test("A note comes back with all that was put into it", arguments: [0, 1, 4], [0, 1, 21])
    func roundTrip(count: Int, days: Int) throws {
        let couriers = try (0..<count).map { try account(UInt8(10 + $0)) }
        let anna = try Mailbox(1, couriers: couriers, days: days)
        for note in [try MailNote(decoding: anna.note.encoded()), try MailNote(trusting: anna.note.encoded())] {
            #expect(note == anna.note)
            #expect(note.account == anna.account && note.device == anna.device && note.certificate == anna.certificate)
            #expect(note.key == anna.key.publicKey && note.made == someTime)
            #expect(note.couriers == couriers && note.days == days && note.carries == (days > 0))
        }
        #expect(anna.note.encoded().count <= PeerLimits.mailNoteBytes)
    }

    @Test("A note whose couriers are left out names none, and unknown keys stay part of what was signed")
    func absentAndUnknown() throws {
        var (map, anna) = try map()
        map[5] = nil
        #expect(try MailNote(decoding: note(map, by: anna.deviceKey)).couriers.isEmpty)
        map[9] = .text("later")
        let bytes = note(map, by: anna.deviceKey)
        #expect(try MailNote(decoding: bytes).encoded() == bytes)
    }

    @Test("Nobody makes a note that others would refuse")
    func issuing() throws {
        let anna = try Mailbox(1)
        func issue(
            _ couriers: [AccountID] = [], days: Int = 14, made: Int64 = 0, by key: SigningKey? = nil
        ) -> WireError? {
            do {
                _ = try MailNote.issue(
                    by: key ?? anna.deviceKey, certificate: anna.certificate, key: anna.key.publicKey,
                    made: WallTime(milliseconds: made), couriers: couriers, days: days)
                return nil
            } catch {
                return error
            }
        }
        let others = try (10..<15).map { try account($0) }
        #expect(issue(Array(others.prefix(4)), days: 21) == nil && issue(days: 0) == nil)
        #expect(issue(others) == .tooLong(field: "couriers", limit: 4))
        #expect(issue([others[0], others[1], others[0]]) == .invalid(field: "couriers"))
        #expect(issue([anna.account]) == .invalid(field: "couriers"))
        #expect(issue(days: -1) == .invalid(field: "days") && issue(days: 22) == .invalid(field: "days"))
        #expect(issue(made: -1) == .invalid(field: "made"))
        #expect(issue(by: try Mailbox(2).deviceKey) == .forged)
        #expect(issue(by: try SigningKey(seed: Person.secret(1, 1))) == .forged)
    }

    @Test("Each field is needed, has its type, and keeps its bounds, also where the bytes are trusted")
    func fields() throws {
        let (map, anna) = try map()
        func failure(_ changed: CBORMap) -> WireError? {
            let bytes = note(changed, by: anna.deviceKey)
            var errors: [WireError?] = []
            for read in [MailNote.init(decoding:), MailNote.init(trusting:)] as [([UInt8]) throws -> MailNote] {
                do {
                    _ = try read(bytes)
                    errors.append(nil)
                } catch {
                    errors.append(error as? WireError)
                }
            }
            #expect(errors[0] == errors[1])
            return errors[0]
        }
        #expect(failure(map) == nil)
        let names: [(UInt64, String)] = [
            (1, "account"), (2, "certificate"), (3, "key"), (4, "made"), (6, "days"),
        ]
        for (key, name) in names {
            var changed = map
            changed[key] = nil
            #expect(failure(changed) == .missing(field: name))
            changed[key] = .text("x")
            #expect(failure(changed) == .wrongType(field: name))
        }
        func with(_ key: UInt64, _ value: CBOR) -> CBORMap {
            var changed = map
            changed[key] = value
            return changed
        }
        let others = try (10..<15).map { CBOR.bytes(try account($0).bytes) }
        #expect(failure(with(1, .bytes(try account(2).bytes))) == .invalid(field: "account"))
        #expect(failure(with(1, .bytes([1]))) == .invalid(field: "account"))
        #expect(failure(with(2, .bytes([0xA0]))) == .certificate(.malformed))
        #expect(failure(with(3, .bytes([UInt8](repeating: 1, count: 31)))) == .invalid(field: "key"))
        #expect(failure(with(3, .bytes([UInt8](repeating: 1, count: 33)))) == .tooLong(field: "key", limit: 32))
        #expect(failure(with(4, .unsigned(1 << 63))) == .invalid(field: "made"))
        #expect(failure(with(5, .array(others))) == .tooLong(field: "couriers", limit: 4))
        #expect(failure(with(5, .array(Array(others.prefix(4))))) == nil)
        #expect(failure(with(5, .array([others[0], others[0]]))) == .invalid(field: "couriers"))
        #expect(failure(with(5, .array([.bytes(anna.account.bytes)]))) == .invalid(field: "couriers"))
        #expect(failure(with(5, .array([.bytes([1, 2])]))) == .invalid(field: "couriers"))
        #expect(failure(with(5, .unsigned(0))) == .wrongType(field: "couriers"))
        #expect(failure(with(6, .unsigned(22))) == .invalid(field: "days"))
        #expect(failure(with(6, .unsigned(.max))) == .invalid(field: "days"))
    }

    @Test("A note of another device, another key or another label is forged; one that is trusted isn't checked again")
    func forged() throws {
        let (map, anna) = try map()
        let eve = try Mailbox(5)
        for bytes in [
            note(map, by: eve.deviceKey), note(map, by: try SigningKey(seed: Person.secret(1, 1))),
            note(map, by: anna.deviceKey, label: "kibo-card-v1"),
        ] {
            #expect(throws: WireError.forged) { try MailNote(decoding: bytes) }
            #expect(try MailNote(trusting: bytes).key == anna.key.publicKey)
        }
        // Eve's own key under Anna's certificate, and Anna's account under Eve's.
        var stolen = map
        stolen[3] = .bytes(eve.key.publicKey.bytes)
        #expect(throws: WireError.forged) { try MailNote(decoding: note(stolen, by: eve.deviceKey)) }
        stolen[2] = .bytes(eve.certificate.encoded())
        #expect(throws: WireError.invalid(field: "account")) {
            try MailNote(decoding: note(stolen, by: eve.deviceKey))
        }
        // A certificate for Anna's account that Eve has signed.
        var certificate = try cborMap(anna.certificate.encoded())
        let inner = try #require(certificate[1]?.bytesValue)
        certificate[2] = .bytes(try SigningKey(seed: Person.secret(5, 1)).sign(inner, label: DeviceCertificate.label))
        var uncertified = map
        uncertified[2] = .bytes(CBOR.map(certificate).encoded())
        #expect(throws: WireError.certificate(.forged)) {
            try MailNote(decoding: note(uncertified, by: anna.deviceKey))
        }
    }

    @Test("Each byte changed and each length cut is refused")
    func damaged() throws {
        let bytes = try Mailbox(1, couriers: [account(3)]).note.encoded()
        for place in bytes.indices {
            var wrong = bytes
            wrong[place] ^= 1 << UInt8(place % 8)
            #expect(throws: WireError.self) { try MailNote(decoding: wrong) }
            #expect(throws: WireError.self) { try MailNote(decoding: Array(bytes.prefix(place))) }
        }
        #expect(throws: WireError.self) { try MailNote(decoding: bytes + [0]) }
    }

    @Test("A note has at most 2,048 bytes")
    func length() throws {
        var (map, anna) = try map()
        let rest = PeerLimits.mailNoteBytes - note(map, by: anna.deviceKey).count
        for (more, isTaken) in [(rest - 4, true), (rest - 3, false)] {
            map[9] = .bytes([UInt8](repeating: 0, count: more))
            let bytes = note(map, by: anna.deviceKey)
            #expect(bytes.count == PeerLimits.mailNoteBytes + (isTaken ? 0 : 1))
            #expect(((try? MailNote(decoding: bytes)) != nil) == isTaken)
        }
    }
}
