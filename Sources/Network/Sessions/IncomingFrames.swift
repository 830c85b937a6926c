import Messaging
import PeerProtocol
import Reactor

/// Frames that have to be on disk before they are answered. Where files are offered, the disk is looked at before they are
/// committed; frames that come meanwhile wait behind.
@ReactorActor final class IncomingFrames {
    private let lane: IncomingCommits
    /// Frames that came during a look at the disk; nil while there is none.
    private var behindLook: [[DurableFrame]]?

    init(lane: IncomingCommits) { self.lane = lane }

    func commit(_ frames: [DurableFrame], from session: PeerSession) {
        lane.services.came(frames, from: session.peer.account)
        behindLook?.append(frames)
        guard behindLook == nil else { return }
        guard session.relation == .friend || session.isGroupMate, frames.contains(where: \.offersFiles) else {
            return lane.append(frames, destination: Destination(), from: session)
        }
        behindLook = []
        lane.services.lookAtDownloads { [self] destination in
            let waiting = behindLook ?? []
            behindLook = nil
            lane.append(frames, destination: destination, from: session)
            for frames in waiting { commit(frames, from: session) }
        }
    }
}
