import Basics
import Glibc
import Testing

@testable import Store

/// Which event numbers belong to which event log.
@Suite("Epochs of the event log")
struct EpochTests {
    private func change(_ store: Store, _ values: ClosedRange<Int>) async throws {
        for value in values { try await store.commit { try $0.setSetting("a", to: "\(value)") } }
    }

    private func copy(_ directory: TemporaryDirectory, to other: TemporaryDirectory) throws {
        for suffix in ["", "-wal"] {
            let from = open(directory.database + suffix, O_RDONLY)
            guard from >= 0 else { continue }
            let to = open(other.database + suffix, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while case let count = read(from, &buffer, buffer.count), count > 0 {
                #expect(write(to, buffer, count) == count)
            }
            close(from)
            close(to)
        }
    }

    @Test("A copy of a running daemon's database knows how far its epoch had come, and no later epochs")
    func copied() async throws {
        let fixture = try await Fixture(conversation: false)
        let first = fixture.store.logEpoch
        try await change(fixture.store, 1...5)
        let other = try TemporaryDirectory()
        try copy(fixture.directory, to: other)
        try await change(fixture.store, 6...9)
        let again = try fixture.reopen()
        let second = again.logEpoch
        try await change(again, 10...12)
        #expect(second != first)
        #expect(try await again.read { try $0.reach(ofEpoch: first) } == 9)
        #expect(try await again.read { try $0.reach(ofEpoch: second) } == 12)
        again.close()
        let restored = try Store.open(directory: other.path, clocks: fixture.clocks)
        try await change(restored, 20...40)
        #expect(try await restored.read { try $0.reach(ofEpoch: first) } == 5)
        #expect(try await restored.read { try $0.reach(ofEpoch: second) } == nil)
        #expect(try await restored.read { try $0.reach(ofEpoch: restored.logEpoch) } == 26)
        restored.close()
    }

    @Test("An epoch whose write failed is written with the next event; old epochs are forgotten")
    func kept() async throws {
        struct Undone: Error {}
        let fixture = try await Fixture(conversation: false)
        let store = fixture.store
        await #expect(throws: Undone.self) {
            try await store.commit { transaction in
                try transaction.beginEpoch()
                throw Undone()
            }
        }
        #expect(try await store.read { try $0.reach(ofEpoch: store.logEpoch) } == nil)
        try await change(store, 1...1)
        #expect(try await store.read { try $0.reach(ofEpoch: store.logEpoch) } == 1)
        try await store.commit { transaction in
            for number in 0..<UInt64(StoreLimits.epochsKept + 10) {
                try transaction.connection.run(
                    SQL("INSERT INTO event_epoch (epoch, first) VALUES (?, 1)"), Sample.id(number))
            }
        }
        let again = try fixture.reopen()
        try await change(again, 2...2)
        let count = try await again.read { try $0.connection.integer(SQL("SELECT count(*) FROM event_epoch")) }
        #expect(count == StoreLimits.epochsKept)
        #expect(try await again.read { try $0.reach(ofEpoch: again.logEpoch) } == 2)
        again.close()
    }

    @Test("If there are too many consumers, the one that was away the longest is forgotten")
    func consumers() async throws {
        let fixture = try await Fixture(conversation: false)
        for number in 0..<Int(StoreLimits.consumers) + 3 {
            fixture.clocks.advance(.seconds(1))
            try await fixture.store.commit { transaction in
                try transaction.acknowledge(consumer: "old", upTo: 1)
                try transaction.acknowledge(consumer: "c\(number)", upTo: 1)
            }
        }
        let names = try await fixture.store.read { try $0.consumers().map(\.name) }
        #expect(names.count == Int(StoreLimits.consumers))
        #expect(names.contains("old") && names.contains("c\(StoreLimits.consumers + 2)") && !names.contains("c0"))
        fixture.store.close()
    }
}
