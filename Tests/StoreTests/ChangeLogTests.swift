import Basics
import Testing
import Vocabulary

@testable import Store

@Suite("Change log")
struct ChangeLogTests {
    private let one = StoredObject.message(Sample.id(1))
    private let two = StoredObject.message(Sample.id(2))
    private let room = StoredObject.conversation(Sample.conversation)

    private func merged(_ marks: [(StoredObject, ChangeKind)]) -> [ObjectChange] {
        var log = ChangeLog()
        for (object, change) in marks { log.append(object, change) }
        return log.merged()
    }

    @Test(
        "Two changes of one object in one commit are merged into one",
        arguments: [
            (ChangeKind.insert, ChangeKind.update, ChangeKind?.some(.insert)), (.insert, .delete, nil),
            (.update, .update, .update), (.update, .delete, .delete), (.delete, .insert, .update),
            (.delete, .delete, .delete), (.delete, .update, .delete),
        ])
    func pairs(first: ChangeKind, second: ChangeKind, both: ChangeKind?) {
        #expect(merged([(one, first), (one, second)]) == (both.map { [ObjectChange(object: one, change: $0)] } ?? []))
    }

    @Test("A conversation that changes with each message has one event, after the last message's")
    func order() {
        let changes = merged([(one, .insert), (room, .update), (two, .insert), (room, .update), (one, .update)])
        #expect(changes.map(\.object) == [one, two, room])
        #expect(changes.map(\.change) == [.insert, .insert, .update])
    }

    @Test("A new conversation comes before its first message")
    func newConversation() {
        let changes = merged([(room, .insert), (one, .insert), (room, .update)])
        #expect(changes.map(\.object) == [room, one])
        #expect(changes.first?.change == .insert)
    }

    @Test("What of a message changed is gathered over a commit; an insertion and a deletion have none of it")
    func aspects() {
        var log = ChangeLog()
        log.append(one, .update, aspects: MessageAspects(.text))
        log.append(one, .update, aspects: MessageAspects(.delivery))
        log.append(room, .update)
        log.append(one, .update, aspects: MessageAspects(.reactions))
        log.append(two, .insert)
        log.append(two, .update, aspects: MessageAspects(.delivery))
        let changes = log.merged()
        #expect(changes.map(\.object) == [room, one, two])
        #expect(changes.map(\.aspects.list) == [[], [.text, .reactions, .delivery], []])
        log.append(one, .delete)
        #expect(log.merged().first { $0.object == one } == ObjectChange(object: one, change: .delete))
    }

    @Test("Rewinding forgets only the marks of an undone job")
    func rewind() {
        var log = ChangeLog()
        log.append(one, .insert)
        let mark = log.mark
        log.append(one, .delete)
        log.append(two, .insert)
        log.rewind(to: mark)
        #expect(log.merged() == [ObjectChange(object: one, change: .insert)])
    }

    @Test(
        "A reader that applies the merged changes has exactly the existing objects",
        arguments: 0..<50 as Range<UInt64>)
    func convergence(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var truth: Set<StoredObject> = []
        var seen: Set<StoredObject> = []
        for _ in 0..<20 {
            var log = ChangeLog()
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                let object = StoredObject.message(Sample.id(UInt64.random(in: 0..<4, using: &random)))
                if !truth.contains(object) {
                    truth.insert(object)
                    log.append(object, .insert)
                } else if Bool.random(using: &random) {
                    log.append(object, .update)
                } else {
                    truth.remove(object)
                    log.append(object, .delete)
                }
            }
            for change in log.merged() {
                switch change.change {
                case .insert: #expect(seen.insert(change.object).inserted)
                case .update: #expect(seen.contains(change.object))
                case .delete: #expect(seen.remove(change.object) != nil)
                }
            }
            #expect(seen == truth)
        }
    }
}
