import Basics
import Crypto
import FoundationEssentials
import PeerProtocol
import Testing

/// Goal: whoever builds couriers from docs/PROTOCOL-COURIERS.md alone says what this code says, and opens what it seals.
@Suite("docs/PROTOCOL-COURIERS.md")
struct CourierDocumentTests {
    private static func document() throws -> String {
        let here = URL(filePath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return String(decoding: try Data(contentsOf: root.appending(path: "docs/PROTOCOL-COURIERS.md")), as: UTF8.self)
    }

    private static func block(_ name: String, of document: String) -> [UInt8]? {
        guard let start = document.range(of: "```hex \(name)\n") else { return nil }
        let rest = document[start.upperBound...]
        guard let end = rest.range(of: "```") else { return nil }
        return Hex.decode(rest[..<end.lowerBound].filter { !$0.isWhitespace })
    }

    /// A secret of 32 equal bytes.
    private static func secret(_ byte: UInt8) -> SecretBytes {
        var bytes = [UInt8](repeating: byte, count: 32)
        return SecretBytes(moving: &bytes)
    }

    private static func frameID(_ number: UInt64) -> UUIDv7 {
        UUIDv7(high: 0x0190_7610_0000_7000, low: 0x8000_0000_0000_0000 | number)
    }

    private static let time = WallTime(milliseconds: 1_720_000_000_000)
    private static let envelopeID = frameID(40)

    /// Alice, Bob and Carl, with what the page says of them.
    private struct Recipe {
        let aliceKey: AgreementKey
        let alice: MailNote
        let bobKey: AgreementKey
        let bob: MailNote
        let content: ParcelContent
        let envelope: ParcelEnvelope
        let sealed: [UInt8]

        /// The certificate of PROTOCOL.md §11 and the mail key whose scalar is 32 times the base and 5.
        private static func mailbox(
            _ base: UInt8, host: String, couriers: [AccountID], days: Int
        ) throws -> (key: AgreementKey, note: MailNote) {
            let deviceKey = try SigningKey(seed: secret(base + 2))
            let certificate = try DeviceCertificate.issue(
                by: SigningKey(seed: secret(base + 1)), for: DeviceID(deviceKey.publicKey), name: host, created: time)
            let key = try AgreementKey(secret: secret(base + 5))
            let note = try MailNote.issue(
                by: deviceKey, certificate: certificate, key: key.publicKey, made: time, couriers: couriers, days: days)
            return (key, note)
        }

        init() throws {
            let carl = AccountID(try SigningKey(seed: secret(0x21)).publicKey)
            (aliceKey, alice) = try Self.mailbox(0x00, host: "anvil", couriers: [], days: 14)
            (bobKey, bob) = try Self.mailbox(0x10, host: "bell", couriers: [carl], days: 0)
            let text = MessageBody(
                kind: .text, text: "Hello, Bob", time: HybridTime(milliseconds: time.milliseconds, counter: 1),
                sentAt: time, replyTo: frameID(1))
            let message = Frame(kind: .message, id: frameID(7), body: try text.encoded())
            content = ParcelContent(
                frames: [message], note: alice, time: WallTime(milliseconds: time.milliseconds + 60_000))
            envelope = ParcelEnvelope(id: envelopeID, from: alice.account, to: bob.account)
            let ephemeral = try AgreementKey(secret: secret(0x06))
            let textKey = try #require(SharedKey(bytes: [UInt8](repeating: 0x07, count: 32)))
            sealed = try ParcelSeal.seal(
                content, in: envelope, with: aliceKey, to: [bob], textKey: textKey, ephemeral: { ephemeral })
        }

        /// What `sealed` says of the only wrap, and the text.
        var parts: (wrap: [UInt8], text: [UInt8]) {
            get throws {
                guard case .map(let map) = try CBORDecoder.decode(sealed), let text = map[2]?.bytesValue,
                    let wraps = map[1]?.arrayValue, wraps.count == 1, let wrap = wraps[0].arrayValue,
                    let bytes = wrap.last?.bytesValue
                else { throw WireError.wrongType(field: "sealed") }
                return (bytes, text)
            }
        }

        /// What the page says stands before a wrap.
        var prologue: [UInt8] {
            get throws {
                var bytes = Array("kibo-parcel-wrap-v1\0".utf8) + envelope.id.bytes + envelope.from.bytes
                bytes += envelope.to.bytes + bob.device.bytes
                bytes.appendBigEndian(UInt64(bob.made.milliseconds))
                return bytes + Blake2b.hash(try parts.text, length: 32)
            }
        }

        /// The vectors of a sealed file. `SealedSwarmTests` computes its root.
        private var files: [(String, [UInt8])] {
            get throws {
                let key = try #require(SharedKey(bytes: [UInt8](repeating: 0x08, count: 32)))
                var zeros = [UInt8](repeating: 0, count: 1 << 20 + 10)
                zeros.withUnsafeMutableBytes { FileSeal(key: key).apply(to: $0, at: 0) }
                let root = try #require(CourierDocumentTests.block("sealed-file-root", of: document()))
                let file = SealedFile(
                    transfer: frameID(44), file: frameID(45), root: root, key: key, size: UInt64(zeros.count),
                    modified: 1_720_000_000_000_000_000, mode: 0o644)
                let named = ParcelFile(id: file.file, root: root, bytes: file.size)
                return [
                    ("sealed-file-begin", Array(zeros.prefix(32))), ("sealed-file-end", zeros.suffix(10)),
                    ("sealed-file-root", root), ("sealed-file", file.value.encoded()),
                    ("parcel-file", named.value.encoded()),
                ]
            }
        }

        var vectors: [(String, [UInt8])] {
            get throws {
                let parcel = ParcelBody(from: envelope.from, to: envelope.to, days: 14, sealed: sealed)
                let news = ParcelNewsBody([.init(envelope.id, .handedOver), .init(frameID(41), .dropped)])
                let had = HadBody(stored: [frameID(7)], refused: [.init(frameID(8), .notFound)])
                let frames = [
                    ("frame-parcel", Frame(kind: .parcel, id: envelope.id, body: try parcel.encoded())),
                    ("frame-parcel-news", Frame(kind: .parcelNews, id: frameID(42), body: try news.encoded())),
                    ("frame-mail-note", Frame(kind: .mailNote, body: alice.encoded())),
                    ("frame-had", Frame(kind: .had, id: frameID(43), body: try had.encoded())),
                ]
                return try files + [
                    ("mail-note-bob", bob.encoded()), ("parcel-prologue", try prologue),
                    ("parcel-wrap", try parts.wrap),
                ] + frames.map { ($0, $1.encoded()) }
            }
        }
    }

    @Test("Each vector equals the code's")
    func blocks() throws {
        let document = try Self.document()
        let vectors = try Recipe().vectors
        for (name, bytes) in vectors {
            #expect(Self.block(name, of: document) == bytes, "\(name) is \(Hex.encode(bytes))")
        }
        #expect(document.components(separatedBy: "```hex ").count - 1 == vectors.count)
    }

    @Test("The parcel on the page opens with Bob's key, and is what the page says")
    func opens() throws {
        let document = try Self.document()
        let recipe = try Recipe()
        var decoder = FrameDecoder()
        decoder.append(try #require(Self.block("frame-parcel", of: document)))
        let frame = try #require(try decoder.next())
        let body = try ParcelBody(decoding: frame.body)
        #expect(frame.kind == .parcel && body.days == 14)
        let envelope = ParcelEnvelope(id: frame.id, from: body.from, to: body.to)
        let content = try ParcelSeal.open(body.sealed, in: envelope, as: recipe.bob.device) { made in
            made == recipe.bob.made ? recipe.bobKey : nil
        }
        #expect(content == recipe.content)
        let note = try MailNote(decoding: #require(Self.block("mail-note-bob", of: document)))
        #expect(note == recipe.bob && note.couriers.count == 1 && !note.carries)
        let first = try #require(content.frames.first)
        #expect(try MessageBody(decoding: first.body).text == "Hello, Bob")
    }

    /// The number in the row of a table that begins with this name.
    private static func number(_ name: String, in document: String) -> Int? {
        let line = document.split(separator: "\n").first { $0.hasPrefix("| \(name) | ") } ?? ""
        return Int(line.dropFirst(name.count + 5).prefix { $0.isNumber || $0 == "," }.filter { $0 != "," })
    }

    private static func days(_ duration: Duration) -> Int { Int(duration.components.seconds / 86_400) }

    @Test("Each limit is the one that the code checks")
    func limits() throws {
        let document = try Self.document()
        let rows: [(String, Int)] = [
            ("Couriers", PeerLimits.couriers), ("Mail note", PeerLimits.mailNoteBytes),
            ("Sealed parcel", PeerLimits.sealedParcelBytes), ("Shortest text", PeerLimits.parcelTextBytes.lowerBound),
            ("Longest text", PeerLimits.parcelTextBytes.upperBound), ("Wrap", PeerLimits.parcelWrapBytes),
            ("Devices", PeerLimits.parcelDevices), ("Frames in a parcel", PeerLimits.parcelFrames),
            ("News", PeerLimits.parcelNews), ("Ids stored in a had", PeerLimits.hadIDs),
            ("Ids refused in a had", PeerLimits.hadRefusals), ("Files in a parcel", PeerLimits.parcelFiles),
            ("Files in a had", PeerLimits.hadFiles), ("Days at a courier", PeerLimits.parcelDays.upperBound),
            ("New mail key after", Self.days(PeerLimits.mailKeyRenewal)),
            ("Parcels are sealed to a key for", Self.days(PeerLimits.mailKeyUse)),
            ("A mail key is forgotten after", Self.days(PeerLimits.mailKeyLife)),
            ("Away before a parcel is made", Int(CourierMachine.patience.components.seconds)),
            ("Between two parcels for an account", Int(CourierMachine.pause.components.seconds)),
            ("Between a loss and the next parcel for the account", Int(CourierMachine.lossPause.components.seconds)),
            ("What was said in a group waits for other members", Int(CourierMachine.groupPatience.components.seconds)),
            ("Losses until only the direct path is left", CourierMachine.tries),
        ]
        for (name, number) in rows { #expect(Self.number(name, in: document) == number, "\(name)") }
    }

    @Test("The page lists the kinds of frames that a parcel may have, and no others")
    func kinds() throws {
        let document = try Self.document()
        let start = try #require(document.range(of: "**Kinds inside:**"))
        let sentence = document[start.upperBound...].prefix { $0 != "." }
        let numbers = sentence.split { !$0.isNumber }.compactMap { UInt16($0) }
        #expect(Set(numbers) == Set(ParcelContent.kinds.map(\.rawValue)))
        #expect(numbers.count == ParcelContent.kinds.count)
    }

    @Test("Each sort of news stands on the page with its number")
    func news() throws {
        let document = try Self.document()
        let names: [ParcelNewsBody.What: String] = [
            .handedOver: "handed over", .expired: "expired", .dropped: "dropped", .notNeeded: "not needed any more",
            .fileTaken: "file taken", .fileLeftOut: "file left out",
        ]
        for what in ParcelNewsBody.What.allCases {
            #expect(document.contains("| \(what.rawValue) \(try #require(names[what])) |"), "\(what)")
        }
    }
}
