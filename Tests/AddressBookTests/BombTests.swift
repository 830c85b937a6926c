import Testing

@testable import AddressBook

@Suite("Hostile vCards")
struct BombTests {
    @Test(
        "A file that is no vCard is refused early",
        arguments: [
            [], Array("name,phone\nAnna,1".utf8), [0xFF, 0xD8, 0xFF, 0xE0], [0], [0xFF, 0xFE], [0xFE],
            Array("BEGIN:VCALENDAR\nEND:VCALENDAR\n".utf8),
            [UInt8](repeating: 0x0A, count: 1000), [0xFF, 0xFE, 0x00, 0xD8],
        ])
    func foreign(bytes: [UInt8]) {
        #expect(throws: VCardError.notVCard) { try Samples.read(bytes) }
        #expect(throws: VCardError.notVCard) { try Samples.read(bytes, piece: 1) }
    }

    @Test("A gigabyte of other data ends after 64 KiB")
    func early() {
        var reader = VCardReader()
        var fed = 0
        #expect(throws: VCardError.notVCard) {
            while true {
                try reader.feed([UInt8](repeating: UInt8(ascii: "A"), count: 4096))
                fed += 4096
                if fed > 1 << 20 { return }
            }
        }
        #expect(fed <= 64 << 10)
    }

    @Test("A picture of many megabytes, on one line or folded, takes no memory; the lines after it are read")
    func picture() throws {
        for fold in ["", "\n "] {
            var reader = VCardReader()
            try reader.feed(Array("BEGIN:VCARD\nFN:A\nPHOTO;ENCODING=b:".utf8))
            let piece = Array((String(repeating: "QUJD", count: 1 << 14) + fold).utf8)
            for _ in 0..<(fold.isEmpty ? 128 : 32) { try reader.feed(piece) }
            try reader.feed(Array("\nTEL:1\nEND:VCARD\n".utf8))
            #expect(try reader.finish().cards.map { $0.phones.map(\.text) } == [["1"]])
        }
    }

    @Test("Each limit allows its value and not one more: lines, their length, values, names, cards")
    func limits() throws {
        func file(_ lines: [String]) throws -> VCardFile {
            try Samples.read((["BEGIN:VCARD", "FN:A", "TEL:1"] + lines + ["END:VCARD"]).joined(separator: "\n"))
        }
        for (bytes, problems) in [((16 << 10) - 5, 0), ((16 << 10) - 4, 1)] {
            let found = try file(["UID;A:" + String(repeating: "u", count: bytes - 1)])
            #expect(found.problems.filter { $0.problem == .longLine }.count == problems)
            #expect(found.cards.count == 1 && found.cards[0].uid == nil)
        }
        #expect(try file(["UID:" + String(repeating: "u", count: 255)]).cards[0].uid?.count == 255)
        #expect(try file(["UID:" + String(repeating: "u", count: 256)]).problemCount == 1)
        let values = try file((2...40).map { "TEL:\($0)" })
        #expect(values.cards[0].phones.count == 32 && values.problemCount == 8)
        let many = try file((0..<2000).map { "NICKNAME:\($0)" })
        #expect(many.problemCount == 1 && many.cards.count == 1)
        let name = try file(["FN;PREF=1:" + String(repeating: "é", count: 300)]).cards[0].name
        #expect(name.count == 256)
        let accents = try file(["FN;PREF=1:a" + String(repeating: "\u{301}", count: 5000)]).cards[0].name
        #expect(accents.utf8.count <= 1024 && accents.count == 1)
        #expect(try file(["TEL:" + String(repeating: "1", count: 65)]).problemCount == 1)
        let card = Array("BEGIN:VCARD\nTEL:1\nEND:VCARD\n".utf8)
        let skipped = Array("BEGIN:VCARD\nEND:VCARD\n".utf8)
        var reader = VCardReader()
        for number in 0..<50_000 { try reader.feed(number % 2 == 0 ? card : skipped) }
        var other = reader
        #expect(try other.finish().cards.count == 25_000)
        #expect(throws: VCardError.tooManyCards) { try reader.feed(skipped) }
    }

    @Test("Too much kept data ends the import; all problems are counted, the first hundred are listed")
    func much() throws {
        func read(_ lines: Int) throws -> VCardFile {
            var reader = VCardReader(keptBytesLimit: 100_000)
            try reader.feed(Array("BEGIN:VCARD\nTEL:1\n".utf8))
            let line = Array(("NOTE:none of these count\nNICKNAME:" + String(repeating: "n", count: 900) + "\n").utf8)
            for _ in 0..<lines { try reader.feed(line) }
            try reader.feed(Array("END:VCARD\n".utf8))
            return try reader.finish()
        }
        #expect(try read(100).cards.count == 1)
        #expect(throws: VCardError.tooMuch) { try read(103) }
        let file = try Samples.read(String(repeating: "BEGIN:VCARD\nEMAIL:x\nTEL:1\nEND:VCARD\n", count: 1000))
        #expect(file.problemCount == 1000 && file.problems.count == 100)
    }

    @Test("Endlessly nested agents take no stack")
    func agents() throws {
        let open = String(repeating: "AGENT:\nBEGIN:VCARD\n", count: 100_000)
        let file = try Samples.read("BEGIN:VCARD\nFN:A\nTEL:1\n" + open)
        #expect(file.cards.count == 1 && file.isCut)
    }
}
