import Basics
import PeerProtocol
import Testing

@Suite("Notes of sent items, written only if the answer takes its time")
struct SentNotesTests {
    private let delay = PeerLimits.sentNoteDelay

    @Test("An answer in time saves the note")
    func inTime() {
        var notes = SentNotes()
        #expect(notes.deadline == nil && notes.due(now: at(1000)) == [])
        notes.sent([id(1), id(2)], now: at(0))
        #expect(notes.deadline == at(0) + delay)
        notes.settled([id(1), id(2)])
        #expect(notes.deadline == nil && notes.due(now: at(1000)) == [])
    }

    @Test("A late item is noted once, with the items sent after it")
    func late() {
        var notes = SentNotes()
        notes.sent([id(1)], now: at(0))
        notes.sent([id(2)], now: at(0.01))
        #expect(notes.deadline == at(0) + delay)
        #expect(notes.due(now: at(0) + delay + .nanoseconds(-1)) == [])
        #expect(notes.due(now: at(0) + delay) == [id(1), id(2)])
        #expect(notes.deadline == nil && notes.due(now: at(1000)) == [])
        notes.settled([id(1), id(2)])
        notes.sent([id(3)], now: at(5))
        #expect(notes.deadline == at(5) + delay)
    }

    @Test("Answers may come out of order, twice, or for unknown items")
    func strangeAnswers() {
        var notes = SentNotes()
        notes.sent([id(1), id(2), id(3)], now: at(0))
        notes.settled([])
        notes.settled([id(3), id(9)])
        notes.settled([id(3)])
        #expect(notes.due(now: at(1)) == [id(1), id(2)])
    }

    @Test("The end of a connection returns everything at once")
    func end() {
        var notes = SentNotes()
        notes.sent([id(1), id(2)], now: at(0))
        notes.settled([id(1)])
        #expect(notes.drain() == [id(2)])
        #expect(notes.drain() == [] && notes.deadline == nil)
    }

    @Test("Each item is either answered in time or noted", arguments: 0..<100 as Range<UInt64>)
    func interleavings(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var notes = SentNotes()
        var now = at(0)
        var open: [UUIDv7: Instant] = [:]
        for number in 1...400 as ClosedRange<UInt64> {
            now = now + .milliseconds(Int64.random(in: 0...15, using: &random))
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                notes.sent([id(number)], now: now)
                open[id(number)] = now
            case 1:
                let answered = open.keys.sorted().filter { _ in Bool.random(using: &random) }
                notes.settled(answered)
                for id in answered { open[id] = nil }
            default:
                for id in notes.due(now: now) { #expect(open.removeValue(forKey: id) != nil) }
                // No item waits longer than the delay after the first of its batch.
                for sent in open.values { #expect(now - sent < delay) }
            }
        }
        #expect(Set(notes.drain()) == Set(open.keys))
    }
}
