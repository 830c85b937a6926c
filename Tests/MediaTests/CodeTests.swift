import Basics
import CQREncode
import TestSupport
import Testing

@testable import kibo_media

/// Reading codes out of pictures that anybody may have made, in the real, confined program.
@Suite("Codes, confined", .serialized)
struct CodeTests {
    /// The squares of a code with its white rim.
    static func code(_ text: String) throws -> [[Bool]] {
        let bytes = Array(text.utf8)
        let made = try #require(QRcode_encodeData(CInt(bytes.count), bytes, 0, QR_ECLEVEL_L))
        defer { QRcode_free(made) }
        let (data, width) = (try #require(made.pointee.data), Int(made.pointee.width))
        let rim = [Bool](repeating: false, count: 4)
        let rows = (0..<width).map { row in rim + (0..<width).map { data[row * width + $0] & 1 == 1 } + rim }
        let empty = [[Bool]](repeating: [Bool](repeating: false, count: width + 8), count: 4)
        return empty + rows + empty
    }

    private func read(_ picture: GreyPicture) throws -> MediaRun {
        try MediaRun("codes", words: ["\(picture.width)", "\(picture.height)"], picture.greys)
    }

    private func texts(_ picture: GreyPicture) throws -> [String] {
        let run = try read(picture)
        #expect(run.status == 0)
        #expect(run.output.isEmpty || run.output.last == 0)
        return run.text.split(separator: "\0").map(String.init)
    }

    @Test("A code is read upright, on its side, light on dark, in weak light and small; its text may have any letters")
    func one() throws {
        let text = "kibo:kibo1qqqq?name=J%C3%BCrgen&addr=192.0.2.1%3A15426 — Zoë 👋"
        let code = try Self.code(text)
        var upright = GreyPicture(width: 512, height: 288, grey: 200)
        upright.draw(code, x: 90, y: 20, scale: 4)
        #expect(try texts(upright) == [text])
        let onSide = GreyPicture(width: 288, height: 512) { upright.greys[(287 - $0) * 512 + $1] }
        #expect(try texts(onSide) == [text])
        var inverted = GreyPicture(width: 400, height: 400, grey: 0)
        inverted.draw(code, x: 40, y: 40, scale: 5, dark: 255, light: 0)
        #expect(try texts(inverted) == [text])
        var random = SeededGenerator(seed: 3)
        var weak = GreyPicture(width: 300, height: 300) { _, _ in UInt8(100 + random.next() % 8) }
        weak.draw(code, x: 20, y: 20, scale: 3, dark: 60, light: 105)
        #expect(try texts(weak) == [text])
        var small = GreyPicture(width: code.count, height: code.count)
        small.draw(code, scale: 1)
        _ = try texts(small)
    }

    @Test("Several codes are told, 16 at most, and no empty one")
    func several() throws {
        var picture = GreyPicture(width: 512, height: 256)
        for number in 0..<2 { picture.draw(try Self.code("kibo:\(number)"), x: number * 256 + 10, y: 10, scale: 5) }
        #expect(Set(try texts(picture)) == ["kibo:0", "kibo:1"])
        var four = GreyPicture(width: 512, height: 512)
        for number in 0..<4 {
            four.draw(try Self.code("kibo:\(number)"), x: number % 2 * 256 + 10, y: number / 2 * 256 + 10, scale: 5)
        }
        // The library sees corners of one code as those of another, and finds some of them.
        let found = Set(try texts(four))
        #expect(!found.isEmpty && found.isSubset(of: ["kibo:0", "kibo:1", "kibo:2", "kibo:3"]))
        var many = GreyPicture(width: 512, height: 512)
        for number in 0..<25 {
            many.draw(try Self.code("\(number)"), x: number % 5 * 100 + 6, y: number / 5 * 100 + 6, scale: 3)
        }
        // The corners of so many codes may be too many for the time that there is.
        #expect(try read(many).text.split(separator: "\0").count <= 16)
        // A text with a NUL would be two.
        let bytes: [UInt8] = [0x6B, 0, 0x6B]
        let made = try #require(QRcode_encodeData(3, bytes, 0, QR_ECLEVEL_L))
        defer { QRcode_free(made) }
        let data = try #require(made.pointee.data)
        let width = Int(made.pointee.width)
        var split = GreyPicture(width: 200, height: 200)
        let rows = (0..<width).map { row in (0..<width).map { data[row * width + $0] & 1 == 1 } }
        split.draw(rows, x: 40, y: 40, scale: 5)
        #expect(try texts(split) == [])
    }

    @Test("Pictures of another size than they say, or of none, are refused; noise of any size has no codes")
    func hostile() throws {
        let picture = [UInt8](repeating: 255, count: 64 * 64)
        let wrong = [
            [], ["64"], ["64", "64", "64"], ["0", "64"], ["64", "-64"], ["513", "64"], ["99999999999", "64"],
            ["a", "64"],
            ["64", "65"], ["64", "63"],
        ]
        for words in wrong {
            let run = try MediaRun("codes", words: words, picture)
            #expect(run.status == 2 && run.output.isEmpty, "\(words)")
        }
        #expect(try MediaRun("codes", words: ["64", "64"], picture).status == 0)
        var random = SeededGenerator(seed: 7)
        for size in [(1, 1), (1, 512), (512, 1), (2, 3), (20, 21), (21, 21), (33, 500), (512, 512)] {
            let grey = GreyPicture(width: size.0, height: size.1) { _, _ in UInt8(truncatingIfNeeded: random.next()) }
            #expect(try texts(grey) == [], "\(size)")
            let black = GreyPicture(width: size.0, height: size.1) { _, _ in random.next() % 2 == 0 ? 0 : 255 }
            #expect(try texts(black) == [], "\(size)")
        }
    }

    @Test("A picture with the corners of a thousand codes ends the program after its two seconds of processor time")
    func bomb() throws {
        let clocks = SystemClocks()
        let begin = clocks.now
        let run = try read(.bomb())
        #expect(run.status == nil && run.output.isEmpty)
        #expect(clocks.now - begin < .seconds(30))
    }
}
