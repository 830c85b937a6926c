import PeerProtocol
import Reactor
import Store

/// What comes in and has to be on disk before it is answered.
extension PeerSession {
    /// Commits what the peer sent, and only then answers for it. Where files are offered, the disk is looked at before;
    /// what comes meanwhile waits behind.
    func commit(_ frames: [DurableFrame]) {
        // Now and not after the commit: by then the friend may be typing again.
        if frames.contains(where: \.isMessage) { context.typing.messageCame(from: peer.account) }
        if frames.contains(where: \.isGroupEntry) { context.typing.entryCame(from: peer.account) }
        behindLook?.append(frames)
        guard behindLook == nil else { return }
        guard relation == .friend || isGroupMate, frames.contains(where: \.offersFiles) else {
            return queue(frames, place: ReceivingPlace())
        }
        behindLook = []
        context.receivingPlace { [self] place in
            let waiting = behindLook ?? []
            behindLook = nil
            queue(frames, place: place)
            for frames in waiting { commit(frames) }
        }
    }

    private func queue(_ frames: [DurableFrame], place: ReceivingPlace) {
        commits.append(frames, place: place)
        submitNext()
    }

    /// The session stays until all is committed, also when it has ended meanwhile: who has said goodbye can't say it again soon.
    private func submitNext() {
        while let piece = commits.next() { submit(piece) }
    }

    private func submit(_ piece: CommitQueue.Piece) {
        let frames = piece.frames
        let committer = IncomingCommitter(
            peer: peer, name: network?.directory.entry(peer.device)?.displayName, place: piece.place,
            isHere: { [contacts = context.contacts] in contacts.isOnline($0) }, groups: context.voice?.scope)
        context.store.submit { transaction in
            try committer.commit(frames, in: transaction)
        } completion: { result in
            Reactor.shared.post {
                self.commits.finished()
                switch result {
                case .success(let result):
                    // Relations first: the machine judges the frames behind by them.
                    self.context.apply(result, from: self)
                    for (outcome, ids) in result.outcomes { self.feed(.committed(ids, outcome)) }
                case .failure(let error):
                    // Without a receipt the peer sends it again later; a full disk must not turn into a lost message.
                    self.log.error("what a peer sent can't be stored", [("error", "\(error)")])
                    self.feed(.committed(frames.map(\.id), .failed))
                }
                self.submitNext()
            }
        }
    }
}
