import Basics
import ControlProtocol
import Testing

struct LineFramerTests {
    private func lines(_ chunks: [[UInt8]], limit: Int = 100) -> [LineFramer.Line] {
        var framer = LineFramer(limit: limit)
        var out: [LineFramer.Line] = []
        for chunk in chunks {
            framer.append(chunk)
            while let line = framer.next() { out.append(line) }
        }
        return out
    }

    private func line(_ text: String) -> LineFramer.Line { .line(Array(text.utf8)) }

    @Test("The same lines come out however the bytes come in", arguments: 0..<32)
    func anyChunks(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let parts = [
            "a\n", "\n", "{\"b\":1}\r\n", "  \n", "ä€\n", String(repeating: "x", count: 10) + "\n",
            String(repeating: "y", count: 11) + "\n", String(repeating: "z", count: 500) + "\n",
        ]
        let bytes = (0..<40).flatMap { _ in Array(parts[Int.random(in: 0..<parts.count, using: &random)].utf8) }
        let whole = lines([bytes], limit: 10)
        #expect(lines(bytes.map { [$0] }, limit: 10) == whole)
        var chunks: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(Int.random(in: 1...30, using: &random))
            chunks.append(Array(chunk))
            rest = rest.dropFirst(chunk.count)
        }
        #expect(lines(chunks, limit: 10) == whole)
    }

    @Test("Line ends of both kinds, blank lines and a rest without an end are handled")
    func basics() {
        #expect(lines([Array("a\r\n\n \t\nb\nc".utf8)]) == [line("a"), line("b")])
        var framer = LineFramer()
        #expect(!framer.hasPartialLine)
        framer.append(Array("a".utf8))
        #expect(framer.next() == nil)
        #expect(framer.hasPartialLine)
        framer.append(Array("\n".utf8))
        #expect(framer.next() == line("a"))
        #expect(!framer.hasPartialLine)
    }

    @Test("A line that is too long is reported once and skipped to its end")
    func tooLong() {
        let long = String(repeating: "x", count: 101)
        let exact = String(repeating: "x", count: 100)
        #expect(lines([Array("\(exact)\n\(long)\nb\n".utf8)]) == [line(exact), .tooLong, line("b")])
        #expect(lines([Array(long.utf8), Array(long.utf8), Array("\nb\n".utf8)]) == [.tooLong, line("b")])
    }

    @Test("Ten megabytes without a line end leave nothing in memory")
    func memory() {
        var framer = LineFramer()
        var found: [LineFramer.Line] = []
        let chunk = [UInt8](repeating: UInt8(ascii: "x"), count: 64 << 10)
        for _ in 0..<160 {
            framer.append(chunk)
            while let line = framer.next() { found.append(line) }
            #expect(framer.bufferedBytes <= ProtocolLimits.lineBytes + chunk.count)
        }
        #expect(found == [.tooLong])
        #expect(framer.bufferedBytes == 0)
        #expect(framer.hasPartialLine)
    }
}
