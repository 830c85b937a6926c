import Basics
import Vocabulary

/// What we ask the peer for: one question at a time, of all groups.
struct GroupAsking: Sendable {
    /// The question under way.
    struct Asked: Sendable {
        let question: GroupQuestion
        let until: Instant
        /// The answer, while it is being committed.
        var page: GroupEntriesBody?

        var isCommitting: Bool { page != nil }
    }

    /// A question that is asked again: meanwhile other groups have their turn.
    private struct Retry {
        let at: Instant
        let question: GroupQuestion
        /// The peer has not answered; else our own disk could not take the answer.
        let isUnanswered: Bool
    }

    private var questions: [GroupQuestion] = []
    private var asked: Asked?
    private var retries: [Retry] = []
    /// Groups of whose membership an entry that the peer has was refused for good.
    private var refused: Set<EntryHash> = []
    /// How many questions in a row the peer has not answered, for each group.
    private var unanswered: [EntryHash: Int] = [:]
    /// When a page last brought something; before the first one, when our own disk first failed us.
    private(set) var lastProgress: Instant?

    var isIdle: Bool { asked == nil && questions.isEmpty && retries.isEmpty }

    var nextDeadline: Instant? {
        let answer = asked.flatMap { $0.isCommitting ? nil : $0.until }
        return (retries.map(\.at) + [answer].compactMap(\.self)).min()
    }

    /// Whether an answer about the group is awaited or committed, or a question waits. One that the peer left unanswered doesn't count.
    func isAsking(of root: EntryHash) -> Bool {
        asked?.question.want.root == root || hasQuestions(of: root)
            || retries.contains { !$0.isUnanswered && $0.question.want.root == root }
    }

    /// Whether questions about the group wait for their turn.
    func hasQuestions(of root: EntryHash) -> Bool { questions.contains { $0.want.root == root } }

    // MARK: Questions

    /// Adds questions about a group that we share, behind all others or before them. The membership decides who may have written
    /// what, and comes before all else.
    mutating func add(_ new: [GroupQuestion], of root: EntryHash, first: Bool = false) {
        let others = new.filter { $0.want.heads == nil }
        let fresh = others.filter { !isKnown($0) }.prefix(max(0, PeerLimits.groupQuestions - questions.count))
        questions.insert(contentsOf: fresh, at: first ? questions.startIndex : questions.endIndex)
        guard !refused.contains(root) else { return }
        for question in new where question.want.heads != nil {
            guard asked?.question.want.heads == nil || asked?.question.want.root != root else { continue }
            dropMembership(of: root)
            questions.insert(question, at: questions.startIndex)
        }
    }

    /// Adds a question about a group that we don't share.
    mutating func append(_ question: GroupQuestion) { questions.append(question) }

    /// The question to send now; nil while one is under way.
    mutating func ask(_ now: Instant) -> GroupWantBody? {
        guard asked == nil, !questions.isEmpty else { return nil }
        let question = questions.removeFirst()
        asked = Asked(question: question, until: now + PeerLimits.groupAnswerTime)
        return question.want
    }

    private func isKnown(_ question: GroupQuestion) -> Bool {
        questions.contains(question) || asked?.question == question
    }

    private mutating func dropMembership(of root: EntryHash) {
        questions.removeAll { $0.want.root == root && $0.want.heads != nil }
    }

    // MARK: Answers

    /// Takes a page of the peer.
    /// - Returns: the question that it answers; nil if it answers none.
    mutating func receive(_ page: GroupEntriesBody) -> GroupQuestion? {
        guard let question = asked?.question, asked?.isCommitting == false, question.want.root == page.root else {
            return nil
        }
        asked?.page = page
        return question
    }

    /// The page about this group is committed: the next question may go.
    /// - Returns: what was asked, with the page; nil if no such page was being committed.
    mutating func finish(_ root: EntryHash) -> Asked? {
        guard asked?.page?.root == root else { return nil }
        return asked.take()
    }

    /// Asks for what a committed page leaves open.
    /// - Parameter isShared: whether we share the group; else only the rest of its membership is asked for.
    mutating func goOn(
        from done: Asked, of root: EntryHash, _ commit: GroupCommit, isShared: Bool, now: Instant
    ) {
        unanswered[root] = nil
        if commit.hasNews { lastProgress = now }
        if commit.refusesMembership {
            if isShared { refused.insert(root) }
            dropMembership(of: root)
        }
        if isShared { add(commit.questions, of: root, first: true) }
        guard let page = done.page, page.hasMore,
            let rest = done.question.rest(
                after: page, entries: commit.entries, heads: commit.refusesMembership ? nil : commit.heads)
        else { return }
        // Behind the other groups' questions, but for the membership.
        questions.insert(rest, at: rest.want.heads == nil ? questions.endIndex : questions.startIndex)
    }

    // MARK: What fails

    /// Our own disk has failed us.
    mutating func noteFailure(_ now: Instant) { lastProgress = lastProgress ?? now }

    /// The page could not be committed: it is asked for again.
    mutating func failed(_ page: GroupEntriesBody, of question: GroupQuestion, due: Instant) {
        guard let asked, asked.page == page, asked.question == question else { return }
        self.asked = nil
        retries.append(Retry(at: due, question: question, isUnanswered: false))
    }

    /// Takes out the questions whose time to be asked again has come.
    mutating func drainDue(_ now: Instant) -> [GroupQuestion] {
        defer { retries.removeAll { $0.at <= now } }
        return retries.filter { $0.at <= now }.map(\.question)
    }

    /// Gives up the question under way if its time is over.
    mutating func expire(_ now: Instant) -> GroupQuestion? {
        guard let asked, !asked.isCommitting, asked.until <= now else { return nil }
        self.asked = nil
        return asked.question
    }

    /// Handles a missing answer about a group that we share: the peer's disk may be in trouble. We don't ask for ever,
    /// because others have the same entries.
    mutating func leaveUnanswered(_ question: GroupQuestion, _ now: Instant) {
        let count = unanswered[question.want.root, default: 0]
        guard count < PeerLimits.groupUnanswered else { return }
        unanswered[question.want.root] = count + 1
        retries.append(Retry(at: now + PeerLimits.groupRetry.longest, question: question, isUnanswered: true))
    }

    /// Forgets the questions about a group that is no longer shared.
    mutating func drop(_ root: EntryHash) {
        questions.removeAll { $0.want.root == root }
        retries.removeAll { $0.question.want.root == root }
        refused.remove(root)
        unanswered[root] = nil
        // A page that is being committed will still be committed. We don't wait for its answer, because this call may
        // be that answer.
        if asked?.question.want.root == root { asked = nil }
    }
}
