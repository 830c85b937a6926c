import Basics
import Vocabulary

/// Brings the groups that two daemons share to the same on both sides, over one session: one page of all groups is
/// under way at a time in each direction, and live messages never wait.
///
/// Each side says what it has in 100 bytes; where that differs, it says which ends its chains have; each asks for what it lacks,
/// page by page, the membership first. After a cut the next session begins afresh: nothing is remembered but what was committed.
public struct GroupSync: Sendable {
    var groups: [EntryHash: Group] = [:]
    /// Groups that we don't share and of which the peer has spoken: each is looked up once.
    private var considered: Set<EntryHash> = []
    /// The peer's last word on groups that we don't share: we may come to share one in a moment.
    private var spoken: [EntryHash: GroupHeadsBody] = [:]
    /// Those of them whose membership is asked for, and those of which the peer is told how they left.
    private var offered: Set<EntryHash> = []
    private var departed: Set<EntryHash> = []
    var retries: [Retry] = []
    var questions: [GroupQuestion] = []
    var asked: Asked?
    /// When a page last brought something; before the first one, when our own disk first failed us.
    var lastProgress: Instant?
    /// The peer's question, and whether its answer is being read.
    private var serving: GroupWantBody?
    private var nextServed: GroupWantBody?
    private var effects: [GroupSyncEffect] = []

    public init() {}

    /// Nothing is under way or waits for its time.
    public var isIdle: Bool {
        asked == nil && questions.isEmpty && serving == nil && retries.isEmpty
            && groups.values.allSatisfy {
                !$0.isReadingHeads && !$0.isComparing && !$0.isReadingTops && !$0.isPlanning && $0.tellAt == nil
            }
    }

    /// When a tick is due.
    public var nextDeadline: Instant? {
        var deadline = groups.values.compactMap(\.tellAt).min()
        if let due = retries.map(\.at).min() { deadline = min(deadline ?? due, due) }
        if let asked, !asked.isCommitting { deadline = min(deadline ?? asked.until, asked.until) }
        return deadline
    }

    /// Takes one input. Effects are to be carried out in their order.
    public mutating func receive(_ input: GroupSyncInput, now: Instant) -> [GroupSyncEffect] {
        switch input {
        case .shared(let root):
            guard groups[root] == nil else { break }
            groups[root] = Group(heard: spoken.removeValue(forKey: root))
            offered.remove(root)
            departed.remove(root)
            tell(root)
            compare(root)
        case .unshared(let root): drop(root)
        case .heard(let frame): hear(frame, now)
        case .offered(let root, let heads):
            guard groups[root] == nil, offered.insert(root).inserted else { break }
            questions.append(GroupQuestion(GroupWantBody(root: root, heads: heads), settles: false))
        case .departed(let root, let entry):
            guard groups[root] == nil, departed.insert(root).inserted else { break }
            let digest = GroupTopsBody.digest(of: [])
            effects.append(.send(.heads(GroupHeadsBody(root: root, heads: [entry], digest: digest))))
        case .heads(let body): told(body)
        case .compared(let root, let isSame, let new): compared(root, isSame: isSame, new)
        case .tops(let root, let tops): send(tops, of: root)
        case .planned(let root, let new):
            guard groups[root]?.isPlanning == true else { break }
            groups[root]?.isPlanning = false
            groups[root]?.failures = 0
            if let tops = groups[root]?.laterTops {
                plan(root, tops)
            } else {
                groups[root]?.hasPlanned = true
            }
            add(new, of: root)
            settle(root)
        case .page(let root, let page): answer(root, page)
        case .committed(let root, let commit): committed(root, commit, now)
        case .lacking(let root, let new): add(new, of: root, first: true)
        case .failed(let effect): failed(effect, now)
        case .changed(let root, let pause): tellLater(root, now + pause)
        case .news(let root, let pause):
            guard let group = groups[root], group.isPartner || group.tellsPartner else { break }
            tellLater(root, now + pause)
        case .partner(let root, let isPartner):
            guard let group = groups[root], group.isPartner != isPartner else { break }
            groups[root]?.isPartner = isPartner
            // Before the first word there is nothing to set right.
            if group.told != nil { tell(root) }
        case .tick: tick(now)
        }
        ask(now)
        defer { effects = [] }
        return effects
    }

