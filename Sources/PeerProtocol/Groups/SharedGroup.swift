import Basics
import Vocabulary

/// One group that is shared with the peer: what each side has said that it has, and how far the two are compared. What the owner has to
/// do is added to `effects`.
struct SharedGroup: Sendable {
    private let root: EntryHash
    /// Failures of the owner in a row.
    private var failures = 0

    /// Our last word to the peer.
    private var told: GroupHeadsBody?
    private var isReadingHeads = false
    /// Whether we want to hear of news from the peer, and it from us. One that doesn't say wants to.
    private var isPartner = false
    private var tellsPartner = true
    /// When to tell it again.
    private(set) var tellAt: Instant?
    /// Something came from this peer since it was last told what we have.
    private var hasNews = false

    /// The peer's last word.
    private var said: GroupHeadsBody?
    /// The peer's last word, while an earlier one is being compared.
    private var heard: GroupHeadsBody?
    private var isComparing = false
    private var hasAskedGaps = false

    private var isReadingTops = false
    private var isReply = false
    /// The read under way is for an answer, and a question is to follow it.
    private var asksNext = false
    /// We have sent our tops, and the peer has not answered with its own.
    private var hasAskedTops = false
    /// The peer's, until the last frame of them.
    private var peerTops: [LogReference] = []
    private var isPlanning = false
    /// The peer's last, which came while earlier ones were being planned for.
    private var laterTops: [LogReference]?
    /// Whether the peer's ends of chains have been planned for; its answers may still be under way.
    private var hasPlanned = false
    private var hasSettled = false

    /// - Parameter heard: what the peer has said of the group already.
    init(_ root: EntryHash, heard: GroupHeadsBody?) {
        self.root = root
        self.heard = heard
    }

    /// Whether the peer's word is being compared, or its ends of chains are looked at.
    var isBusy: Bool { isComparing || isReadingTops || isPlanning }

    /// Whether nothing is under way or waits for its time.
    var isIdle: Bool { !isBusy && !isReadingHeads && tellAt == nil }

    // MARK: What we have

    mutating func tell(_ effects: inout [GroupSyncEffect]) {
        guard !isReadingHeads else { return }
        isReadingHeads = true
        effects.append(.readHeads(root))
    }

    mutating func tellLater(_ moment: Instant) { tellAt = min(tellAt ?? moment, moment) }

    mutating func tick(_ now: Instant, _ effects: inout [GroupSyncEffect]) {
        guard let due = tellAt, due <= now else { return }
        tellAt = nil
        tell(&effects)
    }

    /// Our heads have been read.
    mutating func tell(_ body: GroupHeadsBody, _ effects: inout [GroupSyncEffect]) {
        guard isReadingHeads else { return }
        isReadingHeads = false
        failures = 0
        var body = body
        body.wantsNews = isPartner
        guard told != body else { return }
        // The peer need not hear what it has just said itself.
        let isKnown = told?.wantsNews == body.wantsNews && said?.isSame(as: body) == true
        told = body
        if !isKnown { effects.append(.send(.heads(body))) }
    }

    /// Notes that something new has come from another peer.
    mutating func tellOfNews(_ moment: Instant) { if isPartner || tellsPartner { tellLater(moment) } }

    mutating func setPartner(_ isPartner: Bool, _ effects: inout [GroupSyncEffect]) {
        guard self.isPartner != isPartner else { return }
        self.isPartner = isPartner
        // Before the first word there is nothing to set right.
        if told != nil { tell(&effects) }
    }

    /// A page of this peer was committed.
    mutating func committed(hasNews: Bool) {
        failures = 0
        if hasNews { self.hasNews = true }
    }

    /// Notes that everything we asked for is here. Telling the peer will show whether that was all.
    mutating func tellCaughtUp(_ moment: Instant) {
        guard hasNews else { return }
        hasNews = false
        tellLater(moment)
    }

    // MARK: What the peer says

    mutating func hear(_ body: GroupHeadsBody, _ effects: inout [GroupSyncEffect]) {
        heard = body
        said = body
        tellsPartner = body.wantsNews ?? true
        compare(&effects)
    }

