import Basics
import Store
import Testing
import Vocabulary

@Suite("Transfers")
struct TransferTests {
    @Test("All columns of a transfer come back, as inserted and as updated")
    func roundTrip() async throws {
        let fixture = try await Fixture()
        var row = Sample.transfer(1, message: Sample.id(7))
        row.conversation = Sample.conversation
        row.kind = .folder
        row.mediaType = "inode/directory"
        let offered = row
        row.state = .active
        row.bytesDone = 4
        row.filesDone = 1
        row.path = "/srv/a b"
        row.partPath = "/srv/.a b.kibo-part"
        row.finalIno = 1 << 63
        row.manifestDigest = [1, 2]
        row.reason = .noSpace
        row.detail = "3 bytes short"
        row.finishedAt = WallTime(milliseconds: 8)
        row.life.pausedBy = .both
        row.life.acceptedAt = WallTime(milliseconds: 9)
        row.life.removedAt = WallTime(milliseconds: 10)
        row.life.finalModified = -1
        row.life.hasPart = true
        row.life.failure = .sourceChanged
        let changed = row
        try await fixture.store.commit { transaction in
            _ = try transaction.insertIncoming(Sample.message(7, from: 2))
            try transaction.insert(offered)
            #expect(try transaction.transfer(offered.id) == offered)
            try transaction.update(changed)
        }
        let (found, attached) = try await fixture.store.read {
            (try $0.transfer(changed.id), try $0.transfers(of: Sample.id(7)))
        }
        #expect(found == changed)
        #expect(attached == [changed])
        fixture.store.close()
    }

    @Test(
        "What lies where something received lies, or has as many bytes, came from its sender; what was sent from here from nobody"
    )
    func senders() async throws {
        let fixture = try await Fixture(conversation: false)
        var rows = [Sample.transfer(1), Sample.transfer(2), Sample.transfer(3), Sample.transfer(4)]
        for (index, (path, size)) in [("/in/film.mp4", 100), ("/in/trip", 900), ("/in/[a", 7), ("/srv/own.mp4", 55)]
            .enumerated()
        {
            (rows[index].path, rows[index].size) = (path, Int64(size))
        }
        rows[1].kind = .folder
        rows[2].kind = .folder
        rows[3].direction = .outgoing
        let all = rows
        try await fixture.store.commit { transaction in for row in all { try transaction.insert(row) } }
        for (path, size, isKnown) in [
            ("/in/film.mp4", 1, true), ("/elsewhere/b.mp4", 100, true), ("/in/trip/a.mp4", 1, true),
            ("/in/trip/b/a.mp4", 1, true),
            ("/in/trip2/a.mp4", 1, false), ("/in/tripa.mp4", 1, false), ("/in/[a/x", 2, true), ("/in/a/x", 2, false),
            ("/srv/own.mp4", 55, false), ("/in/other.mp4", 3, false), ("", 4, false),
        ] {
            let sender = try await fixture.store.read { try $0.senderOfFile(at: path, size: Int64(size)) }
            #expect((sender == Sample.friend) == isKnown && (sender == nil) == !isKnown, "\(path) of \(size) bytes")
        }
        fixture.store.close()
    }

    @Test("The types of an offer come back as they were, also none and the empty one; only an offer is held back")
    func heldBack() async throws {
        let fixture = try await Fixture(conversation: false)
        for (number, types) in [[], [""], ["zip"], ["", "c++", "zip"]].enumerated() {
            var row = Sample.transfer(UInt64(number) + 1)
            row.unlisted = types
            row.life.heldBack = .type
            let offered = row
            row.state = .queued
            let taken = row
            try await fixture.store.commit { transaction in
                try transaction.insert(offered)
                #expect(try transaction.transfer(offered.id) == offered)
                try transaction.update(taken)
                let found = try transaction.transfer(taken.id)
                #expect(found?.unlisted == types && found?.life.heldBack == nil)
            }
        }
        fixture.store.close()
    }

