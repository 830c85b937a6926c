/// How we stand with the account at the other end, as committed on our side.
public enum PeerRelation: String, CaseIterable, Hashable, Sendable {
    /// A stranger.
    case none
    /// We asked and wait for the answer.
    case requested
    /// They asked and wait for ours.
    case incoming
    case friend
    /// Not wanted: a session with them is closed at once.
    case blocked

    /// Whether a frame of this kind is taken from such a peer. The whole gate:
    ///
    ///                        none  requested  incoming  friend
    ///     ping … card          ×       ×         ×        ×
    ///     contact request      ×       ×         ×        ×
    ///     contact answer       ×       ×         ×        ×
    ///     contact removal              ×         ×        ×
    ///     everything else                                 ×
    public func admits(_ kind: FrameKind) -> Bool {
        switch kind {
        case .ping, .pong, .close, .receipt, .card, .contactRequest, .contactAnswer: self != .blocked
        case .contactRemoval: self != .none && self != .blocked
        default: self == .friend
        }
    }
}
