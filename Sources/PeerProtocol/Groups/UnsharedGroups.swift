import Vocabulary

/// The groups that the peer speaks of and that we don't share with it. Each is looked up once, and we say nothing about
/// it except how one of us left it.
struct UnsharedGroups: Sendable {
    private var considered: Set<EntryHash> = []
    /// The peer's last word on each: we may come to share the group in a moment.
    private var spoken: [EntryHash: GroupHeadsBody] = [:]
    /// Those whose membership is asked for.
    private var offered: Set<EntryHash> = []
    /// Groups for which the peer was told how it left.
    private var departed: Set<EntryHash> = []

    /// The peer says what it has of a group.
    /// - Returns: whether the group is to be looked up.
    mutating func hear(_ body: GroupHeadsBody) -> Bool {
        guard considered.contains(body.root) || considered.count < PeerLimits.groupsConsidered else { return false }
        if body.heads.count <= PeerLimits.groupParents { spoken[body.root] = body }
        return considered.insert(body.root).inserted
    }

    /// - Returns: false if the membership is asked for already, or too many are.
    mutating func offer(_ root: EntryHash) -> Bool {
        guard considered.contains(root) || considered.count < PeerLimits.groupsConsidered else { return false }
        considered.insert(root)
        return offered.insert(root).inserted
    }

    /// - Returns: false if the peer is told already how it left.
    mutating func depart(_ root: EntryHash) -> Bool { departed.insert(root).inserted }

    func isConsidered(_ root: EntryHash) -> Bool { considered.contains(root) }

    func isOffered(_ root: EntryHash) -> Bool { offered.contains(root) }

    func hasDeparted(_ root: EntryHash) -> Bool { departed.contains(root) }

    /// The group is shared from now on.
    /// - Returns: the peer's last word on it.
    mutating func share(_ root: EntryHash) -> GroupHeadsBody? {
        offered.remove(root)
        departed.remove(root)
        return spoken.removeValue(forKey: root)
    }

    /// Notes that the group is no longer shared, so its membership isn't asked for either.
    mutating func unshare(_ root: EntryHash) { offered.remove(root) }
}
