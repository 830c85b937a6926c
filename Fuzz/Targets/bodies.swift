import Basics
import Crypto
import Vocabulary

@testable import PeerProtocol

/// The bodies of frames, and certificates: the first byte chooses the decoder. What decodes survives its own encoder.
enum FuzzTarget {
    private static let id = UUIDv7(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)

    static let seeds: [[UInt8]] = {
        let attachment = AttachmentBody(
            transfer: id, name: "a.txt", size: 5, kind: .document, mediaType: "text/plain", fileCount: 1, preview: [1],
            unlisted: ["", "zip"])
        let message = MessageBody(
            kind: .file, text: "hello", time: HybridTime(rawValue: 77), sentAt: Identities.wallTime, replyTo: id,
            attachments: [attachment])
        let bodies: [[UInt8]?] = [
            try? message.encoded(), try? ReceiptBody(status: .stored, ids: [id]).encoded(),
            Identities.card(2).encoded, try? ContactRequestBody(note: "hi").encoded(),
            try? ContactAnswerBody(accepted: true, request: id).encoded(), [0xA0],
            try? FileStatusBody(transfer: id, status: .accepted).encoded(), CloseBody(reason: .goodbye).encoded(),
            Identities.certificate(2).encoded(),
            try? EditBody(message: id, text: "hi", time: message.time, editedAt: Identities.wallTime).encoded(),
            try? DeletionBody(message: id, time: message.time, sentAt: Identities.wallTime).encoded(),
            try? ReactionBody(message: id, emoji: "👍", time: message.time, removed: false).encoded(),
            try? SeenBody(messages: [id]).encoded(), Identities.local.payload,
            TypingBody(isTyping: true).encoded(), PresenceBody(.away).encoded(),
            try? AvatarRequestBody(digest: [UInt8](repeating: 7, count: 32)).encoded(),
            try? AvatarBody(digest: [UInt8](repeating: 7, count: 32), file: [1, 2, 3]).encoded(),
            ReachBody(number: 7, outcome: .failed, time: Identities.wallTime, address: "a:1", detail: "no").encoded(),
            ReachRequestBody(number: 7).encoded(),
            PeerExchangeRequestBody(devices: [Identities.card(2).device], after: Identities.card(2).device).encoded(),
            PeerExchangeBody(
                entries: [
                    .init(
                        device: Identities.card(2).device,
                        announcement: Announcement(bytes: [1, 2], source: SocketAddress(.loopback, port: 9)),
                        card: Identities.card(2).encoded)
                ], hasMore: true
            ).encoded(),
        ]
        return (bodies + groupBodies + callBodies).enumerated().compactMap { number, body in
            body.map { [UInt8(number)] + $0 }
        }
    }()

    private static let callBodies: [[UInt8]?] = {
        let fingerprint = [UInt8](repeating: 7, count: 32)
        let time = HybridTime(rawValue: 77)
        return [
            try? CallStateBody(
                call: id, number: 3, phase: .joined, media: .video, time: time, sends: [.microphone, .camera],
                generation: 1, fingerprint: fingerprint, heard: CallHeard(generation: 2, number: 9)
            ).encoded(),
            try? CallSignalBody(
                call: id, generation: 1, number: 2, kind: .candidates,
                candidates: [CallCandidate(priority: 5, address: .loopback, port: 9)], to: 2
            ).encoded(),
            try? CallEntryBody(call: id, media: .audio).encoded(),
            Array(
                "v=0\r\no=- 1 2 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\na=ice-ufrag:abcd\r\na=ice-pwd:abcdefghijklmnopqrstuv\r\na=fingerprint:sha-256 \(CallFingerprint.text(fingerprint))\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\n"
                    .utf8), Array("candidate:1 1 udp 2122260223 192.0.2.1 40000 typ host generation 0".utf8),
        ]
    }()

