import Basics
import ControlProtocol
import Crypto
import PeerProtocol
import TestSupport
import Testing
import Vocabulary

/// Goal: every text of a peer is taken up to its limit and not one character beyond. Whatever a text holds, a terminal
/// gets only characters that can be shown.
@Suite("Hostile texts, and what kibo shows of them", .serialized)
struct TextAttackTests {
    /// Colours, a cleared screen, a bell, a title, C1 controls, text turned around.
    private static let escapes = "\u{1B}[31mred\u{1B}[2J\u{7}\u{1B}]0;title\u{7}\u{9B}5m\u{202E}txt.exe\u{2066}\u{8}\r"

    private static func expectHarmless(_ text: String, _ what: String, shows word: String) {
        for scalar in text.unicodeScalars where ForeignText.isHostile(scalar, multiline: true) {
            Issue.record("\(what) prints \(String(scalar.value, radix: 16))")
            break
        }
        #expect(text.contains(word), "\(what) doesn't show it at all: \(text)")
    }

    @Test("Terminal escapes in notes, messages, edits and file lists are shown escaped by every command")
    func escapes() throws {
        let anna = try DaemonProcess.launch(name: "Anna", options: .init(logLevel: .info))
        let peer = try TestPeer("Fred")
        let link = try peer.openSession(with: anna)
        func deliver(_ kind: FrameKind, _ body: [UInt8]) throws -> UUIDv7 {
            let frame = Frame(kind: kind, id: freshID(), body: body)
            link.send(frame)
            #expect(try link.refusal(of: frame.id) == nil, "\(kind)")
            return frame.id
        }
        _ = try deliver(.contactRequest, ContactRequestBody(note: "note " + Self.escapes).encoded())
        Self.expectHarmless(try anna.kibo("requests").text, "requests", shows: "note \\u{1b}[31mred")
        #expect(try anna.kibo("accept", "Fred").isDone)
        let now = SystemClocks().wallTime
        let message = try deliver(.message, textBody("message " + Self.escapes))
        _ = try deliver(
            .edit,
            EditBody(
                message: message, text: "edited " + Self.escapes,
                time: HybridTime(milliseconds: now.milliseconds + 10), editedAt: now
            ).encoded())
        let leftOut = LeftOutBody(
            count: 1, items: [.init(path: "list " + Self.escapes, refusal: Refusal(.typeNotAllowed))])
        let folder = AttachmentBody(
            transfer: freshID(), name: "photos", size: 3, kind: .folder, mediaType: "", fileCount: 2, leftOut: leftOut)
        _ = try deliver(
            .message,
            MessageBody(
                kind: .file, text: "caption " + Self.escapes, time: HybridTime(milliseconds: now.milliseconds),
                sentAt: now, attachments: [folder]
            ).encoded())
        for words in [["read", "Fred"], ["chats"], ["search", "edited"], ["transfers"], ["contacts"], ["peers"]] {
            let shown = try anna.kibo(words).text
            let word =
                ["read": "\\u{1b}[31mred", "search": "edited", "transfers": "photos"][words[0]] ?? "Fred"
            Self.expectHarmless(shown, words[0], shows: word)
        }
        let path = anna.directory.file("chat.txt")
        #expect(try anna.kibo("export", "Fred", path).isDone)
        _ = try anna.kibo("get", "photos", "--no-wait")
        Self.expectHarmless(try anna.kibo("transfers").text, "transfers", shows: "photos")
        try #require(anna.isRunning)
    }

