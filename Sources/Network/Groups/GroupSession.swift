import Basics
import Messaging
import PeerProtocol
import Reactor
import Runtime
import Store
import Vocabulary

/// Catch-up of groups over one session.
@ReactorActor final class GroupSession {
    private(set) weak var session: PeerSession?
    let peer: AccountID
    private unowned let service: any GroupExchangeOwner
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
    /// Entries that live entries wait for and that no member was asked for yet, by group. `isLooking` has the groups
    /// for which they are being looked up.
    private var lacking: [EntryHash: GroupMissing] = [:]
    private var isLooking: Set<EntryHash> = []
    private let reads: ReadLane
    private let pages: GroupPages

    init(session: PeerSession, service: any GroupExchangeOwner, settled: @escaping @ReactorActor (EntryHash) -> Void) {
        self.session = session
        peer = session.peer.account
        self.service = service
        self.settled = settled
        reads = ReadLane(store: service.environment.store)
        pages = GroupPages(from: session.peer.account, service: service, reads: reads)
    }

    /// - Parameter waited: how long we waited for this member in earlier sessions.
    func share(_ root: EntryHash, waited: Duration) {
        if stages[root] == nil {
            stages[root] = .shared(since: environment.clocks.now + (.zero - waited))
            askSoon(root)
        }
        feed(.shared(root))
    }

    /// Asks a member that has said nothing of a group in which we may not write yet: a member that has just put us into
    /// the group may believe that it need not say anything.
    private func askSoon(_ root: EntryHash) {
        guard !service.account.settledGroups.contains(root) else { return }
        Reactor.shared.schedule(at: environment.clocks.now + NetworkLimits.groupAskTime) { [weak self] in
            guard let self, case .shared = stages[root], !service.account.settledGroups.contains(root) else { return }
            feed(.ask(root))
        }
    }

    func unshare(_ root: EntryHash) {
        stages[root] = nil
        feed(.unshared(root))
    }

    var shared: [EntryHash] { Array(stages.keys) }
    func shares(_ root: EntryHash) -> Bool { stages[root] != nil }

    /// How long we have waited for the first comparison of a group with this member; nil once it is done.
    func wait(for root: EntryHash) -> GroupWait? {
        guard case .shared(let since) = stages[root] else { return nil }
        let now = environment.clocks.now
        return GroupWait(
            waited: now - since, isBusy: sync.isBusy(with: root),
            sinceProgress: sync.progress(of: root).map { now - $0 })
    }

    func end() {
        hasEnded = true
        reads.end()
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
        // A peer can name any number of groups that are not here.
        guard shares(root) || lacking.count + isLooking.count < PeerLimits.groupQuestions else { return }
        let lack = lacking[root] ?? GroupMissing()
        // Missing entries beyond that are found when both sides compare what they have.
        guard lack.entries.count < PeerLimits.heldEntries else { return }
        lacking[root] = lack.joined(with: missing)
        if lack == GroupMissing() { readLacking(root) }
    }

    /// Looks up what is lacking: one look at a time for each group, however much comes meanwhile.
    private func readLacking(_ root: EntryHash) {
        guard !hasEnded, let missing = lacking[root], !isLooking.contains(root) else { return }
        lacking[root] = nil
        guard shares(root) else { return askForUnknown(root) }
        isLooking.insert(root)
        read(root) { log, membership, own in
            var questions = try log.questions(missing: Array(missing.entries), membership, own: own)
            if missing.needsMembership {
                questions.insert(GroupQuestion(log.wantMembership(membership), settles: false), at: 0)
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

    /// Asks about a group that a peer speaks of and that isn't here, or not yet. Only a friend is asked.
    private func askForUnknown(_ root: EntryHash) {
        guard let scope = service.account.voice?.scope else { return }
        isLooking.insert(root)
        let peer = peer
        reads.read { transaction in
            try GroupOffer(scope: scope, peer: peer).answer(toUnknown: root, in: transaction)
        } then: { [weak self] result in
            self?.isLooking.remove(root)
            if case .success(let input?) = result { self?.feed(input) }
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
            confirm(root)
        case .readHeads(let root): read(root, for: effect) { log, membership, _ in .heads(try log.heads(membership)) }
        case .compare(let body):
            read(body.root, for: effect) { log, membership, own in
                let (isSame, questions) = try log.compare(body, membership, own: own)
                return .compared(body.root, isSame: isSame, questions: questions)
            }
        case .readTops(let root): read(root, for: effect) { log, _, _ in .tops(root, try log.storage.tops()) }
        case .plan(let root, let tops):
            read(root, for: effect) { log, membership, own in
                .planned(root, try log.questions(tops: tops, membership, own: own))
            }
        case .readPage(let want):
            let account = peer
            read(want.root, for: effect) { log, membership, _ in
                .page(want.root, try LogServing(log).page(for: want, to: account, graph: try membership.graph()))
            }
        case .commit(let page, let question):
            pages.commit(page, asked: question, by: session) { [weak self] in self?.feed($0 ?? .failed(effect)) }
        }
    }

    private typealias Log = GroupLog<SQLiteGroupLog>

    /// Handles a peer that speaks of a group that we don't share. If it believes that we are in the group, we ask it
    /// what it has, provided that it is a friend. If it believes that it is in the group itself, we tell it how it
    /// went.
    private func consider(_ body: GroupHeadsBody) {
        guard let scope = service.account.voice?.scope else { return }
        let (peer, log) = (peer, service.log)
        reads.read { transaction -> GroupSyncInput? in
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

    /// Reads a group as it is on the disk. Does nothing for a group that we are no longer members of.
    private func read(
        _ root: EntryHash, for effect: GroupSyncEffect,
        _ body: @escaping @Sendable (Log, StoredMembership, AccountID) throws -> GroupSyncInput
    ) {
        read(root, body) { [weak self] result in self?.feed((try? result.get()) ?? .failed(effect)) }
    }

    private func read(
        _ root: EntryHash, _ body: @escaping @Sendable (Log, StoredMembership, AccountID) throws -> GroupSyncInput,
        then: @escaping @ReactorActor (Result<GroupSyncInput, any Error>) -> Void
    ) {
        guard let scope = service.account.voice?.scope else { return }
        let log = service.log
        reads.read { transaction -> GroupSyncInput in
            guard let row = try transaction.group(root: root.bytes), row.state == .member else {
                return .unshared(root)
            }
            return try body(
                GroupLog(root: root, storage: SQLiteGroupLog(reading: row, transaction)),
                StoredMembership(row, scope: scope, in: transaction), scope.own)
        } then: { result in
            if case .failure(let error) = result { log.error("a group can't be read", [("error", "\(error)")]) }
            then(result)
        }
    }

    /// Confirms a group, because a second friend has it as well.
    private func confirm(_ root: EntryHash) {
        guard let group = service.index.entry(root), let giver = group.unconfirmed, giver != peer,
            let own = service.account.voice?.account.id
        else { return }
        let peer = peer
        environment.store.commit {
            try GroupBounds.confirm(group.id, by: [peer], own: own, in: $0)
        } then: { _ in
            // If it can't be stored now, the next word of a friend confirms the group.
        }
    }
}
