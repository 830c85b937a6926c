import Basics
import Vocabulary

/// The state of a ``GroupSync``.
extension GroupSync {
    /// Since when nothing new has come of what is asked for of a group.
    /// - Returns: nil if nothing is asked for, or nothing has come yet and our own disk has refused nothing.
    public func progress(of root: EntryHash) -> Instant? { isBusy(with: root) ? lastProgress : nil }

    /// Whether the peer's word of a group is being compared, or more of the group is asked for.
    public func isBusy(with root: EntryHash) -> Bool {
        guard let group = groups[root] else { return false }
        return group.isComparing || group.isReadingTops || group.isPlanning || isAsking(of: root)
    }

    func isAsking(of root: EntryHash) -> Bool {
        asked?.question.want.root == root || questions.contains { $0.want.root == root }
            || retries.contains { if case .question = $0.work { $0.root == root } else { false } }
    }

    func isKnown(_ question: GroupQuestion) -> Bool {
        questions.contains(question) || asked?.question == question
    }

    /// A peer that owes an answer: its disk may have its trouble. One that never answers isn't asked for ever, for others have
    /// the same.
    mutating func unanswered(_ question: GroupQuestion, _ now: Instant) {
        let root = question.want.root
        guard let group = groups[root], group.unanswered < PeerLimits.groupUnanswered else { return }
        groups[root]?.unanswered += 1
        retries.append(Retry(at: now + PeerLimits.groupRetry.longest, root: root, work: .unanswered(question)))
    }

    /// One group that is shared with the peer.
    struct Group {
        /// Our last word to the peer.
        var told: GroupHeadsBody?
        var isReadingHeads = false
        /// Whether we want to hear of news from the peer, and it from us. One that doesn't say wants to.
        var isPartner = false
        var tellsPartner = true
        /// The peer's last word.
        var said: GroupHeadsBody?
        /// Failures of the owner in a row.
        var failures = 0
        /// Questions in a row that the peer has not answered.
        var unanswered = 0
        /// When to tell it again.
        var tellAt: Instant?
        /// The peer's last word, while an earlier one is being compared.
        var heard: GroupHeadsBody?
        var isComparing = false
        var hasAskedGaps = false
        var isReadingTops = false
        var isReply = false
        /// The read under way is for an answer, and a question is to follow it.
        var asksNext = false
        /// We have sent our tops, and the peer has not answered with its own.
        var hasAskedTops = false
        /// The peer's, until the last frame of them.
        var peerTops: [LogReference] = []
        var isPlanning = false
        /// The peer's last, which came while earlier ones were being planned for.
        var laterTops: [LogReference]?
        /// A membership entry that the peer has was refused for good.
        var refusesMembership = false
        /// Something came from this peer since it was last told what we have.
        var hasNews = false
        /// Whether the peer's ends of chains have been planned for; its answers may still be under way.
        var hasPlanned = false
        var hasSettled = false
    }

    struct Asked {
        let question: GroupQuestion
        let until: Instant
        /// The answer, while it is being committed.
        var page: GroupEntriesBody?

        var isCommitting: Bool { page != nil }
    }

    /// An effect that could not be done.
    struct Retry {
        let at: Instant
        let root: EntryHash
        let work: Work

        enum Work {
            case effect(GroupSyncEffect)
            /// The page is asked for once more: meanwhile other groups have their turn.
            case question(GroupQuestion)
            /// The peer has not answered.
            case unanswered(GroupQuestion)
        }
    }
}
