import Basics
import Crypto
import PeerProtocol
import Testing
import Vocabulary

@Suite("Bodies")
struct BodyTests {
    private let attachment = AttachmentBody(
        transfer: id(5), name: "plan.pdf", size: 1 << 40, kind: .document, mediaType: "application/pdf", fileCount: 1,
        preview: [1, 2, 3])

    @Test("Every body comes back unchanged")
    func roundTrips() throws {
        let text = textMessage("Grüße\n😀\u{0}")
        #expect(try MessageBody(decoding: text.encoded()) == text)
        let file = MessageBody(
            kind: .file, text: "", time: HybridTime(rawValue: .max), sentAt: WallTime(milliseconds: .max),
            replyTo: id(9), attachments: [attachment])
        #expect(try MessageBody(decoding: file.encoded()) == file)

        let leftOut = LeftOutBody(
            count: 30,
            items: [
                LeftOutBody.Item(path: "a/b.exe", refusal: Refusal(.typeNotAllowed)),
                LeftOutBody.Item(path: "c", refusal: Refusal(.notAllowed, detail: "it can't be read")),
            ])
        let folder = AttachmentBody(
            transfer: id(5), name: "plans", size: 1, kind: .folder, mediaType: "", fileCount: 3, leftOut: leftOut)
        let some = MessageBody(
            kind: .file, text: "", time: HybridTime(rawValue: 1), sentAt: someTime, attachments: [folder])
        #expect(try MessageBody(decoding: some.encoded()).attachments.first?.leftOut == leftOut)

        let unlisted = AttachmentBody(
            transfer: id(5), name: "tools", size: 1, kind: .folder, mediaType: "", fileCount: 3,
            unlisted: ["", "exe", "c++"])
        let held = MessageBody(
            kind: .file, text: "", time: HybridTime(rawValue: 1), sentAt: someTime, attachments: [unlisted])
        #expect(try MessageBody(decoding: held.encoded()) == held)

        for status: ReceiptBody.Status in [
            .stored, .read, .refused(Refusal(.notFriends)), .refused(Refusal(.tooLarge, detail: "text: at most 5")),
        ] {
            let receipt = ReceiptBody(status: status, ids: [id(1), id(2)])
            #expect(try ReceiptBody(decoding: receipt.encoded()) == receipt)
        }
        for note in ["", "Hello,\nit's me"] {
            let request = ContactRequestBody(note: note)
            #expect(try ContactRequestBody(decoding: request.encoded()) == request)
        }
        for answer in [ContactAnswerBody(accepted: true, request: id(3)), ContactAnswerBody(accepted: false)] {
            #expect(try ContactAnswerBody(decoding: answer.encoded()) == answer)
        }
        #expect(try ContactRemovalBody(decoding: ContactRemovalBody().encoded()) == ContactRemovalBody())
        for status in [
            FileStatusBody(transfer: id(4), status: .accepted),
            FileStatusBody(transfer: id(4), status: .held, refusal: Refusal(.typeNotAllowed, detail: "type zip")),
            FileStatusBody(transfer: id(4), status: .paused), FileStatusBody(transfer: id(4), status: .resumed),
            FileStatusBody(transfer: id(4), status: .declined, refusal: Refusal(.typeNotAllowed)),
            FileStatusBody(transfer: id(4), status: .failed, refusal: Refusal(.noSpace, detail: "3 GiB")),
        ] {
            #expect(try FileStatusBody(decoding: status.encoded()) == status)
        }
        for typing in [TypingBody(isTyping: true), TypingBody(isTyping: false)] {
            #expect(try TypingBody(decoding: typing.encoded()) == typing)
        }
        #expect(throws: WireError.unsupported(field: "conversation kind")) {
            try TypingBody(decoding: CBOR.map([1: .boolean(true), 2: .unsigned(1)]).encoded())
        }
        #expect(throws: WireError.wrongType(field: "typing")) {
            try TypingBody(decoding: CBOR.map([1: .unsigned(1), 2: .unsigned(0)]).encoded())
        }
        for close in [CloseBody(reason: .goodbye), CloseBody(reason: CloseReason(rawValue: 999), detail: "later")] {
            #expect(try CloseBody(decoding: close.encoded()) == close)
        }
    }

    @Test("Only so many left-out files are named, and a count smaller than the names is refused")
    func leftOutLimits() throws {
        let item = LeftOutBody.Item(path: "a", refusal: Refusal(.invalid))
        let long = LeftOutBody.Item(
            path: String(repeating: "x", count: PeerLimits.leftOutPathBytes + 1), refusal: Refusal(.invalid))
        let body = LeftOutBody(count: 100, items: [long] + [LeftOutBody.Item](repeating: item, count: 99))
        #expect(body.count == 100 && body.items == [LeftOutBody.Item](repeating: item, count: PeerLimits.leftOutItems))
        func offer(_ leftOut: LeftOutBody) -> MessageBody {
            let folder = AttachmentBody(
                transfer: id(5), name: "p", size: 1, kind: .folder, mediaType: "", fileCount: 3, leftOut: leftOut)
            return MessageBody(
                kind: .file, text: "", time: HybridTime(rawValue: 1), sentAt: someTime, attachments: [folder])
        }
        for count in [UInt64(0), .max] {
            let bytes = try offer(LeftOutBody(count: count, items: [item])).encoded()
            #expect(throws: WireError.invalid(field: "left out")) { try MessageBody(decoding: bytes) }
        }
    }

    /// Encodes at the limit, fails with `.tooLong` beyond it, and the decoder agrees on both.
    private func checkLimit(
        _ field: String, _ limit: Int, _ make: (Int) -> MessageBody,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let largest = make(limit)
        #expect(try MessageBody(decoding: largest.encoded()) == largest, sourceLocation: sourceLocation)
        #expect(throws: WireError.tooLong(field: field, limit: limit), sourceLocation: sourceLocation) {
            try make(limit + 1).encoded()
        }
    }

    @Test("Each limit of a message allows its value and not one more")
    func messageLimits() throws {
        try checkLimit("text", SharedLimits.textBytes) { textMessage(String(repeating: "x", count: $0)) }
        func file(_ attachments: [AttachmentBody]) -> MessageBody {
            MessageBody(
                kind: .file, text: "", time: HybridTime(rawValue: 1), sentAt: someTime, attachments: attachments)
        }
        func with(
            name: String = "a", mediaType: String = "", preview: [UInt8]? = nil, number: Int = 1
        ) -> AttachmentBody {
            AttachmentBody(
                transfer: id(UInt64(number)), name: name, size: 0, kind: .other, mediaType: mediaType, fileCount: 1,
                preview: preview)
        }
        try checkLimit("attachments", SharedLimits.attachments) { count in
            file((0..<count).map { with(number: $0 + 1) })
        }
        try checkLimit("name", SharedLimits.attachmentNameBytes) {
            file([with(name: String(repeating: "n", count: $0))])
        }
        try checkLimit("media type", PeerLimits.mediaTypeBytes) {
            file([with(mediaType: String(repeating: "m", count: $0))])
        }
        try checkLimit("preview", PeerLimits.previewBytes) {
            file([with(preview: [UInt8](repeating: 0, count: $0))])
        }
        // 32 previews of the largest size don't fit into a frame together with all the rest.
        let full = (1...32).map { with(preview: [UInt8](repeating: 0, count: PeerLimits.previewBytes), number: $0) }
        #expect(throws: WireError.tooLong(field: "message", limit: PeerLimits.frameBodyBytes)) {
            try file(full).encoded()
        }
        #expect(throws: Never.self) { try file(Array(full.dropLast())).encoded() }
    }

    @Test(
        "A decoder refuses what an encoder would not have made",
        arguments: [
            ([1: .unsigned(1)], WireError.unsupported(field: "conversation kind")),
            ([2: .unsigned(7)], .unsupported(field: "message kind")),
            ([2: .text("0")], .wrongType(field: "message kind")),
            ([3: nil], .missing(field: "text")),
            ([3: .text("")], .invalid(field: "text")),
            ([3: .text(String(repeating: "x", count: 65_537))], .tooLong(field: "text", limit: 65_536)),
            ([4: .negative(0)], .wrongType(field: "hybrid time")),
            ([5: .unsigned(.max)], .invalid(field: "sent at")),
            ([6: .bytes([1, 2])], .invalid(field: "reply to")),
            ([6: .bytes([UInt8](repeating: 0, count: 16))], .invalid(field: "reply to")),
            ([7: .array([])], nil),
            ([7: .array([.null])], .wrongType(field: "attachments")),
            ([7: .unsigned(1)], .wrongType(field: "attachments")),
            ([7: .array([CBOR](repeating: .null, count: 33))], .tooLong(field: "attachments", limit: 32)),
            ([99: .array([.null, .negative(5)])], nil),
        ] as [([UInt64: CBOR?], WireError?)])
    func hostileMessages(change: [UInt64: CBOR?], error: WireError?) throws {
        var map: CBORMap = [
            1: .unsigned(0), 2: .unsigned(0), 3: .text("hi"), 4: .unsigned(5), 5: .unsigned(6),
        ]
        for (key, value) in change { map[key] = value }
        let bytes = CBOR.map(map).encoded()
        if let error {
            #expect(throws: error) { try MessageBody(decoding: bytes) }
        } else {
            #expect(try MessageBody(decoding: bytes).text == "hi")
        }
    }

    @Test(
        "Attachments with invalid names, the same transfer twice, or absurd numbers are refused",
        arguments: [
            [2: .text("")], [2: .text(" ")], [2: .text(".")], [2: .text("..")], [2: .text("a/b")], [2: .text("a\u{0}")],
            [2: .text("a\u{202E}fdp.exe")], [2: .text("a\nb")], [1: .bytes([UInt8](repeating: 0, count: 16))],
            [3: .unsigned(1 << 63)], [5: .text("a b")], [5: .text("ä")], [6: .unsigned(100_001)],
        ] as [[UInt64: CBOR]])
    func hostileAttachments(change: [UInt64: CBOR]) throws {
        var fields: CBORMap = [
            1: .bytes(id(1).bytes), 2: .text("name"), 3: .unsigned(1), 4: .unsigned(0), 5: .text("text/plain"),
            6: .unsigned(1),
        ]
        func message(_ attachments: [CBORMap]) -> [UInt8] {
            CBOR.map([
                1: .unsigned(0), 2: .unsigned(1), 3: .text(""), 4: .unsigned(5), 5: .unsigned(6),
                7: .array(attachments.map { .map($0) }),
            ]).encoded()
        }
        #expect(throws: Never.self) { try MessageBody(decoding: message([fields])) }
        #expect(throws: WireError.invalid(field: "transfer")) { try MessageBody(decoding: message([fields, fields])) }
        for (key, value) in change { fields[key] = value }
        #expect(throws: WireError.self) { try MessageBody(decoding: message([fields])) }
    }

    @Test("An attachment kind of a later version reads as other")
    func laterAttachmentKind() throws {
        let fields: CBORMap = [
            1: .bytes(id(1).bytes), 2: .text("name"), 3: .unsigned(1), 4: .unsigned(77), 5: .text(""), 6: .unsigned(1),
        ]
        let bytes = CBOR.map([
            1: .unsigned(0), 2: .unsigned(1), 3: .text(""), 4: .unsigned(5), 5: .unsigned(6),
            7: .array([.map(fields)]),
        ]).encoded()
        #expect(try MessageBody(decoding: bytes).attachments.first?.kind == .other)
    }

    @Test("Notes, details, reasons and receipts have limits")
    func smallLimits() throws {
        let note = String(repeating: "é", count: SharedLimits.noteCharacters)
        #expect(try ContactRequestBody(decoding: ContactRequestBody(note: note).encoded()).note == note)
        #expect(throws: WireError.tooLong(field: "note", limit: 500)) {
            try ContactRequestBody(note: note + "e").encoded()
        }
        // These are 500 characters with far too many bytes: a letter under a tower of accents.
        let tower = "a" + String(repeating: "\u{301}", count: 4000)
        #expect(throws: WireError.tooLong(field: "note", limit: 500)) { try ContactRequestBody(note: tower).encoded() }

        let ids = (1...UInt64(PeerLimits.receiptIDs)).map { id($0) }
        #expect(try ReceiptBody(decoding: ReceiptBody(status: .stored, ids: ids).encoded()).ids == ids)
        #expect(throws: WireError.tooLong(field: "ids", limit: 512)) {
            try ReceiptBody(status: .stored, ids: ids + [id(9999)]).encoded()
        }
        #expect(throws: WireError.invalid(field: "ids")) { try ReceiptBody(status: .stored, ids: []).encoded() }
        #expect(throws: WireError.invalid(field: "ids")) { try ReceiptBody(status: .stored, ids: [.zero]).encoded() }

        #expect(Refusal(token: String(repeating: "a", count: 32), detail: nil) != nil)
        for wrong in ["", String(repeating: "a", count: 33), "Not_Friends", "a b", "ä"] {
            #expect(Refusal(token: wrong, detail: nil) == nil)
        }
        // What we send is cut to what others accept.
        let long = Refusal(.internal, detail: String(repeating: "x\u{7}", count: 500))
        let receipt = ReceiptBody(status: .refused(long), ids: [id(1)])
        #expect(try ReceiptBody(decoding: receipt.encoded()) == receipt)
    }

    @Test("Receipts and statuses without required fields are refused")
    func incompleteBodies() {
        #expect(throws: WireError.missing(field: "reason")) {
            try ReceiptBody(decoding: CBOR.map([1: .unsigned(3), 2: .array([.bytes(id(1).bytes)])]).encoded())
        }
        #expect(throws: WireError.unsupported(field: "status")) {
            try ReceiptBody(decoding: CBOR.map([1: .unsigned(4), 2: .array([.bytes(id(1).bytes)])]).encoded())
        }
        #expect(throws: WireError.invalid(field: "ids")) {
            try ReceiptBody(decoding: CBOR.map([1: .unsigned(1), 2: .array([])]).encoded())
        }
        #expect(throws: WireError.missing(field: "reason")) {
            try FileStatusBody(transfer: id(1), status: .failed).encoded()
        }
        #expect(throws: WireError.unsupported(field: "status")) {
            try FileStatusBody(decoding: CBOR.map([1: .bytes(id(1).bytes), 2: .unsigned(9)]).encoded())
        }
    }

    @Test("Damaged bodies give errors and never end the process", arguments: 0..<40 as Range<UInt64>)
    func damage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let whole = try MessageBody(
            kind: .file, text: "hello", time: HybridTime(rawValue: 77), sentAt: someTime, replyTo: id(1),
            attachments: [attachment]
        ).encoded()
        for _ in 0..<200 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random)) }
            _ = try? MessageBody(decoding: bytes)
            _ = try? ReceiptBody(decoding: bytes)
            _ = try? CloseBody(decoding: bytes)
            _ = try? Card(decoding: bytes)
        }
        for count in 0..<whole.count {
            #expect(throws: WireError.self) { try MessageBody(decoding: Array(whole.prefix(count))) }
        }
    }

    /// Goal: types that a peer names are words that can be shown and stored as they are.
    @Test("Unlisted types are few, and plain words or empty")
    func unlistedTypes() throws {
        func offer(_ types: CBOR?) -> CBOR {
            var map: CBORMap = [
                1: .bytes(id(5).bytes), 2: .text("a.zip"), 3: .unsigned(1), 4: .unsigned(0), 5: .text(""),
                6: .unsigned(1),
            ]
            map[11] = types
            return .map(map)
        }
        func decode(_ types: CBOR?) throws -> [String]? {
            let message: CBORMap = [
                1: .unsigned(0), 2: .unsigned(1), 3: .text(""), 4: .unsigned(1), 5: .unsigned(1),
                7: .array([offer(types)]),
            ]
            return try MessageBody(decoding: CBOR.map(message).encoded()).attachments.first?.unlisted
        }
        #expect(try decode(nil) == [])
        #expect(
            try decode(.array([.text(""), .text("zip"), .text("c++"), .text("x_1-2")])) == ["", "zip", "c++", "x_1-2"])
        let most = (0..<SharedLimits.unlistedTypes).map { CBOR.text("t\($0)") }
        #expect(try decode(.array(most))?.count == SharedLimits.unlistedTypes)
        for bad: CBOR in [
            .array(most + [.text("one")]), .array([]), .unsigned(1), .text("zip"), .array([.unsigned(1)]),
            .array([.text("ZIP")]),
            .array([.text("a,b")]), .array([.text("a b")]), .array([.text("*")]), .array([.text("\u{1B}[2J")]),
            .array([.text("ä")]), .array([.text("seventeen_letters")]), .array([.text("z\nip")]),
        ] { #expect(throws: WireError.self, "\(bad)") { try decode(bad) } }
    }
}