    // MARK: What we have

    private mutating func tell(_ root: EntryHash) {
        guard let group = groups[root], !group.isReadingHeads else { return }
        groups[root]?.isReadingHeads = true
        effects.append(.readHeads(root))
    }

    private mutating func tellLater(_ root: EntryHash, _ moment: Instant) {
        guard let group = groups[root] else { return }
        groups[root]?.tellAt = min(group.tellAt ?? moment, moment)
    }

    private mutating func told(_ body: GroupHeadsBody) {
        guard let group = groups[body.root], group.isReadingHeads else { return }
        groups[body.root]?.isReadingHeads = false
        groups[body.root]?.failures = 0
        var body = body
        body.wantsNews = group.isPartner
        guard group.told != body else { return }
        // The peer need not hear what it has just said itself.
        if let told = group.told, told.wantsNews == body.wantsNews, group.said?.isSame(as: body) == true {
            groups[body.root]?.told = body
            return
        }
        groups[body.root]?.told = body
        effects.append(.send(.heads(body)))
    }

    private mutating func send(_ tops: [LogReference], of root: EntryHash) {
        guard let group = groups[root], group.isReadingTops else { return }
        groups[root]?.isReadingTops = false
        groups[root]?.failures = 0
        groups[root]?.hasAskedTops = !group.isReply
        var rest = tops.prefix(PeerLimits.groupTops)
        repeat {
            let page = Array(rest.prefix(PeerLimits.groupTopsInFrame))
            rest = rest.dropFirst(page.count)
            let body = GroupTopsBody(root: root, tops: page, isReply: group.isReply, hasMore: !rest.isEmpty)
            effects.append(.send(.tops(body)))
        } while !rest.isEmpty
        groups[root]?.asksNext = false
        if group.asksNext { readTops(root, isReply: false) }
    }

    private mutating func readTops(_ root: EntryHash, isReply: Bool) {
        guard let group = groups[root] else { return }
        guard !group.isReadingTops else {
            // The peer's have come before ours went out: ours answer them. And what it has now is asked for behind the answer.
            if isReply { groups[root]?.isReply = true } else if group.isReply { groups[root]?.asksNext = true }
            return
        }
        groups[root]?.isReadingTops = true
        groups[root]?.isReply = isReply
        effects.append(.readTops(root))
    }

    // MARK: What the peer says

    private mutating func hear(_ frame: GroupFrame, _ now: Instant) {
        guard groups[frame.root] != nil else { return hearOfAnother(frame) }
        switch frame {
        case .heads(let body):
            groups[body.root]?.heard = body
            groups[body.root]?.said = body
            groups[body.root]?.tellsPartner = body.wantsNews ?? true
            compare(body.root)
        case .tops(let body): hear(body)
        case .want(let want):
            // A peer that keeps to the rules has one question under way; if there are more, the last one counts.
            if serving != nil { nextServed = want } else { serve(want) }
        case .entries(let page): take(page)
        case .typing: break
        }
    }

    /// If we don't share the group, as committed here, we say nothing of it but how the peer left it; and if the peer
    /// believes us to be in it, we ask for the membership.
    private mutating func hearOfAnother(_ frame: GroupFrame) {
        switch frame {
        case .heads(let body):
            guard considered.contains(body.root) || considered.count < PeerLimits.groupsConsidered else { return }
            if body.heads.count <= PeerLimits.groupParents { spoken[body.root] = body }
            if considered.insert(body.root).inserted { effects.append(.consider(body)) }
        case .want(let want) where departed.contains(want.root):
            if serving != nil { nextServed = want } else { serve(want) }
        // There is nothing to give. This is said of every group alike, so that the question holds up no other.
        case .want(let want): effects.append(.send(.entries(GroupEntriesBody(root: want.root))))
        case .entries(let page) where offered.contains(page.root): take(page)
        default: break
        }
    }

