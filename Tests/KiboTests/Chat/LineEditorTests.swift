import Basics
import ControlProtocol
import Testing
import Vocabulary

@testable import kibo

struct LineEditorTests {
    /// The text after some keys, with the cursor as a bar.
    private func type(_ keys: Keystroke...) -> String {
        var editor = LineEditor()
        for key in keys { _ = editor.handle(key) }
        return editor.before + "|" + editor.after
    }

    @Test("The cursor moves, and text changes, by characters as people see them")
    func characters() {
        #expect(type(.text("abc"), .left, .text("x")) == "abx|c")
        #expect(type(.text("a👨‍👩‍👧e\u{301}"), .backspace) == "a👨‍👩‍👧|")
        #expect(type(.text("a👨‍👩‍👧e\u{301}"), .left, .left, .delete) == "a|e\u{301}")
        #expect(type(.text("e"), .text("\u{301}"), .backspace) == "|")
        #expect(type(.text("ab"), .home, .text("x"), .end, .text("y")) == "xaby|")
        #expect(type(.text("ab"), .control("t")) == "ba|" && type(.text("abc"), .left, .control("t")) == "acb|")
        // Two letters of a flag that meet become one character, and the cursor is not inside it.
        #expect(type(.text("🇪"), .left, .text("🇩")) == "🇩🇪|")
        #expect(type(.backspace, .delete, .left, .right, .control("y"), .control("k")) == "|")
    }

    @Test("Words and lines are taken away and put back, several in a row together")
    func killing() {
        #expect(type(.text("one two"), .control("w"), .control("y"), .control("y")) == "one twotwo|")
        #expect(type(.text("one two"), .control("w"), .control("w"), .text("x"), .control("y")) == "xone two|")
        #expect(type(.text("one two"), .alt("b"), .control("k"), .control("a"), .control("y")) == "two|one ")
        #expect(type(.text("one two"), .control("u"), .control("y")) == "one two|")
        #expect(type(.text("a.b c"), .alt("\u{7F}"), .alt("\u{7F}")) == "a.|")
        #expect(type(.text("one two"), .home, .alt("d"), .alt("f")) == " two|")
        #expect(type(.text("one two"), .wordLeft, .wordLeft, .wordLeft, .wordRight) == "one| two")
    }

    @Test("Up and down go through several lines, and beyond them through earlier texts")
    func lines() {
        #expect(type(.text("abc"), .newline, .text("d"), .up, .text("x")) == "ax|bc\nd")
        #expect(type(.text("a"), .newline, .text("bcd"), .up, .down, .text("x")) == "a\nbx|cd")
        #expect(type(.text("abc"), .newline, .text("de"), .home, .control("u")) == "abc|de")
        #expect(type(.text("ab"), .newline, .text("cd"), .up, .control("k")) == "ab|cd")
        var editor = LineEditor()
        for line in ["first", "second", "second"] {
            _ = editor.handle(.text(line))
            editor.finish()
        }
        _ = editor.handle(.text("draft"))
        let steps: [(Keystroke, String)] = [
            (.up, "second"), (.up, "first"), (.up, "first"), (.down, "second"), (.down, "draft"), (.down, "draft"),
        ]
        for (key, text) in steps {
            _ = editor.handle(key)
            #expect(editor.text == text)
        }
    }

    @Test("Pasted text loses its controls and keeps its lines; more than a message holds is refused whole")
    func pasting() {
        #expect(type(.paste("a\r\nb\rc\u{1B}[2J\u{202E}\td\n")) == "a\nb\nc[2J\td\n|")
        var editor = LineEditor()
        let outcomes = [
            editor.handle(.paste(String(repeating: "x", count: SharedLimits.textBytes))), editor.handle(.text("y")),
        ]
        #expect(outcomes == [.changed, .full] && editor.text.utf8.count == SharedLimits.textBytes)
    }

    @Test("A flag with tags and marks of direction stay in what is typed and pasted; an override goes")
    func written() {
        let flag = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}"
        #expect(type(.paste(flag + "\u{200F}\u{202E}\u{202A}1\u{202C}")) == flag + "\u{200F}\u{202A}1\u{202C}|")
        // A terminal may give the scalars one by one.
        #expect(
            type(.text("\u{1F3F4}"), .text("\u{E0067}\u{E0062}\u{E0065}"), .text("\u{E006E}\u{E0067}\u{E007F}")) == flag
                + "|")
    }

    @Test("Whatever is typed, the cursor stays between characters and the text is what was put in")
    func noise() {
        var generator = SeededGenerator(seed: 3)
        let keys: [Keystroke] = [
            .text("a"), .text("e\u{301}"), .text("\u{301}"), .text("👍"), .text("\u{1F3FD}"), .text("🇩"), .text(" "),
            .newline, .backspace, .delete, .left, .right, .up, .down, .home, .end, .wordLeft, .wordRight,
            .control("k"), .control("u"), .control("w"), .control("y"), .control("t"), .alt("d"), .paste("x\r\ny"),
        ]
        for _ in 0..<300 {
            var editor = LineEditor()
            for _ in 0..<60 {
                _ = editor.handle(keys[Int.random(in: 0..<keys.count, using: &generator)])
                let layout = EditorLayout(editor, width: 7)
                #expect(layout.rows.indices.contains(layout.row) && layout.column <= 7)
                for height in 1...3 {
                    let window = layout.window(height)
                    #expect(window.rows.count <= height && window.rows.count > window.cursorRow)
                }
            }
        }
    }

    @Test("The rows of the text being written have the cursor where it belongs, also in wide characters and at edges")
    func layout() {
        func layout(_ width: Int, _ keys: Keystroke...) -> EditorLayout {
            var editor = LineEditor()
            for key in keys { _ = editor.handle(key) }
            return EditorLayout(editor, width: width)
        }
        let plain = layout(4, .text("abcdefg"))
        #expect(plain.rows == ["abcd", "efg"] && plain.row == 1 && plain.column == 3)
        let full = layout(4, .text("abcd"))
        #expect(full.rows == ["abcd", ""] && full.row == 1 && full.column == 0)
        let wide = layout(5, .text("日本語"))
        #expect(wide.rows == ["日本", "語"] && wide.column == 2)
        let middle = layout(10, .text("ab"), .newline, .text("cd"), .up)
        #expect(middle.rows == ["ab", "cd"] && middle.row == 0 && middle.column == 2)
    }
}