    private static func call(_ number: UInt8, _ body: [UInt8]) {
        switch number {
        case 0:
            if let value = try? CallStateBody(decoding: body) {
                require((try? CallStateBody(decoding: value.encoded())) == value, "call state")
            }
        case 1:
            if let value = try? CallSignalBody(decoding: body) {
                require((try? CallSignalBody(decoding: value.encoded())) == value, "call signal")
            }
        case 2:
            if let value = try? CallEntryBody(decoding: body) {
                require((try? CallEntryBody(decoding: value.encoded())) == value, "call entry")
            }
        case 3:
            // What was taken is taken again, and says the same.
            if let value = try? SessionDescription(checking: String(decoding: body, as: UTF8.self)) {
                require((try? SessionDescription(checking: value.text)) == value, "session description")
            }
        default:
            if case .usable(let candidate)? = CandidateLine(String(decoding: body, as: UTF8.self)) {
                require(CandidateLine(candidate.line) == .usable(candidate), "candidate")
            }
        }
    }

    private static let groupBodies: [[UInt8]?] = {
        let root = EntryHash(hashing: [1])
        let place = LogPlace(device: Identities.certificate(1).device, sequence: 3)
        let reference = LogReference(place: place, hash: EntryHash(hashing: [2]))
        let position = LogEntry.Position(
            root: root, sequence: 2, previous: reference.hash, heads: [root], dependencies: [reference])
        let entry = try? LogEntry.make(
            .message, id: id, content: [0xA0], at: position, key: Identities.key(102),
            time: HybridTime(rawValue: 77), at: Identities.wallTime)
        let body = entry.map(GroupEntryBody.init)
        let ranges = LogRange(place).map { [$0] } ?? []
        return [
            try? GroupHeadsBody(root: root, heads: [root], digest: root).encoded(),
            try? GroupTopsBody(root: root, tops: [reference], isReply: true).encoded(),
            try? GroupWantBody(root: root, heads: [root], ranges: ranges, hashes: [root]).encoded(),
            try? GroupEntriesBody(
                root: root, membership: [[1]], entries: body.map { [$0] } ?? [], withheld: ranges, hasMore: true,
                unavailable: [root]
            ).encoded(),
            try? GroupChangeBody(root: root, entries: [[1], [2]]).encoded(), try? body?.encoded(),
            try? GroupSeenBody(root: root, messages: [id]).encoded(),
            GroupTypingBody(root: root, isTyping: true).encoded(), entry?.header,
        ]
    }()

    /// An entry with an unchecked signature: tests what the header may hold.
    private static func header(_ bytes: [UInt8]) {
        guard
            let entry = try? LogEntry(
                trusting: bytes, signature: [UInt8](repeating: 0, count: CryptoLimits.signatureBytes), content: nil)
        else { return }
        require(entry.hash == EntryHash(hashing: bytes) && entry.sequence >= 1, "log entry")
        require(entry.references.count == entry.dependencies.count + (entry.previous == nil ? 0 : 1), "references")
    }

