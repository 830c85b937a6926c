import Basics
import Crypto
import PeerProtocol
import Vocabulary

/// The vectors of docs/PROTOCOL.md, computed by the recipe that the document gives beside them.
struct DocumentVectors {
    private(set) var byName: [String: [UInt8]] = [:]

    /// A secret of 32 equal bytes.
    private static func secret(_ byte: UInt8) -> SecretBytes {
        var bytes = [UInt8](repeating: byte, count: 32)
        return SecretBytes(moving: &bytes)
    }

    private static let notAfter = WallTime(milliseconds: 1_722_592_000_000)

    /// Alice's seeds and scalars are 01…, 02…, 03…, 04…, Bob's are 11…, 12…, 13…, 14….
    private struct Character {
        let deviceKey: SigningKey
        let certificate: DeviceCertificate
        let identity: LocalIdentity
        let ephemeral: AgreementKey
        let card: Card

        init(_ base: UInt8, host: String, name: String, status: String, port: UInt16) throws {
            let accountKey = try SigningKey(seed: secret(base + 1))
            deviceKey = try SigningKey(seed: secret(base + 2))
            ephemeral = try AgreementKey(secret: secret(base + 4))
            certificate = try DeviceCertificate.issue(
                by: accountKey, for: DeviceID(deviceKey.publicKey), name: host,
                created: WallTime(milliseconds: 1_720_000_000_000))
            identity = try LocalIdentity.make(
                deviceKey: deviceKey, certificate: certificate, staticKey: AgreementKey(secret: secret(base + 3)),
                now: WallTime(milliseconds: notAfter.milliseconds - PeerLimits.staticKeyValidity.milliseconds),
                listenPort: port, capabilities: [], softwareVersion: "example 1.0")
            card = try Card.issue(
                by: deviceKey, certificate: certificate,
                profile: Card.Profile(displayName: name, statusText: status), version: 1)
        }
    }

    init() throws {
        let alice = try Character(0x00, host: "anvil", name: "Alice", status: "At sea", port: 15426)
        let bob = try Character(0x10, host: "bell", name: "Bob", status: "", port: 15427)
        byName["alice-account"] = alice.certificate.account.bytes
        byName["alice-account-text"] = Array(alice.certificate.account.description.utf8)
        byName["alice-device"] = alice.certificate.device.bytes
        byName["alice-static"] = alice.identity.staticKey.publicKey.bytes
        byName["alice-certificate"] = alice.certificate.encoded()
        byName["alice-static-signature"] = alice.identity.staticSignature
        byName["bob-account"] = bob.certificate.account.bytes
        byName["bob-device"] = bob.certificate.device.bytes
        byName["bob-certificate"] = bob.certificate.encoded()
        byName["safety-number"] = Array(SafetyNumber(bob.certificate.account, alice.certificate.account).digits.utf8)
        try addChannel(alice, bob)
        try addRealm(alice)
        try addFrames(alice)
    }

    private mutating func addChannel(_ alice: Character, _ bob: Character) throws {
        let wallTime = WallTime(milliseconds: 1_720_000_000_000)
        let now = Instant(nanoseconds: 0)
        var dialler = SecureChannel(
            dialling: .session, identity: alice.identity, realmKey: nil, now: now, ephemeral: alice.ephemeral)
        var acceptor = SecureChannel(accepting: bob.identity, realmKey: nil, now: now, ephemeral: bob.ephemeral)
        func sent(_ effects: [ChannelEffect]) -> [UInt8] {
            effects.flatMap { if case .send(let bytes) = $0 { bytes } else { [] as [UInt8] } }
        }
        let first = try dialler.start()
        byName["preface"] = Array(first.prefix(8))
        byName["message-1"] = Array(first.dropFirst(8))
        let second = sent(try acceptor.receive(first[...], now: now, wallTime: wallTime))
        byName["message-2"] = second
        let third = sent(try dialler.receive(second[...], now: now, wallTime: wallTime))
        byName["message-3"] = third
        _ = try acceptor.receive(third[...], now: now, wallTime: wallTime)
        byName["handshake-hash"] = dialler.handshakeHash
        byName["alice-record-0"] = try dialler.seal(Frame(kind: .ping).encoded())
        byName["bob-record-0"] = try acceptor.seal(Frame(kind: .pong).encoded())
        var last: [UInt8] = []
        for _ in 1...65_536 { last = try dialler.seal([0x78]) }
        byName["alice-record-65536"] = last
    }

    private mutating func addRealm(_ alice: Character) throws {
        let realm = try RealmKey(Self.secret(0x55))
        byName["realm-id"] = realm.id
        var dialler = SecureChannel(
            dialling: .bulk, identity: alice.identity, realmKey: realm, now: Instant(nanoseconds: 0),
            ephemeral: alice.ephemeral)
        byName["realm-opening"] = try dialler.start()
    }

