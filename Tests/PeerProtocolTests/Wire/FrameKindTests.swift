import Foundation
import Testing

@testable import PeerProtocol

/// Goal: each kind of frame has one number, one name and one place, and docs/PROTOCOL.md names the same kinds.
@Suite("Kinds of frames")
struct FrameKindTests {
    @Test("A kind is a hint, or durable, or the session's own, and its name is its own")
    func places() {
        let hints = Hint.table.map(\.kind)
        #expect(Set(hints).count == hints.count)
        #expect(Set(hints).isDisjoint(with: DurableFrame.rules.keys))
        let known = hints + DurableFrame.rules.keys + FrameKind.session.keys
        #expect(Set(known).count == known.count)
        #expect(Set(known.map(\.description)).count == known.count)
        #expect(known.allSatisfy { !$0.description.hasPrefix("kind ") })
    }

    @Test("The table of the document has all kinds with their names, and says which are durable")
    func document() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/PROTOCOL.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let chapter = try #require(text.range(of: "\n| Kind | Name | Id |"))
        var numbers: Set<UInt16> = []
        for line in text[chapter.lowerBound...].split(separator: "\n").dropFirst(2).prefix(while: { $0.hasPrefix("|") })
        {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let kind = FrameKind(rawValue: try #require(UInt16(cells[0])))
            numbers.insert(kind.rawValue)
            #expect((DurableFrame.rules[kind] != nil) == (cells[2] == "yes"), "\(line)")
            #expect(kind.description.lowercased() == cells[1].replacing(" ", with: ""), "\(line)")
        }
        let known = Hint.table.map(\.kind) + DurableFrame.rules.keys + FrameKind.session.keys
        #expect(numbers == Set(known.map(\.rawValue)))
    }
}
