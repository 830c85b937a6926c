import Messaging
import PeerProtocol

/// Frames that come in and have to be on disk before they are answered.
extension PeerSession {
    /// Commits what the peer sent, and only then answers for it. Where files are offered, the disk is looked at before;
    /// frames that come meanwhile wait behind.
    package func commit(_ frames: [DurableFrame]) {
        // This is told before the commit: after it the friend may be typing again.
        if frames.contains(where: \.isMessage) { services.typing.messageCame(from: peer.account) }
        if frames.contains(where: \.isGroupEntry) { services.typing.entryCame(from: peer.account) }
        behindLook?.append(frames)
        guard behindLook == nil else { return }
        guard relation == .friend || isGroupMate, frames.contains(where: \.offersFiles) else {
            return lane.append(frames, destination: Destination(), from: self)
        }
        behindLook = []
        services.destinations.lookAtDownloads { [self] destination in
            let waiting = behindLook ?? []
            behindLook = nil
            lane.append(frames, destination: destination, from: self)
            for frames in waiting { commit(frames) }
        }
    }

    func committer(at destination: Destination) -> IncomingCommitter {
        IncomingCommitter(
            peer: peer, name: network?.directory.entry(peer.device)?.displayName, choices: .stored,
            destination: destination,
            isHere: { [contacts = services.contacts.index] in contacts.isOnline($0) },
            space: DataSpace(of: environment.directory),
            groups: services.account.voice?.scope)
    }
}
