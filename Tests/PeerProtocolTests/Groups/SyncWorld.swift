import Basics
import PeerProtocol
import Testing
import Vocabulary

/// Members in miniature, with sessions between them that come, go and lose what is on its way.
final class SyncWorld {
    /// One direction of a session, with the machine that sends on it.
    final class End {
        let side: Int
        let other: Int
        var sync = GroupSync()
        var wire: [GroupFrame] = []
        /// Effects that the store has yet to carry out, in order.
        var work: [GroupSyncEffect] = []
        var pages = 0
        var entries = 0
        var frames = 0
        var hasSettled = false

        init(_ side: Int, _ other: Int) { (self.side, self.other) = (side, other) }
    }

    let sides: [LogSide]
    private(set) var ends: [End] = []
    private(set) var now = someInstant
    var root: EntryHash { sides[0].graph.root }
    /// The bytes of a page, few enough that tests need not write much.
    var pageBytes = PeerLimits.groupPageBytes
    /// How often, in percent, the disk refuses an operation.
    var failing = 0
    /// Sides that don't answer requests.
    var mute: Set<Int> = []

    init(_ sides: [LogSide]) { self.sides = sides }

    func connect(_ one: Int, _ other: Int) throws {
        guard !ends.contains(where: { $0.side == one && $0.other == other }) else { return }
        let pair = [End(one, other), End(other, one)]
        ends += pair
        for end in pair { try feed(.shared(root), end) }
    }

    func cut(_ one: Int, _ other: Int) {
        ends.removeAll { ($0.side, $0.other) == (one, other) || ($0.side, $0.other) == (other, one) }
    }

    private func feed(_ input: GroupSyncInput, _ end: End) throws {
        for effect in end.sync.receive(input, now: now) {
            if case .send(let frame) = effect { end.wire.append(frame) } else { end.work.append(effect) }
        }
    }

    /// Tells the other sessions of a side that it has something new.
    func changed(_ side: Int, but from: End? = nil, within pause: Duration = PeerLimits.announceAfterCatchUp) throws {
        for end in ends where end.side == side && end !== from { try feed(.changed(root, within: pause), end) }
    }

    /// Gives an entry live, as the outbox would.
    func live(_ entry: LogEntry, from one: Int, to other: Int) throws {
        let side = sides[other]
        let admission = try side.take(entry)
        try changed(other, within: PeerLimits.announceAfterLive)
        guard case .held(let missing, let membership) = admission,
            let end = ends.first(where: { $0.side == other && $0.other == one })
        else { return }
        var questions = try side.log.questions(missing: missing, side.graph, own: side.account)
        if !membership.isEmpty { questions.append(GroupQuestion(side.log.wantMembership(side.graph), settles: false)) }
        try feed(.lacking(root, questions), end)
    }

    /// Lets one thing happen: a frame arrives, or the store does something.
    /// - Returns: false if nothing is under way.
    func step(using random: inout SeededGenerator) throws -> Bool {
        var choices: [(end: End, isFrame: Bool)] = []
        for end in ends {
            if !end.wire.isEmpty { choices.append((end, true)) }
            if !end.work.isEmpty { choices.append((end, false)) }
        }
        guard let (end, isFrame) = choices.randomElement(using: &random) else { return false }
        if isFrame {
            let frame = end.wire.removeFirst()
            end.frames += 1
            #expect(try frame.body().count <= PeerLimits.frameBodyBytes)
            if case .want = frame, mute.contains(end.other) { return true }
            if let there = ends.first(where: { $0.side == end.other && $0.other == end.side }) {
                try feed(.heard(frame), there)
            }
        } else {
            let effect = end.work.removeFirst()
            if Int.random(in: 0..<100, using: &random) < failing {
                try feed(.failed(effect), end)
            } else {
                try carryOut(effect, end)
            }
        }
        return true
    }

    private func carryOut(_ effect: GroupSyncEffect, _ end: End) throws {
        let side = sides[end.side]
        let own = side.account
        switch effect {
        case .send: break
        case .settled: end.hasSettled = true
        case .consider(let body):
            let there = sides[end.other].account
            if side.graph.state.has(own), !side.graph.state.has(there), let last = side.graph.lastDeparture(of: there) {
                try feed(.departed(body.root, by: last.hash), end)
            }
        case .readHeads: try feed(.heads(try side.log.heads(side.graph)), end)
        case .compare(let body):
            let (isSame, questions) = try side.log.compare(body, side.graph, own: own)
            try feed(.compared(root, isSame: isSame, questions: questions), end)
        case .readTops: try feed(.tops(root, side.storage.tops()), end)
        case .plan(_, let tops):
            try feed(.planned(root, try side.log.questions(tops: tops, side.graph, own: own)), end)
        case .readPage(let want):
            let page = try side.page(for: want, to: sides[end.other], bytes: pageBytes)
            end.pages += 1
            end.entries += page.entries.count
            try feed(.page(root, page), end)
        case .commit(let page, let question):
            let checked = LogPage(checking: page, asked: question)
            #expect(checked.errors.isEmpty)
            let (count, shown) = (side.graph.count, side.shown.count)
            for bytes in page.membership { side.learn(try MembershipEntry(decoding: bytes)) }
            let outcome = try side.take(page, asked: question.want, settles: question.settles)
            var questions = try side.log.questions(missing: outcome.missing, side.graph, own: own)
            if !outcome.membership.isEmpty {
                questions.append(GroupQuestion(side.log.wantMembership(side.graph), settles: false))
            }
            let hasNews = side.graph.count > count || side.shown.count > shown
            let commit = GroupCommit(
                entries: checked.entries.map(\.reference), heads: side.graph.heads, questions: questions,
                hasNews: hasNews)
            try feed(.committed(root, commit), end)
            if hasNews { try changed(end.side, but: end) }
        }
    }

    /// Runs until nothing is under way and nothing waits for its time.
    func settle(using random: inout SeededGenerator) throws {
        for _ in 0..<200_000 {
            if try step(using: &random) { continue }
            guard let deadline = ends.compactMap(\.sync.nextDeadline).min() else { return }
            now = max(now, deadline)
            for end in ends where end.sync.nextDeadline.map({ $0 <= now }) ?? false { try feed(.tick, end) }
        }
        Issue.record("never comes to rest")
    }
}
