import Vocabulary

/// How the peer of a session stands with us: what it may send, and how much of it, depends on this.
struct PeerStanding: Hashable, Sendable {
    var relation: Relation
    /// Whether we both are members of some group, as committed here. It adds to the relation. The commit of a group's frame finds
    /// out whether it is this group.
    var isGroupMate: Bool
    /// Whether the peer may be a friend who is not known here, because our disk was lost.
    var mayBeFriend = false

    /// Whether the peer may hand on much: a group mate hands on what thousands have written in the group.
    var isTrusted: Bool { FrameGate.friendsAndGroupMates.admits(relation, isGroupMate: isGroupMate) }

    /// Bytes of a body that is kept: see ``PeerLimits/strangerBodyBytes``. A peer that we have asked may become a friend with its
    /// next frame and write at length in the one behind it.
    var keptBodyBytes: Int {
        isTrusted || relation == .requested ? PeerLimits.frameBodyBytes : PeerLimits.strangerBodyBytes
    }

    /// How much of the peer's may wait for its commit. The contact frames that are taken from strangers wait for each other.
    var backlog: Backlog {
        Backlog(
            frames: PeerLimits.backlogFrames,
            bytes: keptBodyBytes == PeerLimits.frameBodyBytes
                ? PeerLimits.backlogBytes : PeerLimits.strangerBacklogBytes)
    }
}

extension FrameGate {
    func admits(_ peer: PeerStanding) -> Bool { admits(peer.relation, isGroupMate: peer.isGroupMate) }
}
