import Basics
import PeerProtocol

/// What is told without being kept: pictures, typing, and what members of a group have of it.
extension PeerSession {
    /// For the picture that the friend's card names, and as an answer to the same question.
    func askAvatar(_ digest: [UInt8]) { feed(.askAvatar(digest)) }
    func giveAvatar(_ digest: [UInt8], _ file: [UInt8]?) { feed(.avatar(digest, file: file)) }

    /// Tells a member of a group that somebody here is typing in it, or no more.
    func groupTyping(_ root: EntryHash, _ isTyping: Bool) {
        tell(.typing(GroupTypingBody(root: root, isTyping: isTyping)))
    }

    /// A frame of a group that needs no receipt.
    func tell(_ frame: GroupFrame) { feed(.group(frame)) }

    /// Whether we share a group is another matter than at the last commit.
    func groupMateChanged(_ isMate: Bool) { if isMate != isGroupMate { feed(.groupMateChanged(isMate)) } }
}
