import Basics
import Vocabulary

/// The questions that we ask other members. None of them needs the group's graph where both have the same.
extension GroupLog {
    /// Our heads, which the other members are told.
    public func heads(_ membership: some MembershipView) throws -> GroupHeadsBody {
        GroupHeadsBody(
            root: root, heads: Array(membership.heads.prefix(PeerLimits.groupHeadsInFrame)),
            digest: GroupTopsBody.digest(of: try storage.tops()))
    }

    /// Compares what another member says with what is here.
    /// - Returns: whether both have the same tops; and what to ask that member for, whatever its tops are: membership
    ///   entries that it knows and we don't, and entries that have been missing here for longer.
    public func compare(
        _ body: GroupHeadsBody, _ membership: some MembershipView, own: AccountID
    ) throws -> (isSame: Bool, questions: [GroupQuestion]) {
        var questions: [GroupQuestion] = []
        if try body.heads.contains(where: { try !membership.contains($0) }) {
            questions.append(GroupQuestion(wantMembership(membership), settles: false))
        }
        questions += try gaps(membership, own)
        return (GroupTopsBody.digest(of: try storage.tops()) == body.digest, questions)
    }

    /// Everything of the membership that is not here.
    public func wantMembership(_ membership: some MembershipView) -> GroupWantBody {
        GroupWantBody(root: root, heads: Array(membership.heads.prefix(PeerLimits.groupHeadsInFrame)))
    }

    /// The questions for a member that has these ends of chains.
    public func questions(
        tops: [LogReference], _ membership: some MembershipView, own: AccountID
    ) throws -> [GroupQuestion] {
        var asked = Asked()
        for top in tops where try storage.state(of: top.hash) != .delivered {
            try ask(for: top, membership, own, &asked)
        }
        // A member that has an entry that is held here has what it waits for, or we wait for that no longer.
        var settling = Asked(floors: asked.floors)
        let last = Dictionary(tops.map { ($0.device, $0.sequence) }, uniquingKeysWith: max)
        for reference in try storage.missing(limit: PeerLimits.groupWants) {
            let waiters = try storage.waiters(for: reference.hash)
            guard waiters.contains(where: { $0.sequence <= last[$0.device] ?? 0 }) else { continue }
            try ask(for: reference, membership, own, &settling)
        }
        return asked.questions(root, settles: false) + settling.questions(root, settles: true)
    }

    /// The questions for what a member's entries wait for: the member has that, or we wait for it no longer.
    public func questions(
        missing: [LogReference], _ membership: some MembershipView, own: AccountID
    ) throws -> [GroupQuestion] {
        var asked = Asked()
        for reference in missing where try storage.state(of: reference.hash) == nil {
            try ask(for: reference, membership, own, &asked)
        }
        return asked.questions(root, settles: true)
    }

    /// Entries that others were shown without, and entries that came without their content: perhaps this member has
    /// them.
    private func gaps(_ membership: some MembershipView, _ own: AccountID) throws -> [GroupQuestion] {
        var asked = Asked()
        for reference in try storage.absent(limit: PeerLimits.groupWants) {
            try ask(for: reference, membership, own, &asked)
        }
        asked.hashes.formUnion(try storage.lackingContent(limit: PeerLimits.groupContentsAsked))
        return asked.questions(root, settles: false)
    }

    /// Asks for everything between the end of our chain and this entry. If the entry isn't beyond that end (the chain
    /// forks or has gaps), asks for the entry alone.
    private func ask(
        for reference: LogReference, _ membership: some MembershipView, _ own: AccountID, _ asked: inout Asked
    ) throws {
        let floors = try asked.floors ?? membership.floors(of: own)
        asked.floors = floors
        let floor = floors[reference.device] ?? 1
        guard reference.sequence >= floor else { return }
        let next = max(try storage.lastDelivered(of: reference.device) + 1, floor)
        if next <= reference.sequence {
            let to = max(asked.ranges[reference.device]?.to ?? 0, reference.sequence)
            asked.ranges[reference.device] = (next, to)
        } else if try storage.state(of: reference.hash) == nil {
            asked.hashes.insert(reference.hash)
        }
    }

    private struct Asked {
        /// Read only once something is to be asked for.
        var floors: [DeviceID: UInt64]?
        var ranges: [DeviceID: (from: UInt64, to: UInt64)] = [:]
        var hashes: Set<EntryHash> = []

        init(floors: [DeviceID: UInt64]? = nil) { self.floors = floors }

        /// As many questions as it takes.
        func questions(_ root: EntryHash, settles: Bool) -> [GroupQuestion] {
            var ranges = ranges.compactMap { LogRange(device: $0.key, from: $0.value.from, to: $0.value.to) }.sorted()[
                ...]
            var hashes = hashes.sorted()[...]
            var questions: [GroupQuestion] = []
            while !ranges.isEmpty || !hashes.isEmpty {
                let limit = PeerLimits.groupWants
                let want = GroupWantBody(
                    root: root, ranges: Array(ranges.prefix(limit)), hashes: Array(hashes.prefix(limit)))
                questions.append(GroupQuestion(want, settles: settles))
                ranges = ranges.dropFirst(limit)
                hashes = hashes.dropFirst(limit)
            }
            return questions
        }
    }
}

/// Something to ask a member for.
public struct GroupQuestion: Hashable, Sendable {
    public let want: GroupWantBody
    /// Whether the member must know: we wait no longer for an entry that it hasn't or may not give.
    public let settles: Bool

    public init(_ want: GroupWantBody, settles: Bool) {
        self.want = want
        self.settles = settles
    }

    /// The rest of the question after a page of the answer.
    /// - Parameters:
    ///   - entries: of the page.
    ///   - heads: our membership heads now; nil if no more of the membership is to be asked for.
    /// - Returns: nil if nothing is left, or the page brought nothing and asking on is vain.
    public func rest(after page: GroupEntriesBody, entries: [LogReference], heads: [EntryHash]?) -> GroupQuestion? {
        // If our heads don't fit into a frame, or haven't changed, they don't tell what the page has brought.
        let told = heads.map { Array($0.prefix(PeerLimits.groupHeadsInFrame)) }
        let isVague = told.map { $0.count == PeerLimits.groupHeadsInFrame || $0 == want.heads } ?? false
        let after = isVague ? page.membership.last.flatMap(MembershipEntry.hash) : nil
        let named = Set(want.hashes)
        var reached: [DeviceID: UInt64] = [:]
        for entry in entries where !named.contains(entry.hash) {
            reached[entry.device] = max(reached[entry.device] ?? 0, entry.sequence)
        }
        // A page goes through all chains at once, and each from its beginning.
        let ranges = want.ranges.compactMap { range in
            var from = max(range.from, (reached[range.device] ?? 0) + 1)
            for gap in page.withheld where gap.device == range.device && gap.from <= from {
                from = max(from, gap.to + 1)
            }
            return LogRange(device: range.device, from: from, to: range.to)
        }
        let gone = Set(entries.map(\.hash)).union(page.unavailable)
        let rest = GroupWantBody(
            root: want.root, heads: want.heads == nil || !page.hasMore ? nil : told, ranges: ranges,
            hashes: want.hashes.filter { !gone.contains($0) }, after: after)
        return rest == want || rest.isEmpty ? nil : GroupQuestion(rest, settles: settles)
    }
}