    @Test("A group's file keeps its root with the row, and its hashes; a file between two has neither")
    func tree() async throws {
        let fixture = try await Fixture(conversation: false)
        var shared = Sample.transfer(1)
        shared.fileRoot = [UInt8](repeating: 9, count: 32)
        let row = shared
        let (found, leaves) = try await fixture.store.commit { transaction in
            try transaction.insert(row)
            try transaction.insert(Sample.transfer(2))
            #expect(try transaction.leaves(of: row.id).isEmpty)
            try transaction.setLeaves([1, 2, 3], of: row.id)
            #expect(try transaction.addHolder(Sample.other, of: row.id))
            #expect(try !transaction.addHolder(Sample.other, of: row.id))
            return (try transaction.transfer(row.id), try transaction.leaves(of: row.id))
        }
        #expect(found == row && leaves == [1, 2, 3])
        await #expect(throws: StoreError.missing(.transfer(Sample.id(2)))) {
            try await fixture.store.commit { try $0.setLeaves([1], of: Sample.transfer(2).id) }
        }
        fixture.store.close()
    }

    @Test(
        "A repeated offer changes nothing; another peer's with its id is another one; a missing transfer can't be changed"
    )
    func insertion() async throws {
        let fixture = try await Fixture(conversation: false)
        let outcomes = try await fixture.store.commit { transaction in
            [
                try transaction.insert(Sample.transfer(1)), try transaction.insert(Sample.transfer(1)),
                try transaction.insert(Sample.transfer(1, peer: Sample.other)),
            ]
        }
        #expect(outcomes == [.inserted, .duplicate, .inserted])
        await #expect(throws: StoreError.missing(.transfer(Sample.id(2)))) {
            try await fixture.store.commit { try $0.update(Sample.transfer(2)) }
        }
        await #expect(throws: StoreError.missing(.transfer(Sample.id(2)))) {
            try await fixture.store.commit { try $0.appendRuns([], to: Sample.id(2)) }
        }
        fixture.store.close()
    }

    @Test("The list is filtered, newest first, in pages without gaps; unfinished transfers are found after a start")
    func lists() async throws {
        let fixture = try await Fixture(conversation: false)
        let rows = (1...20 as ClosedRange<UInt64>).map { number in
            var row = Sample.transfer(number, peer: number.isMultiple(of: 2) ? Sample.friend : Sample.other)
            row.direction = number.isMultiple(of: 3) ? .outgoing : .incoming
            row.state = TransferState(stored: Int64(number % 8)) ?? .offered
            row.createdAt = WallTime(milliseconds: Int64(number / 4))
            return row
        }
        try await fixture.store.commit { transaction in for row in rows { try transaction.insert(row) } }
        let (all, some, none, open) = try await fixture.store.read { transaction in
            var found: [TransferRow] = []
            while true {
                let page = try transaction.transfers(before: found.last?.position, limit: 3)
                if page.isEmpty { break }
                found += page
            }
            return (
                found,
                try transaction.transfers(state: .active, peer: Sample.friend, direction: .incoming, limit: 100),
                try transaction.transfers(peer: Sample.account(99), limit: 100), try transaction.unfinishedTransfers()
            )
        }
        let newestFirst = rows.sorted { $0.position > $1.position }
        #expect(all == newestFirst)
        #expect(
            some
                == newestFirst.filter {
                    $0.state == .active && $0.peer == Sample.friend && $0.direction == .incoming
                })
        #expect(none.isEmpty)
        #expect(open == rows.filter { !$0.state.isOver })
        fixture.store.close()
    }

    @Test("Pages and runs come back in order, a longer run replaces a shorter one, and a finished transfer loses both")
    func parts() async throws {
        let fixture = try await Fixture(conversation: false)
        let id = Sample.id(1)
        let pages = (0..<3 as Range<Int64>).map { number in
            TransferPageRow(
                number: number, entries: [UInt8](repeating: UInt8(number), count: 100_000),
                sources: number == 1 ? nil : [1, 2])
        }
        @Sendable func run(_ first: Int64, _ count: Int) -> TransferRunRow {
            TransferRunRow(first: first, checksums: [UInt8](repeating: UInt8(count), count: 16 * count))
        }
        try await fixture.store.commit { transaction in
            try transaction.insert(Sample.transfer(1))
            try transaction.insert(Sample.transfer(2))
            try transaction.replacePages(of: id, with: pages.reversed())
            try transaction.replacePages(of: Sample.id(2), with: [pages[0]])
            try transaction.appendRuns([run(70, 3), run(4, 2), run(73, 1)], to: id)
            try transaction.appendRuns([run(4, 1), run(73, 5)], to: id)
            try transaction.appendRuns([run(4, 1)], to: Sample.id(2))
            try transaction.setProgress(of: id, bytesDone: 3, filesDone: 1)
        }
        let (found, runs, row) = try await fixture.store.read {
            (try $0.pages(of: id), try $0.runs(of: id), try $0.transfer(id))
        }
        #expect(found == pages)
        #expect(runs == [run(4, 2), run(70, 3), run(73, 5)])
        #expect(row?.bytesDone == 3)
        #expect(row?.filesDone == 1)
        let left = try await fixture.store.commit { transaction in
            try transaction.replacePages(of: id, with: [pages[2]])
            let both = (try transaction.pages(of: id).count, try transaction.runs(of: id).count)
            try transaction.removeParts(of: id)
            return [both.0, both.1, try transaction.pages(of: id).count, try transaction.runs(of: id).count]
        }
        #expect(left == [1, 3, 0, 0])
        let other = try await fixture.store.read {
            (try $0.pages(of: Sample.id(2)).count, try $0.runs(of: Sample.id(2)).count)
        }
        #expect(other == (1, 1))
        fixture.store.close()
    }

    @Test("Files left out are counted once each, the first thousand with paths, and go with their transfer")
    func problems() async throws {
        let fixture = try await Fixture(conversation: false)
        let id = Sample.id(1)
        @Sendable func problem(_ position: Int64, _ size: Int64 = 10) -> TransferProblemRow {
            TransferProblemRow(
                position: position, path: "p\(position)", size: size, reason: .notFound,
                detail: position % 2 == 0 ? "" : "gone")
        }
        try await fixture.store.commit { transaction in
            try transaction.insert(Sample.transfer(1))
            try transaction.insert(Sample.transfer(2))
            try transaction.appendProblems([problem(-1, 0), problem(-2, 0)], to: id)
            try transaction.appendProblems((0..<600).map { problem($0) }, to: id)
            // This adds the same ones again, and some more.
            try transaction.appendProblems((300..<1500).map { problem($0) }, to: id)
            try transaction.appendProblems([], to: id)
            // For some files the other side reports only their number.
            try transaction.appendProblems([problem(-1, 0)], unnamed: 7, to: Sample.id(2))
        }
        let (shown, files, totals, row, counted, other) = try await fixture.store.read {
            (
                try $0.problems(of: id), try $0.leftOutFiles(of: id), try $0.leftOutTotals(of: id),
                try $0.transfer(id), try $0.transfer(Sample.id(2)), try $0.problems(of: Sample.id(2))
            )
        }
        #expect(shown == [problem(-1, 0), problem(-2, 0)] + (0..<998).map { problem($0) })
        #expect(files.map(\.file) == Array(0..<1500) && files.allSatisfy { $0.reason == .notFound })
        #expect(totals == (1500, 15_000))
        #expect(row?.problems == 1502)
        #expect(other == [problem(-1, 0)] && counted?.problems == 8)
        await #expect(throws: StoreError.missing(.transfer(Sample.id(9)))) {
            try await fixture.store.commit { try $0.appendProblems([problem(1)], to: Sample.id(9)) }
        }
        fixture.store.close()
    }
}
