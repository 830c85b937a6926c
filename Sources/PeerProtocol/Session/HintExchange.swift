import Basics

/// Why a hint was not obeyed.
public enum IgnoredFrame: String, Hashable, Sendable, CaseIterable {
    /// It can't be read.
    case malformed
    /// A peer with this standing may not send it.
    case notAllowed = "not_allowed"
    /// Its sender has had its share for now.
    case tooOften = "too_often"
    /// It answers nothing that we have asked.
    case unasked
}

/// The hints of one session: which of the peer's are obeyed, and what of ours is told and when.
struct HintExchange: Sendable {
    /// A value that the other side has to know, and the pace at which it hears of changes.
    private struct State: Sendable {
        let rule: Hint.Rule
        var value: Hint?
        var paced: Paced<Hint>

        init(_ rule: Hint.Rule, _ state: Hint.Rule.State, told: Hint?) {
            self.rule = rule
            value = state.first
            paced = Paced(state.pace, told: told)
        }
    }

    /// States of ours, which the peer is told.
    private var own: [State]
    /// The peer's states, which are reported to our owner. At the beginning it believes nothing.
    private var peers: [State]
    private var limiters: [FrameKind: RateLimiter] = [:]
    /// Questions of ours that are not answered yet, by kind.
    private var open: [FrameKind: Int] = [:]
    /// Hints of the peer that were not obeyed.
    private(set) var ignored: [IgnoredFrame: UInt64] = [:]

    private static let questions = Set(Hint.table.compactMap(\.answers))

    init() {
        own = Hint.table.compactMap { rule in rule.told.map { State(rule, $0, told: $0.first) } }
        peers = Hint.table.compactMap { rule in rule.shown.map { State(rule, $0, told: nil) } }
    }

    // MARK: The peer's

    /// Takes a frame of the peer.
    /// - Returns: the hint to obey now, if there is one.
    mutating func receive(_ frame: Frame, _ rule: Hint.Rule, from peer: PeerStanding, now: Instant) -> Hint? {
        guard rule.from.admits(peer) else { return ignore(.notAllowed) }
        if let question = rule.answers, open[question, default: 0] == 0 { return ignore(.unasked) }
        if rule.isDear, !mayObey(rule, now: now) { return ignore(.tooOften) }
        guard let hint = try? Hint(frame) else { return ignore(.malformed) }
        if !rule.isDear, !mayObey(rule, now: now) { return ignore(.tooOften) }
        if let question = rule.answers { open[question, default: 0] -= 1 }
        if let index = peers.firstIndex(where: { $0.rule.kind == frame.kind }) {
            peers[index].value = hint
            return nil
        }
        return hint
    }

    private mutating func mayObey(_ rule: Hint.Rule, now: Instant) -> Bool {
        guard let limit = rule.limit else { return true }
        return limiters[rule.kind, default: RateLimiter(limit)].acquire(now: now)
    }

    /// Counts a frame that is not obeyed.
    @discardableResult
    mutating func ignore(_ why: IgnoredFrame) -> Hint? {
        ignored[why, default: 0] &+= 1
        return nil
    }

    /// States of the peer that are to be shown now. Only the last of several changes is shown.
    mutating func show(of peer: PeerStanding, now: Instant) -> [Hint] {
        peers.indices.compactMap { index in
            guard peers[index].rule.to.admits(peer), let value = peers[index].value else { return nil }
            return peers[index].paced.offer(value, now: now)
        }
    }

    // MARK: Ours

    /// Takes a hint of ours; a state is remembered even where it can't be told yet.
    /// - Returns: the frame to send now, if there is one.
    mutating func tell(_ hint: Hint, to peer: PeerStanding, isOpen: Bool, now: Instant) -> (FrameKind, [UInt8])? {
        // A hint that can't be encoded would not be taken either.
        guard let (kind, body) = try? hint.encoded(), let rule = Hint.rules[kind] else { return nil }
        if let index = own.firstIndex(where: { $0.rule.kind == kind }) {
            own[index].value = hint
            return isOpen ? tell(index, to: peer, now: now) : nil
        }
        guard isOpen, rule.to.admits(peer) else { return nil }
        if Self.questions.contains(kind) { open[kind, default: 0] += 1 }
        return (kind, body)
    }

    /// States of ours that are to be sent now.
    mutating func tellStates(to peer: PeerStanding, now: Instant) -> [(FrameKind, [UInt8])] {
        own.indices.compactMap { tell($0, to: peer, now: now) }
    }

    private mutating func tell(_ index: Int, to peer: PeerStanding, now: Instant) -> (FrameKind, [UInt8])? {
        guard own[index].rule.to.admits(peer), let value = own[index].value,
            let hint = own[index].paced.offer(value, now: now)
        else { return nil }
        return try? hint.encoded()
    }

    // MARK: Standing and time

    /// Applies the peer's new standing. If the peer may no longer know a state, we can't tell later what it believes.
    mutating func change(to peer: PeerStanding) {
        for index in own.indices where !own[index].rule.to.admits(peer) { own[index].paced.forget() }
        for index in peers.indices where !peers[index].rule.to.admits(peer) { peers[index].paced.forget() }
    }

    /// When a state has waited long enough; nil while none waits.
    func deadline(for peer: PeerStanding) -> Instant? {
        let told = own.lazy.filter { $0.rule.to.admits(peer) }.compactMap(\.paced.nextDeadline).min()
        let shown = peers.lazy.compactMap(\.paced.nextDeadline).min()
        return [told, shown].compactMap(\.self).min()
    }
}
