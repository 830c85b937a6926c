import Basics
import Testing

@testable import kibo

struct KeyDecoderTests {
    /// Joins neighbouring texts, as if the terminal had sent everything at once.
    private static func joined(_ keys: [Keystroke]) -> [Keystroke] {
        keys.reduce(into: []) { out, key in
            if case .text(let more) = key, case .text(let text)? = out.last {
                out[out.count - 1] = .text(text + more)
            } else {
                out.append(key)
            }
        }
    }

    private static func keys(_ text: String) -> [Keystroke] {
        var decoder = KeyDecoder()
        return decoder.feed(text.utf8) + decoder.flush()
    }

    @Test("Keys of xterm, rxvt, the Linux console and modifyOtherKeys are told apart")
    func table() {
        let cases: [(String, [Keystroke])] = [
            ("abc", [.text("abc")]), ("ä日👍", [.text("ä日👍")]), ("\r", [.enter]), ("\n", [.newline]),
            ("\u{1B}\r", [.newline]), ("\u{1B}[27;3;13~", [.newline]), ("\u{1B}[13;2u", [.newline]),
            ("\t", [.tab]), ("\u{7F}\u{8}", [.backspace, .backspace]), ("\u{1}\u{5}", [.control("a"), .control("e")]),
            ("\u{1B}[A\u{1B}OB", [.up, .down]), ("\u{1B}[1;3A\u{1B}[1;5B", [.previousChat, .next]),
            ("\u{1B}\u{1B}[A", [.previousChat]), ("\u{1B}[1;5A\u{1B}[1;3B", [.previous, .nextChat]),
            ("\u{1B}[1;5C\u{1B}[1;3D", [.wordRight, .wordLeft]),
            ("\u{1B}[H\u{1B}[4~\u{1B}OH\u{1B}[7~", [.home, .end, .home, .home]),
            ("\u{1B}[5~\u{1B}[6~\u{1B}[3~", [.pageUp, .pageDown, .delete]),
            ("\u{1B}b\u{1B}f\u{1B}\u{7F}", [.alt("b"), .alt("f"), .alt("\u{7F}")]),
            ("\u{1B}/x", [.escape, .text("/x")]), ("\u{1B}", [.escape]),
            ("\u{1B}\u{1B}\u{1B}[A", [.escape, .previousChat]),
            // A sequence that has no meaning here leaves no letters behind.
            ("\u{1B}[[A", []), ("\u{1B}[?1;2c\u{1B}[I\u{1B}[200;3R", []), ("\u{1B}[12;12", []),
            ("\u{1B}[" + String(repeating: "1", count: 33), []), ("\u{0}\u{1C}\u{85}", []),
        ]
        for (text, keys) in cases { #expect(Self.keys(text) == keys, "\(text.debugDescription)") }
    }

    @Test("A paste is one key, whatever is in it, and ends at its mark only")
    func paste() {
        let text = "one\r\ntwo\u{1B}[A\u{3}\u{1B}[20"
        #expect(Self.keys("a\u{1B}[200~\(text)\u{1B}[201~b") == [.text("a"), .paste(text), .text("b")])
        var decoder = KeyDecoder()
        let nothing = decoder.feed("\u{1B}[200~abc".utf8)
        #expect(nothing.isEmpty && decoder.isPasting && !decoder.isWaiting)
        let rest = decoder.flush()
        #expect(rest == [.paste("abc")] && !decoder.isPasting)
        let long = String(repeating: "x", count: KeyDecoder.pasteBytes + 10)
        #expect(
            Self.keys("\u{1B}[200~\(long)\u{1B}[201~y") == [.paste(String(long.dropLast(10))), .text("y")])
    }

    @Test("However the bytes are cut, the keys are the same")
    func cuts() {
        let text = "aé日👍\u{1B}[1;3A\r\u{1B}[200~x\n日\u{1B}[201~z\u{1B}\r\u{1B}OA\u{1B}b\u{4}"
        let whole = Self.keys(text)
        let bytes = Array(text.utf8)
        for size in 1..<bytes.count {
            var decoder = KeyDecoder()
            var keys: [Keystroke] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                keys += decoder.feed(bytes[start..<min(bytes.count, start + size)])
            }
            keys += decoder.flush()
            #expect(Self.joined(keys) == whole, "\(size)")
        }
    }

    @Test("Noise makes no trouble, and never a control character in a text")
    func noise() {
        var generator = SeededGenerator(seed: 7)
        let likely: [UInt8] = [0x1B, 0x5B, 0x4F, 0x7E, 0x3B, 0x32, 0x30, 0x31, 0xE6, 0xF0, 0x9F, 0xC2, 0x85]
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 1...40, using: &generator)).map { _ in
                Bool.random(using: &generator)
                    ? UInt8.random(in: 0...255, using: &generator)
                    : likely[Int.random(in: 0..<likely.count, using: &generator)]
            }
            var decoder = KeyDecoder()
            var keys = decoder.feed(bytes)
            keys += decoder.flush()
            var pieces = KeyDecoder()
            var again: [Keystroke] = []
            for byte in bytes { again += pieces.feed([byte]) }
            again += pieces.flush()
            #expect(Self.joined(keys) == Self.joined(again))
            for case .text(let text) in keys {
                #expect(
                    !text.isEmpty
                        && !text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) })
            }
            #expect(!decoder.isWaiting && !decoder.isPasting)
            let key = decoder.feed("k".utf8)
            #expect(key == [.text("k")])
        }
    }
}

/// The same numbers in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
