import Basics
import Crypto
import Glibc
import PeerProtocol
import TestSupport

/// A big group without network and disk: what its membership, one message and a catch-up cost in time, bytes and
/// memory.
struct GroupBench {
    let members: Int
    let entries: Int
    let messages: Int

    private struct Member {
        let key: SigningKey
        let certificate: DeviceCertificate
    }

    private static let start = WallTime(milliseconds: 1_720_000_000_000)

    func run() throws {
        var people: [Member] = []
        for number in 0..<members {
            let (account, device) = (SigningKey(), SigningKey())
            let certificate = try DeviceCertificate.issue(
                by: account, for: DeviceID(device.publicKey), name: "host-\(number)", created: Self.start)
            people.append(Member(key: device, certificate: certificate))
        }
        let graph = try membership(people)
        try message(people, graph)
        try catchUp(people, graph)
        try memory(graph)
    }

    /// Milliseconds of processor time, which other programs don't lengthen.
    private func time(_ body: () throws -> Void) rethrows -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
            return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
        }
        let before = now()
        try body()
        return now() - before
    }

    // MARK: Membership

    private func membership(_ people: [Member]) throws -> GroupGraph {
        let founder = people[0]
        func seed(_ number: Int) -> GroupSeed {
            GroupSeed(certificate: people[number].certificate, name: "member \(number)")
        }
        let create = try MembershipEntry.make(
            .create(
                name: "Everybody", description: "", history: 0, creator: "founder",
                members: (1..<members).map(seed)),
            group: nil, parents: [], by: founder.certificate.account, certificate: founder.certificate,
            key: founder.key, time: HybridTime(milliseconds: Self.start.milliseconds), at: Self.start)
        var graph = try GroupGraph(create: create)
        // One entry in four doesn't know the one just before it; one in eight removes a member or adds a removed one.
        var bytes: [[UInt8]] = [create.bytes]
        var copy = graph
        for number in 1..<max(2, entries) {
            if number % 4 != 0 { copy = graph }
            let other = 1 + number / 16 % (members - 1)
            let account = people[other].certificate.account
            let operation: GroupOperation
            switch number % 8 {
            case 3 where copy.state.has(account): operation = .remove(account)
            case 3: operation = .add([seed(other)], floors: [])
            default: operation = .rename("name \(number)")
            }
            let entry = try copy.make(
                operation, certificate: founder.certificate, key: founder.key,
                time: HybridTime(milliseconds: Self.start.milliseconds + Int64(number)), at: Self.start)
            guard graph.insert(entry) == .inserted else { continue }
            bytes.append(entry.bytes)
        }
        var read: [MembershipEntry] = []
        let reading = try time { for entry in bytes { read.append(try MembershipEntry(decoding: entry)) } }
        var again = try GroupGraph(create: read[0])
        var longest = 0.0
        let inserting = time {
            for entry in read.dropFirst() {
                longest = max(
                    longest,
                    time {
                        _ = again.insert(entry)
                        _ = again.state
                    })
            }
        }
        let loading = try time {
            var certificates = CertificateReader(isTrusted: true)
            _ = try GroupGraph(
                entries: bytes.map { bytes throws(WireError) in
                    try MembershipEntry(decoding: bytes, certificates: &certificates)
                }
            ).state
        }
        report("membership of \(members), \(bytes.count) entries:")
        report("  read and check an entry \(text(reading / Double(read.count))) ms")
        report("  insert it and know the state \(text(inserting / Double(read.count))) ms, longest \(text(longest)) ms")
        report("  from disk, whole: \(text(loading)) ms; \(bytes.reduce(0) { $0 + $1.count } / 1024) KiB")
        return again
    }

    private func text(_ value: Double) -> String { Figures.text(value, digits: 3) }

    // MARK: Log

    private func write(
        _ log: inout GroupLog<BenchLog>, _ author: Member, _ graph: GroupGraph, _ number: Int
    ) throws
        -> LogEntry
    {
        let at = WallTime(milliseconds: Self.start.milliseconds + Int64(number) * 1000)
        let time = HybridTime(milliseconds: at.milliseconds)
        let body = MessageBody(kind: .text, text: "This is message number \(number) of many.", time: time, sentAt: at)
        return try log.append(
            .message, id: UUIDv7(high: UInt64(at.milliseconds) << 16 | 0x7000, low: 1 << 63 | UInt64(number)),
            content: try body.encoded(conversation: .group), graph: graph, key: author.key, time: time, at: at)
    }

    private func present(_ people: [Member], _ graph: GroupGraph) -> [Member] {
        people.filter { graph.state.has($0.certificate.account) }
    }

    private func message(_ people: [Member], _ graph: GroupGraph) throws {
        let people = present(people, graph)
        var logs = people.map { _ in GroupLog(root: graph.root, storage: BenchLog()) }
        var (writing, reading): ([Double], [Double]) = ([], [])
        var bytes = 0
        for number in 0..<20 {
            let author = number % people.count
            var entry: LogEntry?
            writing.append(try time { entry = try write(&logs[author], people[author], graph, number) })
            guard let entry else { continue }
            let body = try GroupEntryBody(entry).encoded()
            bytes = body.count
            for other in logs.indices where other != author {
                reading.append(
                    try time {
                        let taken = try GroupEntryBody(decoding: body).entry()
                        _ = try logs[other].admit(taken, graph: graph, own: people[other].certificate.account)
                    })
            }
        }
        let (own, others) = (Figures(writing), Figures(reading))
        report("one message to \(people.count - 1) others, \(bytes) bytes each:")
        report("  write and sign it \(text(own.median)) ms, longest \(text(own.largest)) ms")
        report("  take it, each member \(text(others.median)) ms, 99 of 100 within \(text(others.percentile(99))) ms")
    }

    private func catchUp(_ people: [Member], _ graph: GroupGraph) throws {
        let people = present(people, graph)
        var giver = GroupLog(root: graph.root, storage: BenchLog())
        for number in 0..<messages { _ = try write(&giver, people[number * 7 % people.count], graph, number) }
        var taker = GroupLog(root: graph.root, storage: BenchLog())
        let own = people[1].certificate.account
        var (pages, bytes, questions) = (0, 0, 0)
        var longest = 0.0
        let whole = try time {
            var asked = try taker.questions(tops: giver.storage.tops(), graph, own: own)
            while !asked.isEmpty {
                let question = asked.removeFirst()
                questions += 1
                longest = max(
                    longest,
                    try time {
                        let sent = try LogServing(giver).page(for: question.want, to: own, graph: graph).encoded()
                        let page = try GroupEntriesBody(decoding: sent)
                        let checked = LogPage(checking: page, asked: question)
                        let outcome = try taker.admit(checked, graph: graph, own: own)
                        asked += try taker.questions(missing: outcome.missing, graph, own: own)
                        let references = checked.entries.map(\.reference)
                        if page.hasMore,
                            let rest = question.rest(after: page, entries: references, heads: graph.heads)
                        {
                            asked.append(rest)
                        }
                        (pages, bytes) = (pages + 1, bytes + sent.count)
                    })
            }
        }
        report("catching up on \(messages) messages of \(people.count) authors: \(taker.storage.count) taken")
        report("  \(text(whole)) ms, \(pages) pages, longest page \(text(longest)) ms, \(bytes / 1024) KiB")
    }

    // MARK: Memory

    private func memory(_ graph: GroupGraph) throws {
        let bytes = graph.entries.map(\.bytes)
        let before = try ProcessFigures(pid: getpid()).resident
        var graphs: [GroupGraph] = []
        for _ in 0..<16 {
            var certificates = CertificateReader(isTrusted: true)
            let loaded = try GroupGraph(
                entries: bytes.map { bytes throws(WireError) in
                    try MembershipEntry(decoding: Array(bytes), certificates: &certificates)
                })
            _ = loaded.state
            graphs.append(loaded)
        }
        let after = try ProcessFigures(pid: getpid()).resident
        let each = Double(Int64(after) - Int64(before)) / Double(graphs.count) / 1_048_576
        report("memory of one such membership, kept by a member: \(Figures.text(each, digits: 2)) MiB")
    }
}
