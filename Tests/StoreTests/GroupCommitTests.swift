import Basics
import Glibc
import Testing
import Threads

@testable import Store

@Suite("Group commit")
struct GroupCommitTests {
    private struct Whim: Error {}

    /// Blocks the store's thread inside a job, so that the jobs submitted meanwhile become one group.
    private func gather(_ store: Store, _ submit: () -> Void) {
        let (begun, gate) = (Gate(), Gate())
        store.commit(
            { _ in
                begun.open()
                gate.wait()
            }, completion: { _ in })
        // Else the writer may take this job together with the first of those.
        begun.wait()
        submit()
        gate.open()
    }

    @Test("Who waits for a commit is woken by the chosen road, after a success and after a failure")
    func road() async throws {
        let fixture = try await Fixture()
        let woken = Lock(0)
        fixture.store.wakeCallers { wake in
            woken.withLock { $0 += 1 }
            wake()
        }
        #expect(try await fixture.store.commit { _ in 7 } == 7)
        await #expect(throws: StoreError.self) { try await fixture.store.commit { _ in throw StoreError.full } }
        #expect(woken.withLock { $0 } == 2)
    }

    @Test("A job that throws is undone alone; the other jobs of the commit are not")
    func isolation() async throws {
        let fixture = try await Fixture()
        let outcomes = Lock<[String]>([])
        gather(fixture.store) {
            for number: UInt64 in 1...9 {
                fixture.store.commit(
                    { transaction in
                        try transaction.insertOutgoing(
                            Sample.message(number), to: [Sample.account(UInt8(100 + number))])
                        if number.isMultiple(of: 3) { throw Whim() }
                    },
                    completion: { result in
                        let word = (try? result.get()) == nil ? "undone" : "done"
                        outcomes.withLock { $0.append("\(number) \(word)") }
                    })
            }
        }
        // This job runs after all of them.
        try await fixture.store.commit { _ in }
        #expect(outcomes.withLock { $0 } == (1...9).map { "\($0) \($0 % 3 == 0 ? "undone" : "done")" })
        let page = try await fixture.store.read { try $0.messages(in: Sample.conversation, limit: 50) }
        #expect(page.messages.map(\.id) == [1, 2, 4, 5, 7, 8].map(Sample.id))
        // Rows that got their numbers after an undone job are still found under the right ones.
        let recipients = try await fixture.store.read { transaction in
            try page.messages.flatMap { try transaction.recipients(of: $0.id) }
        }
        #expect(recipients.map(\.account) == [101, 102, 104, 105, 107, 108].map(Sample.account))
        fixture.store.close()
    }

    @Test("A commit gathers jobs for 4 ms on a quick disk, and for 20 on a slow one")
    func gathering() {
        let millis: [(last: Duration, next: Duration)] = [
            (.zero, .milliseconds(4)), (.microseconds(130), .milliseconds(4)), (.microseconds(500), .milliseconds(8)),
            (.milliseconds(10), .milliseconds(20)), (.seconds(3600), .milliseconds(20)),
        ]
        for (last, next) in millis { #expect(StoreLimits.gathering(after: last) == next) }
    }

    @Test("Of jobs that may run twice, which share a savepoint, only those that throw are undone")
    func sharedSavepoints() async throws {
        let fixture = try await Fixture()
        let (outcomes, runs) = (Lock<[UInt64: String]>([:]), Lock<[UInt64: Int]>([:]))
        let early: Set<UInt64> = [2, 16, 17, 40]
        let late: Set<UInt64> = [5, 6, 33, 48]
        let alone: Set<UInt64> = [20, 50]
        gather(fixture.store) {
            for number: UInt64 in 1...60 {
                fixture.store.commit(mayRunTwice: !alone.contains(number)) { transaction in
                    runs.withLock { $0[number, default: 0] += 1 }
                    if early.contains(number) { throw Whim() }
                    let row = Sample.message(number)
                    try transaction.insertOutgoing(row, to: [Sample.account(UInt8(100 + number))])
                    try transaction.appendOutbox(for: Sample.friend, id: row.id, kind: 48, body: [], message: row.id)
                    if late.contains(number) { throw Whim() }
                } completion: { result in
                    let word = (try? result.get()) == nil ? "undone" : "done"
                    outcomes.withLock { $0[number] = word }
                }
            }
        }
        try await fixture.store.commit { _ in }
        let failed = early.union(late)
        #expect(outcomes.withLock { $0.filter { $0.value == "undone" }.keys.sorted() } == failed.sorted())
        #expect(outcomes.withLock { $0.count } == 60)
        let kept = (1...60).filter { !failed.contains($0) }.map(Sample.id)
        let (page, waiting, events) = try await fixture.store.read { transaction in
            (
                try transaction.messages(in: Sample.conversation, limit: 100).messages,
                try transaction.outbox(for: Sample.friend, limit: 100, maximumBytes: 1 << 20),
                try transaction.events(since: 0, limit: 1000)
            )
        }
        #expect(page.map(\.id) == kept)
        #expect(waiting.map(\.id) == kept)
        let inserted = events.filter { $0.change == .insert }.map(\.object)
        for number: UInt64 in 1...60 {
            #expect(inserted.count { $0 == .message(Sample.id(number)) } == (failed.contains(number) ? 0 : 1))
        }
        let recipients = try await fixture.store.read { transaction in
            try page.flatMap { try transaction.recipients(of: $0.id) }.map(\.account)
        }
        #expect(recipients == (1...60).filter { !failed.contains($0) }.map { Sample.account(UInt8(100 + $0)) })
        // The jobs beside one that failed after a write ran again; those beside one that only looked ran once.
        #expect(runs.withLock { $0[4] } == 2)
        #expect(alone.allSatisfy { number in runs.withLock { $0[number] } == 1 })
        #expect(runs.withLock { $0[18] } == 1)
        fixture.store.close()
    }

    @Test("Each object has one event per commit, reported before the completions")
    func events() async throws {
        let fixture = try await Fixture()
        let story = Lock<[String]>([])
        fixture.store.observeCommits { commit, _ in
            let events = commit.events
            story.withLock { story in
                story.append(
                    contentsOf: events.map { "\($0.object) \($0.change)" })
            }
        }
        gather(fixture.store) {
            let id = Sample.id(1)
            fixture.store.commit(
                { transaction in
                    try transaction.insertOutgoing(Sample.message(1), to: [Sample.friend])
                    try transaction.appendOutbox(for: Sample.friend, id: id, kind: 48, body: [], message: id)
                }, completion: { _ in story.withLock { $0.append("first") } })
            fixture.store.commit(
                { try $0.acknowledge([id], by: Sample.friend) },
                completion: { _ in story.withLock { $0.append("second") } })
        }
        try await fixture.store.commit { _ in }
        #expect(
            story.withLock { $0 } == [
                "message \(Sample.id(1)) insert", "conversation \(Sample.conversation) update", "first", "second",
            ])
        fixture.store.close()
    }

