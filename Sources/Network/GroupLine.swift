import Basics
import Messaging
import PeerProtocol
import Reactor
import Runtime
import Vocabulary

/// Catch-up of groups over one session.
@ReactorActor final class GroupLine {
    private(set) weak var session: PeerSession?
    let peer: AccountID
    private unowned let service: GroupService
    private var environment: Environment { service.environment }
    private var sync = GroupSync()
    private var timer: TimerToken?
    private var hasEnded = false
    private enum Stage {
        case shared(since: Instant)
        case compared
    }
    /// How far the first comparison of each group is.
    private var stages: [EntryHash: Stage] = [:]
    private let settled: @ReactorActor (EntryHash) -> Void
    /// Entries that live ones wait for and that no member was asked for yet, by group. The groups for which that is
    /// being looked up stand below.
    private var lacking: [EntryHash: GroupMissing] = [:]
    private var isLooking: Set<EntryHash> = []

    init(session: PeerSession, service: GroupService, settled: @escaping @ReactorActor (EntryHash) -> Void) {
        self.session = session
        peer = session.peer.account
        self.service = service
        self.settled = settled
    }

    /// - Parameter waited: how long this member has been waited for in earlier sessions.
    func share(_ root: EntryHash, waited: Duration) {
        if stages[root] == nil { stages[root] = .shared(since: environment.clocks.now + (.zero - waited)) }
        feed(.shared(root))
    }

    func unshare(_ root: EntryHash) {
        stages[root] = nil
        feed(.unshared(root))
    }

    var shared: [EntryHash] { Array(stages.keys) }
    func shares(_ root: EntryHash) -> Bool { stages[root] != nil }

    /// How long the first comparison of a group with this member has been waited for; nil once it is done.
    func wait(for root: EntryHash) -> GroupWait? {
        guard case .shared(let since) = stages[root] else { return nil }
        let now = environment.clocks.now
        return GroupWait(
            waited: now - since, isBusy: sync.isBusy(with: root),
            sinceProgress: sync.progress(of: root).map { now - $0 })
    }

    func end() {
        hasEnded = true
        timer?.cancel()
    }

    func feed(_ input: GroupSyncInput) {
        guard !hasEnded else { return }
        for effect in sync.receive(input, now: environment.clocks.now) { perform(effect) }
        arm()
    }

    private func arm() {
        timer?.cancel()
        timer = nil
        guard !hasEnded, let deadline = sync.nextDeadline else { return }
        timer = Reactor.shared.schedule(at: deadline) { [weak self] in self?.feed(.tick) }
    }

    func lacks(_ missing: GroupMissing, of root: EntryHash) {
        let known = lacking[root] ?? GroupMissing()
        // Missing entries beyond that are found when both sides compare what they have.
        guard known.entries.count < PeerLimits.heldEntries else { return }
        lacking[root] = known.joined(with: missing)
        if known == GroupMissing() { readLacking(root) }
    }

    /// Looks up what is lacking: one look at a time for each group, however much comes meanwhile.
    private func readLacking(_ root: EntryHash) {
        guard !hasEnded, let missing = lacking[root], !isLooking.contains(root) else { return }
        isLooking.insert(root)
        lacking[root] = nil
        read(root) { log, graph, own in
            var questions = try log.questions(missing: Array(missing.entries), graph: graph, own: own)
            if missing.needsMembership {
                questions.insert(GroupQuestion(log.wantMembership(graph), settles: false), at: 0)
            }
            return .lacking(root, questions)
        } then: { [weak self] result in
            guard let self else { return }
            isLooking.remove(root)
            switch result {
            case .success(let input):
                feed(input)
                readLacking(root)
            case .failure:
                lacking[root] = missing.joined(with: lacking[root] ?? GroupMissing())
                Reactor.shared.schedule(at: environment.clocks.now + NetworkLimits.groupLookRetry) { [weak self] in
                    self?.readLacking(root)
                }
            }
        }
    }

    // MARK: Effects

    private func perform(_ effect: GroupSyncEffect) {
        switch effect {
        case .send(let frame): session?.tell(.group(frame))
        case .consider(let body): consider(body)
        case .settled(let root):
            stages[root] = .compared
            settled(root)
        case .readHeads(let root): read(root, for: effect) { log, graph, _ in .heads(try log.heads(graph: graph)) }
        case .compare(let body):
            read(body.root, for: effect) { log, graph, own in
                let (isSame, questions) = try log.compare(body, graph: graph, own: own)
                return .compared(body.root, isSame: isSame, questions: questions)
            }
        case .readTops(let root): read(root, for: effect) { log, _, _ in .tops(root, try log.storage.tops()) }
        case .plan(let root, let tops):
            read(root, for: effect) { log, graph, own in
                .planned(root, try log.questions(tops: tops, graph: graph, own: own))
            }
        case .readPage(let want):
            let account = peer
            read(want.root, for: effect) { log, graph, _ in
                .page(want.root, try LogServing(log).page(for: want, to: account, graph: graph))
            }
        case .commit(let page, let question): commit(page, asked: question)
        }
    }

