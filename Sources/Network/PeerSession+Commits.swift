import Messaging
import PeerProtocol

/// What comes in and has to be on disk before it is answered.
extension PeerSession {
    /// Commits what the peer sent, and only then answers for it. Where files are offered, the disk is looked at before;
    /// what comes meanwhile waits behind.
    package func commit(_ frames: [DurableFrame]) {
        // Now and not after the commit: by then the friend may be typing again.
        if frames.contains(where: \.isMessage) { services.typing.messageCame(from: peer.account) }
        if frames.contains(where: \.isGroupEntry) { services.typing.entryCame(from: peer.account) }
        behindLook?.append(frames)
        guard behindLook == nil else { return }
        guard relation == .friend || isGroupMate, frames.contains(where: \.offersFiles) else {
            return lane.append(frames, place: ReceivingPlace(), from: self)
        }
        behindLook = []
        services.places.lookAtDownloads { [self] place in
            let waiting = behindLook ?? []
            behindLook = nil
            lane.append(frames, place: place, from: self)
            for frames in waiting { commit(frames) }
        }
    }

    func committer(at place: ReceivingPlace) -> IncomingCommitter {
        IncomingCommitter(
            peer: peer, name: network?.directory.entry(peer.device)?.displayName, choices: .stored, place: place,
            isHere: { [contacts = services.contacts.index] in contacts.isOnline($0) },
            space: DataSpace(of: environment.directory),
            groups: services.account.voice?.scope)
    }
}