    @Test("A lone job that throws leaves nothing behind, not even an event")
    func loneFailure() async throws {
        let fixture = try await Fixture()
        let before = try await fixture.store.read { try $0.latestEvent() }
        await #expect(throws: Whim.self) {
            try await fixture.store.commit { transaction in
                try transaction.insertOutgoing(Sample.message(1), to: [Sample.friend])
                throw Whim()
            }
        }
        try await fixture.store.commit { _ in }
        let (message, after) = try await fixture.store.read { (try $0.message(Sample.id(1)), try $0.latestEvent()) }
        #expect(message == nil)
        #expect(after == before)
        fixture.store.close()
    }

    @Test("Far more jobs than fit in one commit all run, once and in order")
    func manyJobs() async throws {
        let fixture = try await Fixture()
        let count = 3 * StoreLimits.jobsPerCommit + 7
        let order = Lock<[Int]>([])
        for number in 0..<count {
            fixture.store.commit(
                { try $0.setSetting("n", to: "\(number)") }, completion: { _ in order.withLock { $0.append(number) } })
        }
        try await fixture.store.commit { _ in }
        #expect(order.withLock { $0 } == Array(0..<count))
        #expect(try await fixture.store.read { try $0.setting("n") } == "\(count - 1)")
        fixture.store.close()
    }

    @Test("A read sees committed data only, nothing of a running job")
    func snapshots() async throws {
        let fixture = try await Fixture()
        let (inside, gate) = (Gate(), Gate())
        fixture.store.commit(
            { transaction in
                try transaction.setSetting("a", to: "1")
                inside.open()
                gate.wait()
            }, completion: { _ in })
        inside.wait()
        #expect(try await fixture.store.read { try $0.setting("a") } == nil)
        gate.open()
        try await fixture.store.commit { _ in }
        #expect(try await fixture.store.read { try $0.setting("a") } == "1")
        fixture.store.close()
    }

    @Test("After close, queued jobs are done and new ones are refused")
    func closing() async throws {
        let fixture = try await Fixture()
        let done = Lock(0)
        for _ in 0..<100 {
            fixture.store.commit(
                { try $0.setSetting("a", to: "1") }, completion: { _ in done.withLock { $0 += 1 } })
        }
        fixture.store.close()
        fixture.store.close()
        #expect(done.withLock { $0 } == 100)
        await #expect(throws: StoreError.closed) { try await fixture.store.commit { _ in } }
        await #expect(throws: StoreError.closed) { try await fixture.store.read { _ in } }
        #expect(access(fixture.directory.database + "-wal", F_OK) != 0)
    }

    @Test("The disk is judged by commits of little only")
    func cost() throws {
        var cost = CommitCost()
        cost.note(.microseconds(1), rows: 0)
        #expect(cost.value == nil, "what has written nothing says nothing")
        // The first one counts whole: a friend's backlog comes right after the start.
        cost.note(.milliseconds(8), rows: 6)
        for _ in 0..<100 { cost.note(.milliseconds(45), rows: 500) }
        cost.note(.microseconds(1), rows: 0)
        #expect(cost.value == .milliseconds(8))
        // A hiccup, or a host that slept, is soon over, also under a stream.
        cost.note(.seconds(3600), rows: 6)
        #expect(try #require(cost.value) < .milliseconds(14))
        cost.note(.milliseconds(2), rows: 500)
        #expect(cost.value == .milliseconds(2))
    }

    @Test("A job that waits for company is committed in the order of submission, by itself if nothing comes")
    func patience() async throws {
        let fixture = try await Fixture()
        let order = Lock<[Int]>([])
        func submit(_ value: Int) {
            fixture.store.commit(
                isPatient: true, { try $0.setSetting("a", to: "\(value)") },
                completion: { _ in order.withLock { $0.append(value) } })
        }
        submit(1)
        try await fixture.store.commit { transaction throws in
            #expect(try transaction.setting("a") == "1")
            order.withLock { $0.append(2) }
        }
        #expect(order.withLock { $0.sorted() } == [1, 2])
        // By itself: nothing else comes.
        await withCheckedContinuation { continuation in
            fixture.store.commit(
                isPatient: true, { try $0.setSetting("a", to: "2") }, completion: { _ in continuation.resume() })
        }
        #expect(try await fixture.store.read { try $0.setting("a") } == "2")
        // The end waits for it.
        submit(3)
        fixture.store.close()
        #expect(order.withLock { $0.last } == 3)
    }
}
