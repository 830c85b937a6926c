import Basics
import ControlProtocol
import Vocabulary

/// The text that the user is writing, and where in it they are. Keys go in; there is no terminal and no drawing.
///
/// The place is always between two characters as people see them (grapheme clusters), never inside one.
struct LineEditor {
    /// The effect of a key.
    enum Outcome: Equatable { case changed, moved, ignored, full }

    /// Up to the cursor.
    private(set) var before = ""
    /// From the cursor on.
    private(set) var after = ""
    private var killed = ""
    /// Whether the last key took text away, so that the next one that does adds to it.
    private var isKilling = false
    private var history = LineHistory()

    var text: String { before + after }
    var isEmpty: Bool { before.isEmpty && after.isEmpty }

    /// Puts another text in its place, with the cursor at its end.
    mutating func replace(with text: String) {
        before = Self.cleaned(text)
        after = ""
        isKilling = false
    }

    /// The text is finished: remembers it, and starts a new one.
    mutating func finish() {
        history.remember(text)
        replace(with: "")
    }

    /// Does what a key says.
    mutating func handle(_ key: Keystroke) -> Outcome {
        let wasKilling = isKilling
        isKilling = false
        switch key {
        case .text(let text), .paste(let text): return insert(text)
        case .newline: return insert("\n")
        case .backspace, .control("h"): return before.popLast() == nil ? .ignored : .changed
        case .delete, .control("d"):
            if after.isEmpty { return .ignored }
            after.removeFirst()
            return .changed
        case .left, .control("b"): return move(by: -1)
        case .right, .control("f"): return move(by: 1)
        case .wordLeft, .alt("b"): return move(by: -wordBack())
        case .wordRight, .alt("f"): return move(by: wordAhead())
        case .home, .control("a"): return move(by: -lineHead())
        case .end, .control("e"): return move(by: lineTail())
        case .up, .control("p"): return vertical(up: true)
        case .down, .control("n"): return vertical(up: false)
        case .control("k"): return kill(ahead: max(1, lineTail()), wasKilling)
        case .control("u"): return kill(back: max(1, lineHead()), wasKilling)
        case .control("w"): return kill(back: blankBack(), wasKilling)
        case .alt("\u{7F}"): return kill(back: wordBack(), wasKilling)
        case .alt("d"): return kill(ahead: wordAhead(), wasKilling)
        case .control("y"): return killed.isEmpty ? .ignored : insert(killed)
        case .control("t"): return transpose()
        default: return .ignored
        }
    }

    // MARK: Changing

    private mutating func insert(_ text: String) -> Outcome {
        let text = Self.cleaned(text)
        if text.isEmpty { return .ignored }
        guard before.utf8.count + after.utf8.count + text.utf8.count <= SharedLimits.textBytes else { return .full }
        before += text
        join()
        return .changed
    }

    /// The characters on both sides of the cursor may have become one (a flag of two letters): then the
    /// cursor goes behind it.
    private mutating func join() {
        guard let last = before.last, let first = after.first else { return }
        if (String(last) + String(first)).count == 1 { before.append(after.removeFirst()) }
    }

    private mutating func kill(back count: Int, _ wasKilling: Bool) -> Outcome {
        if count == 0 || before.isEmpty { return .ignored }
        killed = String(before.suffix(count)) + (wasKilling ? killed : "")
        before.removeLast(min(count, before.count))
        isKilling = true
        return .changed
    }

    private mutating func kill(ahead count: Int, _ wasKilling: Bool) -> Outcome {
        if count == 0 || after.isEmpty { return .ignored }
        killed = (wasKilling ? killed : "") + String(after.prefix(count))
        after.removeFirst(min(count, after.count))
        isKilling = true
        return .changed
    }

    private mutating func transpose() -> Outcome {
        if after.isEmpty, let last = before.popLast() { after = String(last) }
        guard let left = before.popLast(), let right = after.first else { return .ignored }
        after.removeFirst()
        before.append(right)
        before.append(left)
        return .changed
    }

    // MARK: Moving

    private mutating func move(by count: Int) -> Outcome {
        if count < 0 {
            let moved = before.suffix(-count)
            if moved.isEmpty { return .ignored }
            after = moved + after
            before.removeLast(moved.count)
        } else {
            let moved = after.prefix(count)
            if moved.isEmpty { return .ignored }
            before += moved
            after.removeFirst(moved.count)
        }
        return .moved
    }

    private func lineHead() -> Int { before.reversed().prefix { $0 != "\n" }.count }
    private func lineTail() -> Int { after.prefix { $0 != "\n" }.count }

    private func wordBack() -> Int { Self.word(before.reversed()) }
    private func wordAhead() -> Int { Self.word(Array(after)) }

    /// The length of what is between words, and then of the word.
    private static func word(_ characters: [Character]) -> Int {
        let gap = characters.prefix { !$0.isLetter && !$0.isNumber }.count
        return gap + characters.dropFirst(gap).prefix { $0.isLetter || $0.isNumber }.count
    }

    /// Back to the last blank, as Ctrl-W does it.
    private func blankBack() -> Int {
        let characters = Array(before.reversed())
        let gap = characters.prefix(while: \.isWhitespace).count
        return gap + characters.dropFirst(gap).prefix { !$0.isWhitespace }.count
    }

    /// To the line above or below, and at the end of them through what was written before.
    private mutating func vertical(up: Bool) -> Outcome {
        let head = lineHead()
        if up, before.contains("\n") {
            let above = before.dropLast(head + 1).reversed().prefix { $0 != "\n" }.count
            return move(by: -(head + 1 + max(0, above - head)))
        }
        if !up, after.contains("\n") {
            let tail = lineTail()
            let below = after.dropFirst(tail + 1).prefix { $0 != "\n" }.count
            return move(by: tail + 1 + min(head, below))
        }
        guard let other = up ? history.older(than: text) : history.newer() else { return .ignored }
        replace(with: other)
        return .changed
    }

    /// Makes each line end one newline, and removes what plays with a terminal: people don't mean to send that.
    private static func cleaned(_ text: String) -> String {
        var out = String.UnicodeScalarView()
        var wasReturn = false
        for scalar in text.unicodeScalars {
            if scalar == "\r" {
                out.append("\n")
            } else if !(scalar == "\n" && wasReturn),
                !ForeignText.isHostile(scalar, multiline: true) || ForeignText.isWritten(scalar)
            {
                out.append(scalar)
            }
            wasReturn = scalar == "\r"
        }
        return String(out)
    }
}
