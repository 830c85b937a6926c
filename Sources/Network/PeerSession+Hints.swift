import PeerProtocol
import Vocabulary

/// Hints that the two sides give each other and do not keep.
extension PeerSession {
    /// Tells the peer a hint, if it is one that may hear it.
    package func tell(_ hint: Hint) { feed(.hint(hint)) }

    /// Asks for the avatar that the peer's card names.
    func askAvatar(_ digest: [UInt8]) { tell(.avatarRequest(AvatarRequestBody(digest: digest))) }
    /// Answers the peer's question for an avatar; nil where there is no such avatar here.
    func giveAvatar(_ digest: [UInt8], _ file: [UInt8]?) { tell(.avatar(AvatarBody(digest: digest, file: file))) }

    /// Tells the peer that the user is typing to it, or no more.
    package func typing(_ isTyping: Bool) { tell(.typing(TypingBody(isTyping: isTyping))) }

    /// Tells a member of a group that the user is typing in it, or no more.
    package func groupTyping(_ root: EntryHash, _ isTyping: Bool) {
        tell(.group(.typing(GroupTypingBody(root: root, isTyping: isTyping))))
    }

    /// Tells the session whether it shares a group with the peer, if that has changed with the last commit.
    package func groupMateChanged(_ isMate: Bool) { if isMate != isGroupMate { feed(.groupMateChanged(isMate)) } }
}