    mutating func compare(_ effects: inout [GroupSyncEffect]) {
        guard !isComparing, let body = heard.take() else { return }
        isComparing = true
        effects.append(.compare(body))
    }

    /// The comparison of an earlier word is tried again: the peer's later word counts.
    mutating func drainLaterWord() -> GroupHeadsBody? { heard.take() }

    /// - Returns: what to ask for; nil if nothing was being compared.
    mutating func compared(
        isSame: Bool, _ new: [GroupQuestion], _ effects: inout [GroupSyncEffect]
    ) -> [GroupQuestion]? {
        guard isComparing else { return nil }
        isComparing = false
        failures = 0
        // A peer that has the same ends of chains has the same end of ours.
        if isSame { hasPlanned = true } else { readTops(isReply: false, &effects) }
        // Entries that have been lacking for long are asked for once in a session.
        defer { hasAskedGaps = true }
        return hasAskedGaps ? new.filter { $0.want.heads != nil } : new
    }

    // MARK: Ends of chains

    private mutating func readTops(isReply: Bool, _ effects: inout [GroupSyncEffect]) {
        guard !isReadingTops else {
            // The peer's tops came before ours were sent, so ours are the answer. What the peer has now is asked for
            // after that answer.
            if isReply { self.isReply = true } else if self.isReply { asksNext = true }
            return
        }
        isReadingTops = true
        self.isReply = isReply
        effects.append(.readTops(root))
    }

    /// What the peer has is asked for, if it has said nothing yet.
    mutating func ask(_ effects: inout [GroupSyncEffect]) {
        guard said == nil, !hasPlanned, !isBusy else { return }
        readTops(isReply: false, &effects)
    }

    /// Our tops have been read.
    mutating func send(_ tops: [LogReference], _ effects: inout [GroupSyncEffect]) {
        guard isReadingTops else { return }
        isReadingTops = false
        failures = 0
        hasAskedTops = !isReply
        var rest = tops.prefix(PeerLimits.groupTops)
        repeat {
            let page = Array(rest.prefix(PeerLimits.groupTopsInFrame))
            rest = rest.dropFirst(page.count)
            let body = GroupTopsBody(root: root, tops: page, isReply: isReply, hasMore: !rest.isEmpty)
            effects.append(.send(.tops(body)))
        } while !rest.isEmpty
        guard asksNext else { return }
        asksNext = false
        readTops(isReply: false, &effects)
    }

    mutating func hear(_ body: GroupTopsBody, _ effects: inout [GroupSyncEffect]) {
        if peerTops.count + body.tops.count <= PeerLimits.groupTops { peerTops += body.tops }
        guard !body.hasMore else { return }
        plan(peerTops, &effects)
        peerTops = []
        if !hasAskedTops, !body.isReply { readTops(isReply: true, &effects) }
        hasAskedTops = false
    }

    /// One plan at a time: two at once would ask for the same twice.
    private mutating func plan(_ tops: [LogReference], _ effects: inout [GroupSyncEffect]) {
        guard !isPlanning else {
            laterTops = tops
            return
        }
        isPlanning = true
        effects.append(.plan(root, tops: tops))
    }

    /// - Returns: false if nothing was being planned.
    mutating func planned(_ effects: inout [GroupSyncEffect]) -> Bool {
        guard isPlanning else { return false }
        isPlanning = false
        failures = 0
        if let tops = laterTops.take() { plan(tops, &effects) } else { hasPlanned = true }
        return true
    }

    /// Once everything that was planned has come, we know all that this peer has of our own chain.
    mutating func settle(_ effects: inout [GroupSyncEffect]) {
        guard hasPlanned, !hasSettled else { return }
        hasSettled = true
        effects.append(.settled(root))
    }

    // MARK: What fails

    /// The owner could not do something: the pause until it tries again.
    mutating func failed() -> Duration {
        let doubled = PeerLimits.groupRetry.first * (1 << min(failures, 10))
        failures += 1
        return min(doubled, PeerLimits.groupRetry.longest)
    }

    /// The owner has done something again.
    mutating func recovered() { failures = 0 }
}