    @Test("Texts at their limit are taken, and one character or byte more is refused")
    func limits() throws {
        let scene = try Scene()
        func text(_ count: Int) -> String { String(repeating: "é", count: count) }
        func card(_ name: String, _ status: String, email: String? = nil) throws -> (TestPeer, [UInt8]) {
            let peer = try TestPeer()
            var map: CBORMap = [
                1: .bytes(peer.certificate.account.bytes), 2: .bytes(peer.certificate.encoded()), 3: .text(name),
                4: .text(status), 8: .unsigned(1),
            ]
            map[6] = email.map { .text($0) }
            let signed = CBOR.map(map).encoded()
            let bytes = CBOR.map([1: .bytes(signed), 2: .bytes(peer.deviceKey.sign(signed, label: Card.label))])
            return (peer, bytes.encoded())
        }
        func isTaken(_ card: (TestPeer, [UInt8])) throws -> Bool {
            let link = try card.0.connect(to: scene.anna)
            link.send(Frame(kind: .card, body: card.1), Frame(kind: .ping))
            do {
                return try link.frame("an answer") { $0.kind == .pong || $0.kind == .close }.kind == .pong
            } catch is PeerLink.Ended { return false }
        }
        let (name, status, mail) = (SharedLimits.foreignNameCharacters, SharedLimits.statusTextCharacters, 254)
        // A domain has labels of at most 63 bytes.
        let email = { (count: Int) in "a@" + (1...count - 2).map { $0 % 64 == 0 ? "." : "e" }.joined() }
        #expect(try isTaken(card(text(name), text(status), email: email(mail))))
        #expect(try !isTaken(card(text(name + 1), "")))
        #expect(try !isTaken(card("x", text(status + 1))))
        #expect(try isTaken(card("x", "", email: email(mail + 1))), "what is no address is left out of the card")

        let link = try TestPeer("Fred").openSession(with: scene.anna)
        func answer(_ kind: FrameKind, _ map: CBORMap) throws -> Reason? {
            let frame = Frame(kind: kind, id: freshID(), body: CBOR.map(map).encoded())
            link.send(frame)
            return try link.refusal(of: frame.id)
        }
        let note = SharedLimits.noteCharacters
        #expect(try answer(.contactRequest, [1: .text(text(note + 1))]) == .tooLarge)
        #expect(try answer(.contactRequest, [1: .text(text(note))]) == nil)
        // A family of four with skin colours counts as one character, and letters under many accents are too long in
        // bytes.
        #expect(try answer(.contactRequest, [1: .text("e" + String(repeating: "\u{301}", count: 2_500))]) == .tooLarge)

        let friend = try TestPeer("Gerd").befriend(scene.anna)
        func send(_ kind: FrameKind, _ body: CBORMap) throws -> Reason? {
            let frame = Frame(kind: kind, id: freshID(), body: CBOR.map(body).encoded())
            friend.send(frame)
            return try friend.refusal(of: frame.id)
        }
        func message(_ bytes: Int) -> CBORMap {
            [
                1: .unsigned(0), 2: .unsigned(0), 3: .text(String(repeating: "x", count: bytes)), 4: .unsigned(1),
                5: .unsigned(1),
            ]
        }
        func file(name: Int = 1, type: Int = 1, preview: Int? = nil) -> CBORMap {
            var inner: CBORMap = [
                1: .bytes(freshID().bytes), 2: .text(String(repeating: "n", count: name)), 3: .unsigned(1),
                4: .unsigned(0), 5: .text(String(repeating: "t", count: type)), 6: .unsigned(1),
            ]
            inner[7] = preview.map { .bytes([UInt8](repeating: 1, count: $0)) }
            var map = message(1)
            (map[2], map[7]) = (.unsigned(1), .array([.map(inner)]))
            return map
        }
        let id = CBOR.bytes(freshID().bytes)
        func edit(_ bytes: Int) -> CBORMap {
            [1: id, 2: .text(String(repeating: "x", count: bytes)), 3: .unsigned(1), 4: .unsigned(1)]
        }
        // A reaction is one character of many bytes.
        func reaction(_ bytes: Int) -> CBORMap {
            let sign = bytes % 2 == 0 ? "\u{E9}" : "e"
            let accents = String(repeating: "\u{301}", count: (bytes - 1) / 2)
            return [1: id, 2: .text(sign + accents), 3: .unsigned(1), 4: .boolean(false)]
        }
        let edges: [(String, FrameKind, CBORMap, CBORMap)] = [
            ("text", .message, message(65_536), message(65_537)), ("edit", .edit, edit(65_536), edit(65_537)),
            ("file name", .message, file(name: 255), file(name: 256)),
            ("media type", .message, file(type: 127), file(type: 128)),
            ("preview", .message, file(preview: 32_768), file(preview: 32_769)),
            ("reaction", .reaction, reaction(64), reaction(65)),
        ]
        for (what, kind, good, bad) in edges {
            #expect(try send(kind, good) == nil, "\(what) at its limit")
            #expect([.tooLarge, .invalid].contains(try send(kind, bad)), "\(what) beyond it")
        }
        try scene.expectUnharmed(memory: 48 << 20)
    }
}
