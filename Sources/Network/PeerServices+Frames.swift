import Messaging
import PeerProtocol
import Reactor

extension PeerServices {
    /// Returns the committer of a session's frames. It knows what only the reactor knows about them: where a request
    /// comes from, and which records of calls are more than the peer may send now.
    @ReactorActor func committer(
        of frames: [DurableFrame], from session: PeerSession, at destination: Destination
    ) -> IncomingCommitter {
        var committer = session.committer(at: destination)
        let account = session.peer.account
        if frames.contains(where: \.isContactRequest) {
            let host = session.connection.remoteAddress?.host
            committer.origin = contacts.origin(
                of: account, at: host, link: host.flatMap { session.network?.doorway.watch.link(of: $0) },
                isMate: groups.index.isMate(account), now: session.environment.clocks.now)
        }
        committer.callsPutOff = Set(
            frames.lazy.filter { $0.isCall && !calls.takesRecord(of: $0.id, from: account) }.map(\.id))
        return committer
    }
}