    private static func group(_ number: UInt8, _ body: [UInt8]) {
        switch number {
        case 0:
            if let value = try? GroupHeadsBody(decoding: body) {
                require((try? GroupHeadsBody(decoding: value.encoded())) == value, "group heads")
            }
        case 1:
            if let value = try? GroupTopsBody(decoding: body) {
                require((try? GroupTopsBody(decoding: value.encoded())) == value, "group tops")
            }
        case 2:
            if let value = try? GroupWantBody(decoding: body) {
                require((try? GroupWantBody(decoding: value.encoded())) == value, "group want")
            }
        case 3:
            if let value = try? GroupEntriesBody(decoding: body), let again = try? value.encoded() {
                require((try? GroupEntriesBody(decoding: again)) == value, "group entries")
                _ = LogPage(
                    checking: value, asked: GroupQuestion(GroupWantBody(root: value.root), settles: true))
            }
        case 4:
            if let value = try? GroupChangeBody(decoding: body), let again = try? value.encoded() {
                require((try? GroupChangeBody(decoding: again)) == value, "group change")
            }
        case 5:
            if let value = try? GroupEntryBody(decoding: body) {
                require((try? GroupEntryBody(decoding: value.encoded())) == value, "group entry")
                _ = try? value.entry().body()
            }
        case 6:
            if let value = try? GroupSeenBody(decoding: body) {
                require((try? GroupSeenBody(decoding: value.encoded())) == value, "group seen")
            }
        case 7:
            if let value = try? GroupTypingBody(decoding: body) {
                require((try? GroupTypingBody(decoding: value.encoded())) == value, "group typing")
            }
        default: header(body)
        }
    }

    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let body = Array(bytes.dropFirst())
        switch first % 36 {
        case 0:
            if let value = try? MessageBody(decoding: body), let again = try? value.encoded() {
                require((try? MessageBody(decoding: again)) == value, "message")
            }
        case 1:
            if let value = try? ReceiptBody(decoding: body), let again = try? value.encoded() {
                require((try? ReceiptBody(decoding: again)) == value, "receipt")
            }
        case 2: if let card = try? Card(decoding: body) { require(card.encoded == body, "card") }
        case 3: _ = try? ContactRequestBody(decoding: body)
        case 4: _ = try? ContactAnswerBody(decoding: body)
        case 5: _ = try? ContactRemovalBody(decoding: body)
        case 6:
            if let value = try? FileStatusBody(decoding: body), let again = try? value.encoded() {
                require((try? FileStatusBody(decoding: again)) == value, "file status")
            }
        case 7: _ = try? CloseBody(decoding: body)
        case 8:
            if let value = try? DeviceCertificate(decoding: body) {
                require((try? DeviceCertificate(decoding: value.encoded())) == value, "certificate")
            }
        case 9:
            if let value = try? EditBody(decoding: body) {
                require((try? EditBody(decoding: value.encoded())) == value, "edit")
            }
        case 10:
            if let value = try? DeletionBody(decoding: body) {
                require((try? DeletionBody(decoding: value.encoded())) == value, "deletion")
            }
        case 11:
            if let value = try? ReactionBody(decoding: body) {
                require((try? ReactionBody(decoding: value.encoded())) == value, "reaction")
            }
        case 12:
            if let value = try? SeenBody(decoding: body) {
                require((try? SeenBody(decoding: value.encoded())) == value, "seen")
            }
        case 14:
            if let value = try? TypingBody(decoding: body) {
                require((try? TypingBody(decoding: value.encoded())) == value, "typing")
            }
        case 15:
            if let value = try? PresenceBody(decoding: body) {
                require((try? PresenceBody(decoding: value.encoded())) == value, "presence")
            }
        case 16:
            if let value = try? AvatarRequestBody(decoding: body), let again = try? value.encoded() {
                require((try? AvatarRequestBody(decoding: again)) == value, "avatar request")
            }
        case 17:
            if let value = try? AvatarBody(decoding: body), let again = try? value.encoded() {
                require((try? AvatarBody(decoding: again)) == value, "avatar")
            }
        case 18:
            if let value = try? ReachBody(decoding: body) {
                require((try? ReachBody(decoding: value.encoded())) == value, "reach")
            }
        case 19:
            if let value = try? ReachRequestBody(decoding: body) {
                require((try? ReachRequestBody(decoding: value.encoded())) == value, "reach request")
            }
        case 20:
            if let value = try? PeerExchangeRequestBody(decoding: body) {
                require((try? PeerExchangeRequestBody(decoding: value.encoded())) == value, "peer exchange request")
            }
        case 21:
            if let value = try? PeerExchangeBody(decoding: body) {
                require((try? PeerExchangeBody(decoding: value.encoded())) == value, "peer exchange")
            }
        case 22...30: group(first % 36 - 22, body)
        case 31...: call(first % 36 - 31, body)
        default:
            _ = try? IdentityPayload.verify(
                body, staticKey: Identities.local.staticKey.publicKey, wallTime: Identities.wallTime)
        }
    }
}
