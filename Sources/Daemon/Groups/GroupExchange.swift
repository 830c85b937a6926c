import Basics
import PeerProtocol
import Reactor
import Store

/// Catch-up with each session's peer: feeds a ``GroupSync`` for each session and carries out what it wants, with the database.
@ReactorActor final class GroupExchange {
    private unowned let context: Context
    private var lines: [ObjectIdentifier: GroupLine] = [:]

    init(context: Context) { self.context = context }

    /// The peer of a session and we share a group, or share it no more.
    func share(_ root: EntryHash, with session: PeerSession, _ isShared: Bool = true) {
        let known = lines[ObjectIdentifier(session)]
        guard isShared || known != nil else { return }
        let line = known ?? GroupLine(session: session, context: context)
        lines[ObjectIdentifier(session)] = line
        line.feed(isShared ? .shared(root) : .unshared(root))
    }

    func heard(_ frame: GroupFrame, from session: PeerSession) {
        lines[ObjectIdentifier(session)]?.feed(.heard(frame))
    }

    /// Entries that a session has brought wait for others, which it must have, too.
    func lacks(_ missing: GroupMissing, of root: EntryHash, from session: PeerSession) {
        lines[ObjectIdentifier(session)]?.lacks(missing, of: root)
    }

    /// We have something of a group that we hadn't: others may lack it.
    /// - Parameter source: where we have it from.
    func changed(_ root: EntryHash, but source: PeerSession?) {
        for line in lines.values where line.session !== source {
            line.feed(.changed(root, within: PeerLimits.announceAfterCatchUp))
        }
    }

    /// Compares a group with one peer.
    func changed(_ root: EntryHash, only session: PeerSession) {
        lines[ObjectIdentifier(session)]?.feed(.changed(root, within: .zero))
    }

    func ended(_ session: PeerSession) { lines.removeValue(forKey: ObjectIdentifier(session))?.end() }

    func end() {
        for line in lines.values { line.end() }
        lines = [:]
    }
}

/// Catch-up over one session.
@ReactorActor final class GroupLine {
    private(set) weak var session: PeerSession?
    private let peer: AccountID
    private unowned let context: Context
    private var sync = GroupSync()
    private var timer: TimerToken?
    private var hasEnded = false

    init(session: PeerSession, context: Context) {
        self.session = session
        peer = session.peer.account
        self.context = context
    }

    func end() {
        hasEnded = true
        timer?.cancel()
    }

    func feed(_ input: GroupSyncInput) {
        guard !hasEnded else { return }
        for effect in sync.receive(input, now: context.clocks.now) { perform(effect) }
        arm()
    }

    private func arm() {
        timer?.cancel()
        timer = nil
        guard !hasEnded, let deadline = sync.nextDeadline else { return }
        timer = Reactor.shared.schedule(at: deadline) { [weak self] in self?.feed(.tick) }
    }

    func lacks(_ missing: GroupMissing, of root: EntryHash) {
        let lacking = Array(missing.entries)
        read(root) { log, graph, own in
            var questions = try log.questions(missing: lacking, graph: graph, own: own)
            if missing.needsMembership {
                questions.insert(GroupQuestion(log.wantMembership(graph), settles: false), at: 0)
            }
            return .lacking(root, questions)
        }
    }

    // MARK: Effects

    private func perform(_ effect: GroupSyncEffect) {
        switch effect {
        case .send(let frame): session?.tell(frame)
        case .readHeads(let root): read(root) { log, graph, _ in .heads(try log.heads(graph: graph)) }
        case .compare(let body):
            read(body.root) { log, graph, own in
                let (isSame, questions) = try log.compare(body, graph: graph, own: own)
                return .compared(body.root, isSame: isSame, questions: questions)
            }
        case .readTops(let root): read(root) { log, _, _ in .tops(root, try log.storage.tops()) }
        case .plan(let root, let tops):
            read(root) { log, graph, own in
                .planned(root, try log.questions(tops: tops, graph: graph, own: own))
            }
        case .readPage(let want):
            let account = peer
            read(want.root) { log, graph, _ in .page(want.root, try log.page(for: want, to: account, graph: graph)) }
        case .commit(let page, let question): commit(page, asked: question)
        }
    }

    private typealias Log = GroupLog<SQLiteGroupLog>

    /// Looks at a group as it is on the disk. One that we are no members of any more is not spoken of.
    private func read(
        _ root: EntryHash, _ body: @escaping @Sendable (Log, GroupGraph, AccountID) throws -> GroupSyncInput
    ) {
        guard let scope = context.voice?.scope else { return }
        let log = context.groups.log
        context.store.submitRead { transaction -> GroupSyncInput in
            guard let row = try transaction.group(root: root.bytes), row.state == .member else {
                return .unshared(root)
            }
            let graph = try scope.graphs.graph(of: row, in: transaction)
            return try body(GroupLog(root: root, storage: SQLiteGroupLog(reading: row, transaction)), graph, scope.own)
        } completion: { [weak self] result in
            Reactor.shared.post {
                switch result {
                case .success(let input): self?.feed(input)
                case .failure(let error):
                    log.error("a group can't be read", [("error", "\(error)")])
                    self?.feed(.failed(root))
                }
            }
        }
    }

    /// Where files are offered, the disk is looked at before.
    private func commit(_ page: GroupEntriesBody, asked question: GroupQuestion) {
        guard page.entries.contains(where: \.offersFiles) else {
            return commit(page, asked: question, place: ReceivingPlace())
        }
        context.receivingPlace { [weak self] place in self?.commit(page, asked: question, place: place) }
    }

    private func commit(_ page: GroupEntriesBody, asked question: GroupQuestion, place: ReceivingPlace) {
        guard let scope = context.voice?.scope else { return }
        let (peer, log) = (peer, context.groups.log)
        context.store.submit { transaction in
            var intake = GroupIntake(scope: scope, peer: peer, transaction: transaction, place: place)
            let commit = try intake.page(page, asked: question)
            return (commit, intake.effects)
        } completion: { [weak self, weak context] result in
            Reactor.shared.post {
                switch result {
                case .success((let commit, let effects)):
                    context?.groups.apply(effects, from: self?.session)
                    if let commit {
                        self?.feed(.committed(page.root, commit))
                    } else {
                        self?.feed(.unshared(page.root))
                    }
                case .failure(let error):
                    log.error("what a member sent can't be stored", [("error", "\(error)")])
                    self?.feed(.failed(page.root))
                }
            }
        }
    }
}
