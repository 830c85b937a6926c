import Vocabulary

// What a session grants to the account at the other end, by how we stand to it.

extension Relation {
    /// Bytes of a body that is kept: see ``PeerLimits/strangerBodyBytes``. Whom we asked may become a friend with its next
    /// frame and write at length in the one behind it.
    func keptBodyBytes(isGroupMate: Bool) -> Int {
        if isGroupMate, self != .blocked { return PeerLimits.frameBodyBytes }
        return switch self {
        case .friend, .requested: PeerLimits.frameBodyBytes
        case .none, .incoming, .blocked: PeerLimits.strangerBodyBytes
        }
    }

    /// How much of theirs may wait for its commit. The contact frames that are taken from strangers wait for each other.
    func backlog(isGroupMate: Bool) -> Backlog {
        let isTrusted = keptBodyBytes(isGroupMate: isGroupMate) == PeerLimits.frameBodyBytes
        return Backlog(
            frames: PeerLimits.backlogFrames,
            bytes: isTrusted ? PeerLimits.backlogBytes : PeerLimits.strangerBacklogBytes)
    }

    /// Whether a frame of this kind is taken from such a peer. The whole gate:
    ///
    ///                        none  requested  incoming  friend  group mate
    ///     ping … card          ×       ×         ×        ×         ×
    ///     contact request      ×       ×         ×        ×         ×
    ///     contact answer       ×       ×         ×        ×         ×
    ///     peer exchange, its request  ×       ×         ×        ×         ×
    ///     discovery keys       ×       ×         ×        ×         ×
    ///     contact removal              ×         ×        ×
    ///     groups (64–79)                                  ×         ×
    ///     avatars                                         ×         ×
    ///     everything else                                 ×
    ///
    /// - Parameter isGroupMate: whether we both are members of some group, as committed here. It adds to the relation. Whether
    ///   it is the group of the frame is for whoever commits it.
    public func admits(_ kind: FrameKind, isGroupMate: Bool = false) -> Bool {
        switch kind {
        // Groups have pictures, too.
        case _ where kind.isOfGroups, .avatarRequest, .avatar: self == .friend || (isGroupMate && self != .blocked)
        case .ping, .pong, .close, .receipt, .card, .contactRequest, .contactAnswer, .peerExchangeRequest,
            .peerExchange,
            .discoveryKeys:
            self != .blocked
        case .contactRemoval: self != .none && self != .blocked
        default: self == .friend
        }
    }
}
