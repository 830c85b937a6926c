import Testing

@testable import Basics

@Suite("What was meant")
struct SpellingTests {
    @Test("Only near words are guessed, and the nearest of them")
    func nearest() {
        #expect(Spelling.nearest(to: "stauts", among: ["status", "send"]) == "status")
        #expect(Spelling.nearest(to: "xyz", among: ["status", "send"]) == nil)
        #expect(Spelling.nearest(to: "Bem", among: ["Anna", "Ben"]) == "Ben")
        #expect(Spelling.nearest(to: "unpinn", among: ["pin", "unpin", "unpinn"]) == "unpinn")
        // Two characters tell nothing, neither here nor there.
        #expect(Spelling.nearest(to: "to", among: ["go"]) == nil)
        #expect(Spelling.nearest(to: "", among: ["", "go"]) == nil)
    }

    @Test("The distance counts characters that are missing, wrong, too many or swapped, up to a bound")
    func distance() {
        #expect(Spelling.distance("kitten", "sitting", atMost: 3) == 3)
        #expect(Spelling.distance("kitten", "sitting", atMost: 2) == nil)
        #expect(Spelling.distance("", "abc", atMost: 3) == 3)
        #expect(Spelling.distance("Anan", "Anna", atMost: 1) == 1)
        #expect(Spelling.distance("same", "same", atMost: 0) == 0)
        #expect(Spelling.distance("李明", "李名", atMost: 1) == 1)
        #expect(Spelling.distance("e\u{301}a", "éa", atMost: 0) == 0)
        #expect(Spelling.distance("a", "b", atMost: -1) == nil)
    }

    @Test("The band around the diagonal gives what the whole table gives")
    func band() {
        var generator = SeededGenerator(seed: 7)
        func text() -> String {
            String((0..<Int(generator.next() % 8)).map { _ in "abc".randomElement(using: &generator) ?? "a" })
        }
        for _ in 0..<3000 {
            let (left, right) = (text(), text())
            let whole = Spelling.distance(left, right, atMost: 16)
            for bound in 0...3 {
                let expected = whole.flatMap { $0 <= bound ? $0 : nil }
                #expect(Spelling.distance(left, right, atMost: bound) == expected, "\(left) \(right)")
            }
            #expect(Spelling.distance(right, left, atMost: 16) == whole)
        }
    }

    @Test("A text without end costs nothing")
    func endless() {
        let long = String(repeating: "a", count: 1 << 20)
        #expect(Spelling.distance("aaaa", long, atMost: 2) == nil)
        #expect(Spelling.nearest(to: long, among: [long]) == nil)
        let marks = "a" + String(repeating: "\u{301}", count: 100_000)
        #expect(Spelling.nearest(to: "anna", among: [marks]) == nil)
    }
}