    private typealias Log = GroupLog<SQLiteGroupLog>

    /// The peer speaks of a group that we don't share. Either it believes that we are in the group: a friend is then
    /// asked what it has. Or it believes that it is in the group itself: it is then told how it went.
    private func consider(_ body: GroupHeadsBody) {
        guard let scope = service.account.voice?.scope else { return }
        let (peer, log) = (peer, service.log)
        environment.store.look { transaction -> GroupSyncInput? in
            try GroupOffer(scope: scope, peer: peer).answer(to: body, in: transaction)
        } then: { [weak self] result in
            switch result {
            case .success(let input): if let input { self?.feed(input) }
            case .failure(let error):
                log.error("a group can't be read", [("error", "\(error)")])
                self?.feed(.failed(.consider(body)))
            }
        }
    }

    /// Looks at a group as it is on the disk. One that we are no members of any more is not spoken of.
    private func read(
        _ root: EntryHash, for effect: GroupSyncEffect,
        _ body: @escaping @Sendable (Log, GroupGraph, AccountID) throws -> GroupSyncInput
    ) {
        read(root, body) { [weak self] result in self?.feed((try? result.get()) ?? .failed(effect)) }
    }

    private func read(
        _ root: EntryHash, _ body: @escaping @Sendable (Log, GroupGraph, AccountID) throws -> GroupSyncInput,
        then: @escaping @ReactorActor (Result<GroupSyncInput, any Error>) -> Void
    ) {
        guard let scope = service.account.voice?.scope else { return }
        let log = service.log
        environment.store.look { transaction -> GroupSyncInput in
            guard let row = try transaction.group(root: root.bytes), row.state == .member else {
                return .unshared(root)
            }
            var graph = try scope.graphs.graph(of: row, in: transaction)
            graph.meter = GroupMeter()
            return try body(GroupLog(root: root, storage: SQLiteGroupLog(reading: row, transaction)), graph, scope.own)
        } then: { result in
            if case .failure(let error) = result { log.error("a group can't be read", [("error", "\(error)")]) }
            then(result)
        }
    }

    /// Commits a page. Where files are offered, the disk is looked at before.
    private func commit(_ page: GroupEntriesBody, asked question: GroupQuestion) {
        guard page.entries.contains(where: \.offersFiles) else {
            return commit(page, asked: question, destination: Destination())
        }
        service.destinations.lookAtDownloads { [weak self] destination in
            self?.commit(page, asked: question, destination: destination)
        }
    }

    private func commit(_ page: GroupEntriesBody, asked question: GroupQuestion, destination: Destination) {
        guard let scope = service.account.voice?.scope else { return }
        // Signatures take their time, so they are checked on another thread than the one on which all writing waits.
        environment.store.look { _ in
            CheckedGroupPage(page, asked: question)
        } then: { [weak self] result in
            switch result {
            case .success(let checked): self?.commit(checked, destination, scope, for: .commit(page, asked: question))
            case .failure: self?.feed(.failed(.commit(page, asked: question)))
            }
        }
    }

    private func commit(
        _ page: CheckedGroupPage, _ destination: Destination, _ scope: GroupScope, for effect: GroupSyncEffect
    ) {
        let (peer, space, root) = (peer, DataSpace(of: environment.directory), page.body.root)
        environment.store.commit { transaction in
            // Nothing is taken now, and the same is asked for later.
            let intake = try Intake(space, by: .stored, in: transaction)
            guard !intake.isShut else { return nil as (GroupCommit?, GroupEffects, IntakeNews)? }
            var receiver = GroupReceiver(
                scope: scope, peer: peer, transaction: transaction, choices: .stored, destination: destination,
                intake: intake)
            let commit = try receiver.page(page)
            return (commit, receiver.effects, receiver.news)
        } then: { [weak self, service] result in
            switch result {
            case .success(nil): self?.feed(.failed(effect))
            case .success((let commit, let effects, let news)?):
                service.environment.putOff.note(news)
                service.apply(effects, from: self?.session)
                if let commit {
                    self?.feed(.committed(root, commit))
                } else {
                    self?.feed(.unshared(root))
                }
            case .failure(let error):
                service.log.error("what a member sent can't be stored", [("error", "\(error)")])
                self?.feed(.failed(effect))
            }
        }
    }
}