    private mutating func take(_ page: GroupEntriesBody) {
        guard let asked, !asked.isCommitting, asked.question.want.root == page.root else { return }
        self.asked?.page = page
        effects.append(.commit(page, asked: asked.question))
    }

    private mutating func compare(_ root: EntryHash) {
        guard let group = groups[root], !group.isComparing, let body = group.heard else { return }
        groups[root]?.heard = nil
        groups[root]?.isComparing = true
        effects.append(.compare(body))
    }

    private mutating func compared(_ root: EntryHash, isSame: Bool, _ new: [GroupQuestion]) {
        guard groups[root]?.isComparing == true else { return }
        groups[root]?.isComparing = false
        groups[root]?.failures = 0
        // Entries that have been lacking for long are asked for once in a session.
        let hasAsked = groups[root]?.hasAskedGaps ?? true
        groups[root]?.hasAskedGaps = true
        add(hasAsked ? new.filter { $0.want.heads != nil } : new, of: root)
        if !isSame { readTops(root, isReply: false) }
        // A peer that has the same ends of chains has the same end of ours.
        if isSame { groups[root]?.hasPlanned = true }
        settle(root)
        compare(root)
    }

    /// Once what was planned has come, nothing of our own chain that this peer has is unknown here.
    private mutating func settle(_ root: EntryHash) {
        guard let group = groups[root], group.hasPlanned, !group.hasSettled, !isAsking(of: root) else { return }
        groups[root]?.hasSettled = true
        effects.append(.settled(root))
    }

    private mutating func hear(_ body: GroupTopsBody) {
        guard var group = groups[body.root] else { return }
        if group.peerTops.count + body.tops.count <= PeerLimits.groupTops { group.peerTops += body.tops }
        guard !body.hasMore else {
            groups[body.root] = group
            return
        }
        let tops = group.peerTops
        group.peerTops = []
        let hasAsked = group.hasAskedTops
        group.hasAskedTops = false
        groups[body.root] = group
        plan(body.root, tops)
        if !body.isReply, !hasAsked { readTops(body.root, isReply: true) }
    }

    /// One plan at a time: two at once would ask for the same twice.
    private mutating func plan(_ root: EntryHash, _ tops: [LogReference]) {
        guard groups[root]?.isPlanning == false else {
            groups[root]?.laterTops = tops
            return
        }
        groups[root]?.isPlanning = true
        groups[root]?.laterTops = nil
        effects.append(.plan(root, tops: tops))
    }

    private mutating func serve(_ want: GroupWantBody) {
        serving = want
        effects.append(.readPage(want))
    }

    private mutating func answer(_ root: EntryHash, _ page: GroupEntriesBody?) {
        guard serving?.root == root else { return }
        groups[root]?.failures = 0
        // A peer that is no member any more is not told even that there is nothing.
        if groups[root] != nil || departed.contains(root), let page { effects.append(.send(.entries(page))) }
        serveNext()
    }

    private mutating func serveNext() {
        serving = nil
        guard let next = nextServed else { return }
        nextServed = nil
        if groups[next.root] != nil || departed.contains(next.root) { serve(next) }
    }

    // MARK: What we ask for

    private mutating func add(_ new: [GroupQuestion], of root: EntryHash, first: Bool = false) {
        guard let group = groups[root] else { return }
        // The membership decides who may have written what, and comes before all else of its group.
        let membership = group.refusesMembership ? [] : new.filter { $0.want.heads != nil }
        let others = new.filter { $0.want.heads == nil }
        let fresh = others.filter { !isKnown($0) }.prefix(max(0, PeerLimits.groupQuestions - questions.count))
        questions.insert(contentsOf: fresh, at: first ? questions.startIndex : questions.endIndex)
        for question in membership
        where asked?.question.want.heads == nil || asked?.question.want.root != root {
            questions.removeAll { $0.want.root == root && $0.want.heads != nil }
            questions.insert(question, at: questions.startIndex)
        }
    }

    private mutating func ask(_ now: Instant) {
        guard asked == nil, !questions.isEmpty else { return }
        let question = questions.removeFirst()
        asked = Asked(question: question, until: now + PeerLimits.groupAnswerTime)
        effects.append(.send(.want(question.want)))
    }

