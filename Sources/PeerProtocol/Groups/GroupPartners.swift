import Vocabulary

/// Which of the sessions that share a group are to tell us what is new in it: a few, so that news costs each member the same
/// however large the group is.
///
/// An author sends to every member in reach. The others learn of it from their partners: each member has chosen some,
/// and partners tell each other within seconds. With three partners each, a thousand random graphs of 256 members were
/// all connected.
///
///     let changes = partners.shared(root, with: session, using: &random)
///     for change in changes { line(change.session).feed(.partner(root, change.isPartner)) }
public struct GroupPartners<Session: Hashable> {
    /// Whether a session is a partner from now on.
    public struct Change: Equatable where Session: Equatable {
        public let session: Session
        public let isPartner: Bool
    }

    private struct Group {
        /// In the order of their coming, so that a seed decides.
        var sessions: [Session] = []
        var chosen: Set<Session> = []
    }

    private var groups: [EntryHash: Group] = [:]

    public init() {}

    /// The partners in a group.
    public func chosen(of root: EntryHash) -> Set<Session> { groups[root]?.chosen ?? [] }

    /// A session's peer shares a group with us, perhaps since before.
    public mutating func shared(
        _ root: EntryHash, with session: Session, using random: inout some RandomNumberGenerator
    ) -> [Change] {
        guard groups[root]?.sessions.contains(session) != true else { return [] }
        groups[root, default: Group()].sessions.append(session)
        return choose(root, using: &random)
    }

    /// Notes that it no longer shares this group.
    public mutating func unshared(
        _ root: EntryHash, with session: Session, using random: inout some RandomNumberGenerator
    ) -> [Change] {
        guard let index = groups[root]?.sessions.firstIndex(of: session) else { return [] }
        groups[root]?.sessions.remove(at: index)
        let wasChosen = groups[root]?.chosen.remove(session) != nil
        if groups[root]?.sessions.isEmpty == true { groups[root] = nil }
        return wasChosen ? choose(root, using: &random) : []
    }

    /// The session is over.
    /// - Returns: by group, the session that takes its place.
    public mutating func ended(
        _ session: Session, using random: inout some RandomNumberGenerator
    ) -> [(root: EntryHash, change: Change)] {
        groups.keys.filter { groups[$0]?.sessions.contains(session) == true }.sorted().flatMap { root in
            unshared(root, with: session, using: &random).map { (root, $0) }
        }
    }

    private mutating func choose(_ root: EntryHash, using random: inout some RandomNumberGenerator) -> [Change] {
        guard var group = groups[root] else { return [] }
        var changes: [Change] = []
        while group.chosen.count < PeerLimits.groupPartners,
            let session = group.sessions.filter({ !group.chosen.contains($0) }).randomElement(using: &random)
        {
            group.chosen.insert(session)
            changes.append(Change(session: session, isPartner: true))
        }
        groups[root] = group
        return changes
    }
}
