import Basics
import Vocabulary

/// Brings the groups that two daemons share to the same on both sides, over one session: one page of all groups is
/// under way at a time in each direction, and live messages never wait.
///
/// Each side says what it has in 100 bytes. If that differs, it sends its tops; then each asks for what it lacks, page
/// by page, the membership first. After an interruption the next session starts again: only what was committed is
/// remembered.
public struct GroupSync: Sendable {
    /// What the owner could not do, and when it is asked for again.
    private struct Retry {
        let at: Instant
        let root: EntryHash
        let effect: GroupSyncEffect
    }

    private var groups: [EntryHash: SharedGroup] = [:]
    private var unshared = UnsharedGroups()
    private var asking = GroupAsking()
    private var serving = PageServing()
    private var retries: [Retry] = []
    private var effects: [GroupSyncEffect] = []

    public init() {}

    /// Nothing is under way or waits for its time.
    public var isIdle: Bool {
        asking.isIdle && serving.current == nil && retries.isEmpty && groups.values.allSatisfy(\.isIdle)
    }

    /// When a tick is due.
    public var nextDeadline: Instant? {
        (groups.values.compactMap(\.tellAt) + retries.map(\.at) + [asking.nextDeadline].compactMap(\.self)).min()
    }

    /// Since when nothing new has come of what is asked for of a group.
    /// - Returns: nil if nothing is asked for, or nothing has come yet and our own disk has refused nothing.
    public func progress(of root: EntryHash) -> Instant? { isBusy(with: root) ? asking.lastProgress : nil }

    /// Whether the peer's word of a group is being compared, or more of the group is asked for.
    public func isBusy(with root: EntryHash) -> Bool {
        groups[root].map { $0.isBusy || asking.isAsking(of: root) } ?? false
    }

    /// Takes one input. Effects are to be carried out in their order.
    public mutating func receive(_ input: GroupSyncInput, now: Instant) -> [GroupSyncEffect] {
        switch input {
        case .shared(let root): share(root)
        case .unshared(let root): drop(root)
        case .heard(let frame): hear(frame)
        case .offered(let root, let heads):
            guard groups[root] == nil, unshared.offer(root) else { break }
            asking.append(GroupQuestion(GroupWantBody(root: root, heads: heads), settles: false))
        case .departed(let root, let entry):
            guard groups[root] == nil, unshared.depart(root) else { break }
            let digest = GroupTopsBody.digest(of: [])
            effects.append(.send(.heads(GroupHeadsBody(root: root, heads: [entry], digest: digest))))
        case .heads(let body): groups[body.root]?.tell(body, &effects)
        case .compared(let root, let isSame, let new):
            guard let open = groups[root]?.compared(isSame: isSame, new, &effects) else { break }
            asking.add(open, of: root)
            settle(root)
            groups[root]?.compare(&effects)
        case .tops(let root, let tops): groups[root]?.send(tops, &effects)
        case .planned(let root, let new):
            guard groups[root]?.planned(&effects) == true else { break }
            asking.add(new, of: root)
            settle(root)
        case .page(let root, let page): answer(root, page)
        case .committed(let root, let commit): committed(root, commit, now)
        case .lacking(let root, let new): if groups[root] != nil { asking.add(new, of: root, first: true) }
        case .ask(let root): groups[root]?.ask(&effects)
        case .failed(let effect): failed(effect, now)
        case .changed(let root, let pause): groups[root]?.tellLater(now + pause)
        case .news(let root, let pause): groups[root]?.tellOfNews(now + pause)
        case .partner(let root, let isPartner): groups[root]?.setPartner(isPartner, &effects)
        case .tick: tick(now)
        }
        if let want = asking.ask(now) { effects.append(.send(.want(want))) }
        defer { effects = [] }
        return effects
    }

    // MARK: Which groups are shared

    private mutating func share(_ root: EntryHash) {
        guard groups[root] == nil else { return }
        groups[root] = SharedGroup(root, heard: unshared.share(root))
        groups[root]?.tell(&effects)
        groups[root]?.compare(&effects)
    }

    private mutating func drop(_ root: EntryHash) {
        groups[root] = nil
        unshared.unshare(root)
        asking.drop(root)
        retries.removeAll { $0.root == root }
        serving.forgetNext(of: root)
        if serving.current?.root == root { serveNext() }
    }

    // MARK: What the peer says

