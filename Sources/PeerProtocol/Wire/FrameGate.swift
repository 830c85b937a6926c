import Vocabulary

/// With which peers frames of a kind are exchanged. A blocked peer passes no gate.
public enum FrameGate: Hashable, Sendable {
    case everyone
    /// Everyone except strangers.
    case acquaintances
    /// Friends, and the peers that we have asked to become friends.
    case friendsAndAsked
    case friends
    /// Friends, and members of a group of ours.
    case friendsAndGroupMates

    /// Whether such a peer passes.
    public func admits(_ relation: Relation, isGroupMate: Bool = false) -> Bool {
        switch self {
        case .everyone: relation != .blocked
        case .acquaintances: relation != .none && relation != .blocked
        case .friendsAndAsked: relation == .friend || relation == .requested
        case .friends: relation == .friend
        case .friendsAndGroupMates: relation == .friend || (isGroupMate && relation != .blocked)
        }
    }
}
