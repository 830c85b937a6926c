import Basics
import ControlProtocol
import Crypto
import PeerProtocol
import TestSupport
import Testing
import Vocabulary

/// Attacks by peers that have proved who they are: strangers, and friends that have turned bad.
@Suite("Hostile records and frames against a real daemon", .serialized)
struct FrameAttackTests {
    @Test("Records that are empty, too short, forged or cut off end their session only")
    func records() throws {
        let scene = try Scene()
        let forged = { (count: Int) -> [UInt8] in
            [UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
                + [UInt8](repeating: 5, count: count)
        }
        for record in [forged(0), forged(1), forged(16), forged(17), forged(1000), forged(65_535)] {
            let link = try TestPeer().openSession(with: scene.anna)
            link.send(raw: record)
            #expect(try link.closeReason() == nil, "\(record.count)")
        }
        // The connection is cut in the middle of a record, and in the middle of its length.
        for kept in [1, 2, 30] {
            let link = try TestPeer().openSession(with: scene.anna)
            link.send(raw: Array(try link.seal(Frame(kind: .ping).encoded()).prefix(kept)))
            link.socket.finish()
            #expect(try link.closeReason() == nil)
        }
        try scene.expectUnharmed()
    }

    @Test("A frame above 1 MiB is refused by its header; one of 1 MiB is read and refused by its content")
    func longFrames() throws {
        let scene = try Scene()
        let friend = try TestPeer("Fred")
        let link = try friend.befriend(scene.anna)
        let largest = Frame(kind: .message, id: freshID(), body: [UInt8](repeating: 0xA0, count: 1 << 20))
        link.send(largest)
        #expect(try link.refusal(of: largest.id) == .invalid)
        for length: UInt32 in [1 << 20 + 1, 1 << 31, .max] {
            let bad = try friend.openSession(with: scene.anna)
            var header = Frame(kind: .message, id: freshID()).encoded()
            header.replaceSubrange(4..<8, with: withUnsafeBytes(of: length.bigEndian) { Array($0) })
            bad.send(plaintext: header)
            #expect(try bad.closeReason() == .protocolError, "\(length)")
        }
        try scene.expectUnharmed()
    }

    @Test("Unknown kinds are skipped without an id and refused with one, from friends and strangers")
    func unknownKinds() throws {
        let scene = try Scene()
        for link in [try TestPeer("Fred").befriend(scene.anna), try TestPeer().openSession(with: scene.anna)] {
            for kind: UInt16 in [0, 5, 15, 32, 47, 53, 63, 64, 66, 96, 114, 116, 999, .max] {
                link.send(Frame(kind: FrameKind(rawValue: kind), body: [0xFF, 0x00]))
                let frame = Frame(kind: FrameKind(rawValue: kind), id: freshID(), body: [1, 2, 3])
                link.send(frame)
                #expect(try link.refusal(of: frame.id) == .unsupported, "\(kind)")
            }
            try link.roundTrip()
        }
        try scene.expectUnharmed()
    }

    @Test("A stranger's messages, files and removals are refused, and nothing of them is stored")
    func strangers() throws {
        let scene = try Scene()
        let stranger = try TestPeer()
        let link = try stranger.openSession(with: scene.anna)
        let status = try FileStatusBody(transfer: freshID(), status: .cancelled).encoded()
        let bodies: [(FrameKind, [UInt8])] = [
            (.message, try textBody("buy now")), (.message, []), (.edit, []), (.deletion, []), (.reaction, []),
            (.seen, []), (.fileStatus, status), (.fileStatus, [0xFF]),
            (.contactRemoval, ContactRemovalBody().encoded()),
        ]
        for (kind, body) in bodies {
            let frame = Frame(kind: kind, id: freshID(), body: body)
            link.send(frame)
            #expect(try link.refusal(of: frame.id) == .notFriends, "\(kind)")
        }
        // An answer without a request makes no friend.
        let answer = Frame(
            kind: .contactAnswer, id: freshID(), body: try ContactAnswerBody(accepted: true).encoded())
        link.send(answer)
        _ = try link.receipt(for: answer.id)
        #expect(try scene.anna.contact(stranger.id) == nil)
        #expect(try scene.anna.call("conversation.list")["conversations"]?.array?.isEmpty == true)
        // A request makes no friend either.
        let request = Frame(kind: .contactRequest, id: freshID(), body: try ContactRequestBody(note: "hi").encoded())
        link.send(request)
        #expect(try link.receipt(for: request.id).status == .stored)
        let message = Frame(kind: .message, id: freshID(), body: try textBody("already?"))
        link.send(message)
        #expect(try link.refusal(of: message.id) == .notFriends)
        try scene.expectUnharmed()
    }

    @Test("A new friend may write as soon as the answer is there")
    func firstWords() throws {
        let scene = try Scene()
        let long = try textBody(String(repeating: "x", count: 60_000))
        for number in 0..<50 {
            _ = try TestPeer("Friend \(number)").befriend(
                scene.anna, first: long, from: .v4(0x7F00_0100 + UInt32(number)))
        }
        try scene.expectUnharmed()
    }

    @Test("Nothing goes before the card, and the card must be one's own and complete")
    func cards() throws {
        let scene = try Scene()
        let other = try TestPeer("Other")
        let early = try TestPeer().connect(to: scene.anna)
        early.send(Frame(kind: .contactRequest, id: freshID(), body: try ContactRequestBody().encoded()))
        #expect(try early.closeReason() == .protocolError)
        let foreign = try TestPeer().connect(to: scene.anna)
        foreign.send(Frame(kind: .card, body: other.card.encoded))
        #expect(try foreign.closeReason() == .protocolError)
        let peer = try TestPeer()
        var altered = peer.card.encoded
        altered[altered.count - 1] ^= 1
        let label = "\u{1B}[31mBert\u{202E}"
        let lies: [[UInt8]] = [
            altered, [], [0xA0], CBOR.map([1: .bytes([0xA0]), 2: .bytes([UInt8](repeating: 0, count: 64))]).encoded(),
            try Self.card(of: peer, name: label), try Self.card(of: peer, name: ""),
            try Self.card(of: peer, name: String(repeating: "x", count: 129)), [UInt8](repeating: 0, count: 9_000),
        ]
        for lie in lies {
            let link = try peer.connect(to: scene.anna)
            link.send(Frame(kind: .card, body: lie))
            #expect(try link.closeReason() == .protocolError, "\(lie.count)")
        }
        #expect(try scene.anna.contact(scene.bertID)?.displayName == "Bert")
        try scene.expectUnharmed()
    }

    /// Makes a card with any name and a good signature.
    private static func card(of peer: TestPeer, name: String) throws -> [UInt8] {
        let signed = CBOR.map([
            1: .bytes(peer.certificate.account.bytes), 2: .bytes(peer.certificate.encoded()), 3: .text(name),
            4: .text(""), 8: .unsigned(1),
        ]).encoded()
        return CBOR.map([1: .bytes(signed), 2: .bytes(peer.deviceKey.sign(signed, label: Card.label))]).encoded()
    }

    /// Bytes that are not the CBOR of the wire.
    static let notCBOR: [[UInt8]] = [
        [], [0xFF], [0xBF, 0xFF], [0xA1], [0xA1, 0x01], [0xA2, 0x01, 0x00, 0x01, 0x00], [0xA2, 0x02, 0x00, 0x01, 0x00],
        [0xA0, 0x00], [0x80], [0x00], [0xF6], [0xA1, 0x61, 0x61, 0x00], [0xC0, 0xA0], [0xA1, 0x01, 0xF9, 0x00, 0x00],
        // Here lengths are wrong, up to the largest; a number is not in its shortest form; text isn't UTF-8.
        [0xA1, 0x01, 0x5B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
        [0xA1, 0x01, 0x9B, 0x7F] + [UInt8](repeating: 0xFF, count: 7),
        [0xBB] + [UInt8](repeating: 0xFF, count: 8), [0xA1, 0x01, 0x18, 0x01], [0xA1, 0x01, 0x62, 0xC3, 0x28],
        [0xA1, 0x01] + [UInt8](repeating: 0x81, count: 17) + [0x00], [UInt8](repeating: 0x81, count: 500_000),
        [0xA1, 0x01] + [UInt8](repeating: 0xA1, count: 300_000),
    ]

    @Test("Bodies that are not CBOR are refused in every kind of frame from a friend")
    func malformedBodies() throws {
        let scene = try Scene()
        let friend = try TestPeer("Fred")
        var link = try friend.befriend(scene.anna)
        for kind in [FrameKind.message, .contactRequest, .contactAnswer, .contactRemoval, .fileStatus] {
            for body in Self.notCBOR {
                let frame = Frame(kind: kind, id: freshID(), body: body)
                link.send(frame)
                #expect(try link.refusal(of: frame.id) == .invalid, "\(kind) \(body.prefix(12))")
            }
        }
        for body in Self.notCBOR {
            link.send(Frame(kind: .ping, body: body), Frame(kind: .pong, body: body))
        }
        try link.roundTrip()
        for kind in [FrameKind.receipt, .card, .close] {
            for body in Self.notCBOR.prefix(8) {
                link.send(Frame(kind: kind, body: body))
                #expect(try link.closeReason() == .protocolError, "\(kind) \(body.prefix(12))")
                link = try friend.openSession(with: scene.anna)
            }
        }
        // These kinds must have an id, and have none.
        for kind in [FrameKind.message, .contactRequest, .contactAnswer, .contactRemoval, .fileStatus] {
            link.send(Frame(kind: kind, body: try textBody("no id")))
            #expect(try link.closeReason() == .protocolError, "\(kind)")
            link = try friend.openSession(with: scene.anna)
        }
        #expect(try scene.anna.contact(friend.id)?.relation == .friend)
        #expect(try scene.texts(from: friend.id) == [])
        try scene.expectUnharmed()
    }

    @Test("Fields that are missing, of another type, at their limits or beyond are handled in frames from a friend")
    func fields() throws {
        let scene = try Scene()
        let link = try TestPeer("Fred").befriend(scene.anna)
        func answer(_ kind: FrameKind, _ map: CBORMap) throws -> Reason? {
            let frame = Frame(kind: kind, id: freshID(), body: CBOR.map(map).encoded())
            link.send(frame)
            return try link.refusal(of: frame.id)
        }
        let attachment: CBORMap = [
            1: .bytes(freshID().bytes), 2: .text("a.txt"), 3: .unsigned(1), 4: .unsigned(0), 5: .text(""),
            6: .unsigned(1),
        ]
        let honest: CBORMap = [1: .unsigned(0), 2: .unsigned(0), 3: .text("x"), 4: .unsigned(1), 5: .unsigned(1)]
        func message(_ key: UInt64, _ value: CBOR?) throws -> Reason? {
            var map = honest
            map[key] = value
            return try answer(.message, map)
        }
        func file(_ key: UInt64, _ value: CBOR?) throws -> Reason? {
            var (map, inner) = (honest, attachment)
            inner[1] = .bytes(freshID().bytes)
            inner[key] = value
            (map[2], map[7]) = (.unsigned(1), .array([.map(inner)]))
            return try answer(.message, map)
        }
        for key: UInt64 in 1...5 {
            #expect(try message(key, nil) == .invalid, "\(key)")
            #expect(try message(key, .array([])) == .invalid, "\(key)")
        }
        for key: UInt64 in 1...6 { #expect(try file(key, nil) == .invalid, "\(key)") }
        #expect(try message(1, .unsigned(9)) == .unsupported)
        #expect(try message(2, .unsigned(9)) == .unsupported)
        #expect(try message(3, .text("")) == .invalid)
        #expect(try message(3, .text(String(repeating: "x", count: 65_537))) == .tooLarge)
        #expect(try message(5, .unsigned(.max)) == .invalid)
        #expect(try message(5, .integer(-1)) == .invalid)
        #expect(try message(6, .bytes([UInt8](repeating: 0, count: 16))) == .invalid)
        #expect(try message(6, .bytes([1])) == .invalid)
        for name in ["..", ".", "", "/etc/passwd", "../x", "a/b", "a\u{0}b", "a\nb", "\u{202E}fdp.exe"] {
            #expect(try file(2, .text(name)) == .invalid, "\(name.debugDescription)")
        }
        #expect(try file(2, .text(String(repeating: "x", count: 256))) == .tooLarge)
        #expect(try file(3, .unsigned(1 << 63)) == .invalid)
        #expect(try file(6, .unsigned(100_001)) == .invalid)
        #expect(try file(7, .bytes([UInt8](repeating: 0, count: 32_769))) == .tooLarge)
        #expect(try answer(.contactRequest, [1: .text(String(repeating: "x", count: 501))]) == .tooLarge)
        #expect(try answer(.contactAnswer, [1: .unsigned(1)]) == .invalid)
        #expect(try answer(.fileStatus, [1: .bytes(freshID().bytes), 2: .unsigned(99)]) == .unsupported)
        #expect(try answer(.fileStatus, [1: .bytes(freshID().bytes), 2: .unsigned(4)]) == .notFound)
        // The permitted extremes do no harm either: the largest text and size, the last moment of time.
        #expect(try message(3, .text(String(repeating: "y", count: 65_536))) == nil)
        #expect(try message(4, .unsigned(.max)) == nil)
        #expect(try message(5, .integer(.max)) == nil)
        #expect(try file(3, .integer(.max)) == nil)
        _ = try scene.anna.call("conversation.list")
        _ = try scene.anna.call("transfer.list")
        try scene.expectUnharmed()
    }

    @Test("A message under the id of another author's, or of ours, is one of its sender's; a repeat is stored once")
    func messageIDs() throws {
        let scene = try Scene()
        let friend = try TestPeer("Fred")
        let link = try friend.befriend(scene.anna)
        let berts = try MessageProcessTests.send("from Bert", from: scene.bert, to: scene.annaID)
        try MessageProcessTests.waitForState(.delivered, of: berts.id, at: scene.bert)
        let ours = try MessageProcessTests.send("from Anna", from: scene.anna, to: scene.bertID)
        try MessageProcessTests.waitForState(.delivered, of: ours.id, at: scene.anna)
        for taken in [berts.id, ours.id] {
            let id = try #require(UUIDv7(taken))
            link.send(Frame(kind: .message, id: id, body: try textBody("forged")))
            #expect(try link.receipt(for: id).status == .stored)
        }
        let id = freshID()
        for text in ["first", "first", "second thoughts"] {
            link.send(Frame(kind: .message, id: id, body: try textBody(text)))
            #expect(try link.receipt(for: id).status == .stored)
        }
        // All have one hybrid time, so their ids order them, and two of these were drawn here.
        #expect(try scene.texts(from: friend.id).sorted() == ["first", "forged", "forged"])
        #expect(try scene.texts(from: scene.bertID) == ["from Bert"])
        #expect(try Message(json: scene.anna.call("message.get", ["id": .string(ours.id)])).text == "from Anna")
        // Receipts for messages to other peers change nothing.
        let refused = ReceiptBody.Status.refused(Refusal(.notFriends))
        for status in [ReceiptBody.Status.read, .stored, refused] {
            let ids = [try #require(UUIDv7(ours.id)), freshID()]
            link.send(Frame(kind: .receipt, body: try ReceiptBody(status: status, ids: ids).encoded()))
        }
        try link.roundTrip()
        #expect(try Message(json: scene.anna.call("message.get", ["id": .string(ours.id)])).state == .delivered)
        try scene.expectUnharmed()
    }

    @Test("A friend who sends without end and reads nothing is cut off, and a stranger much sooner")
    func floodOfFrames() throws {
        let scene = try Scene()
        // Refused frames have receipts, which this peer doesn't read; each is different, so that they don't share one.
        var frames: [UInt8] = []
        for number: UInt16 in 0..<2_000 {
            frames += Frame(kind: FrameKind(rawValue: 998 + number % 2), id: freshID()).encoded()
        }
        // A peer is cut off when it can't write anything more within seconds.
        func isCutOff(_ link: PeerLink) -> Bool {
            let deadline = SystemClocks().now + .seconds(60)
            while SystemClocks().now < deadline { if !link.send(plaintext: frames) { return true } }
            return false
        }
        #expect(isCutOff(try TestPeer("Fred").befriend(scene.anna)))
        #expect(isCutOff(try TestPeer().openSession(with: scene.anna)))
        try scene.expectUnharmed(memory: 64 << 20)
    }
}
