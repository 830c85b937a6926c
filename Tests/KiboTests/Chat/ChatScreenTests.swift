import Basics
import ControlProtocol
import Testing

@testable import kibo

struct ChatScreenTests {
    @Test("The screen shows the contact, days, names in a column, states, edits, answers and reactions")
    func conversation() {
        var first = ChatScene.message(1, "Are the drawings ready?\nI need them by noon.")
        first.sentAt -= 86_400_000
        first.reactions = [.init(account: Cast.own, emoji: "👍")]
        var answer = ChatScene.message(2, "They are", from: Cast.own)
        answer.replyTo = first.id
        answer.editedAt = Cast.noon
        answer.state = .read
        var gone = ChatScene.message(3, "")
        gone.deleted = true
        var failed = ChatScene.message(4, "and these too", from: Cast.own)
        failed.state = .failed
        failed.recipients[0].reason = .keyChanged
        failed.attachments = [
            Attachment(
                transfer: Cast.report, name: "a.pdf", size: 2048, kind: .document, mediaType: "", state: .offered)
        ]
        let scene = ChatScene(columns: 48, rows: 20, messages: [first, answer, gone, failed])
        scene.press(.text("half a li"))
        #expect(
            scene.screen == """
                 Anna · online                            /help





                               — the beginning —
                                 — Yesterday —
                12:00 Anna  Are the drawings ready?
                            I need them by noon.
                            👍 you
                                   — Today —
                12:00 you   > Anna: Are the drawings ready? I n…
                            They are  (edited)  read
                12:00 Anna  (deleted)
                12:00 you   and these too
                            [a.pdf, 2.0 KiB]  waits for an answ…
                            failed: the key has changed

                > half a li
                """)
    }

    @Test(
        "A flag and marks of direction are shown; what turns a part of a text ends in each row, and begins again in the next"
    )
    func directions() {
        let flag = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}"
        let scene = ChatScene(
            columns: 60, rows: 30,
            messages: [ChatScene.message(1, "Go \(flag)!"), ChatScene.message(2, "שלום\u{200F}!")])
        #expect(scene.screen.contains("Go \(flag)!") && scene.screen.contains("\u{2068}שלום\u{200F}!\u{2069}"))
        let rows = TextWrap.lines("\u{2067}one two three four\u{2069} five", width: 10)
        #expect(
            rows == [
                "\u{2068}\u{2067}one two\u{2069}\u{2069}", "\u{2068}\u{2067}three four\u{2069}\u{2069}",
                "\u{2068}five\u{2069}",
            ])
        #expect(DisplayWidth.truncate("\u{2067}one two\u{2069}", to: 4) == "\u{2067}one…\u{2069}")
    }

    @Test("No foreign name, text, file, sign or title plays with the terminal")
    func hostile() {
        let evil = "\u{1B}]0;x\u{7}\u{1B}[2J\u{9B}1m\u{202E}\r\u{8}"
        var message = ChatScene.message(1, evil + "\n12:00 you  forged" + String(repeating: "\u{301}", count: 500))
        message.reactions = [.init(account: Cast.hostile, emoji: evil)]
        message.attachments = [
            Attachment(transfer: Cast.report, name: evil, size: 1, kind: .other, mediaType: "", state: .offered)
        ]
        var answer = ChatScene.message(2, "x")
        answer.replyTo = message.id
        let scene = ChatScene(columns: 60, rows: 30, messages: [message, answer])
        scene.happen(
            .contactChanged,
            Contact(id: Cast.anna, displayName: evil, relation: .friend, presence: .online, conversation: Cast.chat)
                .json, isHostile: true)
        scene.happen(
            .typingChanged, ["conversation": .string(Cast.chat), "account": .string(Cast.anna), "typing": true])
        scene.press(.paste(evil), .enter, .paste(evil))
        let whose: JSONValue = ["name": .string(evil), "detail": .string(evil), "file": .string(evil)]
        scene.answer(
            .why("x", "x"),
            [
                "steps": [["at": 0, "code": "file_failed", "parameters": whose]],
                "now": [["code": "not_taken", "parameters": whose]],
            ])
        func check() {
            for row in scene.controller.screen.drawn().screen.rows {
                #expect(
                    !row.text.unicodeScalars.contains { ForeignText.isHostile($0, multiline: false) }, "\(row.text)")
                #expect(row.width <= 60 && row.text.unicodeScalars.count < 1_200)
            }
        }
        check()
        scene.press(.escape)
        check()
        // The forged line stands under the text column, and not where messages begin.
        #expect(!scene.screen.contains("\n12:00 you  forged") && scene.screen.contains("        12:00 you  forge"))
    }

    @Test("A picture fits every size of terminal, with the cursor inside")
    func sizes() {
        let messages = (1...30).map { ChatScene.message($0, "Some words of message \($0), 日本語 and more") }
        let scene = ChatScene(messages: messages)
        scene.press(.text("a text that is longer than most of the widths here, 日本語"))
        for columns in [1, 4, 5, 10, 21, 33, 80, 300] {
            for rows in [1, 2, 3, 4, 7, 24] {
                scene.controller.state.size = .init(columns: columns, rows: rows)
                let screen = scene.controller.screen.drawn().screen
                #expect(screen.rows.count == rows, "\(columns)×\(rows)")
                #expect(screen.rows.allSatisfy { $0.width <= max(4, columns) }, "\(columns)×\(rows)")
                #expect((0..<rows).contains(screen.row) && (0..<max(4, columns)).contains(screen.column))
                scene.press(.pageUp, .pageUp, .pageDown)
                #expect(scene.controller.screen.drawn().screen.rows.count == rows)
            }
        }
    }

    @Test("Scrolling shows every line once, keeps its place when messages come in, and comes back to the newest")
    func scrolling() {
        let messages = (1...40).map { ChatScene.message($0, "message \($0).") }
        let scene = ChatScene(columns: 40, rows: 12, messages: messages)
        // There are ten rows: the bars and the line being written take three.
        #expect(
            scene.screen.contains("message 40.") && scene.screen.contains("message 32.")
                && !scene.screen.contains("message 31."))
        scene.press(.pageUp)
        #expect(
            scene.screen.contains("message 32.") && scene.screen.contains("message 24.")
                && !scene.screen.contains("message 33."))
        let before = scene.screen
        scene.add(ChatScene.message(41, "message 41."))
        #expect(scene.screen == before.replacing("    PageDown for more", with: "PageDown: 1 new below"))
        for _ in 0..<9 { scene.press(.pageUp) }
        #expect(
            scene.screen.contains("— the beginning —") && scene.screen.contains("message 7.")
                && !scene.screen.contains("message 8."))
        // A wider window at the very top stays full.
        scene.controller.state.size.rows = 20
        #expect(scene.screen.contains("message 15."))
        scene.controller.state.size.rows = 12
        for _ in 0..<9 { scene.press(.pageDown) }
        #expect(scene.screen.contains("message 41.") && !scene.screen.contains("below"))
    }

    @Test("Texts are broken between words, long words anywhere, and no line is wider than it may be")
    func wrapping() {
        #expect(TextWrap.lines("one two three", width: 8) == ["one two", "three"])
        #expect(TextWrap.lines("one two three", width: 7) == ["one two", "three"])
        #expect(TextWrap.lines("abcdefghij", width: 4) == ["abcd", "efgh", "ij"])
        #expect(TextWrap.lines("a bcdefghij", width: 4) == ["a", "bcde", "fghi", "j"])
        #expect(TextWrap.lines("日本語日本", width: 5) == ["日本", "語日", "本"])
        #expect(TextWrap.lines("", width: 5) == [""] && TextWrap.lines("a\n\nb", width: 5) == ["a", "", "b"])
        var generator = SeededGenerator(seed: 5)
        let parts = ["a", " ", "  ", "word", "日", "👍🏽", "e\u{301}", "\n", "\t", "\u{1B}", "longerword"]
        for _ in 0..<150 {
            let text = (0..<30).map { _ in parts[Int.random(in: 0..<parts.count, using: &generator)] }.joined()
            for width in [2, 3, 5, 9, 40] {
                let lines = TextWrap.lines(text, width: width)
                #expect(lines.allSatisfy { DisplayWidth.of($0) <= width }, "\(text.debugDescription) \(width)")
                let shown = TextWrap.shown(text).filter { !$0.isWhitespace }
                #expect(lines.joined().filter { !$0.isWhitespace } == shown)
            }
        }
    }
}