    private mutating func hear(_ frame: GroupFrame) {
        guard groups[frame.root] != nil else { return hearOfAnother(frame) }
        switch frame {
        case .heads(let body): groups[body.root]?.hear(body, &effects)
        case .tops(let body): groups[body.root]?.hear(body, &effects)
        case .want(let want): serve(want)
        case .entries(let page): receive(page)
        case .typing: break
        }
    }

    /// If we don't share the group, as committed here, we say nothing of it but how the peer left it; and if the peer
    /// believes us to be in it, we ask for the membership.
    private mutating func hearOfAnother(_ frame: GroupFrame) {
        switch frame {
        case .heads(let body): if unshared.hear(body) { effects.append(.consider(body)) }
        case .want(let want) where unshared.hasDeparted(want.root): serve(want)
        // There is nothing to give. This is said of every group alike, so that the question holds up no other.
        case .want(let want): effects.append(.send(.entries(GroupEntriesBody(root: want.root))))
        case .entries(let page) where unshared.isOffered(page.root): receive(page)
        default: break
        }
    }

    private mutating func receive(_ page: GroupEntriesBody) {
        if let question = asking.receive(page) { effects.append(.commit(page, asked: question)) }
    }

    private mutating func committed(_ root: EntryHash, _ commit: GroupCommit, _ now: Instant) {
        guard let done = asking.finish(root), groups[root] != nil || unshared.isOffered(root) else { return }
        groups[root]?.committed(hasNews: commit.hasNews)
        asking.goOn(from: done, of: root, commit, isShared: groups[root] != nil, now: now)
        settle(root)
        if !asking.hasQuestions(of: root) { groups[root]?.tellCaughtUp(now + PeerLimits.announceAfterCatchUp) }
    }

    private mutating func settle(_ root: EntryHash) {
        if !asking.isAsking(of: root) { groups[root]?.settle(&effects) }
    }

    // MARK: What the peer asks for

    private mutating func serve(_ want: GroupWantBody) {
        if serving.accept(want) { effects.append(.readPage(want)) }
    }

    private func mayAsk(about root: EntryHash) -> Bool { groups[root] != nil || unshared.hasDeparted(root) }

    private mutating func answer(_ root: EntryHash, _ page: GroupEntriesBody?) {
        guard serving.current?.root == root else { return }
        groups[root]?.recovered()
        // A peer that is no longer a member isn't even told that there is nothing.
        if mayAsk(about: root), let page { effects.append(.send(.entries(page))) }
        serveNext()
    }

    private mutating func serveNext() {
        if let next = serving.finish(), mayAsk(about: next.root) { serve(next) }
    }

    // MARK: What fails

    private mutating func failed(_ effect: GroupSyncEffect, _ now: Instant) {
        guard let root = effect.root, groups[root] != nil || unshared.isConsidered(root) else {
            // Nothing is owed to a group that isn't shared any more, but what waits behind it goes on.
            if case .readPage(let want) = effect, serving.current == want { serveNext() }
            return
        }
        let due = now + (groups[root]?.failed() ?? PeerLimits.groupRetry.first)
        asking.noteFailure(now)
        switch effect {
        case .commit(let page, let question): return asking.failed(page, of: question, due: due)
        case .readPage(let want):
            guard serving.current == want else { return }
            // A peer that asks for something else doesn't wait for this any more.
            if serving.waiting != nil { return serveNext() }
        default: break
        }
        retries.append(Retry(at: due, root: root, effect: effect))
    }

    private mutating func tryAgain(_ retry: Retry) {
        switch retry.effect {
        case .readPage(let want):
            guard serving.current == want else { return }
            if serving.waiting != nil { return serveNext() }
            effects.append(.readPage(want))
        case .compare(let body): effects.append(.compare(groups[retry.root]?.drainLaterWord() ?? body))
        case let effect: effects.append(effect)
        }
    }

    private mutating func tick(_ now: Instant) {
        for root in groups.keys.sorted() { groups[root]?.tick(now, &effects) }
        let due = retries.filter { $0.at <= now }
        retries.removeAll { $0.at <= now }
        for retry in due { tryAgain(retry) }
        for question in asking.drainDue(now) {
            let root = question.want.root
            if groups[root] != nil {
                asking.add([question], of: root, first: true)
            } else if unshared.isOffered(root) {
                asking.append(question)
            }
        }
        guard let question = asking.expire(now) else { return }
        if groups[question.want.root] != nil { asking.leaveUnanswered(question, now) }
        settle(question.want.root)
    }
}