    private mutating func addFrames(_ alice: Character) throws {
        func id(_ last: UInt8) -> UUIDv7 {
            UUIDv7(high: 0x0190_7610_0000_7000, low: 0x8000_0000_0000_0000 | UInt64(last))
        }
        func frame(_ name: String, _ kind: FrameKind, _ id: UUIDv7 = .zero, _ body: [UInt8] = []) {
            byName["frame-" + name] = Frame(kind: kind, id: id, body: body).encoded()
        }
        frame("ping", .ping)
        frame("card", .card, .zero, alice.card.encoded)
        frame("close", .close, .zero, CloseBody(reason: .goodbye, detail: "bye").encoded())
        frame("receipt-stored", .receipt, .zero, try ReceiptBody(status: .stored, ids: [id(1), id(2)]).encoded())
        let refusal = Refusal(.tooLarge, detail: "text: at most 65536")
        frame("receipt-refused", .receipt, .zero, try ReceiptBody(status: .refused(refusal), ids: [id(3)]).encoded())
        frame("contact-request", .contactRequest, id(4), try ContactRequestBody(note: "It's me").encoded())
        frame("contact-answer", .contactAnswer, id(5), try ContactAnswerBody(accepted: true, request: id(4)).encoded())
        frame("contact-removal", .contactRemoval, id(6), ContactRemovalBody().encoded())
        let face = Array("not a face!".utf8)
        let digest = Blake2b.hash(face)
        let shown = Card.Profile(
            displayName: "Alice", statusText: "At sea", avatarDigest: digest, email: "alice@example.org",
            phone: "+4930123456")
        let friendly = try Card.issue(by: alice.deviceKey, certificate: alice.certificate, profile: shown, version: 2)
        frame("card-friend", .card, .zero, friendly.encoded)
        frame("avatar-request", .avatarRequest, .zero, try AvatarRequestBody(digest: digest).encoded())
        frame("avatar", .avatar, .zero, try AvatarBody(digest: digest, file: face).encoded())
        frame("avatar-none", .avatar, .zero, try AvatarBody(digest: digest, file: nil).encoded())
        frame("presence-away", .presence, .zero, PresenceBody(.away).encoded())
        frame("presence-online", .presence, .zero, PresenceBody(.online).encoded())
        frame("reach-request", .reachRequest, .zero, ReachRequestBody(number: 7).encoded())
        let moment = WallTime(milliseconds: 1_720_000_000_000)
        let place = "192.0.2.1:15426"
        frame(
            "reach", .reach, .zero,
            ReachBody(number: 7, outcome: .reached, time: moment, address: place, detail: nil).encoded())
        frame(
            "reach-failed", .reach, .zero,
            ReachBody(number: 7, outcome: .failed, time: moment, address: place, detail: "timed out").encoded())
        frame("typing", .typing, .zero, TypingBody(isTyping: true).encoded())
        let time = HybridTime(milliseconds: 1_720_000_000_000, counter: 1)
        let sentAt = WallTime(milliseconds: 1_720_000_000_000)
        frame(
            "message", .message, id(7),
            try MessageBody(kind: .text, text: "Hello, Bob", time: time, sentAt: sentAt, replyTo: id(1)).encoded())
        let attachment = AttachmentBody(
            transfer: id(9), name: "plan.pdf", size: 123_456, kind: .document, mediaType: "application/pdf",
            fileCount: 1)
        frame(
            "message-file", .message, id(8),
            try MessageBody(kind: .file, text: "", time: time, sentAt: sentAt, attachments: [attachment]).encoded())
        frame(
            "message-call", .message, id(32),
            try MessageBody(
                kind: .call, text: "", time: time, sentAt: sentAt,
                call: CallRecord(media: .audio, outcome: .cancelled, startedAt: sentAt)
            ).encoded())
        let program = AttachmentBody(
            transfer: id(17), name: "tools.zip", size: 4096, kind: .other, mediaType: "application/zip", fileCount: 1,
            unlisted: ["zip"])
        frame(
            "message-unlisted", .message, id(18),
            try MessageBody(kind: .file, text: "", time: time, sentAt: sentAt, attachments: [program]).encoded())
        let later = [60, 120, 180].map { 1_720_000_000_000 + $0 * 1000 as Int64 }
        frame(
            "edit", .edit, id(12),
            try EditBody(
                message: id(7), text: "Hello, dear Bob", time: HybridTime(milliseconds: later[0]),
                editedAt: WallTime(milliseconds: later[0])
            ).encoded())
        frame("deletion", .deletion, id(13), try DeletionBody(message: id(8), time: time, sentAt: sentAt).encoded())
        frame(
            "reaction", .reaction, id(14),
            try ReactionBody(
                message: id(7), emoji: "👍", time: HybridTime(milliseconds: later[1], counter: 3), removed: false
            ).encoded())
        frame(
            "reaction-removed", .reaction, id(15),
            try ReactionBody(message: id(7), emoji: "👍", time: HybridTime(milliseconds: later[2]), removed: true)
                .encoded())
        frame("seen", .seen, id(16), try SeenBody(messages: [id(7), id(8)]).encoded())
        frame("file-status", .fileStatus, id(10), try FileStatusBody(transfer: id(9), status: .accepted).encoded())
        frame(
            "file-status-held", .fileStatus, id(19),
            try FileStatusBody(transfer: id(17), status: .held, refusal: Refusal(.typeNotAllowed, detail: "type zip"))
                .encoded())
        frame(
            "file-status-failed", .fileStatus, id(11),
            try FileStatusBody(transfer: id(9), status: .failed, refusal: Refusal(.noSpace)).encoded())
    }
}