    private mutating func committed(_ root: EntryHash, _ commit: GroupCommit, _ now: Instant) {
        guard let done = asked, let page = done.page, page.root == root else { return }
        asked = nil
        guard groups[root] != nil || offered.contains(root) else { return }
        groups[root]?.failures = 0
        groups[root]?.unanswered = 0
        if commit.hasNews {
            groups[root]?.hasNews = true
            lastProgress = now
        }
        if commit.refusesMembership {
            groups[root]?.refusesMembership = true
            questions.removeAll { $0.want.root == root && $0.want.heads != nil }
        }
        add(commit.questions, of: root, first: true)
        if page.hasMore,
            let rest = done.question.rest(
                after: page, entries: commit.entries, heads: commit.refusesMembership ? nil : commit.heads)
        {
            // Behind the other groups' questions, but for the membership.
            questions.insert(rest, at: rest.want.heads == nil ? questions.endIndex : questions.startIndex)
        }
        settle(root)
        guard groups[root]?.hasNews == true, !questions.contains(where: { $0.want.root == root }) else { return }
        // All that was asked for is here. Whether that was all, telling it will show.
        groups[root]?.hasNews = false
        tellLater(root, now + PeerLimits.announceAfterCatchUp)
    }

    private mutating func drop(_ root: EntryHash) {
        groups[root] = nil
        offered.remove(root)
        questions.removeAll { $0.want.root == root }
        retries.removeAll { $0.root == root }
        // A page that is being committed is; its answer is not waited for, for it may be this.
        if asked?.question.want.root == root { asked = nil }
        if nextServed?.root == root { nextServed = nil }
        if serving?.root == root { serveNext() }
    }

    private mutating func failed(_ effect: GroupSyncEffect, _ now: Instant) {
        guard let root = effect.root, groups[root] != nil || considered.contains(root) else {
            // Nothing is owed to a group that isn't shared any more, but what waits behind it goes on.
            if case .readPage(let want) = effect, serving == want { serveNext() }
            return
        }
        let doubled = PeerLimits.groupRetry.first * (1 << min(groups[root]?.failures ?? 0, 10))
        let due = now + min(doubled, PeerLimits.groupRetry.longest)
        groups[root]?.failures += 1
        lastProgress = lastProgress ?? now
        switch effect {
        case .commit(let page, let question):
            guard let asked, asked.page == page, asked.question == question else { return }
            self.asked = nil
            retries.append(Retry(at: due, root: root, work: .question(question)))
        case .readPage(let want):
            guard serving == want else { return }
            // A peer that asks for something else doesn't wait for this any more.
            if nextServed != nil { return serveNext() }
            retries.append(Retry(at: due, root: root, work: .effect(effect)))
        default: retries.append(Retry(at: due, root: root, work: .effect(effect)))
        }
    }

    private mutating func tryAgain(_ retry: Retry) {
        switch retry.work {
        case .question(let question) where groups[retry.root] == nil:
            if offered.contains(retry.root) { questions.append(question) }
        case .question(let question), .unanswered(let question): add([question], of: retry.root, first: true)
        case .effect(.readPage(let want)):
            guard serving == want else { return }
            if nextServed != nil { return serveNext() }
            effects.append(.readPage(want))
        case .effect(.compare(let body)):
            // The peer's later word counts.
            let newer = groups[retry.root]?.heard
            groups[retry.root]?.heard = nil
            effects.append(.compare(newer ?? body))
        case .effect(let effect): effects.append(effect)
        }
    }

    private mutating func tick(_ now: Instant) {
        for (root, group) in groups.sorted(by: { $0.key < $1.key }) {
            guard let due = group.tellAt, due <= now else { continue }
            groups[root]?.tellAt = nil
            tell(root)
        }
        let due = retries.filter { $0.at <= now }
        retries.removeAll { $0.at <= now }
        for retry in due { tryAgain(retry) }
        if let asked, !asked.isCommitting, asked.until <= now {
            self.asked = nil
            unanswered(asked.question, now)
            settle(asked.question.want.root)
        }
    }
}
