import Basics
import PeerProtocol
import Testing
import Vocabulary

@Suite("Bodies of edits, deletions, reactions and read markers")
struct AmendmentBodyTests {
    private static let time = HybridTime(milliseconds: 1_720_000_000_000, counter: 7)
    /// A flag that is written with tags.
    static let wales = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}"
    /// Two people kissing, with a heart and skin colours, in one emoji.
    private static let longSign = "👩🏽‍❤️‍💋‍👨🏿"

    @Test("Every body comes back unchanged")
    func roundTrips() throws {
        for text in ["", "Grüße\n😀\u{0}\u{202E}", String(repeating: "x", count: SharedLimits.textBytes)] {
            let edit = EditBody(message: id(1), text: text, time: Self.time, editedAt: someTime)
            #expect(try EditBody(decoding: edit.encoded()) == edit)
        }
        let late = EditBody(
            message: id(1), text: "a", time: HybridTime(rawValue: .max), editedAt: WallTime(milliseconds: .max))
        #expect(try EditBody(decoding: late.encoded()) == late)
        let deletion = DeletionBody(message: id(2), time: HybridTime(rawValue: 0), sentAt: WallTime(milliseconds: 0))
        #expect(try DeletionBody(decoding: deletion.encoded()) == deletion)
        for (sign, removed) in [("👍", false), ("a", true), (Self.longSign, false), ("❤️", true), (Self.wales, false)] {
            let reaction = ReactionBody(message: id(3), emoji: sign, time: Self.time, removed: removed)
            #expect(try ReactionBody(decoding: reaction.encoded()) == reaction)
        }
        for count in [1, 2, PeerLimits.receiptIDs] {
            let seen = SeenBody(messages: (1...UInt64(count)).map { id($0) })
            #expect(try SeenBody(decoding: seen.encoded()) == seen)
        }
    }

    @Test("The encoder refuses what a decoder would refuse")
    func encoders() {
        let long = String(repeating: "x", count: SharedLimits.textBytes + 1)
        #expect(throws: WireError.tooLong(field: "text", limit: SharedLimits.textBytes)) {
            try EditBody(message: id(1), text: long, time: Self.time, editedAt: someTime).encoded()
        }
        #expect(throws: WireError.invalid(field: "message")) {
            try EditBody(message: .zero, text: "a", time: Self.time, editedAt: someTime).encoded()
        }
        #expect(throws: WireError.invalid(field: "edited at")) {
            try EditBody(message: id(1), text: "a", time: Self.time, editedAt: WallTime(milliseconds: -1)).encoded()
        }
        #expect(throws: WireError.invalid(field: "message")) {
            try DeletionBody(message: .zero, time: Self.time, sentAt: someTime).encoded()
        }
        #expect(throws: WireError.invalid(field: "sent at")) {
            try DeletionBody(message: id(1), time: Self.time, sentAt: WallTime(milliseconds: -1)).encoded()
        }
        #expect(throws: WireError.invalid(field: "message")) {
            try ReactionBody(message: .zero, emoji: "👍", time: Self.time, removed: false).encoded()
        }
        #expect(throws: WireError.tooLong(field: "messages", limit: PeerLimits.receiptIDs)) {
            try SeenBody(messages: (1...UInt64(PeerLimits.receiptIDs + 1)).map { id($0) }).encoded()
        }
        for wrong in [[], [.zero], [id(1), .zero]] as [[UUIDv7]] {
            #expect(throws: WireError.invalid(field: "messages")) { try SeenBody(messages: wrong).encoded() }
        }
    }

    @Test(
        "A reaction is one visible character of at most 64 bytes",
        arguments: [
            "", "ab", "👍👍", " ", "\u{0}", "\n", "\u{202E}", "\u{200B}", "\u{FEFF}", "\u{200F}", "\u{1F3F4}\u{E0067}",
            Self.wales + Self.wales, Self.wales + "\u{E0067}",
            "a" + String(repeating: "\u{301}", count: 32),
        ])
    func signs(text: String) {
        #expect(throws: WireError.invalid(field: "emoji")) {
            try ReactionBody(message: id(1), emoji: text, time: Self.time, removed: false).encoded()
        }
        let bytes = CBOR.map([
            1: .bytes(id(1).bytes), 2: .text(text), 3: .unsigned(5), 4: .boolean(false),
        ]).encoded()
        #expect(throws: WireError.self) { try ReactionBody(decoding: bytes) }
    }

    private static let edit: CBORMap = [1: .bytes(id(1).bytes), 2: .text("hi"), 3: .unsigned(5), 4: .unsigned(6)]
    private static let deletion: CBORMap = [1: .bytes(id(1).bytes), 2: .unsigned(5), 3: .unsigned(6)]
    private static let reaction: CBORMap = [
        1: .bytes(id(1).bytes), 2: .text("👍"), 3: .unsigned(5), 4: .boolean(true),
    ]
    private static let zero = CBOR.bytes([UInt8](repeating: 0, count: 16))

    @Test(
        "A decoder refuses what an encoder would not have made",
        arguments: [
            (edit, 1, nil, .missing(field: "message")), (edit, 1, zero, .invalid(field: "message")),
            (edit, 1, .bytes([1]), .invalid(field: "message")), (edit, 1, .text("x"), .wrongType(field: "message")),
            (edit, 2, nil, .missing(field: "text")), (edit, 2, .bytes([1]), .wrongType(field: "text")),
            (
                edit, 2, .text(String(repeating: "x", count: 65_537)), .tooLong(field: "text", limit: 65_536)
            ),
            (edit, 3, nil, .missing(field: "hybrid time")), (edit, 3, .negative(0), .wrongType(field: "hybrid time")),
            (edit, 4, nil, .missing(field: "edited at")), (edit, 4, .unsigned(1 << 63), .invalid(field: "edited at")),
            (deletion, 1, zero, .invalid(field: "message")), (deletion, 2, nil, .missing(field: "hybrid time")),
            (deletion, 3, nil, .missing(field: "sent at")),
            (deletion, 3, .unsigned(.max), .invalid(field: "sent at")),
            (reaction, 1, zero, .invalid(field: "message")), (reaction, 2, nil, .missing(field: "emoji")),
            (
                reaction, 2, .text(String(repeating: "x", count: 65)), .tooLong(field: "emoji", limit: 64)
            ),
            (reaction, 3, .text(""), .wrongType(field: "hybrid time")),
            (reaction, 4, nil, .missing(field: "removed")), (reaction, 4, .unsigned(1), .wrongType(field: "removed")),
        ] as [(CBORMap, UInt64, CBOR?, WireError)])
    func hostile(body: CBORMap, key: UInt64, value: CBOR?, error: WireError) {
        var body = body
        let isEdit = body[4] == .unsigned(6)
        let isReaction = body[4] == .boolean(true)
        body[key] = value
        let bytes = CBOR.map(body).encoded()
        #expect(throws: error) {
            if isEdit {
                _ = try EditBody(decoding: bytes)
            } else if isReaction {
                _ = try ReactionBody(decoding: bytes)
            } else {
                _ = try DeletionBody(decoding: bytes)
            }
        }
    }

    @Test(
        "Invalid lists of read messages are refused",
        arguments: [
            (nil, .missing(field: "messages")), (.array([]), .invalid(field: "messages")),
            (.array([.null]), .wrongType(field: "messages")), (.array([zero]), .invalid(field: "messages")),
            (.unsigned(1), .wrongType(field: "messages")),
            (.array([CBOR](repeating: .bytes(id(1).bytes), count: 513)), .tooLong(field: "messages", limit: 512)),
        ] as [(CBOR?, WireError)])
    func hostileSeen(value: CBOR?, error: WireError) {
        var map: CBORMap = [2: .unsigned(1)]
        map[1] = value
        let bytes = CBOR.map(map).encoded()
        #expect(throws: error) { try SeenBody(decoding: bytes) }
    }

    @Test("Fields of a later version are skipped")
    func laterFields() throws {
        var map = Self.edit
        map[9] = .array([.null])
        let bytes = CBOR.map(map).encoded()
        #expect(try EditBody(decoding: bytes).text == "hi")
    }

    @Test("Damaged bodies give errors and never end the process", arguments: 0..<20 as Range<UInt64>)
    func damage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bodies = [
            try EditBody(message: id(1), text: "hello", time: Self.time, editedAt: someTime).encoded(),
            try DeletionBody(message: id(1), time: Self.time, sentAt: someTime).encoded(),
            try ReactionBody(message: id(1), emoji: Self.longSign, time: Self.time, removed: true).encoded(),
            try SeenBody(messages: [id(1), id(2)]).encoded(),
        ]
        for whole in bodies {
            for _ in 0..<200 {
                var bytes = whole
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                // A body that is read all the same equals what its encoder makes.
                if let edit = try? EditBody(decoding: bytes) { #expect(try EditBody(decoding: edit.encoded()) == edit) }
                if let reaction = try? ReactionBody(decoding: bytes) {
                    #expect(try ReactionBody(decoding: reaction.encoded()) == reaction)
                }
                _ = try? DeletionBody(decoding: bytes)
                _ = try? SeenBody(decoding: bytes)
            }
            for count in 0..<whole.count {
                let cut = Array(whole.prefix(count))
                #expect(throws: WireError.self) { try EditBody(decoding: cut) }
                #expect(throws: WireError.self) { try DeletionBody(decoding: cut) }
                #expect(throws: WireError.self) { try ReactionBody(decoding: cut) }
                #expect(throws: WireError.self) { try SeenBody(decoding: cut) }
            }
        }
    }
}
